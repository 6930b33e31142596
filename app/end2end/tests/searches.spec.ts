// Views of a search: the text with its hits, the choice of k, charts.
import { expect } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, apiCalls, fillOption, open, setOption, type } from "./page";

const SONNET = `Shall I compare thee to a Summers day?
Thou art more louely and more temperate:
Rough windes do shake the darling buds of Maie,
And Sommers lease hath all too short a date:`;

test("near pieces are shown with distances, and k is chosen by its number of hits", async ({ page }) => {
  const calls = apiCalls(page);
  await open(page, "/approximate-search#case_insensitive");
  await setOption(page, "Upper and lower case");
  await type(page, "summer", SONNET);
  await expect(answer(page)).toHaveText("0");
  const choices = page.getByRole("radio", { name: /^at most / });
  await expect(choices).toHaveCount(7);
  await expect(page.getByRole("radio", { name: /^at most 0 edits: 1 end$/ })).toBeChecked();
  await page.getByRole("radio", { name: /^at most 1 edit:/ }).check({ force: true });
  // The result is redrawn, but the choice keeps the focus.
  const one = page.getByRole("radio", { name: /^at most 1 edit: \d+ ends$/ });
  await expect(one).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: /^at most 2 edits/ })).toBeFocused();
  await expect(page.locator(".options-said")).toContainText("At most 2 edits");
  await expect(page.locator(".verse rt").first()).toHaveText("2");
  await expect(page.locator("table.hits .found")).toHaveText(["Summer", "Sommer"]);
  await expect(page.locator("table.hits .cols").nth(1)).toHaveAccessibleName("u by o");
  await expect(page.getByRole("img", { name: /^Distances at 1\d\d ends: minimum 0; 2 places at 2 or below/ })).toBeVisible();
  expect(calls).toEqual([]);
});

test("J and K move from hit to hit, and overlaps are marked", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "aba", "xababa\naba");
  await expect(page.locator(".verse .over")).toHaveText("a");
  await answer(page).click();
  await page.keyboard.press("j");
  await expect(page.locator("#hit-0")).toHaveClass(/current/);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(page.locator("#hit-2")).toHaveClass(/current/);
  await expect(page.getByRole("status").filter({ hasText: "3 of 3 places" })).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.locator("#hit-1")).toHaveClass(/current/);
  await expect(page.locator("table.hits tr[aria-current]")).toContainText("3–6");
});

test("without an occurrence the nearest piece is named and can be searched", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "winter", SONNET);
  await expect(page.getByText("The closest match is winde in line 3, with 2 edits.")).toBeVisible();
  await page.getByRole("button", { name: "Search approximately" }).click();
  await expect(page).toHaveURL(/approximate-search/);
  await expect(answer(page)).toHaveText("2");
});

test("a density bar opens its position in a long text", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "needle", `${"hay ".repeat(1000)}needle${" hay".repeat(1000)} needle ${"needle ".repeat(30)}`);
  await expect(answer(page)).toHaveText("32");
  const density = page.getByRole("slider", { name: "Place in the text" });
  await density.press("End");
  await expect(density).toHaveAttribute("aria-valuetext", /position 8,1\d\d: \d+ occurrences? nearby/);
  await expect(page.locator("table.hits tbody tr")).toHaveCount(12);
  await density.press("Home");
  await expect(page.locator("table.hits tbody tr")).toHaveCount(20);
});

test("keys move the threshold of match count, and the answer follows", async ({ page }) => {
  await open(page, "/match-count");
  await type(page, "abba", "acbabaccb");
  const line = page.getByRole("slider", { name: /Threshold/ });
  await expect(line).toHaveAttribute("aria-valuenow", "3");
  await line.press("ArrowDown");
  await expect(page.locator(".options-said")).toContainText("At most 2 unequal");
  await expect(line).toBeFocused();
  await expect(page.locator("table.hits tbody tr")).toHaveCount(3);
  const bars = page.getByRole("slider", { name: /^Offset; Enter/ });
  await bars.press("End");
  await expect(bars).toHaveAttribute("aria-valuetext", "1 equal at offset 5");
  await bars.press("Enter");
  await expect(page.getByRole("heading", { name: "Offset 5" })).toBeVisible();
});

test("the window title names the number of places or the closest distance", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "summer", SONNET);
  await expect(page).toHaveTitle(/^closest match: 1 edit: summer and Shall I compare thee… · Editscope$/);
  await fillOption(page, "At most k edits", "2");
  await expect(page).toHaveTitle(/^2 places: summer/);
  await setOption(page, "Merge overlapping matches");
  await expect(page).toHaveTitle(/^2 places: summer/);
});

test("passages around hits end at full rows", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "gattaca".toUpperCase(), Array.from({ length: 12 }, (_, seed) => `${dna(300, seed + 1)}GATTACA`).join(""));
  await expect(page.locator(".verse .gap").first()).toBeAttached();
  /** Returns the length of each passage's last line as a fraction of its first, if it has several lines. */
  const lasts = () =>
    page.locator(".verse .t").evaluateAll((passages) =>
      passages.flatMap((passage) => {
        const lines = new Map<number, number>();
        const range = document.createRange();
        const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          for (let at = 0; at < node.textContent!.length; at++) {
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const line = Math.round(range.getBoundingClientRect().top / 8);
            lines.set(line, (lines.get(line) ?? 0) + 1);
          }
        }
        const lengths = [...lines.values()];
        return lengths.length > 1 ? [lengths.at(-1)! / lengths[0]!] : [];
      }),
    );
  let several = 0;
  for (const width of [1440, 1100, 900, 700, 500, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const parts = await lasts();
    several += parts.length;
    for (const part of parts) expect(part, `at ${width}`).toBeGreaterThan(0.5);
  }
  expect(several).toBeGreaterThan(10);
});
