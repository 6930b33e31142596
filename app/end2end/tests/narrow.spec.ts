// 320 px wide with text at 200 % (WCAG 1.4.4, 1.4.10): no view is wider than its window, and no control is cut off or
// outside. Two-dimensional content, such as a matrix, scrolls in a frame of its own.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { views } from "../views.mjs";
import { dna } from "./data";
import { answer, answered, open, options, type } from "./page";

// The default text size set in the browser; usually 16 px.
const args = ["--no-sandbox", "--disable-gpu", "--blink-settings=defaultFontSize=32"];
test.use({
  viewport: { width: 320, height: 800 },
  launchOptions: { executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium", args },
});

/** Returns everything that is too wide: the page, with the excess in pixels, and controls that are cut off. */
async function tooWide(page: Page): Promise<string[]> {
  const found: string[] = [];
  // 640 px with letters of 32 px correspond to 320 px with letters of 16 px.
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(150);
    found.push(...(await measured(page)).map((what) => `at ${width}: ${what}`));
  }
  return found;
}

async function measured(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide = document.scrollingElement!.scrollWidth - innerWidth;
    const found = wide > 0 ? [`the page by ${wide} px`] : [];
    const scrolls = (element: Element | null): boolean =>
      element !== null && (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    for (const element of document.querySelectorAll<HTMLElement>("a, button, input, select, textarea, summary, output, h1, h2, h3, p, dt, dd, figcaption, label")) {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(".vh, .skip")) continue;
      const { left, right, width, height } = element.getBoundingClientRect();
      // Elements for screen readers only have a size of one pixel.
      if (width <= 1 || height <= 1 || scrolls(element.parentElement)) continue;
      const name = `${element.tagName.toLowerCase()}.${element.className} ${element.textContent!.trim().slice(0, 30)}`;
      if (left < -0.5 || right > innerWidth + 0.5) found.push(`${name}: ${Math.round(left)} to ${Math.round(right)}`);
      else if (!["TEXTAREA", "INPUT", "SELECT"].includes(element.tagName) && !element.closest(".scroller") && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
        found.push(`${name}: ${element.scrollWidth} px in ${element.clientWidth}`);
      // A box that clips its content.
      for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (!["hidden", "clip"].includes(style.overflowX) || box.matches(".scroller, .scroller *, .dots-room *")) continue;
        const edge = box.getBoundingClientRect();
        if (left < edge.left - 1.5 || right > edge.right + 1.5) found.push(`${name}: cut by ${box.tagName.toLowerCase()}.${box.className}`);
      }
    }
    return found;
  });
}

// German has the longest words, Spanish and French the longest titles.
for (const locale of ["en-GB", "de-DE", "es-ES", "fr-FR"]) {
  test.describe(locale, () => {
    test.use({ locale });

    for (const [name, address] of Object.entries(views)) {
      test(name, async ({ page }) => {
        await page.goto(address);
        await expect(answered(page)).toBeVisible({ timeout: 15_000 });
        await expect(page.locator("main :is(.section, .alignment)").filter({ visible: true }).first()).toBeVisible();
        expect(await tooWide(page)).toEqual([]);
      });
    }

    test("the empty forms fit a narrow window", async ({ page }) => {
      for (const path of ["/", "/sequence-alignment", "/approximate-search", "/lcs", "/match-count", "/exact-search"]) {
        await page.goto(path);
        expect(await tooWide(page), path).toEqual([]);
        await (await options(page)).locator(".why summary").click();
        expect(await tooWide(page), path).toEqual([]);
      }
    });

    test("the sheet of keys and the share dialog fit a narrow window", async ({ page }) => {
      await page.goto(views.alignment);
      await expect(answer(page)).toBeVisible({ timeout: 15_000 });
      await page.locator(".foot button.go").last().click();
      await expect(page.getByRole("dialog")).toBeVisible();
      expect(await tooWide(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator('[aria-haspopup="dialog"]:visible').first().click();
      for (const kind of [0, 1, 2]) {
        await page.getByRole("dialog").getByRole("radio").nth(kind).check();
        expect(await tooWide(page)).toEqual([]);
      }
    });

    test("failures fit a narrow window", async ({ page }) => {
      await open(page);
      await page.locator("input[type=file]").first().setInputFiles({ name: "a.bin", mimeType: "application/octet-stream", buffer: Buffer.from([97, 255, 98]) });
      await page.getByRole("textbox", { name: "b", exact: true }).fill("abc");
      await expect(page.getByRole("alert")).toBeVisible();
      expect(await tooWide(page)).toEqual([]);
      for (const path of ["/r/00000000000000000000000000", "/s/00000000000000000000000000#k=x", "/j/00000000000000000000000000", "/nowhere"]) {
        await page.goto(path);
        expect(await tooWide(page), path).toEqual([]);
      }
    });

    test("a shared result, frame, print sheet and static pages fit a narrow window", async ({ page, request }) => {
      test.setTimeout(60_000);
      const job = { task: "edit-distance", a: { text: "intention of the many" }, b: { text: "execution by the few" }, options: { unit: "graphemes" } };
      const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
      const link = await (await request.post("/api/v1/links", { data: { job: id, lifetime: "1d" } })).json();
      const path = new URL(link.url, "http://127.0.0.1").pathname;
      for (const address of [path, `/embed${path}`, "/print#a=SUNDAY&b=SATURDAY", "/how", "/limits", "/papers", "/learn", "/learn/costs", "/api/docs"]) {
        await page.goto(address);
        await page.waitForLoadState("networkidle");
        expect(await tooWide(page), address).toEqual([]);
      }
    });
  });
}

test("a shared result without scripts fits a narrow window", async ({ browser, request, baseURL }) => {
  const job = { task: "edit-distance", a: { text: "intention of the many" }, b: { text: "execution by the few" }, options: { unit: "graphemes" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  const link = await (await request.post("/api/v1/links", { data: { job: id, lifetime: "1d" } })).json();
  const context = await browser.newContext({ baseURL, viewport: { width: 320, height: 800 }, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(new URL(link.url, "http://127.0.0.1").pathname);
  expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBeLessThanOrEqual(320);
  await context.close();
});

test("a running and an ended job fit a narrow window", async ({ page, request }) => {
  const upload = async (text: string) => (await (await request.put("/api/v1/texts", { data: Buffer.from(text) })).json()).id;
  const [a, b] = [await upload(dna(1_500_000, 5)), await upload(dna(1_500_000, 6))];
  const { id } = await (await request.post("/api/v1/jobs", { data: { task: "edit-distance", a: { upload: a }, b: { upload: b } } })).json();
  await page.goto(`/j/${id}`);
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  expect(await tooWide(page)).toEqual([]);
  await request.delete(`/api/v1/jobs/${id}`);
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeHidden();
  expect(await tooWide(page)).toEqual([]);
});

test("an open hit and two long texts fit a narrow window", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "the", `the other day they gathered there ${"and then ".repeat(30)}`);
  await page.locator("table.hits").getByRole("button").first().click();
  await expect(page.getByRole("heading", { name: "Alignment of number 1" })).toBeVisible();
  expect(await tooWide(page)).toEqual([]);
  await open(page);
  const text = dna(600, 7);
  await type(page, text, `${text.slice(0, 300)}ACGTTTT${text.slice(320)}`);
  await expect(answer(page)).toBeVisible({ timeout: 15_000 });
  expect(await tooWide(page)).toEqual([]);
});
