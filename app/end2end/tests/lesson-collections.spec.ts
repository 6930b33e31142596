// The lesson of docs/lesson-collections.md: every address opens on a projector and on a phone, and says what the lesson quotes.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { test } from "./test";
import { expectAccessible } from "./accessible";
import { answer } from "./page";
import { collections } from "../lesson-steps.mjs";

const DOCUMENT = fileURLToPath(new URL("../../../docs/lesson-collections.md", import.meta.url));
const FOLDER = fileURLToPath(new URL("../../../docs/lesson-collections", import.meta.url));

/** The quoted sentence, the number before it, and the address of each step. */
function steps(): { says: string; number?: string; address: string }[] {
  const sections = readFileSync(DOCUMENT, "utf8").split(/^## \d+\. /m).slice(1);
  return sections.map((section) => ({
    says: section.match(/“([^”]+)”/)![1].replace(/\s+/g, " "),
    number: section.match(/number before it is (\d+)/)?.[1],
    address: section.match(/Address:\s+`([^`]+)`/)![1],
  }));
}

test("the lesson has the addresses of the steps, and the pages say what it quotes", async ({ page }) => {
  test.skip(!existsSync(DOCUMENT), "the lesson is not beside these tests");
  const all = steps();
  expect(all.map(({ address }) => address)).toEqual(collections.map(({ address }) => address));
  for (const [nth, { says, number, address }] of all.entries()) {
    for (const viewport of [{ width: 1280, height: 720 }, { width: 390, height: 844 }]) {
      await page.goto("about:blank");
      await page.setViewportSize(viewport);
      await page.goto(address);
      await expect(page.locator(collections[nth].waits ?? "output.big:not(:empty)").first()).toBeAttached();
      await expect(page.locator("main")).toContainText(says);
      if (number) await expect(answer(page)).toHaveText(number);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${viewport.width}`).toBeLessThanOrEqual(viewport.width);
    }
  }
});

test("the threshold that joins all sentences is the one of the lesson", async ({ page }) => {
  const address = collections[3].address;
  await page.goto(address.replace("alike-within=4", "alike-within=6"));
  await expect(answer(page)).toHaveText("5");
  await page.goto("about:blank");
  await page.goto(address.replace("alike-within=4", "alike-within=7"));
  await expect(answer(page)).toHaveText("6");
});

test("every step has a picture of at most 60 kB", () => {
  test.skip(!existsSync(FOLDER), "pictures are not beside these tests");
  const files = readdirSync(FOLDER).sort();
  expect(files).toEqual(collections.map(({ name }, nth) => `${String(nth + 1).padStart(2, "0")}-${name}.webp`));
  for (const file of files) expect(statSync(join(FOLDER, file)).size, file).toBeLessThanOrEqual(60_000);
});

test("the sentences have the letters that the questions name", async ({ page }) => {
  await page.goto("/learn/collections");
  await expect(page.locator("ol.sentences")).toHaveCSS("list-style-type", "upper-alpha");
});

test("the questions are checked without a script, with a second try", async ({ browser }) => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto("/learn/collections?seed=7");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("From one distance to a tree");
  await expect(page.locator("fieldset")).toHaveCount(3);
  // The cell that joins next is the smallest number without a mark in the table of the second station.
  const table = page.locator("#station-2 table");
  const cells = await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => (cell.querySelector("mark") ? NaN : Number(cell.textContent)))));
  const least = Math.min(...cells.flat().filter((number) => !Number.isNaN(number)));
  const row = cells.findIndex((numbers) => numbers.includes(least));
  const name = `${String.fromCharCode(65 + row)} and ${String.fromCharCode(65 + cells[row].indexOf(least))}`;
  const marked = await table.locator("tbody tr").evaluateAll((rows) => rows.findIndex((one) => one.querySelector("mark")));
  const partner = cells[marked].findIndex((number, column) => Number.isNaN(number) && column !== marked);
  const nearest = `${String.fromCharCode(65 + marked)} and ${String.fromCharCode(65 + partner)}`;
  const wrong = page.locator("#station-1").getByRole("radio").and(page.locator(":not(:checked)"));
  const labels = await page.locator("#station-1 label").allInnerTexts();
  await wrong.nth(labels.findIndex((label) => label.trim() !== nearest)).check();
  await page.locator("#station-2").getByRole("radio", { name }).check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page.getByRole("status")).toHaveText("1 of 3 right.");
  await expect(page.locator("#station-2 .verdict")).toContainText(`The cell of ${name} has ${least}`);
  await expect(page.locator("#station-1 .verdict")).toContainText("Not right yet.");
  await page.locator("#station-1").getByRole("radio", { name: nearest }).check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page.locator("#station-1 .verdict")).toContainText("Right on the second try.");
  await expect(page.getByRole("status")).toHaveText("1 of 3 right.");
  await page.getByRole("link", { name: "Other questions" }).click();
  await expect(page).toHaveURL(/\/learn\/collections\?seed=8$/);
  await page.getByRole("link", { name: "The lesson of five stations" }).click();
  await page.getByRole("link", { name: "From one distance to a tree" }).click();
  await expect(page).toHaveURL(/\/learn\/collections$/);
  await page.context().close();
});

test("a station opens its sentences, and they have the groups that it asks for", async ({ page }) => {
  await page.goto("/learn/collections?seed=7&q3=0");
  const link = page.locator("#station-3").getByRole("link");
  await link.click();
  await expect(page).toHaveURL(/\/collections#unit=words&measure=edits&a=/);
  const alike = await answer(page).innerText();
  await page.goto(`/learn/collections?seed=7&q3=${alike}`);
  await expect(page.locator("#station-3 .verdict")).toContainText("Right.");
});

for (const language of ["en", "de", "es", "fr", "ja", "zh"]) {
  test(`in ${language} the questions fit a phone and are accessible`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`/learn/collections?language=${language}&seed=3&q1=1`);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expectAccessible(page, 320);
  });
}
