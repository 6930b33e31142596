// Scrolling an alignment of a million columns, by wheel and from end to end, seen by the browser's own trace.
import { expect, test } from "@playwright/test";
import { dna } from "../tests/data";
import { answer, choose, open } from "../tests/page";
import { tasks, traced } from "./trace";

/** `text` with about one letter in a hundred replaced, inserted or deleted. */
function edited(text: string): string {
  let state = 7;
  const next = (below: number) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;
  return [...text].map((letter) => (next(100) > 0 ? letter : ["", "A", `${letter}C`][next(3)])).join("");
}

const figure = (sorted: number[], share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);

test("frame times while a megabase alignment is scrolled", async ({ page }) => {
  const a = dna(1_000_000, 1);
  await open(page);
  await choose(page, "a", { name: "a.txt", content: a });
  await choose(page, "b", { name: "b.txt", content: edited(a) });
  await page.getByRole("button", { name: "Run", exact: false }).last().click();
  await expect(answer(page)).toBeVisible({ timeout: 200_000 });
  const area = page.locator(".align.scroller");
  await area.scrollIntoViewIfNeeded();
  await expect(area.getByRole("group").first()).toBeVisible();
  await page.waitForTimeout(1_500);
  const place = (await area.boundingBox())!;
  const session = await page.context().newCDPSession(page);
  for (const [name, speed] of [["slowly", 1_200], ["quickly", 6_000]] as const) {
    const frames: number[] = [];
    const events = await traced(session, async () => {
      await page.evaluate(() => {
        const times: number[] = [];
        const tick = (now: number) => {
          times.push(now);
          (window as unknown as { times: number[] }).times = times;
          requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      });
      await session.send("Input.synthesizeScrollGesture", {
        x: Math.round(place.x + place.width / 2),
        y: Math.round(Math.min(place.y + place.height / 2, 700)),
        yDistance: -speed * 3,
        speed,
        gestureSourceType: "mouse",
      });
      const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
      frames.push(...times.slice(1).map((time, at) => time - times[at]));
    });
    const { main, times: all } = tasks(events);
    const long = all.filter((ms) => ms > 16.7);
    const dropped = events.filter((event) => event.name === "DroppedFrame" && event.pid === main?.pid).length;
    frames.sort((x, y) => x - y);
    const late = frames.filter((ms) => ms > 17.5);
    console.log(
      `${name}: ${frames.length} frames, median ${figure(frames, 0.5)} ms, 95 % ${figure(frames, 0.95)} ms, longest ${figure(frames, 1)} ms; ` +
        `${late.length} over 16.7 ms; tasks of the page over 16.7 ms: ${long.map((ms) => ms.toFixed(0)).join(", ") || "none"}; ` +
        `frames that the browser dropped: ${dropped}`,
    );
    expect(frames.length).toBeGreaterThan(30);
  }
});
