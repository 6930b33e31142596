// The search for many patterns: lanes, places, limits of single patterns, strands, many texts, files and addresses.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { expectAccessible } from "./accessible";
import { answer } from "./page";

const TEXT = "The quick brown fox jumps over the lazy dog. The quik fox.";

function patterns(page: Page): Locator {
  return page.getByRole("textbox", { name: "Patterns" });
}

function text(page: Page): Locator {
  return page.getByRole("textbox", { name: "Searched text" });
}

function lane(page: Page, name: string): Locator {
  return page.locator(".lanes > .lane:not(.head)").filter({ has: page.getByRole("button", { name, exact: true }) });
}

/** Returns the cells of the list of places. */
async function places(page: Page): Promise<string[][]> {
  const all = await page.locator(".figures.hits tbody tr").all();
  return Promise.all(all.map(async (row) => (await row.locator("td").allInnerTexts()).map((cell) => cell.trim())));
}

async function open(page: Page, address = "/collections#task=approximate-search"): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("region", { name: "Patterns", exact: true }).or(page.getByRole("region", { name: "Searched texts" })).first()).toBeVisible();
}

async function search(page: Page, list: string, b: string): Promise<void> {
  await open(page);
  await patterns(page).fill(list);
  await text(page).fill(b);
  await expect(answer(page)).toBeVisible();
}

test("typed patterns have lanes, places and an alignment", async ({ page }) => {
  await search(page, "quick\nfox\nwolverine", TEXT);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Search for many patterns");
  await expect(page.getByText("Your browser searched for 3 patterns,")).toBeVisible();
  await expect(page.getByText("Nothing left this device.", { exact: true })).toBeVisible();
  await expect(answer(page)).toHaveText("4");
  await expect(page.locator('[data-part="answer"] .say')).toContainText("places of 3 patterns; patterns without a place: 1. wolverine comes no nearer than");
  await expect(lane(page, "quick").locator(".num")).toHaveText("2");
  await expect(lane(page, "quick").locator("rect.exact")).toHaveCount(1);
  await expect(lane(page, "quick").locator("rect.edits")).toHaveCount(1);
  await expect(lane(page, "wolverine")).toContainText("nearest:");
  const found = await places(page);
  expect(found.map(([, name, , edits]) => `${name} ${edits}`)).toEqual(["quick 0", "fox 0", "quick 1", "fox 0"]);
  await page.locator(".figures.hits tbody tr").nth(2).getByRole("button").click();
  await expect(page.locator("#place-title")).toHaveText(/^quick at .*: 1 edit$/);
  const columns = page.locator(".places .cols > span");
  await expect(columns).toHaveCount(5);
  await expect(columns.locator(".sign")).toHaveText(["|", "|", "|", "−", "|"]);
  await expect(page.locator(".verse.around .hit")).toHaveText("quik");
  await expect(page).toHaveURL(/chosen=0,1/);
  await page.reload();
  await expect(page.locator("#place-title")).toHaveText(/^quick at .*: 1 edit$/);
});

test("patterns and texts in Windows-1252 are converted on request", async ({ page }) => {
  await open(page);
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text, "latin1") });
  await page.getByLabel("File of patterns").setInputFiles(file("words.txt", "café\nnaïve"));
  await page.getByLabel("Files to search").setInputFiles(file("text.txt", "a naïve dog in a café"));
  await expect(page.getByRole("alert")).toContainText("is not valid UTF-8");
  await page.getByRole("button", { name: "Convert and edit" }).click();
  await expect(answer(page)).toHaveText("2");
  await expect(page.getByText("text.txt was read as Western European (Windows-1252).")).toBeVisible();
  await expect(lane(page, "café").locator(".num")).toHaveText("1");
});

test("an empty record of patterns has no places", async ({ page }) => {
  await search(page, ">one\nGATTACA\n>none\n", "TTGATTACATT");
  await expect(lane(page, "one").locator("rect.exact")).toHaveCount(1);
  await expect(lane(page, "none").locator(".num")).toHaveText("0");
  await expect(lane(page, "none").getByRole("button")).toBeDisabled();
  await expect(page.locator('[data-part="answer"] .say')).toContainText("patterns without a place: 1.");
});

test("keys J and K and the lanes choose places", async ({ page }) => {
  await search(page, "quick\nfox", TEXT);
  await page.locator("#lanes-title").click();
  await page.keyboard.press("j");
  await expect(page).toHaveURL(/chosen=0,0/);
  await page.keyboard.press("j");
  await expect(page).toHaveURL(/chosen=1,0/);
  await page.keyboard.press("k");
  await expect(page).toHaveURL(/chosen=0,0/);
  await page.getByRole("button", { name: "Next place" }).click();
  await expect(page).toHaveURL(/chosen=1,0/);
  await lane(page, "quick").getByRole("button").click();
  await expect(page).toHaveURL(/chosen=0,0/);
  await expect(lane(page, "quick")).toHaveClass(/on/);
  // A click on the mark of the second fox.
  const track = lane(page, "fox").locator("svg");
  const box = (await track.boundingBox())!;
  await track.click({ position: { x: (TEXT.lastIndexOf("fox") / TEXT.length) * box.width, y: 5 } });
  await expect(page).toHaveURL(/chosen=1,1/);
  // Typing a J changes the patterns only.
  await patterns(page).press("End");
  await patterns(page).pressSequentially("j");
  await expect(page).not.toHaveURL(/chosen/);
});

test("each pattern has its own number of edits, and a bad number is named", async ({ page }) => {
  await search(page, "quick\nquack k=2\nthe name\tquick\t0", TEXT);
  await expect(lane(page, "quack").locator(".num")).toHaveText("2");
  await expect(lane(page, "the name").locator(".num")).toHaveText("1");
  await patterns(page).fill("quick\nquack k=many");
  await expect(page.getByRole("alert")).toContainText("Line 2 of the patterns allows “many” edits, and that is no whole number from 0.");
  await patterns(page).fill("quick");
  await page.getByLabel("Edits at most").fill("0");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/max_distance=0/);
  await page.getByRole("combobox", { name: "Search", exact: true }).selectOption("exact-search");
  await expect(page.getByLabel("Edits at most")).toBeHidden();
  await expect(page).toHaveURL(/task=exact-search/);
  await expect(answer(page)).toHaveText("1");
});

test("both strands and IUPAC codes are searched on request", async ({ page }) => {
  await search(page, "GATTACA\nGAATTC\nGANNACA", "CCGATTACACCCTGTAATCCCGAATTCCC");
  await page.getByLabel("Edits at most").fill("0");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveText("2");
  await page.getByLabel("Both strands").check();
  await expect(lane(page, "GATTACA").locator(".num")).toHaveText("2");
  // The palindrome is on both strands at one place.
  await expect(lane(page, "GAATTC").locator("rect:not(.pick)")).toHaveCount(1);
  await expect(lane(page, "GANNACA").locator(".num")).toHaveText("0");
  await page.getByLabel("IUPAC codes match their bases").check();
  await expect(lane(page, "GANNACA").locator(".num")).toHaveText("2");
  await expect(page).toHaveURL(/strands=both&ambiguity/);
  await page.getByLabel("Of which pattern").selectOption({ label: "GATTACA" });
  const found = await places(page);
  expect(found.map(([, name, strand]) => `${name} ${strand}`)).toEqual(["GATTACA +", "GATTACA −"]);
  await page.locator(".figures.hits tbody tr").nth(1).getByRole("button").click();
  await expect(page.getByText("Above: the reverse complement of GATTACA, as it lies on this strand. Below: the text.")).toBeVisible();
});

test("the example has its primers, and files are saved", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^Primers in a plasmid/ }).click();
  await expect(answer(page)).toBeVisible();
  await expect(page.getByRole("region", { name: "Searched texts" })).toContainText("primers.fasta 10 patterns of 6 to 20 letters · plasmid.fasta 20,000 letters");
  await expect(lane(page, "rep_F")).toContainText("exact");
  await expect(lane(page, "tail_F")).toContainText("2 edits");
  await expect(lane(page, "control")).toContainText("nearest:");
  const all = Number((await answer(page).innerText()).replace(",", ""));
  await page.getByRole("combobox", { name: "Order of patterns" }).selectOption("count");
  await expect(page).toHaveURL(/sort=count/);
  const counts = (await page.locator(".lanes > .lane:not(.head) .num").allInnerTexts()).map(Number);
  expect(counts).toEqual([...counts].sort((x, y) => y - x));
  expect(counts.reduce((sum, places) => sum + places)).toBe(all);
  for (const [name, lines] of [["BED", all], ["CSV of places", all + 1], ["CSV of counts", 11], ["PAF", all]] as const) {
    await page.getByRole("button", { name: "Save" }).click();
    const loaded = page.waitForEvent("download");
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    const stream = await (await loaded).createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString().trimEnd().split("\n").length, name).toBe(lines);
  }
  // The address has both texts.
  await expect(page).toHaveURL(/z=/);
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(answer(page)).toHaveText(all.toLocaleString("en"));
});

test("many files are searched, and a pattern names its text", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "patterns-"));
  const files = { "one.txt": "Ada likes foxes.", "two.txt": "Bob saw a fox and a dog." };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  await open(page);
  await patterns(page).fill("fox\ndog");
  await page.getByLabel("Files to search").setInputFiles(Object.keys(files).map((name) => join(folder, name)));
  await expect(page.getByRole("region", { name: "Searched texts" })).toContainText("2 files");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByLabel("Edits at most").fill("0");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveText("3");
  const found = await places(page);
  expect(found.map(([place, name]) => `${place.split(" ")[0]} ${name}`)).toEqual(["one.txt fox", "two.txt fox", "two.txt dog"]);
  // Lines are texts of their own, too.
  await page.getByRole("button", { name: "Leave out one.txt" }).focus();
  await page.keyboard.press("Enter");
  await expect(text(page)).toBeFocused();
  await page.getByRole("button", { name: "Clear" }).last().click();
  await text(page).fill("a fox\na dog\nfoxes");
  await page.getByRole("combobox", { name: "Each text is" }).selectOption("lines");
  await expect(answer(page)).toHaveText("3");
  await expect(page).toHaveURL(/split=lines/);
});

test("the two questions of the page are links, and the history returns", async ({ page }) => {
  await page.goto("/collections");
  await page.getByRole("link", { name: "Search for patterns" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Search for many patterns");
  await patterns(page).fill("fox");
  await text(page).fill("a fox");
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/task=approximate-search&a=fox&b=a\+fox/);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Compare many texts");
  await expect(page.getByRole("textbox", { name: /^Texts/ })).toHaveValue("");
  await page.goForward();
  await expect(patterns(page)).toHaveValue("fox");
  await expect(answer(page)).toHaveText("1");
});

for (const language of ["en", "de", "es", "fr", "ja", "zh"]) {
  test.describe(`in ${language}`, () => {
    test.use({ locale: language });

    test("the search fits a phone and is accessible", async ({ page }) => {
      await page.setViewportSize({ width: 320, height: 700 });
      const list = "rep_F\tGATTACA\nsite\tGAATTC\t0";
      await page.goto(`/collections#task=approximate-search&strands=both&a=${encodeURIComponent(list)}&b=CCGATTACACCCTGTAATCCCGAATTCCC`);
      await expect(answer(page)).toBeVisible();
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      await expect(page.locator(".verse.around .hit").first()).toBeVisible();
      await expectAccessible(page, 320);
    });
  });
}
