// The report of a collection on paper: headline, histogram, map, groups and alike pairs, without controls.
import { expect } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";

const LINES = ["kitten", "sitting", "mitten", "kitchen", "sunday", "saturday"];

test("the report has groups and alike pairs, and no controls", async ({ page }) => {
  await page.addInitScript(() => {
    const shown = window as unknown as { printed: number };
    shown.printed = 0;
    window.print = () => {
      shown.printed += 1;
    };
  });
  await page.goto(`/collections#a=${encodeURIComponent(LINES.join("\n"))}&alike=60&view=pairs`);
  await expect(answer(page)).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: /^Report to print/ }).click();
  await expect.poll(() => page.evaluate(() => (window as unknown as { printed: number }).printed)).toBe(1);
  // The overview is what is printed.
  await expect(page.getByRole("application", { name: /^Heat map/ })).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".report-head")).toContainText("Typed texts");
  await expect(page.locator(".report-head")).toContainText("6 texts");
  await expect(page.locator(".report-pairs h2")).toHaveText("Pairs at 60% or more");
  const rows = await page.locator(".report-pairs tbody tr").allInnerTexts();
  expect(rows.map((row) => row.trim().split(/\t+/).slice(1))).toEqual([
    ["kitten and mitten", "83.3%", "1"],
    ["kitten and kitchen", "71.4%", "2"],
    ["sunday and saturday", "62.5%", "3"],
  ]);
  await expect(page.locator(".groups li").first()).toBeVisible();
  await expect(page.locator(".map canvas")).toBeVisible();
  await expect(page.locator(".dist svg").first()).toBeVisible();
  for (const control of [".dist .grip", "#split", "#measure", ".chosen-pair", ".threshold"]) {
    await expect(page.locator(control).first(), control).toBeHidden();
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
  // After the print, the page is as before.
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await expect(page.locator(".report-pairs")).toHaveCount(0);
  await expect(page.locator(".chosen-pair")).toBeVisible();
});

test("the report of a class is a few pages", async ({ page }) => {
  await page.goto("/collections");
  await page.getByRole("button", { name: "A class’s essays" }).first().click();
  await expect(answer(page)).toBeVisible();
  const file = await page.pdf({ format: "A4", printBackground: true });
  expect((file.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length).toBeLessThanOrEqual(3);
});
