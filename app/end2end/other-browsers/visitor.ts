// A visitor of the page in any browser: finds what is to be seen by selectors and names, uses mouse and keys, waits for what is to come.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "@playwright/test";
import type { Driver, Source } from "./driver";
import { firefox } from "./firefox";
import { webkit } from "./webkit";

/** What browsers complain about without harm. */
const HARMLESS = [
  // Frames of the page's own whose sizes follow each other; it is told a frame later.
  /ResizeObserver loop completed with undelivered notifications/,
  // WebKit fetches what a worker begins with a second time.
  /was preloaded using link preload but not used/,
];

export const CONTROL = "\uE009";
export const KEYS = { right: "\uE014", down: "\uE015", escape: "\uE00C", enter: "\uE007" };

export class Visitor {
  constructor(
    readonly driver: Driver,
    readonly origin: string,
  ) {}

  /** Opens an address of the page, as from a link somewhere. */
  async open(address: string): Promise<void> {
    await this.driver.leave();
    await this.driver.navigate(new URL(address, this.origin).href);
  }

  /** Opens the form and returns once it is alive: then it starts its solver when somebody is about to type. */
  async openForm(address = "/"): Promise<void> {
    await this.open(address);
    const starts = () => {
      const field = document.querySelector<HTMLElement>("textarea");
      field?.blur();
      field?.focus();
      return performance.getEntriesByType("resource").some(({ name }) => /solver|worker/.test(name));
    };
    await expect.poll(() => this.driver.evaluate(starts), { message: "the page comes to life" }).toBe(true);
  }

  /** The text of the first of these that can be seen; empty without one. */
  text(selector: string): Promise<string> {
    return this.driver.evaluate((selector) => {
      const seen = [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility());
      return seen?.innerText.replaceAll(/\s+/g, " ").trim() ?? "";
    }, selector);
  }

  count(selector: string): Promise<number> {
    return this.driver.evaluate((selector) => document.querySelectorAll(selector).length, selector);
  }

  /** What a field holds. */
  value(selector: string): Promise<string> {
    return this.driver.evaluate((selector) => document.querySelector<HTMLInputElement>(selector)?.value ?? "", selector);
  }

  address(): Promise<URL> {
    return this.driver.evaluate(() => location.href).then((address) => new URL(address));
  }

  /** Waits until something reads so. */
  async sees(selector: string, text: string | RegExp, timeout = 15_000): Promise<void> {
    const seen = expect.poll(() => this.text(selector), { message: selector, timeout });
    await (typeof text === "string" ? seen.toBe(text) : seen.toMatch(text));
  }

  /** Waits for the big number. */
  async answer(number: string | RegExp, timeout?: number): Promise<void> {
    await this.sees("output.big", number, timeout);
  }

  /** Clicks into the middle of the first of these whose name begins so, once it lies open to the mouse and still. */
  async click(selector: string, name = ""): Promise<void> {
    let place: { x: number; y: number } | null = null;
    const isStill = async () => {
      const before = place;
      place = await this.driver.evaluate(openTo, selector, name);
      return place !== null && place.x === before?.x && place.y === before.y;
    };
    await expect.poll(isStill, { message: `${selector} ${name}`, timeout: 10_000, intervals: [50, 100, 250] }).toBe(true);
    const { x, y } = place!;
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    const actions = [{ type: "pointerMove", x, y, duration: 0, origin: "viewport" }, ...press];
    await this.driver.act([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }]);
  }

  /** Presses keys one after the other; `held` is down meanwhile. */
  async press(keys: Iterable<string>, held?: string): Promise<void> {
    const strokes = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    const actions = held ? [{ type: "keyDown", value: held }, ...strokes, { type: "keyUp", value: held }] : strokes;
    await this.driver.act([{ type: "key", id: "keys", actions } as Source]);
  }

  /** Types over what a field holds. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.press("a", CONTROL);
    await this.press(text);
    await expect.poll(() => this.value(selector), { message: selector }).toBe(text);
  }

  async texts(a: string, b: string): Promise<void> {
    await this.type("#text-a", a);
    await this.type("#text-b", b);
  }

  async choose(which: "a" | "b", name: string, content: string): Promise<void> {
    const path = join(mkdtempSync(join(tmpdir(), "editscope-")), name);
    writeFileSync(path, content);
    await this.driver.choose(`input[type=file][aria-label="File for ${which}"]`, path);
  }

  /** Chooses of a list, which is open outside the page and out of reach. */
  async select(selector: string, value: string): Promise<void> {
    const choose = (selector: string, value: string) => {
      const list = document.querySelector<HTMLSelectElement>(selector)!;
      list.value = value;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    };
    await this.driver.evaluate(choose, selector, value);
  }

  /** Addresses under /api/ that the page has asked for. */
  asked(): Promise<string[]> {
    const asked = () => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    return this.driver.evaluate(asked).then((paths) => paths.filter((path) => path.startsWith("/api/")));
  }

  /** Number of pixels that the page is wider than its window. */
  tooWide(): Promise<number> {
    return this.driver.evaluate(() => document.scrollingElement!.scrollWidth - innerWidth);
  }
}

/** Where the mouse hits the first element of `selector` whose name begins with `name`; null while it does not. Runs in the page. */
function openTo(selector: string, name: string): { x: number; y: number } | null {
  const plain = (text: string | null | undefined) => (text ?? "").replaceAll(/\s+/g, " ").trim();
  const named = [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => {
    const own = plain(element.getAttribute("aria-label") ?? element.textContent);
    return own.startsWith(name) && element.checkVisibility();
  });
  const element = named.find((element) => plain(element.textContent) === name) ?? named[0];
  if (!element || (element as HTMLButtonElement).disabled) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
  return element.contains(document.elementFromPoint(x, y)) ? { x, y } : null;
}

const drivers: Record<string, () => Promise<Driver>> = { Firefox: firefox, WebKit: webkit };

/** A test with a visitor who was never here, in the browser that the project is called after. Complaints of the browser fail it. */
export const test = base.extend<{ visitor: Visitor }, { driver: Driver }>({
  driver: [
    async ({}, use, info) => {
      const driver = await drivers[info.project.name]();
      await use(driver);
      await driver.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  visitor: async ({ driver, baseURL }, use) => {
    await driver.begin();
    await use(new Visitor(driver, baseURL!));
    expect(harmful(await driver.complaints())).toEqual([]);
  },
});

/** Without what does no harm. */
export function harmful(complaints: string[]): string[] {
  return complaints.filter((complaint) => !HARMLESS.some((known) => known.test(complaint)));
}
