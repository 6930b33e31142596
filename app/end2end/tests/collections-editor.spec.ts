// The editor of the page that compares many texts: typed lines as a list, names of files, the task in the header.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";

const task = (page: Page) => page.getByRole("navigation", { name: "Task" }).locator('[aria-current="page"]');

test("typed lines are shown as a list that follows the text", async ({ page }) => {
  await page.goto("/collections");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  const views = page.getByRole("group", { name: "View of the texts" });
  await expect(views).toBeHidden();
  await text.fill("kitten\nmitten\nkit\n\nkitten");
  await views.getByRole("button", { name: "List" }).click();
  await expect(text).toBeHidden();
  const rows = page.getByRole("region", { name: "List of texts" }).locator("tbody tr");
  await expect(rows).toHaveCount(5);
  await expect(rows.last()).toContainText("same as 1");
  const cells = async () => Promise.all((await rows.all()).map((row) => row.locator("th, td").allInnerTexts()));
  expect((await cells()).map(([number, name, length, , note]) => [number, name, length, note])).toEqual([
    ["1", "kitten", "6", ""],
    ["2", "mitten", "6", ""],
    ["3", "kit", "3", ""],
    ["4", "", "0", "empty"],
    ["5", "kitten", "6", "same as 1"],
  ]);
  const widths = await rows.locator("rect").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(widths[2] / widths[0]).toBeCloseTo(0.5, 1);
  await views.getByRole("button", { name: "Text" }).click();
  await text.fill("kitten\nsitting");
  await views.getByRole("button", { name: "List" }).click();
  await expect(rows).toHaveCount(2);
});

test("further rows of lists are shown on request", async ({ page }) => {
  await page.goto("/collections");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill(Array.from({ length: 230 }, (_, number) => `text ${number}`).join("\n"));
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  const near = page.locator(".nearest-of");
  for (const [rows, before, button, after] of [
    [list.locator("tbody tr"), 200, list.getByRole("button", { name: "Show 200 more" }), 230],
    [near.locator("tbody tr"), 10, page.getByRole("region", { name: /Nearest/ }).getByRole("button", { name: /^Show/ }), 110],
  ] as const) {
    await expect(rows).toHaveCount(before);
    await button.click();
    await expect(rows).toHaveCount(after);
  }
  await expect(list.getByRole("button", { name: "Show 200 more" })).toBeHidden();
  await page.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  const pairs = page.locator(".figures.pairs tbody tr:not(.line)");
  const before = await pairs.count();
  await page.getByRole("button", { name: /^Show \d+ more/ }).click();
  await expect(pairs).not.toHaveCount(before);
});

test("a file is renamed in list, map and address", async ({ page }) => {
  await page.goto("/collections");
  await page.getByLabel("Files to compare").setInputFiles([
    { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("the cat sat") },
    { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("the cat sat on the mat") },
  ]);
  await page.getByRole("button", { name: "Change texts or options" }).click();
  const files = page.getByRole("region", { name: "Files" });
  const widths = await files.locator("rect").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(widths[0] / widths[1]).toBeCloseTo(0.5, 1);
  await files.getByRole("button", { name: "Rename a.txt" }).click();
  const field = files.getByRole("textbox", { name: "Rename a.txt" });
  await expect(field).toBeFocused();
  await field.fill("Mia");
  await field.press("Enter");
  await expect(files.getByRole("button", { name: "Rename Mia" })).toBeVisible();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and b.txt");
  // Escape leaves the name.
  await files.getByRole("button", { name: "Rename b.txt" }).click();
  await files.getByRole("textbox").fill("x");
  await files.getByRole("textbox").press("Escape");
  await expect(files.getByRole("button", { name: "Rename b.txt" })).toBeVisible();
  await expect(page).toHaveURL(/z=/);
  await page.reload();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and b.txt");
});

test("the header marks the task of the measure", async ({ page }) => {
  await page.goto("/collections#a=kitten%0Amitten");
  await expect(task(page)).toHaveAccessibleName("Edit distance");
  await page.getByLabel("Measure").selectOption("lcs-ratio");
  await expect(task(page)).toHaveAccessibleName("Longest common subsequence");
  await page.getByLabel("Measure").selectOption("points");
  await expect(task(page)).toHaveAccessibleName("Sequence alignment");
  await page.getByRole("link", { name: "Search for patterns" }).click();
  await expect(task(page)).toHaveAccessibleName("Approximate search");
});
