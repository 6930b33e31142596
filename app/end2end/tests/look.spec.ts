// Every page is accessible and never wider than its window.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, fillOption, open, type } from "./page";

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("the first visit is accessible and fits every width", async ({ page }) => {
      await open(page);
      await check(page);
    });

    test("an answer is accessible and fits every width", async ({ page }) => {
      await open(page);
      await type(page, "the quick brown fox jumps over the lazy dog", "a quick fox jumped over some lazy dogs");
      await expect(answer(page)).toBeVisible();
      await check(page);
    });

    for (const [task, opened] of [
      ["approximate-search", "Alignment of number 1"],
      ["match-count", "Offset 0"],
      ["exact-search", "Matches in the text"],
    ]) {
      test(`hits of ${task} with one open are accessible and fit every width`, async ({ page }) => {
        await open(page, `/${task}`);
        if (task === "match-count") await fillOption(page, "At most k unequal", "1");
        await type(page, "the", `the other day they gathered there ${"and then ".repeat(30)}`);
        await page.locator("table.hits").getByRole("button").first().click();
        await expect(page.getByRole("heading", { name: opened })).toBeVisible();
        await check(page);
      });
    }

    test("occurrences in a long text, and a missing one, are accessible and fit every width", async ({ page }) => {
      await open(page, "/exact-search");
      await type(page, "the", "the other day they gathered there ".repeat(100));
      await expect(page.getByRole("slider", { name: "Place in the text" })).toBeVisible();
      await check(page);
      await type(page, "winter", "the\nrough winde shakes");
      await expect(page.getByText("The closest match is")).toBeVisible();
      await check(page);
    });

    test("a common subsequence is accessible and fits every width", async ({ page }) => {
      await open(page, "/lcs");
      await type(page, "the quick brown fox jumps over the lazy dog", "a quick fox jumped over some lazy dogs");
      await expect(answer(page)).toBeVisible();
      await check(page);
    });
  });
}

test("a chart drawn for a wider window does not widen the page", async ({ page }) => {
  // Delays observers of sizes by a second, as on a busy machine.
  await page.addInitScript(() => {
    window.ResizeObserver = class extends ResizeObserver {
      constructor(tell: ResizeObserverCallback) {
        super((entries, observer) => setTimeout(() => tell(entries, observer), 1000));
      }
    };
  });
  await open(page, "/match-count");
  await type(page, "the", `the other day they gathered there ${"and then ".repeat(30)}`);
  const chart = page.locator(".chart.profile svg").first();
  await expect(chart.locator("path").first()).toBeAttached();
  const drawn = () => chart.evaluate((svg) => Math.max(...[...svg.children].map((part) => part.getBoundingClientRect().right)));
  await expect.poll(drawn).toBeGreaterThan(800);
  await page.setViewportSize({ width: 390, height: 800 });
  const [pageWidth, chartWidth] = [await page.evaluate(() => document.documentElement.scrollWidth), await drawn()];
  expect(chartWidth, "the chart is drawn as before").toBeGreaterThan(800);
  expect(pageWidth).toBeLessThanOrEqual(390);
  await expect.poll(drawn).toBeLessThanOrEqual(390);
});
