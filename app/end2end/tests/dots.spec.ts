// The dot plot: lines of common words, zoom and pan by every means, the way to the alignment, word lengths, files,
// results of the server.
import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { dna, small } from "./data";
import { choose, open, solved, type } from "./page";

const PLAIN = dna(900, 7);

/** The part at 150 is repeated at 600. */
const REPEATED = PLAIN.slice(0, 600) + PLAIN.slice(150, 330) + PLAIN.slice(600);

function plot(page: Page): Locator {
  return page.getByRole("application", { name: /^Dot plot of/ });
}

/** Returns the description for screen readers. */
function told(page: Page): Locator {
  return page.locator(".dots-view").getByRole("status");
}

function ends(page: Page): Locator {
  return page.locator(".dots-view .ends input");
}

async function shows(page: Page, expected: number[]): Promise<void> {
  for (const [nth, at] of expected.entries()) await expect(ends(page).nth(nth)).toHaveValue(String(at));
}

/** Returns whether there is a dark pixel near a place, given as positions of a and b in the address. */
async function dark(page: Page, a: number, b: number, of = [PLAIN.length, REPEATED.length]): Promise<boolean> {
  return plot(page).evaluate(
    (canvas: HTMLCanvasElement, [down, across]) => {
      const pen = canvas.getContext("2d")!;
      const { width, height } = canvas;
      // The picture is inside a frame of one pixel. Its right and lower sides are those of the canvas without the
      // margin.
      const all = pen.getImageData(0, 0, width, height).data;
      const shade = (x: number, y: number) => all[4 * (y * width + x)] + all[4 * (y * width + x) + 1] + all[4 * (y * width + x) + 2];
      const ground = shade(width - 2, 1);
      const column = (x: number) => Array.from({ length: height }, (_, y) => shade(x, y)).filter((it) => it !== ground).length > height * 0.8;
      const row = (y: number) => Array.from({ length: width }, (_, x) => shade(x, y)).filter((it) => it !== ground).length > width * 0.8;
      const columns = Array.from({ length: width }, (_, x) => x).filter(column);
      const rows = Array.from({ length: height }, (_, y) => y).filter(row);
      const [left, right, top, bottom] = [columns[0], columns.at(-1)!, rows[0], rows.at(-1)!];
      const x = Math.round(left + across * (right - left));
      const y = Math.round(top + down * (bottom - top));
      for (let dx = -2; dx <= 2; dx++) for (let dy = -2; dy <= 2; dy++) if (shade(x + dx, y + dy) < 250) return true;
      return false;
    },
    [a / of[0], b / of[1]],
  );
}

test("a repeat is a second diagonal beside the main one", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, REPEATED);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(plot(page)).toBeVisible();
  await expect(told(page)).toContainText(/equal words of \d+ symbols were counted/);
  await page.getByLabel("Draw the alignment").uncheck();
  for (const [a, b] of [[300, 300], [750, 930], [240, 690]]) {
    await expect.poll(() => dark(page, a, b), `${a}, ${b}`).toBe(true);
  }
  for (const [a, b] of [[300, 560], [840, 90], [80, 540]]) expect(await dark(page, a, b), `${a}, ${b}`).toBe(false);
  await expect.poll(() => page.url()).toContain("way=off");
});

test("every control moves the visible part of the plot and changes the address", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, REPEATED);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("Visible: a from 0 to 900 down, b from 0 to 1,080 across.");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await shows(page, [168, 732, 202, 878]);
  await expect(told(page)).toContainText("Visible: a from 168 to 732 down");
  await plot(page).focus();
  await page.keyboard.press("0");
  await shows(page, [0, 900, 0, 1_080]);
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  await shows(page, [101, 664, 283, 959]);
  const box = (await plot(page).boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 40, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Number(await ends(page).nth(2).inputValue())).toBeGreaterThan(290);
  const wide = Number(await ends(page).nth(3).inputValue()) - Number(await ends(page).nth(2).inputValue());
  await page.mouse.wheel(0, -300);
  await expect.poll(async () => Number(await ends(page).nth(3).inputValue()) - Number(await ends(page).nth(2).inputValue())).toBeLessThan(wide);
  await page.getByRole("button", { name: "Fit all" }).click();
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 60, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect.poll(async () => Number(await ends(page).nth(1).inputValue()) - Number(await ends(page).nth(0).inputValue())).toBeLessThan(200);
  for (const [name, value] of [["a from", "120"], ["a to", "360"], ["b from", "570"], ["b to", "810"]]) {
    await page.getByLabel(name, { exact: true }).fill(value);
    await page.getByLabel(name, { exact: true }).press("Enter");
  }
  await shows(page, [120, 360, 570, 810]);
  await expect.poll(() => page.url()).toContain("view=dots&window=120,360,570,810");
  await page.reload();
  await shows(page, [120, 360, 570, 810]);
  await expect(told(page)).toContainText("Visible: a from 120 to 360 down, b from 570 to 810 across.");
  await page.getByLabel("Words of").selectOption("12");
  await expect(told(page)).toContainText(/1(69|7\d) equal words of 12 symbols were counted/);
  await expect.poll(() => page.url()).toContain("word=12");
});

/** Counts the dark pixels above the picture, where the letters of b stand, and to the left of it. */
async function letters(page: Page): Promise<{ above: number; beside: number }> {
  return plot(page).evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const all = canvas.getContext("2d")!.getImageData(0, 0, width, height).data;
    const shade = (x: number, y: number) => all[4 * (y * width + x)] + all[4 * (y * width + x) + 1] + all[4 * (y * width + x) + 2];
    const ground = shade(width - 2, 1);
    const framed = (pixels: number[]) => pixels.filter((it) => it !== ground).length > pixels.length * 0.8;
    const rows = Array.from({ length: height }, (_, y) => y);
    const columns = Array.from({ length: width }, (_, x) => x);
    const top = rows.find((y) => framed(columns.map((x) => shade(x, y))))!;
    const left = columns.find((x) => framed(rows.map((y) => shade(x, y))))!;
    // Positions are drawn in a lighter colour.
    const dark = (x: number, y: number) => shade(x, y) < 200;
    const strip = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    return {
      above: strip.flatMap((by) => columns.filter((x) => x > left && dark(x, top - by))).length,
      beside: strip.flatMap((by) => rows.filter((y) => y > top && dark(left - by, y))).length,
    };
  });
}

test("the zoomed plot has the letters of both texts at its axes", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, REPEATED);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("were counted");
  expect(await told(page).textContent()).not.toContain("reads");
  expect(await letters(page)).toEqual({ above: 0, beside: 0 });
  // The address follows typing after a moment.
  await expect(page).toHaveURL(/view=dots/);
  const address = page.url().replace(/&(window|word)=[^&]*/g, "");
  await page.goto("about:blank");
  await page.goto(`${address}&window=120,160,570,610`);
  await expect(told(page)).toContainText(`a reads ${PLAIN.slice(120, 160)}, b reads ${REPEATED.slice(570, 610)}.`);
  await expect.poll(async () => (await letters(page)).above).toBeGreaterThan(150);
  expect((await letters(page)).beside).toBeGreaterThan(150);
  // The symbols of 200 letters are fetched, but a letter has less than 8 pixels.
  await page.getByLabel("b to", { exact: true }).fill("770");
  await page.getByLabel("b to", { exact: true }).press("Enter");
  await expect(told(page)).toContainText("b from 570 to 770 across");
  await expect.poll(() => letters(page).then(({ above }) => above)).toBe(0);
});

test("a chosen point is shown in the alignment", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, REPEATED);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("were counted");
  await expect(page.getByRole("button", { name: "Show in the alignment" })).toBeDisabled();
  await plot(page).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".spot")).toHaveText("a 450, b 540");
  await plot(page).click({ position: { x: 200, y: 300 } });
  await expect(page.locator(".spot")).not.toHaveText("a 450, b 540");
  await plot(page).press("Enter");
  await page.getByRole("button", { name: "Show in the alignment" }).click();
  const region = page.getByRole("region", { name: /^Alignment, columns/ });
  await expect(region).toBeFocused();
  await expect(async () => {
    const [, from, to] = /columns ([\d,]+) to ([\d,]+)/.exec((await region.getAttribute("aria-label"))!)!.map((it) => Number(it.replaceAll(",", "")));
    expect(from <= 450 && 450 < to, `${from} to ${to}`).toBe(true);
  }).toPass();
});

test("matches are listed, filtered by length and strand, and scrolled into view", async ({ page }) => {
  const turned = Array.from(PLAIN.slice(300, 420)).reverse().map((base) => ({ A: "T", C: "G", G: "C", T: "A" })[base]).join("");
  await open(page);
  await type(page, PLAIN, `${REPEATED}${turned}`);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("were counted");
  await page.getByLabel("Shortest match").fill("100");
  await page.getByLabel("Shortest match").press("Enter");
  const rows = page.getByRole("region", { name: "Matches" }).locator("tbody tr");
  // The repeat at the end of the first 780 symbols, and the inverted part, each to a few symbols.
  await expect(rows.filter({ hasText: "the reverse complement" })).toHaveCount(1);
  await expect(page.locator(".dots-view")).toContainText(/\d+ matches in view/);
  await expect.poll(() => page.url()).toContain("shortest=100");
  const strands = page.locator(".dots-view").getByRole("combobox", { name: /^Strands/ });
  await strands.selectOption("reverse");
  await expect(rows).toHaveCount(1);
  await expect.poll(() => page.url()).toContain("strand=reverse");
  await expect.poll(() => dark(page, 750, 930, [900, 1200])).toBe(false);
  await rows.getByRole("button").click();
  await expect(told(page)).toContainText(/Visible: a from 2\d\d to 4\d\d down, b from 10\d\d|Visible: a from 2\d\d to 4\d\d down, b from 1,0\d\d/);
  await expect(rows.getByRole("button")).toHaveText("300–420");
  // Half-way down, the inverted match is right of the middle.
  const picture = (await plot(page).boundingBox())!;
  const place = page.locator(".dots-view .place").filter({ hasText: /\d+ equal words? here, on the other strand\./ });
  for (let x = 0.6; x < 0.9 && (await place.count()) === 0; x += 0.004) {
    await page.mouse.move(picture.x + picture.width * x, picture.y + picture.height / 2);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  await expect(place).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel("Shortest match")).toHaveValue("100");
  await expect(strands).toHaveValue("reverse");
});

test("the press that shows all matches moves the focus to the first new one", async ({ page }) => {
  const piece = PLAIN.slice(0, 300);
  await open(page);
  await type(page, piece, piece.repeat(14));
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("were counted");
  const rows = page.getByRole("region", { name: "Matches" }).locator("tbody tr");
  await expect(rows).toHaveCount(10);
  const more = page.getByRole("button", { name: "Show more matches" });
  await more.focus();
  await page.keyboard.press("Enter");
  await expect(more).toBeHidden();
  await expect(rows.nth(10)).toBeFocused();
});

test("the plot is exported as SVG with names and legend", async ({ page }) => {
  await open(page);
  await choose(page, "a", { name: "one.fasta", content: `>phage one\n${PLAIN}\n` });
  await choose(page, "b", { name: "two.fasta", content: `>phage two\n${REPEATED}\n` });
  await page.getByRole("tab", { name: "Dot plot" }).click({ timeout: 20_000 });
  await expect(told(page)).toContainText("were counted");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "SVG" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  for (const part of ["<svg xmlns", "the alignment", "A dot is a word of", "one.fasta", "two.fasta", "<polyline"]) expect(file).toContain(part);
  const bad = await page.evaluate((file) => new DOMParser().parseFromString(file, "image/svg+xml").querySelector("parsererror")?.textContent, file);
  expect(bad ?? "").toBe("");
});

test("the position at the pointer follows the wheel", async ({ page }) => {
  await open(page);
  await type(page, PLAIN, REPEATED);
  await page.getByRole("tab", { name: "Dot plot" }).click();
  await expect(told(page)).toContainText("were counted");
  await plot(page).focus();
  await plot(page).hover({ position: { x: 200, y: 200 } });
  await expect(page.locator(".spot")).toContainText("a");
  await page.getByRole("button", { name: "Zoom in" }).press("Enter");
  // The pointer has not moved, but the picture below it has.
  await expect(page.locator(".spot")).toHaveText("Click the plot to see what matches there");
});

test("files and short texts have dot plots", async ({ page }) => {
  await open(page, "/lcs#a=abracadabra&b=cadabra&view=dots");
  await expect(told(page)).toContainText("a from 0 to 11 down, b from 0 to 7 across. 21 equal words of 1 symbol were counted");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "PNG" }).click();
  expect(readFileSync(await (await download).path(), "latin1").slice(1, 4)).toBe("PNG");
  await open(page, "/approximate-search#a=cadabra&b=abracadabra&view=dots");
  await expect(told(page)).toContainText("a from 0 to 7 down, b from 0 to 11 across. 21 equal words of 1 symbol were counted");
  await expect(page.getByRole("button", { name: "Show in the alignment" })).toHaveCount(0);
  await open(page, "/exact-search#a=aba&b=ababa&view=dots");
  await expect(page.getByRole("tab", { name: "Metrics" })).toBeVisible();
  await expect(plot(page)).toHaveCount(0);
});

test("two phages have a dot plot on the server", async ({ page, request }) => {
  test.setTimeout(120_000);
  const upload = async (name: string) => (await (await request.put("/api/v1/texts", { data: small(name) })).json()).id;
  const [a, b] = [await upload("phage.fasta"), await upload("phage_99.fasta")];
  const job = { task: "edit-distance", a: { upload: a }, b: { upload: b } };
  const { id } = await (await request.post("/api/v1/jobs?wait=30", { data: job })).json();
  await page.goto(`/j/${id}#view=dots&window=20000,30000,20000,30000`);
  await expect(told(page)).toContainText("Visible: a from 20,000 to 30,000 down", { timeout: 60_000 });
  await page.getByRole("button", { name: "Fit all" }).click();
  await expect(told(page)).toContainText(/Visible: a from 0 to 9\d,\d{3} down/);
  await expect.poll(() => page.url()).not.toContain("window=");
  expect(page.url()).toContain(`/j/${id}#view=dots`);
});

test("a piece of 50,000 letters that occurs twice is two lines", async ({ page }) => {
  await open(page);
  const long = dna(400_000, 3);
  await choose(page, "a", { name: "a.fasta", content: `>a\n${long}` });
  await choose(page, "b", { name: "b.fasta", content: `>b\n${long.slice(0, 200_000)}${long.slice(50_000, 100_000)}${long.slice(200_000)}` });
  await solved(page, "50,000");
  await page.getByRole("tab", { name: "Dot plot" }).click({ timeout: 60_000 });
  await expect(told(page)).toContainText("were counted", { timeout: 60_000 });
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("the dot plot is accessible and no wider than its window", async ({ page }) => {
      await open(page);
      await type(page, PLAIN, REPEATED);
      await page.getByRole("tab", { name: "Dot plot" }).click();
      await expect(told(page)).toContainText("were counted");
      const { violations } = await new AxeBuilder({ page }).include("main").analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
      for (const width of [1440, 768, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
      }
    });
  });
}
