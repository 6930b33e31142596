// The matrix cell by cell: where it is, and what is in view.
import { expect, type Locator, type Page } from "@playwright/test";

export function grid(page: Page): Locator {
  return page.getByRole("grid");
}

/** The cell in row `i`, column `j`. */
export function cell(page: Page, i: number, j: number): Locator {
  return grid(page).locator("tbody tr").nth(i).locator("td").nth(j);
}

/** The named parts are whole in the window, without scrolling. */
export async function inView(page: Page, parts: Locator[]): Promise<void> {
  const { width, height } = page.viewportSize()!;
  for (const part of parts) {
    const box = (await part.boundingBox())!;
    expect(box.y >= 0 && box.y + box.height <= height && box.x >= 0 && box.x + box.width <= width, `${part} ${JSON.stringify(box)}`).toBe(true);
  }
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
}
