// Legibility from afar and on paper: the letters of a method's drawing in projector mode, and its printed sheet.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";

const drawing = (page: Page) => page.locator(".watch-pic svg");

const LENSES: Record<string, string[]> = {
  "/#a=SUNDAY&b=SATURDAY": ["bit-vectors", "two-rows", "traceback", "furthest-rows"],
  "/#a=freind&b=friends&costs=osa": ["osa"],
  "/sequence-alignment#a=GATTACA&b=GCATGCT": ["needleman-wunsch"],
  "/sequence-alignment#a=TGTTACGG&b=GGTTGACTA&costs=smith-waterman": ["smith-waterman"],
  "/sequence-alignment#a=GCTTAGC&b=GCAGTC&costs=gotoh": ["gotoh"],
  "/lcs#a=TEACHING&b=LEARNING": ["bit-vectors", "carry-select", "two-rows", "traceback", "hirschberg", "furthest-rows"],
  "/approximate-search#a=read&b=the+word+we+write+are+the+world+we+read": ["bit-vectors", "two-rows", "traceback", "slices", "machine"],
  "/match-count#a=abbac&b=acbabbaccb": ["shift-add", "parallel-shift-add"],
  "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad": ["naive", "failure-table", "kmp", "kmp-blocks", "shift-and"],
};

/** Returns the size of the smallest letters of a drawing in pixels, their text, and overlapping texts. */
const letters = (page: Page) =>
  drawing(page).evaluate((svg) => {
    const texts = [...svg.querySelectorAll("text")];
    const sizes = texts.map((text) => {
      const { b, d } = (text as SVGTextElement).getScreenCTM()!;
      return { pixels: parseFloat(getComputedStyle(text).fontSize) * Math.hypot(b, d), says: text.textContent };
    });
    const places = texts.map((text) => ({ text, box: text.getBoundingClientRect() }));
    const lap = (from: number, to: number, other: number, end: number) => Math.min(to, end) - Math.max(from, other);
    // The box of a letter has space above and below, so that only texts in the same line can overlap.
    const meet = (one: DOMRect, two: DOMRect) =>
      lap(one.left, one.right, two.left, two.right) > 3 && lap(one.top, one.bottom, two.top, two.bottom) > 0.6 * Math.min(one.height, two.height);
    const met = places.flatMap(({ text, box }, at) =>
      places.slice(at + 1).filter((other) => meet(box, other.box)).map((other) => `${text.textContent} and ${other.text.textContent}`));
    const frame = svg.getBoundingClientRect();
    const out = places.filter(({ box }) => box.left < frame.left - 3 || box.right > frame.right + 3 || box.bottom > frame.bottom + 3);
    return { least: sizes.sort((one, two) => one.pixels - two.pixels)[0], met, out: out.map(({ text }) => text.textContent) };
  });

for (const [width, height] of [[1280, 720], [1440, 900]]) {
  for (const [address, lenses] of Object.entries(LENSES)) {
    test(`letters of ${address} are readable from the last row at ${width} × ${height}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      for (const lens of lenses) {
        await page.goto("about:blank");
        await page.goto(`${address}&view=matrix&lens=${lens}&step=5&projector`);
        await expect(drawing(page).locator("text").first()).toBeVisible();
        await expect(page.locator("html")).toHaveAttribute("data-projector", "");
        const { least, met, out } = await letters(page);
        expect(least.pixels, `${lens}: ${least.says}`).toBeGreaterThanOrEqual(16);
        expect(met, lens).toEqual([]);
        expect(out, lens).toEqual([]);
        const deck = (await page.locator(".deck").boundingBox())!;
        expect(deck.y + deck.height, lens).toBeLessThanOrEqual(height + 1);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    });
  }
}

test("a drawing scrolls on a phone only if its cells would be too small otherwise", async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [address, lenses] of Object.entries(LENSES)) {
    for (const lens of lenses) {
      await page.goto("about:blank");
      await page.goto(`${address}&view=matrix&lens=${lens}&step=5`);
      await expect(drawing(page).locator("text").first()).toBeVisible();
      const hidden = await page.locator(".watch-pic").evaluate((frame) => frame.scrollWidth - frame.clientWidth);
      const unit = await drawing(page).locator("text").first().evaluate((text) => (text as SVGTextElement).getScreenCTM()!.a);
      expect((await letters(page)).out, lens).toEqual([]);
      expect(unit, lens).toBeGreaterThan(0.61);
      if (hidden > 0) expect(unit, lens).toBeLessThan(0.63);
    }
  }
});

test("a smaller projector shows letters of the same height", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto("/approximate-search#a=read&b=the+word+we+write+are+the+world+we+read&view=matrix&lens=slices&step=5&projector");
  await expect(drawing(page).locator("text").first()).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect.poll(async () => (await letters(page)).least.pixels).toBeGreaterThanOrEqual(16);
});

// 210 mm less two margins of 14 mm, and 297 mm less them, at 96 pixels per inch.
const A4 = [688, 1017];

for (const [lens, address] of [
  ["slices", "/approximate-search#a=read&b=the+word+we+write+are+the+world+we+read"],
  ["kmp", "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad"],
  ["bit-vectors", "/#a=SUNDAY&b=SATURDAY"],
  ["machine", "/approximate-search#a=read&b=the+word+we+write"],
] as const) {
  for (const mode of ["", "&projector"]) {
    test(`${lens} on paper${mode && ", printed from a projector"}: title, parameters, drawing, sentence, counts, and no controls`, async ({ page }) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(`${address}&view=matrix&lens=${lens}&step=9${mode}`);
      await expect(drawing(page).locator("text").first()).toBeVisible();
      const sentence = await page.locator(".step-says .say").textContent();
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.setViewportSize({ width: A4[0], height: A4[1] });
      const sheet = page.locator(".lens-paper");
      await expect(sheet.getByRole("heading")).toBeVisible();
      await expect(sheet.locator("p")).toContainText(/(step|round|comparison|time unit) 9 of \d+/);
      if (lens === "slices") await expect(sheet.locator("p")).toContainText("D = 4 · width w = 4 · block = 0 · d = 2 · latency l = 5 · global latency L = 20");
      await expect(page.locator(".step-says .say")).toHaveText(sentence!);
      for (const part of [".step-says .say", ".step-says .why >> nth=0", ".counts", ".lens-paper svg"]) await expect(page.locator(part)).toBeVisible();
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const seen = await page.evaluate((width) => {
        const isSeen = (element: Element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.closest(".vh, .watch-pic");
        const all = [...document.querySelectorAll("body *")].filter(isSeen);
        const cut = all.filter((element) => element.closest("main") && element.getBoundingClientRect().right > width + 1);
        // On paper, a term that can be looked up is an ordinary word.
        const controls = all.filter((element) => !element.matches(".term") && element.matches("input, select, textarea, summary, button, label, .deck, .lens-pick, header.top, footer.foot"));
        const say = (element: Element) => `${element.tagName}.${element.getAttribute("class")} ${element.textContent?.trim().slice(0, 30)}`;
        const texts = [...document.querySelectorAll(".lens-paper text")].map((text) => {
          const { b, d } = (text as SVGTextElement).getScreenCTM()!;
          return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(b, d);
        });
        const cell = document.querySelector(".lens-paper .cell, .lens-paper .well");
        return { cut: cut.map(say), controls: controls.map(say), least: Math.min(...texts), cell: cell && getComputedStyle(cell).fill, paper: getComputedStyle(document.documentElement).getPropertyValue("--paper") };
      }, A4[0]);
      expect(seen.cut).toEqual([]);
      expect(seen.controls).toEqual([]);
      // Seven and a half points.
      expect(seen.least).toBeGreaterThanOrEqual(9.9);
      expect(seen.paper.trim()).toBe("#fff");
      const pages = ((await page.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type\s*\/Page[^s]/g) ?? []).length;
      expect(pages).toBe(1);
      // Nothing of it stays on the screen.
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      await expect(sheet).toBeEmpty();
    });
  }
}

test("the slices lens shows the time of the machine, also in German", async ({ page, context, baseURL }) => {
  const address = "/approximate-search#a=read&b=the_words_we_write_are_the_world_we_read&view=matrix&lens=slices";
  await page.goto(`${address}&step=10`);
  await expect(page.locator(".step-says .takes")).toHaveText(/^On the HMM this step takes 42 time units: [\d,\u202f]+ of [\d,\u202f]+ are over\.$/);
  await expect(page.locator(".counts")).toContainText("time units");
  await expect(drawing(page)).toContainText("by formula");
  await page.getByRole("button", { name: "Last step" }).click();
  const end = (await page.locator(".step-says .takes").textContent())!.match(/[\d,\u202f]{3,}/g)!;
  expect(end[0].replace(/,$/, "")).toBe(end[1]);
  await context.addCookies([{ name: "language", value: "de", url: baseURL! }]);
  const german = await context.newPage();
  await german.goto(`${address}&step=10`);
  await expect(german.locator(".step-says .takes")).toContainText("Auf der HMM dauert dieser Schritt 42 Zeiteinheiten");
});
