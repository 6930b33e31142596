// The answer comes first: position of the number and of the first row of the view, in windows of laptops and phones, in
// every language.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { views } from "../views.mjs";
import { answer, editor, open, solved, type } from "./page";

const sample = (name: string) => readFileSync(resolve(import.meta.dirname, `../../src/model/task/samples/${name}`), "utf8");
const part = (name: string, text: string) => `${name}=${encodeURIComponent(text)}`;
const SONNET = sample("sonnet18.txt");

/** Addresses of results: each task once, and two kinds of long texts. */
const RESULTS: Record<string, string> = {
  kitten: "/#a=kitten&b=sitting",
  code: `/#${part("a", sample("then.toml"))}&${part("b", sample("now.toml"))}&unit=lines`,
  approximate: `/approximate-search#a=summer&${part("b", SONNET)}&max_distance=2&case_insensitive`,
  subsequence: "/lcs#a=kitten&b=sitting",
  count: "/match-count#a=GATTACA&b=TGATGACAGATTCCA",
  exact: `/exact-search#a=and&${part("b", SONNET)}`,
  records: views.records,
};

/** Sizes of windows, and the lowest allowed position of the number and of the first row, in pixels. */
const WINDOWS = [
  { width: 1280, height: 720, number: 400, row: 520 },
  { width: 1366, height: 768, number: 400, row: 520 },
  { width: 390, height: 844, number: 260, row: 420 },
  { width: 320, height: 640, number: 640, row: Infinity },
];

const ROWS = ".align .block .line, .twinned .side, .verse .t";

async function positions(page: Page, what: string, overview = 0): Promise<string[]> {
  await page.locator(ROWS).filter({ visible: true }).first().waitFor();
  const wrong: string[] = [];
  for (const { width, height, number, row } of WINDOWS) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(120);
    const found = await page.evaluate((rows) => {
      const tops = [...document.querySelectorAll(rows)].filter((row) => row.checkVisibility() && !row.closest(".probe")).map((row) => row.getBoundingClientRect().top);
      return { number: document.querySelector("output.big")!.getBoundingClientRect().top, row: Math.min(...tops), over: document.documentElement.scrollWidth - innerWidth };
    }, ROWS);
    const at = `${what} at ${width} × ${height}`;
    if (found.number >= number) wrong.push(`${at}: the number at ${found.number}`);
    if (found.row >= row + (width <= 390 ? overview : 0)) wrong.push(`${at}: the first row at ${found.row}`);
    if (found.over > 0) wrong.push(`${at}: ${found.over} px too wide`);
  }
  return wrong;
}

for (const language of ["en", "de", "es", "fr", "ja", "zh"]) {
  test(`answer and view fit the first screen, in ${language}`, async ({ page, context, baseURL }) => {
    test.setTimeout(60_000);
    await context.addCookies([{ name: "language", value: language, url: baseURL! }]);
    const wrong: string[] = [];
    for (const [name, address] of Object.entries(RESULTS)) {
      if (language !== "en" && ["count", "code"].includes(name)) continue;
      await page.goto("about:blank");
      await page.goto(address);
      await expect(answer(page)).toBeVisible({ timeout: 15_000 });
      wrong.push(...(await positions(page, name)));
    }
    expect(wrong).toEqual([]);
  });
}

test("text boxes shrink beside a long answer, and grow when they get the focus", async ({ page }) => {
  await open(page);
  const essay = `${sample("essay-source.txt")}\n`.repeat(20).slice(0, 5_000);
  await type(page, essay, essay.replaceAll("struggle", "fight"));
  await solved(page, "70");
  await editor(page, "b").blur();
  const height = async () => (await editor(page, "a").boundingBox())!.height;
  await expect.poll(height).toBeLessThan(60);
  // The tools of the alignment appear a moment after its rows.
  await expect.poll(() => positions(page, "essays", 200), { timeout: 20_000 }).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 720 });
  await editor(page, "a").focus();
  await expect.poll(height).toBeGreaterThan(150);
  // A press on a tab below must reach the tab, although the box shrinks.
  await page.getByRole("tab", { name: "Metrics" }).click({ delay: 150 });
  await expect(page.getByRole("tab", { name: "Metrics" })).toHaveAttribute("aria-selected", "true");
});

test("the arrows of a matrix are chosen above the bar of its steps", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("/#a=kitten&b=sitting&view=matrix");
  await page.getByRole("grid").waitFor();
  const box = async (selector: string) => (await page.locator(selector).boundingBox())!;
  await expect.poll(async () => (await box(".choices .seg")).y + (await box(".choices .seg")).height - (await box(".deck")).y).toBeLessThanOrEqual(0);
});

test("each view is a history entry: back from the matrix shows the alignment", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await expect(page).toHaveTitle("3 edits: kitten and sitting · Editscope");
  await page.getByRole("tab", { name: "Matrix" }).click();
  await expect(page).toHaveURL(/#a=kitten&b=sitting&view=matrix$/);
  await expect(page).toHaveTitle("3 edits: kitten and sitting · Matrix");
  await page.goBack();
  await expect(page.getByRole("tab", { name: "Alignment" })).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/#a=kitten&b=sitting$/);
  await expect(answer(page)).toHaveText("3");
  await page.goForward();
  await expect(page.getByRole("tab", { name: "Matrix" })).toHaveAttribute("aria-selected", "true");
});

test("a phone that opens a projector address gets the page for phones", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/#a=kitten&b=sitting&projector");
  await expect(answer(page)).toHaveText("3");
  await expect(page.locator("html")).not.toHaveAttribute("data-projector");
  await expect(page.getByRole("tab", { name: "Matrix" })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(page.locator("html")).toHaveAttribute("data-projector");
});

test("projector mode makes fields, tabs, tasks and letters as large as possible", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("/#a=kitten&b=sitting&projector");
  await expect(answer(page)).toHaveText("3");
  const cell = page.locator(".align .line .u").first();
  expect((await cell.boundingBox())!.width).toBeGreaterThan(100);
  await expect(page.getByRole("tab", { name: "Matrix" })).toBeInViewport();
  await editor(page, "a").fill("mitten");
  await expect(cell).toHaveText("m");
  await page.locator(".task-pick select").selectOption("lcs");
  await expect(answer(page)).toHaveText("4");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
