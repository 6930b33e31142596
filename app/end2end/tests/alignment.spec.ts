// The alignment: kinds of edits, places, copies, palettes, exports, and both texts side by side.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, choose, countIn, open, saved, solved, type } from "./page";

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  for (const width of [1440, 768, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

test("edit kinds that are switched off are neither visited nor listed", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const list = page.getByRole("table", { name: "Edits in view" }).getByRole("row");
  await expect(list).toHaveCount(4);
  await page.getByRole("button", { name: "Next difference" }).click();
  await expect(page.getByText("1 of 3", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: /2 substituted/ }).click();
  await expect(page.getByText("1 of 1", { exact: true })).toBeVisible();
  await expect(list).toHaveCount(2);
  await expect(list.last()).toContainText("insert g");
  await check(page);
});

test("a column or position opens by its number, and the visible part is copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const a = dna(480, 5);
  await type(page, a, a.slice(0, 160) + a.slice(260));
  await expect(answer(page)).toHaveText("100");
  await page.getByLabel("Go to", { exact: true }).last().selectOption("b");
  await page.getByLabel("Column or position").fill("370");
  await page.getByLabel("Column or position").press("Enter");
  // Position 370 of b follows the 100 symbols that only a has, near the end of all columns.
  await expect(page.getByRole("region", { name: /^Alignment, columns .* to 480$/ })).toBeVisible();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByText("Copy", { exact: true }).first().click();
  await page.getByRole("button", { name: "The CIGAR" }).click();
  await expect.poll(copied).toMatch(/^[0-9]+=([0-9]+[=D])+$/);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("textbox", { name: "Columns" }).fill("0");
  await page.getByRole("textbox", { name: "to", exact: true }).fill("8");
  await page.locator("#copy-menu form").getByRole("button", { name: "Copy" }).click();
  await expect.poll(copied).toBe(`a 0 ${a.slice(0, 8)} 8\n    ||||||||\nb 0 ${a.slice(0, 8)} 8\n`);
});

test("a dozen of many visible edits is listed, and more on request", async ({ page }) => {
  await open(page);
  await type(page, dna(400, 5), dna(400, 6));
  const rows = page.getByRole("table", { name: "Edits in view" }).locator("tbody tr");
  // So many edits are listed only on request.
  await expect(rows.first()).toBeHidden();
  await page.getByRole("button", { name: "List of edits" }).click();
  await expect(rows).toHaveCount(12);
  await page.getByRole("button", { name: "Show 48 more edits in view" }).click();
  await expect(rows).toHaveCount(60);
  // Words stand side by side, and have a list of their own.
  const words = (every: number) => Array.from({ length: 60 }, (_, at) => `word${at % every ? at : "s"}`).join(" ");
  await countIn(page, "words");
  await type(page, words(100), words(2));
  const more = page.getByRole("button", { name: /^Show [0-9]+ more edits in view$/ });
  await expect(more).toBeVisible();
  await expect(rows).toHaveCount(12);
  const rest = Number(/[0-9]+/.exec(await more.innerText())![0]);
  await more.focus();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(12 + rest);
  // The last press hides the button.
  await expect(more).toBeHidden();
  await expect(rows.nth(12)).toBeFocused();
});

test("a position opened by its number is marked, and an invalid number is reported", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const field = page.getByLabel("Column or position");
  await page.getByRole("button", { name: "More" }).click();
  const go = async (to: "column" | "a" | "b", number: string) => {
    await page.getByLabel("Go to", { exact: true }).last().selectOption(to);
    await field.fill(number);
    await field.press("Enter");
  };
  const spots = page.locator(".align .spot");
  await go("a", "4");
  await expect(spots).toHaveText(["e", "i"]);
  await go("b", "6");
  await expect(spots).toHaveText(["–", "g"]);
  for (const [to, number, says] of [
    ["a", "6", "Positions in a go from 0 to 5."],
    ["b", "7", "Positions in b go from 0 to 6."],
    ["column", "-5", "Columns go from 0 to 6."],
  ] as const) {
    await go(to, number);
    await expect(page.getByRole("status").filter({ hasText: says })).toBeVisible();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(spots).toHaveText(["–", "g"]);
  }
  await go("column", "0");
  await expect(spots).toHaveText(["k", "s"]);
  await expect(page.getByRole("status").filter({ hasText: "Columns go from" })).toHaveCount(0);
});

test("an alignment of a few columns is drawn large if there is space", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  const line = page.locator(".align .block .line").first();
  const size = async () => Number.parseFloat(await line.evaluate((line) => getComputedStyle(line).fontSize));
  await expect.poll(size).toBeGreaterThan(24);
  await type(page, dna(100, 1), dna(100, 2));
  await expect.poll(size).toBeLessThan(18);
  await type(page, "kitten", "sitting");
  await check(page);
});

test("the black and white palette is stored and applied from the first byte on", async ({ page, request, context }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  const blackAndWhite = async () => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Black and white" }).click();
    await page.keyboard.press("Escape");
  };
  await blackAndWhite();
  await expect(page.locator("html")).toHaveAttribute("data-palette", "print");
  const cookies = await context.cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  expect(await (await request.get("/", { headers: { cookie } })).text()).toContain('data-palette="print"');
  await blackAndWhite();
  expect((await context.cookies()).map(({ name }) => name)).not.toContain("palette");
});

test("two FASTA records can be exported in every format", async ({ page }) => {
  await open(page);
  await type(page, ">read one\nACGTACGT\n", ">chr\nACGTTACG\n");
  await expect(answer(page)).toHaveText("2");
  const cigar = (await saved(page, "CIGAR")).trim();
  expect(await saved(page, "PAF")).toMatch(/^read\t8\t0\t8\t\+\tchr\t8\t0\t8\t\d\t\d\t255\tNM:i:2\tcg:Z:[0-9=XID]+\n$/);
  expect(await saved(page, "SAM")).toContain("@SQ\tSN:chr\tLN:8");
  expect(await saved(page, "Text blocks")).toContain("# distance: 2");
  expect(JSON.parse(await saved(page, "JSON")).cigar).toBe(cigar);
  expect((await saved(page, "CSV of edits")).split("\n")[0]).toBe("edit,column,a_start,a_end,b_start,b_end,a,b");
  expect(await saved(page, "Picture (SVG)")).toContain("<title>Alignment, columns 0 to ");
});

const then = Array.from({ length: 60 }, (_, at) => `setting_${at} = ${at}`);
const now = then.map((line, at) => (at === 30 ? "setting_30 = thirty" : line)).filter((_, at) => at !== 50);

test("lines are side by side, equal ones folded and changed words marked", async ({ page }) => {
  await open(page);
  await countIn(page, "lines");
  await type(page, then.join("\n"), now.join("\n"));
  await expect(answer(page)).toHaveText("2");
  const rows = page.getByRole("region", { name: "Both texts, line by line" });
  await expect(rows.locator(".changed")).toHaveCount(2);
  await expect(rows.locator("mark")).toHaveText(["30", "thirty"]);
  await expect(rows.locator("del")).toHaveText("setting_50 = 50");
  await expect(rows.getByRole("button", { name: "28 equal lines" })).toBeVisible();
  await page.keyboard.press("Escape");
  await answer(page).click();
  await page.keyboard.press("j");
  await expect(page.getByText("1 of 2 changes")).toBeVisible();
  await expect(page.getByRole("table", { name: "Edits in view" })).toContainText("substitute 30 by thirty");
  await rows.getByRole("button", { name: "28 equal lines" }).click();
  await expect(rows.getByText("setting_3 = 3", { exact: true }).first()).toBeVisible();
  expect(await saved(page, "Unified diff")).toContain("-setting_30 = 30\n+setting_30 = thirty\n");
  await page.getByRole("button", { name: "Blocks", exact: true }).click();
  await expect(page.getByRole("region", { name: /^Alignment, columns/ })).toBeVisible();
  await page.getByRole("button", { name: "Side by side" }).click();
  await check(page);
});

test("20,000 lines can be scrolled to their end", async ({ page }) => {
  test.setTimeout(90_000);
  await open(page);
  await countIn(page, "lines");
  const many = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
  await page.getByLabel("File for a").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from(many.join("\n")) });
  many[19_990] = "another line";
  await page.getByLabel("File for b").setInputFiles({ name: "b.txt", mimeType: "text/plain", buffer: Buffer.from(many.join("\n")) });
  await solved(page, "1");
  const rows = page.getByRole("region", { name: "Both texts, line by line" });
  await page.getByRole("button", { name: "Hide equal lines" }).click();
  await page.getByRole("button", { name: "Next change" }).click();
  await expect(rows.getByText("another line")).toBeVisible();
  await rows.evaluate((area) => (area.scrollTop = area.scrollHeight));
  await expect(rows.getByText("line 19999").first()).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`two editions of a poem are shown side by side, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await open(page);
    await page.getByText("Samples", { exact: true }).first().click();
    await page.getByRole("button", { name: /Daffodils, 1807/ }).first().click();
    const rows = page.getByRole("region", { name: "Both texts, line by line" });
    await expect(rows.locator("mark").filter({ hasText: "golden daffodils" })).toBeVisible();
    // With six lines nothing is folded, and there is no field for the number of a row.
    await expect(page.getByRole("button", { name: "Hide equal lines" })).toBeHidden();
    await expect(page.getByLabel("Go to row")).toBeHidden();
    await check(page);
  });
}

test("visible columns stay in place when edits are listed or equal rows fold", async ({ page }) => {
  let seed = 7;
  const letters = Array.from({ length: 60_000 }, () => "ACGT"[((seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >> 16) % 4]!);
  const other = letters.map((letter, at) => (at % 500 === 250 ? (letter === "A" ? "C" : "A") : letter));
  await open(page);
  await choose(page, "a", { name: "a.txt", content: letters.join("") });
  await choose(page, "b", { name: "b.txt", content: other.join("") });
  await expect(answer(page)).toHaveText("120");
  const region = page.getByRole("region", { name: /^Alignment, columns/ });
  await expect(region.getByRole("group").first()).toBeVisible();
  const first = async () => Number(/columns ([\d,]+)/.exec((await region.getAttribute("aria-label"))!)![1]!.replaceAll(",", ""));
  await region.evaluate((area) => (area.scrollTop = area.scrollHeight / 2));
  await page.waitForTimeout(600);
  const before = await first();
  expect(before).toBeGreaterThan(20_000);
  await answer(page).click();
  for (const change of ["list", "list", "rows", "list", "rows"]) {
    if (change === "list") await page.keyboard.press("l");
    else await page.getByRole("button", { name: "Hide equal rows" }).click();
    await page.waitForTimeout(600);
    expect(Math.abs((await first()) - before), change).toBeLessThan(1_500);
  }
});
