// Both texts in one column, and the rows of either layout as text.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, countIn, open, type } from "./page";

const link = (unit: string, a: string, b: string) => `/#a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&unit=${unit}`;

const POEM = [
  "I wandered lonely as a cloud\nA host of dancing daffodils;\nBeside the lake",
  "I wandered lonely as a cloud\nA host, of golden daffodils;\nBeside the lake\nFluttering and dancing",
] as const;

const then = Array.from({ length: 80 }, (_, at) => `setting_${at} = ${at}`);
const now = then.map((line, at) => (at === 30 ? "setting_30 = thirty" : line)).filter((_, at) => at !== 50);

function rows(page: Page): Locator {
  return page.getByRole("region", { name: "Both texts, line by line" });
}

async function oneColumn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "One column" }).click();
  await expect(page.locator(".twinned.one")).toBeVisible();
}

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

const copied = (page: Page) => page.evaluate(async () => (await navigator.clipboard.readText()).replaceAll("\r\n", "\n"));

for (const colorScheme of ["light", "dark"] as const) {
  test(`changed words are struck out and inserted in one column, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(link("words", ...POEM));
    await expect(answer(page)).toHaveText(/\d/);
    await oneColumn(page);
    const lines = rows(page).locator(".side");
    await expect(lines).toHaveCount(4);
    await expect(lines.nth(1).locator(".t")).toHaveText("A host, of dancing golden daffodils;");
    const marks = lines.nth(1).locator("del, ins");
    await expect(marks).toHaveText([",", "dancing", "golden"]);
    expect(await marks.evaluateAll((all) => all.map((mark) => mark.localName))).toEqual(["ins", "del", "ins"]);
    await expect(lines.nth(1).locator("del")).toHaveCSS("text-decoration-line", "line-through");
    await expect(lines.nth(1).locator("ins").last()).toHaveCSS("box-shadow", /inset/);
    // Both lines have their numbers. A line that only b has is inserted as a whole.
    await expect(lines.nth(1).locator(".no")).toHaveText(["a, line 2", "b, line 2"]);
    await expect(lines.nth(3).locator(".no")).toHaveText(["b, line 4"]);
    await expect(lines.nth(3).locator("ins")).toHaveText("Fluttering and dancing");
    await expect(lines.nth(3).locator(".sign")).toHaveText("+");
    expect((await page.locator(".twinned").boundingBox())!.width).toBeLessThanOrEqual(46 * 16);
    await check(page);
  });
}

test("the column layout folds, steps and lists like the side-by-side layout", async ({ page }) => {
  await open(page);
  await countIn(page, "lines");
  await type(page, then.join("\n"), now.join("\n"));
  await expect(answer(page)).toHaveText("2");
  await oneColumn(page);
  await expect(rows(page).locator(".changed")).toHaveCount(2);
  await expect(rows(page).locator("del")).toHaveText(["30", "setting_50 = 50"]);
  await expect(rows(page).locator("ins")).toHaveText("thirty");
  await answer(page).click();
  const here = rows(page).locator(".here");
  await page.keyboard.press("j");
  await expect(page.getByText("1 of 2 changes")).toBeVisible();
  await expect(here).toContainText("setting_30 = 30 thirty");
  await page.keyboard.press("j");
  await expect(page.getByText("2 of 2 changes")).toBeVisible();
  await expect(here).toContainText("setting_50 = 50");
  await page.keyboard.press("k");
  await expect(here).toContainText("setting_30 = 30 thirty");
  await expect(page.getByRole("table", { name: "Edits in view" })).toContainText("substitute 30 by thirty");
  await rows(page).getByRole("button", { name: "28 equal lines" }).click();
  await expect(rows(page).getByText("setting_3 = 3", { exact: true })).toHaveCount(1);
  await page.getByLabel("Go to row").fill("75");
  await page.getByLabel("Go to row").press("Enter");
  await expect(rows(page).getByText("setting_75 = 75", { exact: true })).toBeVisible();
  await check(page);
});

test("layout and first visible row survive a change of layout and of a text", async ({ page }) => {
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of a text`);
  const b = lines.map((line, at) => (at % 40 === 20 ? `${line} that is another` : line));
  await open(page);
  await countIn(page, "lines");
  await type(page, lines.join("\n"), b.join("\n"));
  await expect(answer(page)).toHaveText("10");
  await page.getByRole("button", { name: "Hide equal lines" }).click();
  await rows(page).evaluate((area) => (area.scrollTop = 5_000));
  await page.waitForTimeout(400);
  const first = () =>
    rows(page).evaluate((area) => {
      const top = area.getBoundingClientRect().top;
      const row = [...area.querySelectorAll(".twin")].find((row) => row.getBoundingClientRect().bottom > top + 2);
      return /line \d+ of/.exec(row?.textContent ?? "")?.[0];
    });
  const before = await first();
  expect(before).toMatch(/line \d{2,}/);
  await oneColumn(page);
  await expect.poll(first).toBe(before);
  await page.getByRole("button", { name: "Blocks", exact: true }).click();
  await expect(page.getByRole("region", { name: /^Alignment, columns/ })).toBeVisible();
  await oneColumn(page);
  await expect.poll(first).toBe(before);
  await page.getByRole("textbox", { name: /(^|\s)b$/ }).fill([...b, "x"].join("\n"));
  await expect(answer(page)).toHaveText("11");
  await expect(page.getByRole("button", { name: "One column" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".twinned.one")).toBeVisible();
});

test("lines without common words are shown below each other", async ({ page }) => {
  await page.goto(link("lines", "same\nalpha beta\nlast\n\n", "same\ngamma delta\nlast\n"));
  await expect(answer(page)).toHaveText("2");
  await oneColumn(page);
  const lines = rows(page).locator(".side");
  await expect(lines.locator(".t")).toHaveText(["same", "alpha beta", "gamma delta", "last", ""]);
  await expect(lines.locator(".sign")).toHaveText(["−", "+", "−"]);
  await expect(rows(page).locator("del")).toHaveText(["alpha beta", ""]);
  await expect(rows(page).locator("ins")).toHaveText("gamma delta");
});

test("the column layout frames invisible characters and keeps the text direction", async ({ page }) => {
  await page.goto(link("lines", "שלום עולם 1\npass\u200Bword next", "שלום עולם 2\npassword next"));
  await expect(answer(page)).toHaveText("2");
  await oneColumn(page);
  await expect(rows(page).getByRole("img", { name: "zero-width space" })).toBeVisible();
  const line = rows(page).locator(".side .t").first();
  await expect(line).toHaveCSS("direction", "rtl");
  // In a right-to-left row the insertion is to the left of the deletion.
  const [gone, come] = [await line.locator("del").boundingBox(), await line.locator("ins").boundingBox()];
  expect(come!.x).toBeLessThan(gone!.x);
  expect((await rows(page).locator(".no").first().boundingBox())!.x).toBeLessThan(come!.x);
});

test("rows are copied as text from both layouts", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  await countIn(page, "lines");
  await type(page, then.join("\n"), now.join("\n"));
  await expect(answer(page)).toHaveText("2");
  const line = (at: number) => ` setting_${at} = ${at}\n`;
  const expected =
    "⋯ 28 equal lines\n" + line(28) + line(29) + "-setting_30 = 30\n+setting_30 = thirty\n" + line(31) + line(32) +
    "⋯ 15 equal lines\n" + line(48) + line(49) + "-setting_50 = 50\n" + line(51) + line(52) + "⋯ 27 equal lines\n";
  const button = page.getByTitle("Copy the rows as text");
  await button.click();
  await expect.poll(() => copied(page)).toBe(expected);
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await oneColumn(page);
  await button.click();
  await expect.poll(() => copied(page)).toBe(expected);
  await page.getByRole("button", { name: "Hide equal lines" }).click();
  await button.click();
  await expect.poll(async () => (await copied(page)).split("\n").length).toBe(82);
});

test("a selection in the column layout is copied with deletions and insertions", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(link("words", ...POEM));
  await expect(answer(page)).toHaveText(/\d/);
  await oneColumn(page);
  const line = rows(page).locator(".side .t").nth(1);
  await line.evaluate((line) => getSelection()!.selectAllChildren(line));
  await page.keyboard.press("Control+c");
  expect((await copied(page)).trim()).toBe("A host, of dancing golden daffodils;");
});

test("the table of hits is copied with tabs between cells", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/exact-search#a=ab&b=${encodeURIComponent("abc\nxab")}`);
  await expect(answer(page)).toHaveText("2");
  await page.getByRole("button", { name: "Copy the table" }).click();
  await expect.poll(() => copied(page)).toBe("In b\tFound\tLine\n0–2\tab\t1\n5–7\tab\t2\n");
  await page.goto(`/approximate-search#a=summer&b=${encodeURIComponent("sommer winter summer")}&max_distance=1`);
  await expect(answer(page)).toHaveText(/\d/);
  await page.getByRole("button", { name: "Copy the table" }).click();
  await expect.poll(() => copied(page)).toMatch(/^Edits\tIn b\tFound\tEnds\n1\t0–6\tsommer\t\d\n0\t14–20\tsummer\t\d\n$/);
});

test("prose has a row per sentence, and a moved sentence names its positions", async ({ page }) => {
  const sentences = Array.from({ length: 24 }, (_, at) => `Sentence number ${at} has words of its own, such as w${at} and v${at}.`);
  const moved = "The quick brown fox jumped over the lazy dog and ran into the dark forest until night.";
  const [a, b] = [3, 18].map((at) => [...sentences.slice(0, at), moved, ...sentences.slice(at)].join(" "));
  await open(page, `/#unit=words&a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`);
  await expect(answer(page)).toHaveText("36");
  await expect(rows(page).locator("del")).toHaveText(moved);
  await expect(rows(page).locator(".twin").first()).toContainText("Sentence number 0 has words of its own, such as w0 and v0.");
  await expect(page.locator(".moves li")).toHaveText(/^18 words moved from its old place to its new place$/);
  await expect(rows(page).getByRole("button", { name: "11 equal sentences" })).toBeVisible();
  await page.getByRole("button", { name: "its new place" }).click();
  await expect(rows(page).locator("ins")).toHaveText(moved);
  await expect(rows(page).locator("ins")).toBeInViewport();
  await check(page);
});
