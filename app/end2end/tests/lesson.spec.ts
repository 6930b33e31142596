// The lesson of docs/lesson.md: every step opens on a projector and on a phone, and nothing is wider than the window.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { test } from "./test";
import { lesson } from "../lesson-steps.mjs";

for (const [nth, step] of lesson.entries()) {
  test(`step ${nth + 1}, ${step.name}`, async ({ page }) => {
    for (const [viewport, address] of [
      [{ width: 1280, height: 720 }, `${step.address}${step.address.includes("#") ? "&projector" : ""}`],
      [{ width: 390, height: 844 }, step.address],
    ] as const) {
      await page.goto("about:blank");
      await page.setViewportSize(viewport);
      await page.goto(address);
      await expect(page.locator(step.waits ?? "output.big:not(:empty)").first()).toBeAttached();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${viewport.width}`).toBeLessThanOrEqual(viewport.width);
    }
  });
}

test("every step has a picture of at most 60 kB", () => {
  const folder = fileURLToPath(new URL("../../../docs/lesson", import.meta.url));
  test.skip(!existsSync(folder), "pictures are not beside these tests");
  const files = readdirSync(folder).sort();
  expect(files).toEqual(lesson.map(({ name }, nth) => `${String(nth + 1).padStart(2, "0")}-${name}.webp`));
  for (const file of files) expect(statSync(join(folder, file)).size, file).toBeLessThanOrEqual(60_000);
});
