// Helpers for the matrix: its cells and their visibility.
import { expect, type Locator, type Page } from "@playwright/test";

export function grid(page: Page): Locator {
  return page.getByRole("grid");
}

/** Returns the cell in row `i`, column `j`. */
export function cell(page: Page, i: number, j: number): Locator {
  return grid(page).locator("tbody tr").nth(i).locator("td").nth(j);
}

/** Checks that the parts are completely visible without scrolling. */
export async function inView(page: Page, parts: Locator[]): Promise<void> {
  const { width, height } = page.viewportSize()!;
  for (const part of parts) {
    const box = (await part.boundingBox())!;
    expect(box.y >= 0 && box.y + box.height <= height && box.x >= 0 && box.x + box.width <= width, `${part} ${JSON.stringify(box)}`).toBe(true);
  }
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
}
