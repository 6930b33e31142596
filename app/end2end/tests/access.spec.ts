// Keys, focus and what is read out: shortcuts that can be switched off, a region that is there before it speaks, menus that stay on the page.
import { expect, test, type Page } from "@playwright/test";
import { answer, editor, open, type } from "./page";

function projector(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.hasAttribute("data-projector"));
}

test("single keys do nothing while a dialog is open or once they are switched off, on the next visit too", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await editor(page, "b").blur();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard" });
  await expect(sheet).toBeVisible();
  await page.keyboard.press("p");
  await page.keyboard.press("j");
  expect(await projector(page), "behind a dialog").toBe(false);
  await expect(page.getByText("1 of 3", { exact: true })).toHaveCount(0);
  await sheet.getByLabel("Single keys are shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await page.keyboard.press("p");
  await page.keyboard.press("j");
  await page.keyboard.press("?");
  expect(await projector(page)).toBe(false);
  await expect(sheet).toBeHidden();
  await page.reload();
  await expect(answer(page)).toHaveText("3");
  await page.keyboard.press("p");
  expect(await projector(page), "after a reload").toBe(false);
  await page.getByRole("button", { name: /^Keyboard/ }).click();
  await sheet.getByLabel("Single keys are shortcuts").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await expect(page.getByText("1 of 3", { exact: true })).toBeVisible();
});

test("the keys of the alignment are not those of another view", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Metrics" }).click();
  await page.keyboard.press("j");
  await page.getByRole("button", { name: "Alignment" }).click();
  await expect(page.getByText("3 differences").first()).toBeVisible();
  await expect(page.getByText("1 of 3", { exact: true })).toHaveCount(0);
});

test("one region is there before there is an answer, and says each of them", async ({ page }) => {
  await open(page);
  const region = page.locator("[data-live]");
  await expect(region).toHaveAttribute("aria-live", "polite");
  await expect(region).toHaveText("");
  await region.evaluate((element) => ((window as unknown as { region: Element }).region = element));
  await type(page, "kitten", "sitting");
  await expect(region).toHaveText(/^3 edits turn a into b/);
  await editor(page, "b").fill("kitten");
  await expect(region).toHaveText(/^0 edits turn a into b/);
  expect(await region.evaluate((element) => element === (window as unknown as { region: Element }).region), "it is the same element").toBe(true);
  await expect(page.locator("output.big")).toHaveAttribute("aria-live", "off");
});
