// What a browser must be able to do for a journey. Playwright drives Firefox and WebKit in builds of its own only; these are the ones that
// a distribution ships, driven by the protocols that they speak: WebDriver BiDi, and WebDriver over HTTP.
import { spawn, type ChildProcess } from "node:child_process";

/** Input of WebDriver, in both of its protocols the same: sources with their actions. */
export type Source = { type: string; id: string; parameters?: object; actions: object[] };

/** A browser that has been started. */
export interface Driver {
  /** The narrowest that its window becomes. */
  readonly narrowest: number;
  /** Begins anew as somebody who was never here. */
  begin(): Promise<void>;
  navigate(address: string): Promise<void>;
  /** Leaves the page for an empty one. What it says of requests that end thereby is no complaint. */
  leave(): Promise<void>;
  /** Runs `code` in the page and returns what it returns, both ways as JSON. */
  evaluate<A extends unknown[], T>(code: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
  act(sources: Source[]): Promise<void>;
  /** Puts a file into the field that `selector` names. */
  choose(selector: string, path: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** What the browser has complained about since [`begin`]. */
  complaints(): Promise<string[]>;
  /** What it says on its console when this address is opened. */
  said(address: string): Promise<string[]>;
  close(): Promise<void>;
}

/** `code` as an expression that takes the JSON of its arguments and gives the JSON of what it returns. */
export function expression(code: (...args: never[]) => unknown): string {
  return `async (json) => JSON.stringify((await (${code})(...JSON.parse(json))) ?? null)`;
}

/** A program that was started, once it has said what `sign` looks for on either output. */
export async function start(program: string, args: string[], env: object, sign: RegExp): Promise<{ child: ChildProcess; said: RegExpExecArray }> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const said = await new Promise<RegExpExecArray>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${program} says nothing of ${sign}: ${text}`)), 30_000);
    const read = (piece: Buffer) => {
      text += piece;
      const found = sign.exec(text);
      if (found) {
        clearTimeout(late);
        resolve(found);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
  });
  return { child, said };
}

/** Ends a program, and returns when it has ended. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(late);
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
