// Playwright's test, which also fails if the page's program has stopped: a panic is a trap of WebAssembly and must
// never happen.
import { expect, test as base, type BrowserContext } from "@playwright/test";

export const test = base.extend<{ mayStop: boolean; noTraps: void }>({
  /** Whether the test stops the program on purpose. */
  mayStop: [false, { option: true }],
  noTraps: [
    async ({ browser, mayStop }, use) => {
      const traps: string[] = [];
      const watch = (context: BrowserContext) => context.on("weberror", (event) => {
        const error = event.error();
        if (/unreachable|RuntimeError/.test(`${error.name} ${error.message}`)) traps.push(`${event.page()?.url()}: ${error.stack ?? error.message}`);
      });
      const make = browser.newContext.bind(browser);
      browser.newContext = async (...options) => {
        const context = await make(...options);
        watch(context);
        return context;
      };
      browser.contexts().forEach(watch);
      await use();
      browser.newContext = make;
      if (!mayStop) expect(traps, "the page's program has stopped").toEqual([]);
    },
    { auto: true },
  ],
});
