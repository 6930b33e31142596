// The page that compares many texts: lines, files, threshold, map, pairs, addresses.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, editor } from "./page";

const LINES = ["kitten", "sitting", "mitten", "kitchen", "sunday", "saturday"];

/** Levenshtein distances of `LINES` by the plain recurrence. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1])));
    row = next;
  }
  return row[b.length];
}

function texts(page: Page): Locator {
  return page.getByRole("textbox", { name: /^Texts/ });
}

async function open(page: Page, address = "/collections"): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("region", { name: "Texts", exact: true }).or(page.getByRole("region", { name: "Compared texts" })).first()).toBeVisible();
}

async function type(page: Page, lines: string[]): Promise<void> {
  await open(page);
  await texts(page).fill(lines.join("\n"));
  await expect(answer(page)).toBeVisible();
}

function answered(page: Page): Locator {
  return page.locator('[data-part="answer"]');
}

function map(page: Page): Locator {
  return page.getByRole("application", { name: /^Heat map/ });
}

function threshold(page: Page): Locator {
  return page.getByRole("slider", { name: "Threshold" });
}

async function tab(page: Page, name: "Overview" | "Pairs"): Promise<void> {
  await page.getByRole("group", { name: "View" }).getByRole("button", { name }).click();
}

/** Returns the cells of the rows of the table of pairs. */
async function rows(page: Page): Promise<string[][]> {
  const all = await page.locator(".figures.pairs tbody tr:not(.line)").all();
  return Promise.all(all.map(async (row) => (await row.locator("th, td").allInnerTexts()).map((cell) => cell.trim())));
}

test("typed lines have the known distances", async ({ page }) => {
  await type(page, LINES);
  await expect(page.getByText("Your browser compared 15 pairs,")).toBeVisible();
  await expect(page.getByText("Nothing left this device.", { exact: true })).toBeVisible();
  await tab(page, "Pairs");
  await expect(page).toHaveURL(/view=pairs/);
  const shown = await rows(page);
  expect(shown.length).toBe(15);
  for (const [, names, similarity, edits] of shown) {
    const [a, b] = names.split(" and ");
    expect(Number(edits), names).toBe(distance(a, b));
    const share = 1 - distance(a, b) / Math.max(a.length, b.length);
    expect(similarity, names).toBe(`${(Math.floor(share * 1000 + 1e-6) / 10).toFixed(1)}%`);
  }
  // Sorted by edits, and back to the overview by the history.
  await page.getByRole("button", { name: "Edits", exact: true }).click();
  const edits = (await rows(page)).map((row) => Number(row[3]));
  expect(edits).toEqual([...edits].sort((x, y) => x - y));
  await page.getByLabel("Name contains").fill("sun");
  await expect.poll(async () => (await rows(page)).length).toBe(5);
  await page.goBack();
  await expect(map(page)).toBeVisible();
});

test("the threshold changes headline, groups and address at once", async ({ page }) => {
  await type(page, LINES);
  await page.getByLabel("Alike at").fill("80");
  await page.keyboard.press("Enter");
  await expect(answered(page).getByText("of 6 texts are alike, in 1 group: each is at least 80% similar to another.")).toBeVisible();
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".groups li")).toHaveText([/kitten · mitten\s*83\.3%/]);
  await threshold(page).focus();
  for (let step = 0; step < 4; step++) await page.keyboard.press("PageDown");
  await expect(threshold(page)).toHaveAttribute("aria-valuenow", "40");
  await expect(answer(page)).toHaveText("6");
  await expect(page).toHaveURL(/alike=40/);
  await page.keyboard.press("End");
  await expect(answered(page).getByText("the nearest two reach 83.3%: kitten and mitten.")).toBeVisible();
  await expect(page).toHaveURL(/alike=100/);
  await page.reload();
  await expect(threshold(page)).toHaveAttribute("aria-valuenow", "100");
});

test("keys choose cells of the map and open a pair, and Back returns", async ({ page }) => {
  await type(page, LINES);
  await map(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/chosen=0,2/);
  await expect(page.locator(".chosen-pair .who")).toHaveText("kitten and mitten");
  await expect(page.locator(".chosen-pair [data-live]")).toContainText("kitten and mitten: 83.3%. 1 edit, and the longer text has 6 letters.");
  await page.getByLabel("Alike at").fill("60");
  await page.keyboard.press("Enter");
  await map(page).focus();
  await page.keyboard.press("n");
  const next = await page.locator(".chosen-pair .who").innerText();
  expect(next).not.toBe("kitten and mitten");
  await page.keyboard.press("Shift+N");
  await expect(page.locator(".chosen-pair .who")).toHaveText("kitten and mitten");
  await expect(page.getByRole("link", { name: "Open this pair" })).toHaveAttribute("href", "/#a=kitten&b=mitten");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/#a=kitten&b=mitten/);
  await expect(answer(page)).toHaveText("1");
  await expect(editor(page, "b")).toHaveValue("mitten");
  await page.goBack();
  await expect(page).toHaveURL(/\/collections#.*chosen=0,2/);
  await expect(page.locator(".chosen-pair .who")).toHaveText("kitten and mitten");
  await expect(page.getByLabel("Alike at")).toHaveValue("60");
});

test("a click chooses a cell", async ({ page }) => {
  await type(page, LINES);
  const canvas = map(page).locator("canvas");
  const box = await canvas.boundingBox();
  if (!box) throw new Error("the map has no canvas");
  await page.mouse.click(box.x + box.width - 3, box.y + 3);
  const who = await page.locator(".chosen-pair .who").innerText();
  expect(who.split(" and ").length).toBe(2);
});

test("dropped files are compared by name, and others are listed", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("button", { name: "Open files" })).toBeVisible();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    const text = "The council wants to know what we think about closing the High Street to cars. ";
    data.items.add(new File([text.repeat(3)], "ada.txt", { type: "text/plain" }));
    data.items.add(new File([text.repeat(3) + "And more."], "bob.txt", { type: "text/plain" }));
    data.items.add(new File(["Something else entirely, which nobody else wrote about in this class, as far as we know."], "cy.txt"));
    data.items.add(new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])], "photo.png"));
    return data;
  });
  await page.getByRole("region", { name: "Texts", exact: true }).dispatchEvent("drop", { dataTransfer: transfer });
  await expect(answer(page)).toBeVisible();
  await expect(page.getByRole("region", { name: "Compared texts" })).toContainText("3 files");
  await expect(page.getByRole("region", { name: "Compared texts" })).toContainText("Not read: photo.png.");
  await expect(page.locator(".chosen-pair .who")).toHaveText("ada.txt and bob.txt");
  await expect(page).toHaveURL(/split=files/);
  await expect(page).toHaveURL(/z=/);
  await page.reload();
  await expect(page.locator(".chosen-pair .who")).toHaveText("ada.txt and bob.txt");
  await page.getByRole("checkbox", { name: "Hide names" }).check();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Text 1 and Text 2");
});

test("a chosen FASTA file is divided into records", async ({ page }) => {
  await open(page);
  const path = join(mkdtempSync(join(tmpdir(), "editscope-")), "reads.fasta");
  writeFileSync(path, ">x one\nACGTACGTAC\n>y\nACGTACGTAA\n>z\nTTTTTTTTTT\n");
  await page.getByLabel("Files to compare").setInputFiles(path);
  await expect(page.locator(".chosen-pair .who")).toHaveText("x and y");
  await expect(page.getByText("90.0%: 1 edit")).toBeVisible();
});

test("a bad text is named", async ({ page }) => {
  await open(page);
  await texts(page).fill(">x\nACGT\n>y\nAC\n");
  await page.getByLabel("Each text is").selectOption("files");
  await expect(page.getByRole("alert")).toContainText("text 1 holds 2 records");
});

test("a file with a bad record is read as text as the page advises", async ({ page }) => {
  await open(page);
  await texts(page).fill("@r1\nACGT\n+\nIII\n");
  await page.getByLabel("Each text is").selectOption("records");
  await expect(page.getByRole("alert")).toContainText("Repair the file, or choose “Each text is one line”.");
  await page.getByLabel("Each text is").selectOption("one line");
  await expect(page.getByRole("alert")).toBeHidden();
  await expect(page.locator(".chosen-pair .who")).toBeVisible();
});

test("a long comparison shows its progress and can be cancelled", async ({ page }) => {
  await open(page);
  const lines = Array.from({ length: 60 }, (_, seed) => dna(9_000, seed + 1));
  await texts(page).fill(lines.join("\n"));
  // More cells than are computed without being asked.
  await page.getByRole("button", { name: "Compare here" }).click();
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The comparison was cancelled.")).toBeVisible();
  await texts(page).fill("kitten\nsitting");
  await expect(answered(page)).toContainText("the nearest two reach 57.1%: kitten and sitting.");
});

test("the example of a class has two pairs, in every language", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^A class’s essays/ }).first().click();
  await expect(answer(page)).toHaveText("4");
  await expect(answered(page)).toContainText("of 30 texts are alike, in 2 groups");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Or start with an example" })).toBeVisible();
  await page.goForward();
  await expect(answer(page)).toHaveText("4");
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByText("von 30 Texten sind ähnlich").or(page.getByText(/von 30 Text/)).first()).toBeVisible();
});

test("barcodes form a group each", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^Barcodes with errors/ }).first().click();
  await expect(answered(page)).toContainText("in 24 groups");
});

test("answers are saved as files", async ({ page }) => {
  await type(page, ["kitten", "sitting"]);
  await page.getByRole("button", { name: "Save" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^CSV of pairs/ }).click()]);
  expect(download.suggestedFilename()).toBe("collection-pairs.csv");
  const stream = await download.createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toContain("kitten,sitting,3");
});

test("the page of two texts leads to many texts and back", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("navigation", { name: "How many texts" }).getByRole("link", { name: "Many texts" }).click();
  await expect(page).toHaveURL(/\/collections$/);
  await expect(page).toHaveTitle("Many texts · Editscope");
  await expect(page.getByRole("button", { name: "Open files" })).toBeVisible();
  await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Exact search" }).click();
  await expect(page).toHaveURL(/\/exact-search$/);
});

test("nothing is wider than a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await open(page);
  await expect(page.getByRole("button", { name: "Open files" })).toBeVisible();
  expect(await overflow()).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: /^A class’s essays/ }).last().click();
  await expect(map(page)).toBeVisible();
  expect(await overflow()).toBeLessThanOrEqual(0);
  await tab(page, "Pairs");
  await expect(page.locator(".figures.pairs tbody tr").first()).toBeVisible();
  expect(await overflow()).toBeLessThanOrEqual(0);
});

test("empty form, overview and pairs are accessible in light and dark", async ({ page }) => {
  test.setTimeout(90_000);
  const check = async () => {
    const found = async (axe: AxeBuilder) => (await axe.analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(" ")}`);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    expect(await found(new AxeBuilder({ page })), "in light").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    expect(await found(new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"])), "in dark").toEqual([]);
  };
  await open(page);
  await check();
  await page.getByRole("button", { name: /^A class’s essays/ }).last().click();
  await expect(map(page)).toBeVisible();
  await check();
  await tab(page, "Pairs");
  await expect(page.locator(".figures.pairs tbody tr").first()).toBeVisible();
  await check();
});
