// From a keystroke to the painted answer at 1,000 × 1,000.
import { expect, test, type Page } from "@playwright/test";
import { dna } from "../tests/data";
import { answer, open, type } from "../tests/page";

/** Milliseconds from each input event until the frame with the changed answer is on the screen. */
async function strokes(page: Page, number: number): Promise<number[]> {
  return page.evaluate(async (number) => {
    const area = document.querySelector<HTMLTextAreaElement>("#text-b")!;
    const main = document.querySelector("main")!;
    const waits: number[] = [];
    for (let stroke = 0; stroke < number; stroke++) {
      const before = main.querySelector("output.big")?.textContent;
      const painted = new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          const now = main.querySelector("output.big")?.textContent;
          if (!now || now === before) return;
          observer.disconnect();
          // After the next frame's callbacks comes its paint, and after that this message.
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now());
            port2.postMessage(null);
          });
        });
        observer.observe(main, { childList: true, subtree: true, characterData: true });
      });
      area.value += "#";
      const start = performance.now();
      performance.mark(`stroke ${stroke}`);
      area.dispatchEvent(new InputEvent("input", { bubbles: true, data: "#" }));
      const end = await painted;
      performance.mark(`painted ${stroke}`);
      waits.push(end - start);
      // Of any length, so that keystrokes come at any time between two frames: the painted answer ended at one.
      await new Promise((resolve) => setTimeout(resolve, 120 + (Math.random() * 1_000) / 60));
    }
    return waits;
  }, number);
}

const summary = (waits: number[]) => {
  const sorted = [...waits].sort((x, y) => x - y);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(1);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
};

async function watch(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const blocked: number[] = [];
    (window as unknown as { blocked: number[] }).blocked = blocked;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => blocked.push(entry.duration))).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => (window as unknown as { blocked: number[] }).blocked);
}

test("response times of typing at 1,000 × 1,000 letters", async ({ page }) => {
  const a = dna(1_000, 3);
  await open(page);
  // Longer than a, so that every further letter is one more edit.
  await type(page, a, a.slice(5) + dna(10, 9));
  await expect(answer(page)).not.toBeEmpty();
  await strokes(page, 10);
  const blocked = await watch(page);
  const waits = await strokes(page, 60);
  console.log(`1,000 × 1,000: ${summary(waits)}; tasks over 50 ms: ${JSON.stringify(await blocked())}`);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await strokes(page, 5);
  console.log(`kitten and sitting: ${summary(await strokes(page, 40))}`);
});
