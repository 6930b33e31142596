// Long jobs about two texts on several cores of the visitor's device.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, choose, open, runButton, slowServer, solved } from "./page";

/** A text of 15,000,000 letters. The pattern of 16,384 letters lies in it three times, with edits. */
const LONG = dna(15_000_000, 1);
const PATTERN = dna(16_384, 2);
const TEXT = [500_000, 6_000_000, 14_990_000].reduceRight(
  (text, at) => `${text.slice(0, at)}${PATTERN.slice(0, 500)}A${PATTERN.slice(503, 900)}${PATTERN.slice(901)}${text.slice(at)}`,
  LONG,
);

/** Opens a page on a device with `cores` cores. Returns a function that tells the largest number of workers that ran at a time. */
async function device(page: Page, cores: number, address: string): Promise<() => number> {
  let [running, most] = [0, 0];
  page.on("worker", (worker) => {
    most = Math.max(most, ++running);
    worker.on("close", () => running--);
  });
  await page.addInitScript((cores) => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores }), cores);
  await slowServer(page);
  await open(page, address);
  return () => most;
}

/** Runs the job of the page, and waits for its answer. */
async function run(page: Page): Promise<string> {
  await expect(async () => {
    if (await runButton(page).isVisible()) await runButton(page).click({ timeout: 1_000 });
    // An answer of an earlier form is stale.
    await expect(page.locator("main[data-stale]")).toHaveCount(0, { timeout: 60_000 });
    await expect(answer(page)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  return answer(page).innerText();
}

async function search(page: Page): Promise<string[]> {
  await choose(page, "b", { name: "b.txt", content: TEXT });
  await fillPattern(page, PATTERN);
  const least = await run(page);
  await expect(page.locator("table.hits .found").first()).toBeVisible();
  return [least, ...(await page.locator("table.hits tbody tr").allInnerTexts())];
}

async function fillPattern(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: /(^|\s)a$/ }).fill(text);
}

test("a search on several cores has the answer of one core", async ({ browser }) => {
  test.setTimeout(240_000);
  const shown: string[][] = [];
  for (const cores of [1, 4]) {
    const page = await (await browser.newContext()).newPage();
    const workers = await device(page, cores, "/approximate-search");
    shown.push(await search(page));
    expect(workers()).toBe(cores);
    await page.context().close();
  }
  expect(shown[0].length).toBeGreaterThan(3);
  expect(shown[1]).toEqual(shown[0]);
});

for (const [address, length] of [
  ["/lcs", 600_000],
  ["/", 600_000],
] as const) {
  test(`a pair at ${address} on several cores has the answer of one core`, async ({ browser }) => {
    test.setTimeout(240_000);
    const shown: string[] = [];
    for (const cores of [1, 2, 4]) {
      const page = await (await browser.newContext()).newPage();
      const workers = await device(page, cores, address);
      await choose(page, "a", { name: "a.txt", content: dna(length, 3) });
      await choose(page, "b", { name: "b.txt", content: dna(length, 4) });
      shown.push(await run(page));
      expect(workers()).toBe(cores);
      await page.getByRole("tab", { name: "Metrics", exact: true }).click();
      const own = page.getByRole("region", { name: "This run", exact: true });
      await expect(own).toContainText(cores === 1 ? "WebAssembly, one thread" : `WebAssembly, ${cores} workers`);
      await page.context().close();
    }
    expect(new Set(shown).size).toBe(1);
  });
}

test("a run on several cores can be cancelled and begun again", async ({ page }) => {
  await device(page, 4, "/lcs");
  await choose(page, "a", { name: "a.txt", content: dna(1_500_000, 5) });
  await choose(page, "b", { name: "b.txt", content: dna(1_500_000, 6) });
  await runButton(page).click();
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("progressbar", { name: "Progress" })).toHaveCount(0);
  await choose(page, "a", { name: "a.txt", content: "kitten" });
  await choose(page, "b", { name: "b.txt", content: "sitting" });
  await solved(page, "4");
});

test("shares of helpers that fail are computed by the solver, on a hidden page too", async ({ page, context }) => {
  test.setTimeout(240_000);
  let loads = 0;
  await context.route("**/solver_bg.wasm", (route) => (loads++ === 0 ? route.continue() : route.abort()));
  await device(page, 3, "/approximate-search");
  const least = (await search(page))[0];
  expect(Number(least)).toBeLessThan(20);
  // Each helper loads the solver, too.
  expect(loads).toBeGreaterThan(1);
  await context.unroute("**/solver_bg.wasm");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await fillPattern(page, `${PATTERN}ACGT`);
  expect(Number(await run(page))).toBeLessThan(30);
});
