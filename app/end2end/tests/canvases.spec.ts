// Drawings on a canvas, the dot plot and a large matrix, follow the page: its colours, its size, and the finger that
// scrolls it.
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, open } from "./page";

const words = "kitten+mitten+sitting+".repeat(6);
const canvases = [
  ["dot plot", `/#a=${words}&b=${words}x&view=dots`, "canvas.dots"],
  ["large matrix", `/#a=${words}&b=${words}x&view=matrix`, "canvas.heat"],
] as const;

async function drawn(page: Page, address: string, selector: string): Promise<Locator> {
  await open(page, address);
  await expect(answer(page)).toHaveText("1");
  const canvas = page.locator(selector);
  await expect.poll(() => brightness(canvas)).not.toBe(0);
  return canvas;
}

/** Returns the mean brightness of the drawing, from 0 to 255. */
function brightness(canvas: Locator): Promise<number> {
  return canvas.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let [sum, all] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) [sum, all] = [sum + data[at]!, all + 1];
    }
    return all && Math.round(sum / all);
  });
}

for (const [what, address, selector] of canvases) {
  test(`the ${what} follows a change of the colour scheme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light" });
    const canvas = await drawn(page, address, selector);
    const light = await brightness(canvas);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => brightness(canvas)).toBeLessThan(light - 40);
  });

  test(`the ${what} is drawn in the resolution of the projector layout`, async ({ page }) => {
    const canvas = await drawn(page, address, selector);
    const off = () =>
      canvas.evaluate((canvas: HTMLCanvasElement) => {
        const sharp = Math.max(devicePixelRatio, 1);
        return Math.max(Math.abs(canvas.width - canvas.clientWidth * sharp), Math.abs(canvas.height - canvas.clientHeight * sharp));
      });
    const before = await canvas.evaluate((canvas) => canvas.clientHeight + canvas.clientWidth);
    await page.locator("h1").click({ force: true });
    await page.keyboard.press("p");
    await expect(page.locator("html[data-projector]")).toBeAttached();
    await expect.poll(() => canvas.evaluate((canvas) => canvas.clientHeight + canvas.clientWidth)).not.toBe(before);
    await expect.poll(off).toBeLessThanOrEqual(1);
  });

  test.describe("on a phone", () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

    test(`one finger scrolls the page past the ${what}`, async ({ page }) => {
      const canvas = await drawn(page, address, selector);
      await canvas.evaluate((canvas) => canvas.scrollIntoView({ block: "center" }));
      const before = await page.evaluate(() => scrollY);
      const box = (await canvas.boundingBox())!;
      const client = await page.context().newCDPSession(page);
      const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
      await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
      for (let moved = 15; moved <= 150; moved += 15) {
        await client.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x, y: y - moved }] });
      }
      await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before + 50);
      // Scrolling past the picture selects no cell; tapping does.
      if (selector === "canvas.heat") {
        await expect(page.locator(".held")).toBeHidden();
        const now = (await canvas.boundingBox())!;
        await page.touchscreen.tap(now.x + now.width / 2, now.y + now.height / 2);
        await expect(page.locator(".held")).toBeVisible();
      }
    });
  });
}
