// A megabase against a megabase: solved by the server, followed, browsed, exported.
import { readFileSync } from "node:fs";
import { expect, type Browser, type Page } from "@playwright/test";
import { test } from "./test";
import { large } from "./data";
import { answer, choose, cigar, open, runButton } from "./page";
import { letters, score } from "./score";

test("two chromosomes with 62,190 edits are compared from upload to export", async ({ page, browser }) => {
  const [a, b] = [large("chromosome_1m.fasta"), large("chromosome_1m_94.fasta")];
  test.skip(!a || !b, "no megabase data: set EDITSCOPE_TEST_DATA to a folder with chromosome_1m.fasta and chromosome_1m_94.fasta");
  if (!a || !b) return;
  test.setTimeout(240_000);
  await open(page);
  await watchForBlocks(page);
  await choose(page, "a", { name: "chromosome_1m.fasta", content: a });
  await choose(page, "b", { name: "chromosome_1m_94.fasta", content: b });
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs on the server/);
  await runButton(page).click();

  await expect(answer(page)).toHaveText("62,190", { timeout: 180_000 });
  expect(new URL(page.url()).pathname).toMatch(/^\/j\//);

  // A jump takes 100 ms on a quiet machine. The bounds only detect large deviations, because a test machine is busy.
  const region = page.getByRole("region", { name: /^Alignment, columns/ });
  await expect(region.getByRole("group").first()).toBeVisible();
  const waits: number[] = [];
  for (const column of [500_000, 17, 999_000, 250_123, 777_777]) {
    waits.push(await jump(page, column));
  }
  console.log(`jumps took ${waits.map((wait) => wait.toFixed(0)).join(", ")} ms`);
  expect(waits.sort((x, y) => x - y)[2]).toBeLessThan(300);

  const edits = score(await cigar(page), letters(a), letters(b));
  expect(edits).toBe(62190);

  const memory = await largestRenderer(browser);
  console.log(`the page holds ${(memory / 1e6).toFixed(0)} MB`);
  expect(memory).toBeLessThan(300e6);
  const blocked = await page.evaluate(() => (window as unknown as { blocked: number[] }).blocked);
  console.log(`blocked ${JSON.stringify(blocked)}`);
  expect(blocked.filter((ms) => ms > 300)).toEqual([]);
});

/** Returns the milliseconds from scrolling to a column until its text is drawn, as measured by the page. */
async function jump(page: Page, column: number): Promise<number> {
  return page.evaluate(async (column) => {
    const area = document.querySelector<HTMLElement>(".align.scroller")!;
    const drawn = () => {
      const { top, bottom } = area.getBoundingClientRect();
      const seen = [...area.querySelectorAll<HTMLElement>(".at > *")].filter((block) => {
        const place = block.getBoundingClientRect();
        return place.bottom > top && place.top < bottom;
      });
      return seen.length > 0 && seen.every((block) => !block.matches("[aria-busy]"));
    };
    const start = performance.now();
    area.scrollTop = (area.scrollHeight * column) / 1_000_000;
    do {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    } while (!drawn() && performance.now() - start < 5_000);
    return performance.now() - start;
  }, column);
}

/** Records in `window.blocked` the duration of every task that blocks the page. */
async function watchForBlocks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const blocked: number[] = [];
    (window as unknown as { blocked: number[] }).blocked = blocked;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => blocked.push(entry.duration))).observe({ type: "longtask" });
  });
}

/** Returns the private memory of the largest page of this browser, in bytes. */
async function largestRenderer(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const own = processInfo
    .filter((process) => process.type === "renderer")
    .map((process) => {
      const status = readFileSync(`/proc/${process.id}/status`, "utf8");
      return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
    });
  return Math.max(...own);
}
