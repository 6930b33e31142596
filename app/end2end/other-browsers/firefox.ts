// Firefox, by WebDriver BiDi (https://w3c.github.io/webdriver-bidi), which it speaks itself.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { expression, sleep, start, stop, type Driver } from "./driver";

type Message = { id?: number; method?: string; params?: LogEntry; result?: unknown; error?: string; message?: string };
type LogEntry = { level: string; text: string | null; type: string; source: { realm: string; context?: string } };
type Evaluated = { type: "success"; result: { value: string } } | { type: "exception"; exceptionDetails: { text: string } };

/** What the page says of its requests that end because the visitor leaves: it ends them itself, and the page still hears of it. */
const CUT_OFF = /^error: (TypeError: NetworkError when attempting to fetch resource|AbortError: The operation was aborted)/;

/** Starts it without a window. */
export async function firefox(): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), "editscope-firefox-"));
  writeFileSync(join(profile, "user.js"), 'user_pref("intl.accept_languages", "en-GB, en");\n');
  const program = process.env.EDITSCOPE_FIREFOX ?? "firefox-esr";
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"];
  const { child, said } = await start(program, args, {}, /WebDriver BiDi listening on (ws:\S+)/);
  const session = await Session.open(`${said[1]}/session`);
  let visitor = "";
  let tab = "";
  const parting = async () => {
    const { realms } = await session.ask<{ realms: { realm: string }[] }>("script.getRealms", { context: tab });
    realms.forEach(({ realm }) => session.left.add(realm));
  };

  const driver: Driver = {
    narrowest: 320,
    async begin() {
      if (visitor) {
        await parting();
        await session.ask("browser.removeUserContext", { userContext: visitor });
      }
      ({ userContext: visitor } = await session.ask<{ userContext: string }>("browser.createUserContext", {}));
      ({ context: tab } = await session.ask<{ context: string }>("browsingContext.create", { type: "tab", userContext: visitor }));
      session.complaints = [];
      await driver.resize(1440, 900);
    },
    async navigate(address) {
      await session.ask("browsingContext.navigate", { context: tab, url: address, wait: "complete" });
    },
    async leave() {
      await parting();
      await driver.navigate("about:blank");
    },
    async evaluate(code, ...args) {
      const evaluated = await session.ask<Evaluated>("script.callFunction", {
        functionDeclaration: expression(code),
        arguments: [{ type: "string", value: JSON.stringify(args) }],
        awaitPromise: true,
        target: { context: tab },
      });
      if (evaluated.type === "exception") throw new Error(evaluated.exceptionDetails.text);
      return JSON.parse(evaluated.result.value);
    },
    async act(actions) {
      await session.ask("input.performActions", { context: tab, actions });
    },
    async choose(selector, path) {
      const locator = { type: "css", value: selector };
      const { nodes } = await session.ask<{ nodes: { sharedId: string }[] }>("browsingContext.locateNodes", { context: tab, locator });
      await session.ask("input.setFiles", { context: tab, element: { sharedId: nodes[0].sharedId }, files: [path] });
    },
    async resize(width, height) {
      await session.ask("browsingContext.setViewport", { context: tab, viewport: { width, height } });
    },
    async complaints() {
      return session.complaints;
    },
    async said(address) {
      await driver.begin();
      await driver.navigate(address);
      await sleep(3_000);
      return session.complaints;
    },
    async close() {
      session.close();
      await stop(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return driver;
}

/** A connection with one session. */
class Session {
  complaints: string[] = [];
  /** Documents that the visitor has left or is about to leave. */
  left = new Set<string>();
  private asked = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  private last = 0;

  private constructor(private socket: WebSocket) {
    socket.on("message", (data) => this.read(JSON.parse(String(data))));
    socket.on("close", () => this.asked.forEach(({ reject }) => reject(new Error("Firefox closed the connection"))));
  }

  static async open(address: string): Promise<Session> {
    const socket = new WebSocket(address, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const session = new Session(socket);
    await session.ask("session.new", { capabilities: {} });
    await session.ask("session.subscribe", { events: ["log.entryAdded"] });
    return session;
  }

  /** Sends a command and returns its result. */
  ask<T>(method: string, params: object): Promise<T> {
    const id = ++this.last;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.asked.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) }));
  }

  close() {
    this.socket.close();
  }

  private note({ level, text, source }: LogEntry) {
    const complaint = `${level}: ${text}`;
    const endsWithPage = this.left.has(source.realm) && CUT_OFF.test(complaint);
    if (["error", "warn"].includes(level) && !endsWithPage) this.complaints.push(complaint);
  }

  private read({ id, method, params, result, error, message }: Message) {
    if (method === "log.entryAdded" && params) this.note(params);
    const asked = id === undefined ? undefined : this.asked.get(id);
    if (id === undefined || !asked) return;
    this.asked.delete(id);
    if (error) asked.reject(new Error(`${error}, ${message}`));
    else asked.resolve(result as never);
  }
}
