// Positions from 0 or from 1, as chosen by the visitor: in views, in links, on the next visit, but not in files.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, editor, open, saved, type } from "./page";

const TEXT = `${"ACTTGACTCA".repeat(3)}GATCAAGT`;

/** Returns the menu of the choice, which is beside the hits or among the tools of an alignment. */
async function menu(page: Page) {
  const choice = page.getByLabel("Positions from").filter({ visible: true });
  const more = page.locator('[popovertarget="more-alignment"]');
  await expect(choice.or(more).first()).toBeVisible();
  if (!(await choice.isVisible())) await more.click();
  return choice;
}

test("counting from 1 gives inclusive ends of hits and holds for the next visit", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "GATC", TEXT);
  const table = page.getByRole("region", { name: "Table of matches" });
  await expect(table.getByRole("button")).toHaveText("30–34");
  await (await menu(page)).selectOption("1");
  await expect(table.getByRole("button")).toHaveText("31–34");
  await expect(await menu(page), "the menu keeps the focus").toBeFocused();
  await expect.poll(() => page.url()).toContain("positions=1");
  await page.goto("/");
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(page.locator(".tall .block .pos").filter({ hasText: /^a/ })).toHaveText("a 1");
  await expect(page.locator(".tall .block .to").first()).toHaveText("6");
  const edits = page.getByRole("table", { name: "Edits in view" });
  await expect(edits.getByRole("row").nth(1)).toContainText("11");
  await (await menu(page)).selectOption("0");
  await expect(page.locator(".tall .block .pos").filter({ hasText: /^a/ })).toHaveText("a 0");
  await expect.poll(() => page.url()).not.toContain("positions=");
});

test("a link uses the counting of its maker, and files count from 0", async ({ page }) => {
  await page.goto(`/exact-search#a=GATC&b=${TEXT}&positions=1`);
  await expect(page.getByRole("region", { name: "Table of matches" }).getByRole("button")).toHaveText("31–34");
  expect(await saved(page, "CSV of matches")).toContain("30,34");
  // A link changes the choice for one visit only; the visitor's own choice stays.
  await page.goto("about:blank");
  await page.goto(`/exact-search#a=GATC&b=${TEXT}`);
  await expect(page.getByRole("region", { name: "Table of matches" }).getByRole("button")).toHaveText("30–34");
});

test("typed columns and positions use the chosen counting", async ({ page }) => {
  await open(page, `/#a=${"ACGTTGCA".repeat(90)}&b=${"ACGTTGCA".repeat(90)}&positions=1`);
  await expect(answer(page)).toHaveText("0");
  const rows = page.getByRole("region", { name: /^Alignment, columns/ });
  await expect(rows).toHaveAccessibleName(/^Alignment, columns 1 to /);
});

test("the texts of a search are called pattern and text", async ({ page }) => {
  await open(page, "/approximate-search");
  await expect(page.getByRole("textbox", { name: "Pattern a" })).toHaveAttribute("placeholder", "annual");
  await expect(page.getByRole("textbox", { name: "Text b" })).toBeVisible();
  await expect(page.locator(".editor header").first()).toContainText("Pattern");
  await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Edit distance" }).click();
  await expect(page.getByRole("textbox", { name: "a", exact: true })).toHaveAttribute("placeholder", "kitten");
  await expect(editor(page, "b")).toHaveAttribute("placeholder", "sitting");
});

test("the chart shades exactly the letters of a hit, and its labels do not overlap", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/approximate-search#a=annual&b=annealing+ann&max_distance=3");
  const dips = page.locator(".chart.profile rect.dip");
  await expect(dips.first()).toBeVisible();
  const { widths, column, symbols } = await page.locator(".chart.profile").first().evaluate((chart) => {
    const letters = [...chart.querySelectorAll("text.symbol")].map((text) => Number(text.getAttribute("x")));
    const places = [...document.querySelectorAll(".figures.hits tbody button.go")].map((button) => button.textContent!.split("–").map(Number));
    return {
      column: letters[1] - letters[0],
      symbols: [...chart.querySelectorAll("text.symbol")].map((text) => text.textContent).join(""),
      widths: [...chart.querySelectorAll("rect.dip")].map((rect, nth) => [Number(rect.getAttribute("width")), places[nth][1] - places[nth][0]]),
    };
  });
  expect(symbols.replace(/[␣⎵·\u00a0 ]/g, " ")).toBe("annealing ann");
  for (const [width, letters] of widths) expect(width / column).toBeCloseTo(letters, 1);
  const named = await page.locator(".chart.profile text.strong").evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  named.sort((one, other) => one[0] - other[0]);
  for (let nth = 1; nth < named.length; nth++) expect(named[nth][0]).toBeGreaterThan(named[nth - 1][1]);
});

test("positions of all hits are saved one per line, counted from 0", async ({ page }) => {
  await open(page, "/exact-search#a=aab&b=aabaaabaab&positions=1");
  await expect(answer(page)).toHaveText("3");
  expect(await saved(page, "List of positions")).toBe("0\n4\n7\n");
});
