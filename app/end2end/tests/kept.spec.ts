// Settings of a view and positions in it stay while letters and options change. Other texts reset the positions.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, countIn, editor, open, setOption, slowServer, type } from "./page";

/** Types a letter at the end of a text, and waits until the whole result belongs to the new form. */
async function letter(page: Page, which: "a" | "b" = "b", key = "T"): Promise<void> {
  await editor(page, which).press("Control+End");
  await editor(page, which).press(key);
  await expect(page.locator("main:not([data-stale])")).toBeAttached();
}

const PLAIN = dna(900, 7);

/** Replaces one letter in each interval of `each` letters. */
const changed = (text: string, each = 100) => [...text].map((letter, at) => (at % each === 50 ? (letter === "A" ? "C" : "A") : letter)).join("");

test("the dot plot keeps zoom, chosen point and list until the texts change", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, changed(PLAIN));
  await page.getByRole("tab", { name: "Dot plot" }).click();
  const ends = page.locator(".dots-view .ends input");
  const shows = async (expected: number[]) => {
    for (const [nth, at] of expected.entries()) await expect(ends.nth(nth)).toHaveValue(String(at));
  };
  await shows([0, 900, 0, 900]);
  await ends.nth(0).fill("100");
  await ends.nth(0).press("Enter");
  await ends.nth(2).fill("200");
  await ends.nth(2).press("Enter");
  await page.locator("canvas.dots").press("Enter");
  const place = await page.locator(".place .spot").textContent();
  expect(place).toMatch(/\d/);
  await letter(page);
  await shows([100, 900, 200, 900]);
  await expect(page.locator(".place .spot")).toHaveText(place!);
  await setOption(page, "Upper and lower case");
  await expect(page.locator("main:not([data-stale])")).toBeAttached();
  await shows([100, 900, 200, 900]);
  await expect.poll(() => page.url()).toContain("window=100,900,200,900");
  // A view of the whole texts includes the new letter.
  await page.getByRole("button", { name: "Fit all" }).click();
  await letter(page);
  await shows([0, 900, 0, 902]);
  await ends.nth(0).fill("300");
  await ends.nth(0).press("Enter");
  await shows([300]);
  // Both texts were replaced.
  await page.goto(`/#a=${dna(700, 3)}&b=${dna(600, 4)}&view=dots`);
  await shows([0, 700, 0, 600]);
});

test("a large matrix keeps its shades, zoom and step speed", async ({ page }) => {
  const words = "kitten mitten sitting ".repeat(6);
  await open(page, `/#a=${words.replaceAll(" ", "+")}&b=${words.replaceAll(" ", "+")}x&view=matrix`);
  const canvas = page.locator("canvas.heat");
  await expect(canvas).toBeVisible();
  // Clicks the label, as a visitor does: the bar of steps may cover the box until the page is scrolled.
  await page.locator("label").filter({ hasText: /^values$/ }).click();
  await page.getByLabel("Speed").selectOption("4");
  await canvas.focus();
  for (let times = 0; times < 4; times += 1) await canvas.press("+");
  await canvas.click({ position: { x: 120, y: 120 } });
  const spoken = page.locator(".lens-pic [role=status]");
  const before = await spoken.textContent();
  expect(before).toMatch(/\d/);
  await letter(page, "b", "y");
  await expect(canvas).toBeVisible();
  await expect(page.getByRole("radio", { name: "values" })).toBeChecked();
  await expect(page.getByLabel("Speed")).toHaveValue("4");
  await canvas.click({ position: { x: 120, y: 120 } });
  await expect(spoken).toHaveText(before!);
});

test("an alignment keeps its folding, list and scroll position", async ({ page }) => {
  const a = dna(3_000, 5);
  await slowServer(page);
  await open(page);
  // Few edits, so that most rows have none.
  await type(page, a, changed(a, 500));
  await expect(answer(page)).toHaveText("6");
  const fold = page.getByRole("button", { name: "Hide equal rows" });
  await expect(fold).toHaveAttribute("aria-pressed", "true");
  const area = page.locator(".align.scroller");
  // Only the first visible column, because the number of visible ones changes with the letters.
  const label = async () => (await area.getAttribute("aria-label"))?.split(" to ")[0];
  await area.evaluate((area) => (area.scrollTop = area.scrollHeight / 2));
  await page.locator(".goto select").selectOption("b");
  await page.waitForTimeout(500);
  const folded = await label();
  expect(folded).not.toBe("Alignment, columns 0");
  await letter(page);
  await expect.poll(label).toBe(folded);
  await expect(page.locator(".goto select")).toHaveValue("b");
  await fold.click();
  await expect(fold).toHaveAttribute("aria-pressed", "false");
  await area.evaluate((area) => (area.scrollTop = area.scrollHeight / 3));
  await page.waitForTimeout(500);
  const open_ = await label();
  for (let times = 0; times < 3; times += 1) {
    await letter(page);
    await expect(fold).toHaveAttribute("aria-pressed", "false");
    await expect.poll(label).toBe(open_);
    await page.waitForTimeout(300);
  }
  // Other texts start at their beginning, with the same settings of the drawing.
  const other = dna(9_000, 8);
  await page.goto(`/#a=${other.slice(0, 3_000)}&b=${changed(other.slice(0, 3_000), 500)}`);
  await expect.poll(label).toBe("Alignment, columns 0");
  await expect(fold).toHaveAttribute("aria-pressed", "false");
});

test("texts side by side keep layout, folding and position", async ({ page }) => {
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of a text`);
  const a = lines.join("\n");
  const b = lines.map((line, at) => (at % 40 === 20 ? `${line} that is another` : line)).join("\n");
  await open(page);
  await countIn(page, "lines");
  await type(page, a, b);
  await expect(answer(page)).toHaveText("10");
  const area = page.getByRole("region", { name: "Both texts, line by line" });
  await page.getByRole("button", { name: "Hide equal lines" }).click();
  await expect(page.getByRole("button", { name: "Hide equal lines" })).toHaveAttribute("aria-pressed", "false");
  await area.evaluate((area) => (area.scrollTop = 5_000));
  await page.waitForTimeout(400);
  const first = () =>
    area.evaluate((area) => {
      const top = area.getBoundingClientRect().top;
      const row = [...area.querySelectorAll(".twin")].find((row) => row.getBoundingClientRect().bottom > top + 2);
      return row?.textContent ?? "";
    });
  const before = await first();
  expect(before).toMatch(/line \d{2,}/);
  await letter(page, "b", "x");
  await expect.poll(first).toBe(before);
  await expect(page.getByRole("button", { name: "Hide equal lines" })).toHaveAttribute("aria-pressed", "false");
  await page.getByRole("button", { name: "Blocks", exact: true }).click();
  await letter(page, "b", "y");
  await expect(page.getByRole("button", { name: "Blocks", exact: true })).toHaveAttribute("aria-pressed", "true");
});

test("the press that shows the last page of hits keeps the focus", async ({ page }) => {
  await open(page, `/exact-search#a=ab&b=${"abcab".repeat(20)}`);
  await expect(answer(page)).toHaveText("40");
  for (const [name, range] of [["Next page", "21 to 40 of 40"], ["Previous page", "1 to 20 of 40"]]) {
    const button = page.getByRole("button", { name });
    await button.focus();
    for (let press = 0; press < 2; press++) {
      await page.keyboard.press("Enter");
      await expect(page.getByText(range, { exact: true })).toBeVisible();
      await expect(button).toBeDisabled();
      await expect(button).toBeFocused();
    }
  }
});

test("a list of hits keeps its page, and a profile its range", async ({ page }) => {
  const text = "abcab".repeat(100);
  await open(page, `/exact-search#a=ab&b=${text}`);
  await expect(answer(page)).toHaveText("200");
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page.getByText("41 to 60 of 200")).toBeVisible();
  await letter(page, "b", "c");
  await expect(page.getByText("41 to 60 of 200")).toBeVisible();
  // If the page of the list no longer exists, the first one is shown.
  await editor(page, "a").fill("abcabc");
  await expect(answer(page)).toHaveText(/^\d+$/);

  await page.goto(`/match-count#a=GATTACA&b=${dna(3_000, 9)}`);
  const begin = page.getByRole("slider", { name: "First offset of the range" });
  await begin.focus();
  await begin.press("Home");
  await expect(begin).toHaveAttribute("aria-valuenow", "0");
  const end = page.getByRole("slider", { name: "Last offset of the range" });
  const last = await end.getAttribute("aria-valuenow");
  await letter(page);
  await expect(begin).toHaveAttribute("aria-valuenow", "0");
  await expect(end).toHaveAttribute("aria-valuenow", last!);
});
