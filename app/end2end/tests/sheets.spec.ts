// Style sheets that only some views need are fetched with them. The views are not drawn before their rules apply.
import { expect } from "@playwright/test";
import { test } from "./test";
import { more, views } from "../views.mjs";

const cases = [
  ["matrix", views.matrix, "matrix.css", ".lens"],
  ["lens", more["lens-kmp"], "lens.css", ".lens"],
  ["dots", views.dots, "dots.css", ".dots-view"],
  ["metrics", views.metrics, "metrics.css", ".metrics"],
  ["points", "/sequence-alignment#a=GATTACA&b=GATCA", "points.css", ".points-tools"],
];

for (const [name, address, sheet, view] of cases) {
  test(`${name} is drawn once its stylesheet has loaded`, async ({ page }) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(`**/${sheet}`, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(`**/${sheet}`);
    await page.goto(address);
    await expect(page.locator("output.big")).toHaveText(/\d/);
    await asked;
    await page.waitForTimeout(500);
    await expect(page.locator(view)).toHaveCount(0);
    release();
    await expect(page.locator(view)).toBeVisible();
  });

  test(`${name} is drawn without its stylesheet if the file does not load`, async ({ page }) => {
    await page.route(`**/${sheet}`, (route) => route.abort());
    await page.goto(address);
    await expect(page.locator(view)).toBeVisible();
  });
}
