// Costs of the edits: presets, own weights, wrong numbers, addresses. Answers are known by hand.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, editor, fillOption, open, options, setOption, type } from "./page";

/** Returns the sentence about the options that differ from the defaults. */
const said = (page: Page) => page.locator(".options-said");

/** Expects the value of the menu of costs, and closes the panel. */
async function expectCosts(page: Page, value: string): Promise<void> {
  await expect((await options(page)).getByLabel("Costs", { exact: true })).toHaveValue(value);
  await page.keyboard.press("Escape");
}

test("a swap of two neighbours is one edit by OSA", async ({ page }) => {
  await open(page);
  await type(page, "ab", "ba");
  await expect(answer(page)).toHaveText("2");
  await fillOption(page, "Costs", "osa");
  await expect(answer(page)).toHaveText("1");
  await expect(said(page)).toHaveText("Costs: substitute 1, insert 1, delete 1, swap 1");
  await expect(page).toHaveURL(/\/#a=ab&b=ba&costs=osa$/);
  const panel = await options(page);
  await expect(panel.getByText("optimal string alignment")).toBeVisible();
  await expect(panel.getByLabel("Substitute")).toBeHidden();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await expect(answer(page)).toHaveText("2");
  await expectCosts(page, "levenshtein");
});

test("a substitution counts 2 by Indel", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await fillOption(page, "Costs", "indel");
  await expect(answer(page)).toHaveText("5");
  await expect(page).toHaveURL(/&costs=indel$/);
});

test("own weights begin with the costs of the preset and are in the address", async ({ page }) => {
  await open(page);
  await type(page, "ab", "ba");
  await fillOption(page, "Costs", "osa");
  await fillOption(page, "Costs", "own");
  await expect((await options(page)).getByLabel("Cost of a swap")).toHaveValue("1");
  await page.keyboard.press("Escape");
  await expect(answer(page)).toHaveText("1");
  for (const [label, value] of [["Substitute", "4"], ["Insert", "3"], ["Delete", "3"], ["Cost of a swap", "5"]]) await fillOption(page, label, value);
  await expect(answer(page)).toHaveText("5");
  await expect(said(page)).toHaveText("Costs: substitute 4, insert 3, delete 3, swap 5");
  await expect(page).toHaveURL(/#a=ab&b=ba&substitute=4&insert=3&delete=3&swap=5$/);
  await setOption(page, "Swap neighbours", false);
  await expect(answer(page)).toHaveText("6");
  await expect(page).toHaveURL(/&substitute=4&insert=3&delete=3$/);
  await expect((await options(page)).getByLabel("Cost of a swap")).toBeDisabled();
  await page.keyboard.press("Escape");
  // A swap that costs as much as two other edits is never needed.
  await setOption(page, "Swap neighbours");
  await expect(answer(page)).toHaveText("1");
  await fillOption(page, "Cost of a swap", "6");
  await expect(answer(page)).toHaveText("6");
  await expect((await options(page)).getByText("so none is needed")).toBeVisible();
});

test("a wrong cost is explained and gives no answer", async ({ page }) => {
  await open(page);
  await type(page, "ab", "ba");
  await fillOption(page, "Costs", "own");
  for (const wrong of ["1001", "-1", "two", "0.5"]) {
    await fillOption(page, "Substitute", wrong);
    await expect(page.getByRole("alert")).toContainText("from 0 to 1,000");
    await expect(answer(page)).toHaveCount(0);
    await expect((await options(page)).getByLabel("Substitute")).toHaveAttribute("aria-invalid", "true");
    await page.keyboard.press("Escape");
  }
  await fillOption(page, "Substitute", "1000");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).toHaveText("2");
  // Another change shows the cost that counts in place of the wrong one.
  await fillOption(page, "Insert", "many");
  await expect(answer(page)).toHaveCount(0);
  await fillOption(page, "Delete", "2");
  await expect(answer(page)).toHaveText("3");
  const panel = await options(page);
  await expect(panel.getByLabel("Insert")).toHaveValue("1");
  // A cleared field shows its cost again.
  await panel.getByLabel("Insert").fill("");
  await panel.getByLabel("Delete").focus();
  await expect(panel.getByLabel("Insert")).toHaveValue("1");
  await expect(answer(page)).toHaveText("3");
});

test("costs survive reload, Back, and a change of the task", async ({ page }) => {
  await open(page, "/#a=ab&b=ba&costs=osa&swap=0");
  await expect(answer(page)).toHaveText("0");
  await expect(page).toHaveURL(/#a=ab&b=ba&swap=0$/);
  await expectCosts(page, "own");
  await page.reload();
  await expect(answer(page)).toHaveText("0");
  await expect(said(page)).toHaveText("Costs: substitute 1, insert 1, delete 1, swap 0");
  await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(page).toHaveURL(/\/lcs#a=ab&b=ba$/);
  await expect(answer(page)).toHaveText("1");
  await expect((await options(page)).getByLabel("Costs", { exact: true })).toBeHidden();
  await page.keyboard.press("Escape");
  await page.goBack();
  await expect(page).toHaveURL(/\/#a=ab&b=ba&swap=0$/);
  await expect(answer(page)).toHaveText("0");
  await expectCosts(page, "own");
});

test("costs and the method of a paper reset each other", async ({ page }) => {
  await open(page, "/#a=ab&b=ba&costs=osa");
  await expect(answer(page)).toHaveText("1");
  await fillOption(page, "Method", "diagonal");
  await expect(answer(page)).toHaveText("2");
  await expectCosts(page, "levenshtein");
  await fillOption(page, "Costs", "osa");
  await expect(answer(page)).toHaveText("1");
  await expect((await options(page)).getByLabel("Method")).toHaveValue("");
});

test("an address with wrong costs is refused", async ({ page }) => {
  for (const [parts, sentence] of [["insert=1001", "“1001” is not a valid value for insert"], ["costs=gotoh", "“gotoh” is not a valid value for costs"], ["costs=osa&method=diagonal", "count every edit as 1"]]) {
    await page.goto("about:blank");
    await page.goto(`/#a=ab&b=ba&${parts}`);
    await expect(page.getByRole("alert")).toContainText("This link cannot be read");
    await expect(page.getByRole("alert")).toContainText(sentence);
    await expect(answer(page)).toHaveCount(0);
    await expect(editor(page, "a")).toHaveValue("");
  }
});

test("the panel of costs fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page);
  await type(page, "ab", "ba");
  await fillOption(page, "Costs", "own");
  const panel = await options(page);
  await expect(panel.getByLabel("Cost of a swap")).toBeVisible();
  expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});
