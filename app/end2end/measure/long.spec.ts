// Tasks of the page while long texts come in and are solved here: typed, pasted, opened by a link, opened as files.
import { test, type Page } from "@playwright/test";
import { dna } from "../tests/data";
import { answer, choose, editor, open, type } from "../tests/page";
import { tasks, traced } from "./trace";

const RUNS = 5;

/** Tasks over 50 ms, as the page itself is told of them. */
async function watched(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const blocked: number[] = [];
    (window as unknown as { blocked: number[] }).blocked = blocked;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => blocked.push(entry.duration))).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => (window as unknown as { blocked: number[] }).blocked);
}

const ways = {
  typed: (page: Page, a: string, b: string) => type(page, a, b),
  pasted: async (page: Page, a: string, b: string) => {
    for (const [which, text] of [["a", a], ["b", b]] as const) {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text);
      await editor(page, which).focus();
      await page.keyboard.press("ControlOrMeta+V");
    }
  },
  "opened by a link": (page: Page, a: string, b: string) =>
    page.evaluate((fragment) => {
      location.hash = fragment;
      dispatchEvent(new PopStateEvent("popstate"));
    }, `a=${a}&b=${b}`),
  files: async (page: Page, a: string, b: string) => {
    await choose(page, "a", { name: "a.txt", content: a });
    await choose(page, "b", { name: "b.txt", content: b });
  },
};

/** The answer is there, and nothing changes on the page any more. What is not quick enough to be answered as it comes in is started. */
async function settled(page: Page): Promise<void> {
  const waits = page.locator(".plan-said", { hasText: "Runs" });
  await answer(page).filter({ hasText: /\d/ }).or(waits).first().waitFor({ timeout: 60_000 });
  if (await waits.isVisible()) await page.getByRole("button", { name: "Run" }).last().click();
  await answer(page).filter({ hasText: /\d/ }).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1_000);
}

for (const letters of [10_000, 100_000]) {
  for (const [name, bring] of Object.entries(ways)) {
    if (letters > 10_000 && name === "opened by a link") continue;
    test(`${letters.toLocaleString("en")} × ${letters.toLocaleString("en")}, ${name}`, async ({ context, page }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const longest: number[] = [];
      const blocked: number[][] = [];
      for (let run = 0; run < RUNS; run++) {
        await page.goto("about:blank");
        await open(page);
        await page.waitForTimeout(500);
        const told = await watched(page);
        const act = async () => {
          await bring(page, dna(letters, 2 * run + 3), dna(letters, 2 * run + 4));
          await settled(page);
        };
        longest.push(Math.max(...tasks(await traced(await context.newCDPSession(page), act)).worked));
        blocked.push(await told());
      }
      const worked = longest.map((ms) => ms.toFixed(0)).join(", ");
      console.log(`${letters} × ${letters}, ${name}: longest task of each run ${worked} ms on a processor; over 50 ms by the clock: ${JSON.stringify(blocked)}`);
    });
  }
}
