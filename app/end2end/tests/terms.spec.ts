// Terms of the field in the page's sentences can be looked up by pointer, finger and key.
import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { answer, open } from "./page";
import { test } from "./test";

const SIMILAR = "Similarity is 1 minus the number of edits";

test("a term shows its meaning under the pointer, and after a click until Escape", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("3");
  const term = page.getByRole("button", { name: "similar", exact: true });
  await expect(page.locator(".answer .say")).toHaveText(/57\.1% similar \(1 − 3\/7\)\s*$/);
  await term.hover();
  await expect(page.getByText(SIMILAR)).toBeVisible();
  await page.mouse.move(5, 5);
  await expect(page.getByText(SIMILAR)).toBeHidden();
  await term.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText(SIMILAR)).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.mouse.move(5, 5);
  await page.waitForTimeout(400);
  await expect(page.getByText(SIMILAR)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText(SIMILAR)).toBeHidden();
  await expect(term).toBeFocused();
});

test("terms of methods and searches are explained on a phone", async ({ browser, baseURL }) => {
  const page = await (await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, hasTouch: true })).newPage();
  await open(page, "/match-count#a=abba&b=acbabbac&view=matrix&lens=shift-add&step=1");
  const carry = page.locator(".step-says .term").first();
  await carry.tap();
  await expect(page.locator(".step-says .meaning")).toBeVisible();
  const box = (await page.locator(".step-says .meaning").boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  await page.goto("about:blank");
  await page.goto("/match-count#a=GATTACA&b=TTGATTACAGG");
  await expect(answer(page)).toHaveText("7");
  await page.locator(".answer .term").first().tap();
  await expect(page.getByText("The number of symbols of b before a")).toBeVisible();
  await page.context().close();
});
