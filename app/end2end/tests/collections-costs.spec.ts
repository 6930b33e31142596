// Costs of edits and points of alignments on the page that compares many texts.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";

const LINES = ["kitten", "sitting", "mitten", "iktten", "sunday", "saturday"];

type Costs = { substitute: number; insert: number; delete: number; swap?: number };

/** The least sum of costs by the plain recurrence of optimal string alignment. */
function distance(a: string, b: string, costs: Costs): number {
  const d = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 0; i <= a.length; i++)
    for (let j = 0; j <= b.length; j++) {
      const ways = i + j === 0 ? [0] : [];
      if (i > 0) ways.push(d[i - 1][j] + costs.delete);
      if (j > 0) ways.push(d[i][j - 1] + costs.insert);
      if (i > 0 && j > 0) ways.push(d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : costs.substitute));
      if (costs.swap !== undefined && i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(d[i - 2][j - 2] + costs.swap);
      d[i][j] = Math.min(...ways);
    }
  return d[a.length][b.length];
}

/** The points of the best global alignment with linear gaps (Needleman–Wunsch). */
function points(a: string, b: string, equal: number, different: number, gap: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => gap * column);
  for (let i = 1; i <= a.length; i++) {
    const next = [gap * i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.max(row[j] + gap, next[j - 1] + gap, row[j - 1] + (a[i - 1] === b[j - 1] ? equal : different)));
    row = next;
  }
  return row[b.length];
}

const number = (text: string): number => Number(text.replace("−", "-").replace(/[^-0-9]/g, ""));

function answered(page: Page): Locator {
  return page.locator('[data-part="answer"]');
}

async function type(page: Page, lines: string[]): Promise<void> {
  await page.goto("/collections");
  await page.getByRole("textbox", { name: /^Texts/ }).fill(lines.join("\n"));
  await expect(answered(page)).toBeVisible();
}

async function openCosts(page: Page): Promise<Locator> {
  const costs = page.getByLabel("Costs", { exact: true });
  // Texts of an address are folded to one line.
  const folded = page.getByRole("button", { name: "Change texts or options" });
  if (await folded.isVisible()) await folded.click();
  if (!(await costs.isVisible())) await page.locator("details.ignored", { has: costs }).locator("summary").click();
  return costs;
}

async function pairs(page: Page): Promise<string[][]> {
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Pairs" }).click();
  const all = await page.locator(".figures.pairs tbody tr:not(.line)").all();
  return Promise.all(all.map(async (row) => (await row.locator("th, td:visible").allInnerTexts()).map((cell) => cell.trim())));
}

test("edits have the chosen costs", async ({ page }) => {
  await type(page, LINES);
  await page.getByLabel("Measure").selectOption("edits");
  await (await openCosts(page)).selectOption("osa");
  await expect(page).toHaveURL(/costs=osa/);
  await expect(answered(page)).toContainText("substitute 1, insert 1, delete 1, swap 1.");
  const osa = { substitute: 1, insert: 1, delete: 1, swap: 1 };
  for (const [, names, similarity, edits] of await pairs(page)) {
    const [a, b] = names.split(" and ");
    expect(Number(edits), names).toBe(distance(a, b, osa));
    const share = 1 - distance(a, b, osa) / Math.max(a.length, b.length);
    expect(similarity, names).toBe(`${(Math.floor(share * 1000 + 1e-6) / 10).toFixed(1)}%`);
  }
  // Own weights, typed as numbers. Insertions and deletions differ, so that the text given first is the first one.
  await page.getByLabel("Costs", { exact: true }).selectOption("own");
  await page.getByLabel("Substitute").fill("5");
  await page.getByLabel("Insert", { exact: true }).fill("2");
  await expect(page).toHaveURL(/substitute=5&insert=2&swap=1/);
  await expect(answered(page)).toContainText("The value is the least sum of costs");
  const own = { substitute: 5, insert: 2, delete: 1, swap: 1 };
  await expect
    .poll(async () => (await pairs(page)).map(([, names, , sum]) => [names, number(sum)]).sort())
    .toEqual(LINES.flatMap((a, at) => LINES.slice(at + 1).map((b) => [`${a} and ${b}`, distance(a, b, own)])).sort());
  await expect(page.getByRole("button", { name: "Costs", exact: true })).toBeVisible();
  // The pair opens with its costs.
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Overview" }).click();
  const pair = page.getByRole("link", { name: "Open this pair" });
  await expect(pair).toHaveAttribute("href", /substitute=5&insert=2&swap=1/);
  await pair.click();
  await expect(page.getByText("1 is the least sum of costs that turns kitten into iktten.").first()).toBeAttached();
  // The address alone restores costs and answer.
  await page.goBack();
  await expect(answered(page)).toContainText("substitute 5, insert 2, delete 1, swap 1.");
});

test("a cost that is no number is refused until it is one", async ({ page }) => {
  await type(page, LINES);
  await (await openCosts(page)).selectOption("own");
  await page.getByLabel("Substitute").fill("1001");
  await expect(page.getByText("A cost is a whole number")).toBeVisible();
  await page.getByLabel("Substitute").fill("1");
  await expect(page.getByText("A cost is a whole number")).toBeHidden();
  await expect(page.getByText("Your browser compared 15 pairs,")).toBeVisible();
});

test("points are those of the best alignments", async ({ page }) => {
  await type(page, LINES);
  await page.getByLabel("Measure").selectOption("points");
  await expect(page).toHaveURL(/measure=points/);
  await expect(page.getByRole("navigation", { name: "Task" }).locator('[aria-current="page"]')).toHaveAccessibleName("Sequence alignment");
  await expect(answered(page)).toContainText("Equal +1, different −1, −1 for each symbol of a gap. The largest sum wins.");
  const shown = await pairs(page);
  expect(shown.length).toBe(15);
  const all = shown.map(([, names, sum]) => [names, number(sum)] as const);
  for (const [names, sum] of all) {
    const [a, b] = names.split(" and ");
    expect(sum, names).toBe(points(a, b, 1, -1, -1));
  }
  // More points are nearer.
  const sums = all.map(([, sum]) => sum);
  expect(sums).toEqual([...sums].sort((x, y) => y - x));
  await expect(page.getByRole("columnheader", { name: "Points" })).toHaveCount(1);
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Overview" }).click();
  // Threshold with a sign.
  await page.getByLabel("Alike with").fill("2");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/alike-points=2/);
  const alike = new Set(all.filter(([, sum]) => sum >= 2).flatMap(([names]) => names.split(" and ")));
  await expect(answer(page)).toHaveText(String(alike.size));
  await expect(answered(page)).toContainText("each has at least 2 points with another.");
  await page.getByLabel("Alike with").fill("−3");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/alike-points=-3/);
  await page.getByRole("slider", { name: "Threshold" }).press("ArrowRight");
  await expect(page).toHaveURL(/alike-points=-2/);
  // The menu of files has no distances.
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Newick tree" })).toBeHidden();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV of pairs" }).click();
  const file = await (await saved).createReadStream();
  let csv = "";
  for await (const part of file) csv += part;
  expect(csv.split("\n")[0]).toBe("a,b,a_name,b_name,score");
  expect(csv.split("\n")[1]).toBe(`0,1,kitten,sitting,${points("kitten", "sitting", 1, -1, -1)}`);
});

test("points have presets, own numbers and a pair with the same numbers", async ({ page }) => {
  await page.goto("/collections#measure=points&costs=gotoh&a=ACGTACGT%0AACGACGT%0ATTTTACGT");
  await expect(answered(page)).toContainText("Equal +2, different −1. A gap: −2 to open, −1 for each symbol.");
  await (await openCosts(page)).selectOption("smith-waterman");
  await expect(answered(page)).toContainText("Equal +3, different −3, −2 for each symbol of a gap.");
  await expect(page.getByLabel("Number of best pieces")).toBeHidden();
  await page.getByLabel("Equal", { exact: true }).fill("4");
  await expect(page).toHaveURL(/costs=smith-waterman&equal=4/);
  // Edits again, with the texts.
  await page.getByLabel("Costs", { exact: true }).selectOption("indel");
  await expect(page).toHaveURL(/#costs=indel&a=/);
  await expect(answered(page)).toContainText("substitute 2, insert 1, delete 1.");
  await page.getByLabel("Costs", { exact: true }).selectOption("gotoh");
  const pair = page.getByRole("link", { name: "Open this pair" });
  await expect(pair).toHaveAttribute("href", /sequence-alignment#.*costs=gotoh/);
  await pair.click();
  await expect(answer(page)).toHaveText("11");
});

test("more differences can be ignored", async ({ page }) => {
  await type(page, ["Room 12, please!", "room please", "Zimmer"]);
  await page.locator("details.ignored summary", { hasText: "Ignore …" }).click();
  for (const name of ["Upper and lower case", "Punctuation", "Digits", "White space"]) await page.getByLabel(name).check();
  await expect(page).toHaveURL(/case_insensitive&ignore_whitespace&ignore_punctuation&ignore_digits/);
  await expect(page.locator("details.ignored summary", { hasText: "Ignored: case, white space, punctuation, digits" })).toBeVisible();
  await expect(page.locator(".nearest-of tbody tr").first()).toContainText("equal");
  await expect(page.getByRole("link", { name: "Open this pair" })).toHaveAttribute("href", /ignore_punctuation&ignore_digits/);
});

test("the page with points is accessible and fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/collections#measure=points&costs=blosum62&a=MKV%0AMRV%0ACCC%0AMKVV");
  await expect(answered(page)).toBeVisible();
  await openCosts(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  const found = await new AxeBuilder({ page }).analyze();
  expect(found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.target).join(" ")}`)).toEqual([]);
});
