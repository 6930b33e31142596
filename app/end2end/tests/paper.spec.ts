// The views of a result on A4: the texts and the address are printed, no controls, nothing is cut off.
import { expect } from "@playwright/test";
import { test } from "./test";
import { views } from "../views.mjs";

// 210 mm less two margins of 14 mm, at 96 pixels per inch.
const A4 = 688;

const long = "ACGTTGCAAGGCTTACCGATGGATCCTTAGACTGAACTCG".repeat(12);
const printed = {
  "a long alignment": `/#a=${long}&b=${long.replaceAll("GGATCC", "GGTTCC")}`,
  "side by side": views["side-by-side"],
  "approximate search": views["approximate-search"],
  "match count": views["match-count"],
  "exact search": views["exact-search"],
  "dot plot": `${views.dots}`,
  metrics: views.metrics,
  matrix: views.matrix,
};

for (const [name, address] of Object.entries(printed)) {
  test(`${name} is complete on paper`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    // A browser prints without running scripts again, so that sizes measured by the page are those of the screen.
    await page.addInitScript(() => {
      const Observer = window.ResizeObserver;
      const prints = () => Boolean((window as unknown as { prints?: boolean }).prints);
      window.ResizeObserver = class extends Observer {
        constructor(callback: ResizeObserverCallback) {
          super((entries, observer) => prints() || callback(entries, observer));
        }
      };
    });
    await page.goto(address);
    await expect(page.locator("output.big:not(:empty)")).toBeAttached();
    await page.waitForTimeout(800);
    await page.evaluate(() => {
      window.dispatchEvent(new Event("beforeprint"));
      (window as unknown as { prints?: boolean }).prints = true;
    });
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: A4, height: 970 });
    const seen = await page.evaluate((width) => {
      const isSeen = (element: Element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.closest(".vh");
      const all = [...document.querySelectorAll("body *")].filter(isSeen);
      const cut = all.filter((element) => element.closest("main") && element.getBoundingClientRect().right > width + 1);
      const controls = all.filter((element) => element.matches("input:not([name=k]), select, textarea, summary, .btn, .seg, header.top, footer.foot"));
      const say = (element: Element) => `${element.tagName}.${element.getAttribute("class")} ${element.textContent?.trim().slice(0, 30)}`;
      return { cut: cut.map(say).slice(0, 4), controls: controls.map(say).slice(0, 4), paper: getComputedStyle(document.querySelector(".on-paper")!, "::before").content };
    }, A4);
    expect(seen.cut).toEqual([]);
    expect(seen.controls).toEqual([]);
    expect(seen.paper).toContain("a: ");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });
}
