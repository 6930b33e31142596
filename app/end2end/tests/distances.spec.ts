// Limits and rates of an edit distance. Answers are known by hand.
import { expect } from "@playwright/test";
import { test } from "./test";
import { answer, countIn, exported, fillOption, open, options, type } from "./page";

test("a distance above the limit is only said to be more", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await fillOption(page, "At most k edits", "2");
  await expect(answer(page)).toHaveText(">2");
  const region = page.getByRole("region", { name: "Answer" });
  await expect(region).toContainText("More than 2 edits.");
  await expect(region).not.toContainText("similar");
  await expect(page.getByText("There is no alignment, because the limit in the options is passed.")).toBeVisible();
  await expect(page.locator(".options-said")).toHaveText("At most 2 edits");
  await expect(page).toHaveURL(/#a=kitten&b=sitting&max_distance=2$/);
  const files = await exported(page);
  await expect(files.getByRole("button", { name: "JSON", exact: true })).toBeVisible();
  await expect(files.getByRole("button", { name: "CIGAR", exact: true })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(answer(page)).toHaveText(">2");
  await page.getByRole("tab", { name: "Matrix" }).click();
  await expect(page.getByRole("tabpanel").getByRole("alert")).toHaveCount(0);
  await fillOption(page, "At most k edits", "3");
  await expect(answer(page)).toHaveText("3");
});

test("the limit is that of the sum of costs, and excludes methods", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&costs=indel&max_distance=4");
  await expect(answer(page)).toHaveText(">4");
  await expect(page.getByRole("region", { name: "Answer" })).toContainText("The least sum of costs is more than 4.");
  await expect(page.locator(".options-said")).toContainText("Sum of costs at most 4");
  await fillOption(page, "Method", "diagonal");
  await expect(answer(page)).toHaveText("3");
  await expect((await options(page)).getByLabel("At most k edits")).toBeHidden();
  await page.keyboard.press("Escape");
  await page.goto("about:blank");
  await page.goto("/#a=kitten&b=sitting&method=diagonal&max_distance=4");
  await expect(page.getByRole("alert")).toContainText("It has max_distance and method");
});

test("the limit of a search does not pass to the edit distance", async ({ page }) => {
  await open(page, "/approximate-search#a=kitten&b=sitting&max_distance=2");
  await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Edit distance" }).click();
  await expect(answer(page)).toHaveText("3");
  await expect(page).toHaveURL(/#a=kitten&b=sitting$/);
});

test("the error rate names its reference", async ({ page }) => {
  const rate = page.locator(".error-rate");
  await open(page);
  await type(page, "one two three four", "one 2 three");
  await countIn(page, "words");
  await expect(rate).toHaveText("Word error rate with a as reference: 50.0% (1 substituted, 1 deleted, 0 inserted, of 4 words)");
  await countIn(page, "lines");
  await expect(rate).toBeHidden();
  await countIn(page, "graphemes");
  await type(page, "", "abc");
  await expect(answer(page)).toHaveText("3");
  await expect(rate).toBeHidden();
});
