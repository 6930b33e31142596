// The matrix of sequence alignment: signed values, three layers with lines between them, the zero floor, free ends,
// questions and files. Values are those of the textbook examples.
import { readFileSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { cell } from "./grid";
import { open } from "./page";

const GOTOH = "/sequence-alignment#a=GCTTAGC&b=GCAGTC&costs=gotoh&view=matrix";
const LOCAL = "/sequence-alignment#a=TGTTACGG&b=GGTTGACTA&costs=smith-waterman&view=matrix";

/** Returns the panel of a layer. */
function panel(page: Page, layer: "D" | "M" | "I"): Locator {
  return page.locator(".layer").nth("DMI".indexOf(layer));
}

/** Returns the cell in row `i`, column `j` of a layer. */
function inLayer(page: Page, layer: "D" | "M" | "I", i: number, j: number): Locator {
  return panel(page, layer).locator("tbody tr").nth(i).locator("td").nth(j);
}

function spoken(page: Page): Locator {
  return page.locator(".lens-pic").getByRole("status");
}

test("gaps that open have three panels with one step and one cursor", async ({ page }) => {
  await open(page, GOTOH);
  await expect(page.getByRole("grid")).toHaveCount(3);
  await expect(page.locator(".layer figcaption")).toContainText(["D ends in a gap in b", "M ends in a pair", "I ends in a gap in a"]);
  await expect(inLayer(page, "M", 7, 6)).toHaveText("3");
  await expect(inLayer(page, "M", 7, 6)).toHaveAttribute("aria-selected", "true");
  await expect(inLayer(page, "M", 0, 3)).toHaveText("−∞");
  await expect(inLayer(page, "M", 0, 3)).toHaveClass(/never/);
  await expect(page.getByRole("heading", { name: "3 points, 1 optimal alignment" })).toBeVisible();
  await expect(page.locator(".cols .pts")).toHaveText(["+2", "+2", "−3", "−1", "+2", "+2", "−3", "+2"]);
  await inLayer(page, "D", 4, 2).click();
  await expect(page.locator(".cellname").first()).toHaveText("D[4, 2] = 0: GCTT and GC, where T has no partner.");
  await expect(page.locator(".sums li")).toHaveCount(3);
  await expect(page.locator(".sums li.win")).toContainText("D[3, 2] − 1 = 1 − 1 = 0");
  await expect(page.locator(".sums li").nth(1)).toContainText("M[3, 2] − 2 − 1 = −2 − 3 = −5");
  await expect(page.locator(".rules li[aria-current]")).toContainText("delete: the gap goes on, or opens");
  await expect.poll(() => page.url()).toContain("cell=4,2,D");
});

test("the keys 1, 2 and 3 select the same cell of another layer", async ({ page }) => {
  await open(page, `${GOTOH}&cell=4,2,D`);
  await inLayer(page, "D", 4, 2).focus();
  await page.keyboard.press("2");
  await expect(inLayer(page, "M", 4, 2)).toBeFocused();
  await expect(inLayer(page, "M", 4, 2)).toHaveAttribute("aria-selected", "true");
  await expect(inLayer(page, "D", 4, 2)).toHaveAttribute("aria-selected", "false");
  await page.keyboard.press("3");
  await page.keyboard.press("ArrowDown");
  await expect(inLayer(page, "I", 5, 2)).toBeFocused();
  await expect(spoken(page)).toHaveText("Layer I, row 5 A, column 2 C: −7, from layer D.");
  // Each panel is one stop of the Tab key.
  await expect(page.locator(".layers td[tabindex='0']")).toHaveCount(3);
});

test("lines connect the layers where the panels stand side by side", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, GOTOH);
  const lines = page.locator(".between .link:not(.soft)");
  await expect.poll(async () => ((await lines.getAttribute("d")) ?? "").split("M").length - 1).toBe(4);
  await expect(panel(page, "D").locator(".letters")).toContainText("M");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.locator(".between")).toBeHidden();
  const boxes = await Promise.all((["D", "M", "I"] as const).map((layer) => panel(page, layer).boundingBox()));
  expect(boxes[1]!.y).toBeGreaterThan(boxes[0]!.y + boxes[0]!.height);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("a local alignment has a floor of 0, a fourth sum and a frame", async ({ page }) => {
  await open(page, LOCAL);
  await expect(cell(page, 6, 7)).toHaveText("13");
  await expect(page.getByRole("heading", { name: "13 points, 1 optimal alignment" })).toBeVisible();
  await expect(page.getByText("Symbols 1–6 of a and 1–7 of b.")).toBeVisible();
  await expect(page.locator(".under .piece")).toHaveCount(1);
  await expect(page.getByRole("grid").locator("thead th").nth(1)).toHaveClass("outside");
  await cell(page, 5, 2).click();
  await expect(cell(page, 5, 2)).toHaveClass(/start/);
  await expect(page.locator(".sums li")).toHaveCount(4);
  await expect(page.locator(".sums li.win")).toContainText("start here: a sum below 0 is not carried on");
  await expect(page.locator(".rules li[aria-current]")).toContainText("start here");
  await expect(page.locator(".cellname").first()).toHaveText("H[5, 2] = 0: no piece that ends in A and G scores above 0.");
});

test("linear gaps have one grid of signed values, and free ends zeros at the border", async ({ page }) => {
  await open(page, "/sequence-alignment#a=GATA&b=CCGATACC&view=matrix");
  await expect(cell(page, 4, 0)).toHaveText("−4");
  await expect(cell(page, 0, 8)).toHaveText("−8");
  await cell(page, 1, 3).click();
  await expect(page.locator(".sums li.win")).toContainText("H[0, 2] + 1 = −2 + 1 = −1");
  await page.goto("about:blank");
  await open(page, "/sequence-alignment#a=GATA&b=CCGATACC&mode=semi-global&free=b-start,b-end&view=matrix");
  await expect(page.getByRole("heading", { name: "4 points, 1 optimal alignment" })).toBeVisible();
  await expect(cell(page, 0, 8)).toHaveText("0");
  await expect(page.getByText("Symbols 0–4 of a and 2–6 of b.")).toBeVisible();
});

test("the quiz asks for the values of all layers", async ({ page }) => {
  await open(page, "/sequence-alignment#a=GC&b=GA&costs=gotoh&view=matrix");
  await page.getByText("Hide values and let me predict").click();
  const answer = async (cell: string, value: string) => {
    await page.getByLabel(`What is ${cell}?`).fill(value);
    await page.keyboard.press("Enter");
  };
  await answer("M[1, 1]", "2");
  await answer("D[1, 1]", "-6");
  await expect(page.locator(".quiz .say")).toHaveText("Right: D[1, 1] = −6.");
  await answer("I[1, 1]", "5");
  await expect(page.locator(".quiz .say")).toContainText("Not 5");
  await answer("I[1, 1]", "−6");
  await expect(page.locator(".quiz .score")).toHaveText("2 of 3 right on the first try");
  await expect(page.locator("#ask-for option")).toHaveCount(2);
});

test("files have the tables of all layers", async ({ page }) => {
  await open(page, GOTOH);
  const download = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
    return readFileSync(await file.path(), "utf8");
  };
  expect(await download("CSV")).toContain("M,ε,G,C,A,G,T,C\nε,0,-inf,-inf,-inf,-inf,-inf,-inf\n");
  const svg = await download("SVG");
  expect(svg.split("<g transform").length).toBe(4);
  expect(await download("TikZ")).toContain("\\begin{scope}");
});

test("long texts with three layers are a picture", async ({ page }) => {
  await open(page, `/sequence-alignment#a=${"ACGT".repeat(8)}&b=${"ACGA".repeat(8)}&costs=gotoh&view=matrix`);
  await expect(page.locator("canvas.heat")).toBeVisible();
  await expect(spoken(page)).toContainText("Layer M, row 32");
});
