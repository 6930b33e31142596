// The matrix: read by keys, filled step by step, every optimal alignment, questions, pictures of larger ones, files.
import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { editor, open, type } from "./page";

const SUNDAY = "/#a=SUNDAY&b=SATURDAY&view=matrix";

const LETTERS = "abcdefghij".repeat(6);
const SIXTY = `/#a=${LETTERS}&b=${LETTERS.slice(3)}xyz&view=matrix&order=diag`;

function grid(page: Page): Locator {
  return page.getByRole("grid");
}

/** The cell in row `i`, column `j`. */
function cell(page: Page, i: number, j: number): Locator {
  return grid(page).locator("tbody tr").nth(i).locator("td").nth(j);
}

/** What a screen reader is told of the selected cell. */
function spoken(page: Page): Locator {
  return page.locator(".board").getByRole("status").first();
}

function steps(page: Page): Locator {
  return page.locator(".deck output");
}

test("the switch opens the matrix, and a cell tells its sums", async ({ page }) => {
  await open(page);
  await type(page, "SUNDAY", "SATURDAY");
  await page.getByRole("button", { name: "Matrix" }).click();
  await expect(grid(page).locator("tbody td")).toHaveCount(63);
  await expect(cell(page, 6, 8)).toHaveAttribute("aria-selected", "true");
  await cell(page, 3, 5).click();
  await expect(page.locator(".cellname").first()).toContainText("D[3, 5] = 3, where N of SUN meets R of SATUR");
  await expect(page.locator(".sums li.win")).toContainText("substitute N by R");
  await expect(page.locator(".sums li")).toHaveCount(3);
  await cell(page, 5, 2).hover();
  await expect(page.locator(".cellname").first()).toContainText("D[5, 2] = 3");
  await expect(page.getByRole("heading", { name: "3 edits, 1 optimal alignment" })).toBeVisible();
  await expect.poll(() => page.url()).toContain("view=matrix&cell=3,5");
});

test("a letter is changed in the small fields over the matrix, and the focus stays there", async ({ page }) => {
  await open(page, SUNDAY);
  const field = page.getByLabel("Short field for b");
  await field.focus();
  await page.keyboard.press("End");
  await page.keyboard.type("S");
  await expect(grid(page).locator("tbody td")).toHaveCount(70);
  await expect(field).toBeFocused();
  await field.fill("");
  await expect(editor(page, "b")).toHaveValue("");
  await page.keyboard.type("SUN");
  await expect(grid(page).locator("tbody td")).toHaveCount(28);
  await expect(field).toBeFocused();
  await page.setViewportSize({ width: 800, height: 800 });
  await expect(field).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.getByRole("button", { name: "Alignment", exact: true }).click();
  await expect(field).toHaveCount(0);
});

test("keys move the selection, as in any grid", async ({ page }) => {
  await open(page, `${SUNDAY}&cell=3,5`);
  await cell(page, 3, 5).focus();
  await expect(spoken(page)).toHaveText("Row 3 N, column 5 R: 3, from the corner.");
  for (const [key, i, j] of [
    ["ArrowRight", 3, 6], ["ArrowUp", 2, 6], ["Home", 2, 0], ["ArrowLeft", 2, 0], ["End", 2, 8], ["Control+End", 6, 8],
    ["PageUp", 1, 8], ["Control+Home", 0, 0], ["PageDown", 5, 0], ["ArrowDown", 6, 0], ["ArrowDown", 6, 0],
  ] as const) {
    await page.keyboard.press(key);
    await expect(cell(page, i, j), key).toBeFocused();
    await expect(grid(page).locator('[aria-selected="true"]')).toHaveCount(1);
    await expect(grid(page).locator('td[tabindex="0"]')).toHaveCount(1);
  }
});

test("steps go back, forward, to any, in five orders, and stay in the address", async ({ page }) => {
  await open(page, SUNDAY);
  await expect(steps(page)).toHaveText("step 48 of 48");
  await cell(page, 6, 8).focus();
  await page.keyboard.press(",");
  await expect(steps(page)).toHaveText("step 47 of 48");
  await expect(cell(page, 6, 8)).toBeEmpty();
  await page.keyboard.press(".");
  await expect(cell(page, 6, 8)).toHaveText("3");
  for (const [name, last] of [["Column by column", 48], ["Anti-diagonals", 13], ["Band", 35], ["Bit vectors", 8]] as const) {
    await page.locator(".orders label", { hasText: name }).click();
    await expect(steps(page)).toHaveText(`step ${last} of ${last}`);
  }
  await page.locator(".orders label", { hasText: "Anti-diagonals" }).click();
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Step forward" }).click();
  await page.getByRole("button", { name: "Step forward" }).click();
  await expect(grid(page).locator("td.now")).toHaveCount(2);
  await expect(grid(page).locator("td.off")).toHaveCount(45);
  await expect.poll(() => page.url()).toContain("order=diag&step=2");
  await page.reload();
  await expect(steps(page)).toHaveText("step 2 of 13");
  await page.getByRole("slider", { name: "Step" }).fill("12");
  await expect(steps(page)).toHaveText("step 12 of 13");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(steps(page)).toHaveText("step 13 of 13");
});

test("every optimal alignment can be looked at by its number", async ({ page }) => {
  await open(page, "/#a=INTENTION&b=EXECUTION&view=matrix");
  await expect(page.getByRole("heading", { name: "5 edits, 7 optimal alignments" })).toBeVisible();
  const columns = page.locator(".cols");
  const seen = new Set<string>();
  for (let k = 1; k <= 7; k++) {
    await expect(page.getByLabel("Number")).toHaveValue(String(k));
    seen.add((await columns.innerText()).replace(/\s/g, ""));
    await page.getByRole("button", { name: "Next alignment" }).click();
  }
  expect(seen.size).toBe(7);
  await expect(page.getByLabel("Number")).toHaveValue("1");
  await page.getByLabel("Number").fill("5");
  await page.getByLabel("Number").press("Enter");
  await expect.poll(() => page.url()).toContain("k=5");
  await page.getByLabel("Number").fill("99");
  await page.getByLabel("Number").press("Enter");
  await expect(page.getByLabel("Number")).toHaveValue("5");
  await page.reload();
  await expect(page.getByLabel("Number")).toHaveValue("5");
});

test("a visitor predicts the values and is told why not", async ({ page }) => {
  await open(page, "/#a=ab&b=ab&view=matrix");
  await page.getByText("Hide values and let me predict").click();
  const field = page.getByLabel("What is D[1, 1]?");
  await expect(field).toBeFocused();
  await expect(cell(page, 1, 1)).toHaveClass(/asked/);
  await field.fill("1");
  await page.keyboard.press("Enter");
  await expect(page.locator(".quiz")).toContainText("Not 1: the corner gives something better");
  await page.keyboard.type("0");
  await page.keyboard.press("Enter");
  await expect(page.locator(".quiz")).toContainText("Right: D[1, 1] = 0.");
  await expect(page.locator(".quiz")).toContainText("0 of 1 right at once");
  for (const value of ["1", "1", "0"]) {
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
  }
  await expect(page.locator(".quiz")).toContainText("All cells are filled.");
  await expect(page.locator(".quiz")).toContainText("3 of 4 right at once");
});

test("searches and subsequences have their matrices", async ({ page }) => {
  await open(page, "/lcs#a=kitten&b=sitting&view=matrix");
  await expect(page.getByRole("heading", { name: /^4 in common/ })).toBeVisible();
  await open(page, "/approximate-search#a=annual&b=annealing&view=matrix");
  await expect(grid(page).locator("tbody tr").first().locator("td").nth(5)).toHaveText("0");
  await page.locator(".orders label", { hasText: "Cut-off" }).click();
  await expect.poll(() => page.url()).toContain("order=cut-off");
  await expect(page.locator(".orders label", { hasText: "Cut-off" })).toContainText(/^Cut-off, k = 1\s*\d+ of 54 cells/);
  await expect(steps(page)).not.toHaveText("step 54 of 54");
  await expect(cell(page, 6, 1)).toBeEmpty();
  await open(page, "/match-count#a=aba&b=ababa&view=matrix");
  await expect(page.getByRole("heading", { name: "3 of 3 equal at best, 2 optimal alignments" })).toBeVisible();
  await open(page, "/exact-search#a=aba&b=ababa&view=matrix");
  await expect(page.getByRole("heading", { name: "2 occurrences" })).toBeVisible();
});

test("a job of the server shows its matrix at its own address", async ({ page, request }) => {
  const job = { task: "edit-distance", options: { unit: "words" }, a: { text: "the cat sat" }, b: { text: "a cat sat down" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  await page.goto(`/j/${id}#view=matrix&cell=1,1`);
  await expect(grid(page)).toBeVisible();
  await expect(page.locator(".cellname").first()).toContainText("where the of the meets a of a");
  await cell(page, 2, 2).click();
  await expect.poll(() => page.url()).toContain(`/j/${id}#view=matrix&cell=2,2`);
});

test("files of the matrix", async ({ page }) => {
  await open(page, SUNDAY);
  const saved = async (name: string): Promise<string> => {
    const download = page.waitForEvent("download");
    await page.getByLabel("Take the matrix with you").getByRole("button", { name, exact: true }).click();
    return readFileSync(await (await download).path(), "latin1");
  };
  expect(await saved("SVG")).toContain("<svg xmlns");
  expect((await saved("CSV")).split("\n")[3]).toBe("U,2,1,1,2,2,3,4,5,6");
  expect(await saved("TikZ")).toContain("\\begin{tikzpicture}");
  expect((await saved("PNG")).slice(1, 4)).toBe("PNG");
});

test("a matrix of a thousand symbols is a picture with the same sums", async ({ page }) => {
  await open(page);
  const letters = Array.from({ length: 1000 }, (_, at) => "ACGT"[(at * at + (at >> 3)) % 4]).join("");
  await type(page, letters, letters.slice(100) + "TTT");
  await page.getByRole("button", { name: "Matrix" }).click();
  const picture = page.locator("canvas.heat");
  await expect(picture).toBeVisible();
  await expect(page.locator(".cellname")).toContainText("D[1000, 903]");
  await picture.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".cellname")).toContainText("D[1, 1]");
  await expect(page.locator(".sums li")).toHaveCount(3);
  const pixels = () => picture.evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL().length);
  const whole = await pixels();
  await page.getByRole("button", { name: "Closer" }).click();
  await expect.poll(pixels).not.toBe(whole);
  await page.getByRole("button", { name: "Whole matrix" }).click();
  await expect.poll(pixels).toBe(whole);
  await page.getByRole("button", { name: "First step" }).click();
  await expect(steps(page)).toHaveText("step 0 of 1902");
});

test("stepping through sixty by sixty cells is instant", async ({ page }) => {
  await open(page, SIXTY);
  await expect(grid(page).locator("tbody td")).toHaveCount(3721);
  const took = await page.evaluate(async () => {
    const back = document.querySelector<HTMLElement>('[aria-label="Step back"]')!;
    const times: number[] = [];
    for (let step = 0; step < 20; step++) {
      const began = performance.now();
      back.click();
      await new Promise((done) => queueMicrotask(() => done(null)));
      times.push(performance.now() - began);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return times.sort((x, y) => x - y)[10];
  });
  expect(took).toBeLessThan(50);
});

test("in a class room the matrix and its controls are in view together", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, `${SUNDAY}&cell=3,5`);
  await expect(grid(page)).toBeVisible();
  await page.getByRole("button", { name: "Projector mode" }).click();
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const part of [grid(page), page.locator(".deck"), page.locator(".sums li").first()]) {
    const box = (await part.boundingBox())!;
    expect(box.y >= 0 && box.y + box.height <= 720 && box.x + box.width <= 1280, JSON.stringify(box)).toBe(true);
  }
  const size = await cell(page, 3, 5).evaluate((cell) => parseFloat(getComputedStyle(cell).fontSize));
  expect(size).toBeGreaterThan(15);
});

async function fits(page: Page): Promise<void> {
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

test("sixty by sixty cells scroll in a region of their own", async ({ page }) => {
  await open(page, SIXTY);
  await expect(grid(page)).toBeVisible();
  await fits(page);
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    for (const [name, address] of [["a grid", `${SUNDAY}&cell=3,5`], ["a grid under way", `${SUNDAY}&order=diag&step=8`]]) {
      test(`${name} is accessible and no wider than its window`, async ({ page }) => {
        await open(page, address);
        await expect(grid(page)).toBeVisible();
        const { violations } = await new AxeBuilder({ page }).include("main").analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
        await fits(page);
      });
    }
  });
}
