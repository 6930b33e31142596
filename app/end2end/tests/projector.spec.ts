// Projector mode: never smaller than the normal page, everything for a lesson on one screen, opened by a link.
import { expect } from "@playwright/test";
import { test } from "./test";
import { cell, grid, inView } from "./grid";
import { editor, open } from "./page";

for (const [width, height] of [[1280, 720], [1024, 768], [1366, 768], [1920, 1080]]) {
  test(`projector mode is never too small and has all controls, at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page, "/#a=kitten&b=sitting&view=matrix&cell=3,5");
    await expect(grid(page)).toBeVisible();
    const digits = () => cell(page, 3, 5).evaluate((cell) => parseFloat(getComputedStyle(cell).fontSize));
    const size = async () => (await cell(page, 3, 5).boundingBox())!.width;
    const before = [await digits(), await size()];
    await page.getByRole("button", { name: "Projector mode" }).click();
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect.poll(digits).toBeGreaterThanOrEqual(before[0]);
    expect(await size()).toBeGreaterThanOrEqual(before[1]);
    await inView(page, [editor(page, "a"), editor(page, "b"), page.locator(".orders"), page.locator(".predict"), grid(page), page.locator(".deck"), page.locator(".sums")]);
    await expect(page.locator(".short")).toHaveText(/\/#a=kitten&b=sitting&view=matrix$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // A sum and its result are on one line.
    for (const sum of await page.locator(".sums li").all()) {
      const [formula, result] = await Promise.all([sum.locator(".eqn").boundingBox(), sum.locator(".res").boundingBox()]);
      expect(result!.y).toBeGreaterThanOrEqual(formula!.y - 2);
      expect(result!.y + result!.height).toBeLessThanOrEqual(formula!.y + formula!.height + 4);
      expect(formula!.height).toBeLessThan(2 * result!.height);
    }
  });
}

test("a link opens projector mode, and a button leaves it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, "/#a=kitten&b=sitting&view=matrix&order=diag&step=8&projector");
  await expect(page.locator("html")).toHaveAttribute("data-projector", "");
  await expect(page.locator(".short")).toBeVisible();
  await page.locator(".orders label", { hasText: "Row by row" }).click();
  await editor(page, "a").fill("mitten");
  await expect(page.locator(".short")).toHaveText(/#a=mitten&b=sitting&view=matrix$/);
  await expect.poll(() => page.url()).toContain("&projector");
  await page.getByRole("heading", { name: /optimal alignment/ }).click();
  await page.keyboard.press("p");
  await expect(page.locator("html")).not.toHaveAttribute("data-projector", "");
  await expect.poll(() => page.url()).not.toContain("projector");
});

test("the share dialog makes links that start in projector mode", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix&step=9");
  await page.getByRole("button", { name: "Share this step" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /^Link/ }).check({ force: true });
  await dialog.getByText("Start in projector mode").click();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toHaveValue(/view=matrix&step=9&projector$/);
});

test("projector mode begins at the first step, and its header makes a class code", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, "/#a=kitten&b=sitting&projector");
  await page.getByRole("tab", { name: "Matrix" }).click();
  await expect(page).toHaveURL(/view=matrix&step=0/);
  await expect(cell(page, 3, 5)).toHaveText("");
  const banner = page.getByRole("banner");
  await banner.getByRole("button", { name: "Class code" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await expect(dialog.getByRole("radio", { name: /^Class code/ })).toBeChecked();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const code = await dialog.locator(".class-code").innerText();
  await page.keyboard.press("Escape");
  await expect(banner.getByRole("button", { name: new RegExp(`/c/${code}$`) })).toBeVisible();
  await expect(banner.locator(".make-code")).toBeHidden();
});
