// The matrix: keys, filling step by step, every optimal alignment, questions, pictures of larger matrices, files.
import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { cell, grid, inView } from "./grid";
import { countIn, editor, open, type } from "./page";

const SUNDAY = "/#a=SUNDAY&b=SATURDAY&view=matrix";

const LETTERS = "abcdefghij".repeat(6);
const SIXTY = `/#a=${LETTERS}&b=${LETTERS.slice(3)}xyz&view=matrix&order=diag`;

/** Returns the description of the selected cell for screen readers. */
function spoken(page: Page): Locator {
  return page.locator(".lens-pic").getByRole("status");
}

function steps(page: Page): Locator {
  return page.locator(".deck output");
}

test("the switch opens the matrix, and a cell shows its sums", async ({ page }) => {
  await open(page);
  await type(page, "SUNDAY", "SATURDAY");
  await page.getByRole("tab", { name: "Matrix" }).click();
  await expect(grid(page).locator("tbody td")).toHaveCount(63);
  await expect(cell(page, 6, 8)).toHaveAttribute("aria-selected", "true");
  await cell(page, 3, 5).click();
  await expect(page.locator(".cellname").first()).toContainText("D[3, 5] = 3: SUN and SATUR are 3 edits apart");
  await expect(page.locator(".sums li.win")).toContainText("substitute N by R");
  await expect(page.locator(".sums li")).toHaveCount(3);
  await cell(page, 5, 2).hover();
  await expect(page.locator(".cellname").first()).toContainText("D[5, 2] = 3");
  await expect(page.getByRole("heading", { name: "3 edits, 1 optimal alignment" })).toBeVisible();
  await expect.poll(() => page.url()).toContain("view=matrix&cell=3,5");
});

test("above the matrix the form is two text fields, and a button opens the options", async ({ page }) => {
  await open(page, SUNDAY);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("SUNDAY to SATURDAY, cell by cell");
  const field = editor(page, "b");
  expect((await field.boundingBox())!.height).toBeLessThan(50);
  await field.focus();
  await page.keyboard.press("End");
  await page.keyboard.type("S");
  await expect(grid(page).locator("tbody td")).toHaveCount(70);
  await expect(field).toBeFocused();
  await field.fill("");
  await page.keyboard.type("SUN");
  await expect(grid(page).locator("tbody td")).toHaveCount(28);
  await expect(field).toBeFocused();
  await countIn(page, "bytes");
  await expect(grid(page).locator("tbody td")).toHaveCount(28);
  await page.getByRole("tab", { name: "Alignment", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Edit distance");
});

for (const [width, height] of [[1440, 900], [1280, 720], [1024, 768]]) {
  for (const pair of ["a=SUNDAY&b=SATURDAY", "a=INTENTION&b=EXECUTION"]) {
    test(`matrix, sums, orders and controls fit the first screen: ${pair} at ${width} × ${height}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.goto(`/#${pair}&view=matrix&step=20`);
      await expect(grid(page)).toBeVisible();
      await inView(page, [editor(page, "a"), editor(page, "b"), page.locator(".orders"), grid(page), page.locator(".deck"), page.locator(".sums")]);
    });
  }
}

test("on a phone the matrix fits the first screen, with controls always visible", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/#a=kitten&b=sitting&view=matrix&step=9");
  await expect(grid(page)).toBeVisible();
  await inView(page, [editor(page, "a"), editor(page, "b"), grid(page), page.locator(".deck")]);
  const [matrix, sums, legend] = await Promise.all([grid(page), page.locator(".cellname").first(), page.locator(".matrix-view .legend")].map((part) => part.boundingBox()));
  expect(sums!.y - matrix!.y - matrix!.height).toBeLessThan(40);
  expect(legend!.y).toBeGreaterThan(sums!.y);
  await page.getByText("Hide values and let me predict").click();
  await expect(page.getByLabel("What is D[1, 1]?")).toBeInViewport();
  await expect(cell(page, 1, 1)).toBeInViewport();
});

test("the cell being filled is explained until another cell is selected", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix");
  await page.getByRole("button", { name: "First step" }).click();
  await expect(page.locator(".cellname").first()).toContainText("The borders are filled. What belongs in the first empty cell, D[1, 1]: how far is k from s?");
  for (let step = 0; step < 9; step++) await page.getByRole("button", { name: "Step forward" }).click();
  await expect(page.locator(".cellname").first()).toContainText("D[2, 2] = 1: ki and si are 1 edit apart");
  await expect(cell(page, 2, 2)).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".sums li")).toHaveCount(3);
  await expect(page.locator(".sums li.win")).toContainText("i = i, costs nothing");
  await expect(grid(page).locator("td.from")).toHaveCount(3);
  await expect(page.locator(".counts")).toContainText(/cells filled\s*9 of 42/);
  await cell(page, 1, 1).click();
  await page.getByRole("button", { name: "Step forward" }).click();
  await expect(page.locator(".cellname").first()).toContainText("D[1, 1] = 1");
  await expect.poll(() => page.url()).toContain("cell=1,1&step=10");
  await page.getByRole("button", { name: "Follow the steps" }).click();
  await expect(page.locator(".cellname").first()).toContainText("D[2, 3]");
  await page.locator(".orders label", { hasText: "Anti-diagonals" }).click();
  await page.getByRole("slider", { name: "Step" }).fill("7");
  await expect(page.locator(".at-once")).toHaveText("6 cells at once, as none needs another. One of them:");
  await expect(page.locator(".sums li")).toHaveCount(3);
});

test("shortcuts step and play for any focus except in a text field", async ({ page }) => {
  await open(page, SUNDAY);
  await page.getByRole("button", { name: "Step back" }).click();
  await expect(steps(page)).toHaveText("step 47 of 48");
  await page.keyboard.press(",");
  await expect(steps(page)).toHaveText("step 46 of 48");
  await page.getByRole("heading", { name: "The recurrence" }).click();
  await page.keyboard.press(".");
  await expect(steps(page)).toHaveText("step 47 of 48");
  const top = await page.evaluate(() => window.scrollY);
  await page.keyboard.press("Space");
  await expect(steps(page)).toHaveText("step 48 of 48");
  expect(await page.evaluate(() => window.scrollY)).toBe(top);
  await editor(page, "a").focus();
  await page.keyboard.press("End");
  await page.keyboard.type(".");
  await expect(editor(page, "a")).toHaveValue("SUNDAY.");
});

test("base cases and sums are beside the matrix, and those of the cell are marked", async ({ page }) => {
  await open(page, `${SUNDAY}&cell=3,5`);
  const rules = page.locator(".rules li");
  await expect(rules).toHaveCount(6);
  await expect(rules.first()).toContainText("D[0, j] = j");
  await expect(page.locator(".rules li[aria-current]")).toHaveText(/D\[i−1, j−1\]/);
  await cell(page, 0, 4).click();
  await expect(page.locator(".rules li[aria-current]")).toHaveText(/D\[0, j\] = j/);
  await expect(page.locator(".rules")).toContainText("Levenshtein distance");
});

test("arrow keys move the selection as in any grid", async ({ page }) => {
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

test("steps go back, forward and to any number in five orders", async ({ page }) => {
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

test("every optimal alignment can be opened by its number", async ({ page }) => {
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

test("a visitor predicts values and gets explanations of mistakes", async ({ page }) => {
  await open(page, "/#a=ab&b=ab&view=matrix");
  await page.getByText("Hide values and let me predict").click();
  const field = page.getByLabel("What is D[1, 1]?");
  await expect(field).toBeFocused();
  await expect(cell(page, 1, 1)).toHaveClass(/asked/);
  await field.fill("1");
  await page.keyboard.press("Enter");
  await expect(page.locator(".quiz")).toContainText("Not 1: the diagonal gives something better");
  await page.keyboard.type("0");
  await page.keyboard.press("Enter");
  await expect(page.locator(".quiz")).toContainText("Right: D[1, 1] = 0.");
  await expect(page.locator(".quiz")).toContainText("0 of 1 right on the first try");
  // After a wrong first guess, shows the sums that were hidden.
  await expect(page.locator(".quiz .sums li")).toHaveCount(3);
  await expect(page.locator(".quiz .sums li.win")).toContainText("a = a, costs nothing");
  await expect(page.locator("output.big")).toBeHidden();
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  await expect(page.locator(".quiz")).toContainText("Type a number, such as 2");
  await expect.poll(() => page.url()).toContain("ask=on");
  for (const value of ["1", "1", "0"]) {
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
  }
  await expect(page.locator(".quiz")).toContainText("All cells are filled.");
  await expect(page.locator(".quiz")).toContainText("3 of 4 right on the first try");
});

test("a link to a matrix with questions has the first answers and their score", async ({ page, browser }) => {
  await open(page, "/#a=ab&b=ab&view=matrix&ask=on");
  const field = page.getByLabel("What is D[1, 1]?");
  await field.fill("1");
  await page.keyboard.press("Enter");
  for (const value of ["0", "1"]) {
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
  }
  await expect(page.locator(".quiz")).toContainText("1 of 2 right on the first try");
  await expect(page.getByRole("button", { name: "Copy the link to hand in" })).toBeVisible();
  await expect.poll(() => page.url()).toMatch(/step=2&answers=BB$/);
  const teacher = await browser.newPage();
  await teacher.goto(page.url());
  await expect(teacher.locator(".quiz")).toContainText("1 of 2 right on the first try");
  await expect(teacher.locator(".quiz")).toContainText("What is D[2, 1]?");
  await teacher.close();
});

test("questions ask for inputs and for the next cell, and mistakes show the sums", async ({ page }) => {
  await open(page, "/#a=ab&b=ab&view=matrix&ask=inputs");
  const quiz = page.locator(".quiz");
  await expect(quiz).toContainText("Which cells give the value 0 of [1, 1]?");
  for (let miss = 0; miss < 2; miss++) await quiz.getByRole("button", { name: "[0, 1]" }).click();
  await expect(quiz).toContainText("Not [0, 1]");
  await expect(quiz.locator(".sums li")).toHaveCount(3);
  await expect(quiz).toContainText("Which cells give the value 1 of [1, 2]?");
  await expect(cell(page, 1, 1)).toHaveText("0");
  await quiz.getByLabel("Ask for").selectOption({ label: "what comes next" });
  await expect.poll(() => page.url()).toContain("ask=next");
  await expect(quiz).toContainText("Which cell is filled next?");
  // The cell of the question is not marked.
  await expect(page.locator("td.asked")).toHaveCount(0);
  await quiz.getByRole("button", { name: "[1, 2]" }).click();
  await expect(quiz).toContainText("Right: D[1, 2] = 1.");
  await expect(cell(page, 1, 2)).toHaveText("1");
});

test("searches and subsequences have matrices", async ({ page }) => {
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

test("a job on the server has its matrix at its own address", async ({ page, request }) => {
  const job = { task: "edit-distance", options: { unit: "words" }, a: { text: "the cat sat" }, b: { text: "a cat sat down" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  await page.goto(`/j/${id}#view=matrix&cell=1,1`);
  await expect(grid(page)).toBeVisible();
  await expect(page.locator(".cellname").first()).toContainText("D[1, 1] = 1: the and a are 1 edit apart");
  await cell(page, 2, 2).click();
  await expect.poll(() => page.url()).toContain(`/j/${id}#view=matrix&cell=2,2`);
});

test("the matrix can be exported as files", async ({ page }) => {
  await open(page, SUNDAY);
  const saved = async (name: string): Promise<string> => {
    const download = page.waitForEvent("download");
    await page.getByLabel("Export the matrix").getByRole("button", { name, exact: true }).click();
    return readFileSync(await (await download).path(), "latin1");
  };
  expect(await saved("SVG")).toContain("<svg xmlns");
  expect((await saved("CSV")).split("\n")[3]).toBe("U,2,1,1,2,2,3,4,5,6");
  expect(await saved("TikZ")).toContain("\\begin{tikzpicture}");
  expect((await saved("PNG")).slice(1, 4)).toBe("PNG");
});

test("a matrix of a thousand symbols is drawn as a picture with the same sums", async ({ page }) => {
  await open(page);
  const letters = Array.from({ length: 1000 }, (_, at) => "ACGT"[(at * at + (at >> 3)) % 4]).join("");
  await type(page, letters, letters.slice(100) + "TTT");
  await page.getByRole("tab", { name: "Matrix" }).click();
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
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(pixels).not.toBe(whole);
  await page.getByRole("button", { name: "Whole matrix" }).click();
  await expect.poll(pixels).toBe(whole);
  await page.getByRole("button", { name: "First step" }).click();
  await expect(steps(page)).toHaveText("step 0 of 903,000");
});

test("a large matrix has every order and a legend, and explains its cell", async ({ page }) => {
  const letters = Array.from({ length: 120 }, (_, at) => "ACGT"[(at * at + (at >> 3)) % 4]).join("");
  await open(page, `/#a=${letters}&b=${letters.slice(30)}&view=matrix`);
  await expect(page.locator("canvas.heat")).toBeVisible();
  await expect(page.locator(".orders label")).toHaveCount(5);
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Step forward" }).click();
  await expect(steps(page)).toHaveText("step 1 of 10,800");
  await expect(page.locator(".cellname")).toContainText("D[1, 1]");
  await expect(page.locator(".sums li.win")).toHaveCount(1);
  await page.locator(".orders label", { hasText: "Anti-diagonals" }).click();
  await page.getByRole("slider", { name: "Step" }).fill("50");
  await expect(page.locator(".at-once")).toContainText("50 cells at once");
  await expect(page.locator(".cellname")).toContainText(/D\[1, 50\] = \d+: /);
  await expect(page.getByRole("list", { name: "Legend" })).toContainText("not filled yet");
  // Axes: numbers are drawn to the left of the picture, which is as high as its canvas and centred in it.
  const inked = await page.locator("canvas.heat").evaluate((canvas: HTMLCanvasElement) => {
    const [left, top] = [60, 44];
    const width = ((canvas.height - top) / 121) * 91;
    const edge = left + (canvas.width - left - width) / 2;
    const { data } = canvas.getContext("2d")!.getImageData(edge - 40, top + 20, 30, canvas.height - top - 20);
    return data.filter((value, at) => at % 4 === 3 && value > 128).length;
  });
  expect(inked).toBeGreaterThan(50);
});

test("stepping through sixty by sixty cells is fast", async ({ page }) => {
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

test("every number of the path is readable without colour", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix");
  await page.evaluate(() => document.documentElement.setAttribute("data-palette", "print"));
  const colour = (of: Locator, name: string) => of.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
  // The substitutions of k by s and of e by i.
  for (const substituted of [cell(page, 1, 1), cell(page, 5, 5)]) expect(await colour(substituted, "color")).toBe("rgb(255, 255, 255)");
  expect(await colour(page.locator(".rib.x").first(), "stroke")).toBe("rgb(0, 0, 0)");
  expect(await colour(page.locator(".arrow.win.by-x"), "stroke")).toBe("rgb(255, 255, 255)");
  expect(await colour(cell(page, 2, 2), "color")).not.toBe("rgb(255, 255, 255)");
  // An insertion has an edge.
  expect(await colour(page.locator(".rib-edge.i"), "display")).toBe("inline");
  expect(await colour(page.locator(".rib-edge.i"), "stroke")).toBe("rgb(0, 0, 0)");
  await page.evaluate(() => document.documentElement.removeAttribute("data-palette"));
  expect(await colour(page.locator(".rib-edge.i"), "display")).toBe("none");
  await page.emulateMedia({ media: "print" });
  expect(await colour(cell(page, 1, 1), "color")).toBe("rgb(255, 255, 255)");
});

test("the print sheet opens from the matrix with the right solution for every task", async ({ page }) => {
  for (const [path, a, b, said] of [
    ["/", "kitten", "sitting", "Distance: 3. Number of optimal alignments: 1."],
    ["/approximate-search", "kitten", "sitting", "Fewest edits: 2."],
    ["/lcs", "kitten", "sitting", "Length: 4. Number of optimal alignments: 4."],
    ["/match-count", "ana", "bananas", "Most equal symbols: 3. Offsets with this count: 2."],
    ["/exact-search", "ana", "bananas", "Occurrences: 2."],
  ]) {
    await page.goto(`${path}#a=${a}&b=${b}&view=matrix`);
    await expect(grid(page)).toBeVisible();
    await page.getByRole("link", { name: "Print sheet and key" }).click();
    await expect(page.getByRole("article", { name: "Answer key" })).toContainText(said);
    await expect(page.getByRole("article", { name: "Sheet", exact: true }).locator(".recurrence li")).not.toHaveCount(0);
    expect(new URL(page.url()).pathname).toBe("/print");
  }
});

test("print sheets of any size have two pages", async ({ page }) => {
  test.setTimeout(60_000);
  for (const length of [8, 14, 23, 24]) {
    await page.goto(`/print#a=${LETTERS.slice(0, length)}&b=${LETTERS.slice(2, 2 + length)}`);
    await page.reload();
    await expect(page.getByRole("article", { name: "Answer key" })).toBeVisible();
    await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
    for (const format of ["A4", "Letter"]) {
      const pages = (await page.pdf({ format, printBackground: false })).toString("latin1").match(/\/Type \/Page\b/g)!.length;
      expect(pages, `${length} letters on ${format}`).toBe(2);
    }
  }
});

test("files show the current step", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix&step=9");
  await expect(steps(page)).toHaveText("step 9 of 42");
  const saved = async (name: string): Promise<string> => {
    const download = page.waitForEvent("download");
    await page.getByLabel("Export the matrix").getByRole("button", { name, exact: true }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  const values = (await saved("CSV")).trim().split("\n");
  expect(values[3]).toBe("i,2,2,1,,,,,");
  expect(values[7]).toBe("n,6,,,,,,,");
  const drawing = await saved("SVG");
  expect(drawing).toContain("Step 9 of 42");
  // Texts of borders and nine cells, headings, legend.
  expect(drawing.match(/<text/g)!.length).toBe(8 + 6 + 9 + 15 + 9);
});

async function fits(page: Page): Promise<void> {
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

test("a frame shows the whole matrix in the height of the share dialog", async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 640 });
  await page.goto("/embed/edit-distance#a=kitten&b=sitting&view=matrix&step=9");
  await expect(grid(page)).toBeVisible();
  await inView(page, [page.locator(".orders"), grid(page), page.locator(".deck")]);
  await expect(page.locator(".answer")).not.toBeInViewport({ ratio: 0.5 });
  await page.goto("/embed/edit-distance#a=kitten&b=sitting&view=matrix&step=9&controls=off");
  await page.reload();
  await expect(grid(page)).toBeVisible();
  for (const control of [".deck", ".orders", ".choices", ".predict"]) await expect(page.locator(control)).toBeHidden();
});

test("sixty by sixty cells scroll in a region that shows the explained cell", async ({ page }) => {
  await open(page, SIXTY);
  await expect(grid(page)).toBeVisible();
  await expect(cell(page, 60, 60)).toHaveAttribute("aria-selected", "true");
  const [region, last] = await Promise.all([page.locator(".matrix").boundingBox(), cell(page, 60, 60).boundingBox()]);
  expect(last!.x + last!.width).toBeLessThanOrEqual(region!.x + region!.width + 1);
  expect(last!.y + last!.height).toBeLessThanOrEqual(region!.y + region!.height + 1);
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

// The class is to find the values of the empty cells: nothing beside them, in the title or in the name of a method
// reveals them.
test("an empty matrix hides the answer until the last step or a click", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix&step=0");
  const heading = page.getByRole("heading", { name: "3 edits, 1 optimal alignment" });
  const main = page.locator("#main");
  await expect(page.locator(".cellname").first()).toContainText("how far is k from s?");
  await expect(page.locator(".to-fill")).toHaveText("42 cells to fill, 56 with the borders");
  await expect(heading).toBeHidden();
  await expect(page.locator(".orders label", { hasText: "Band" })).not.toContainText("k =");
  await expect(main.locator("output.big")).toBeHidden();
  await expect(main.locator("path.rib")).toHaveCount(0);
  expect(await page.title()).not.toMatch(/3 edits/);
  expect(await main.innerText()).not.toMatch(/3 edits/);
  const show = page.getByRole("button", { name: "Show the answer" });
  await show.click();
  await expect(heading).toBeVisible();
  await expect(page).toHaveTitle(/3 edits/);
  await expect(show).toBeHidden();
  await page.getByRole("button", { name: "Last step" }).click();
  await page.getByRole("button", { name: "First step" }).click();
  await expect(heading).toBeHidden();
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(heading).toBeVisible();
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Let the class predict" }).click();
  await expect(page.getByLabel("What is D[1, 1]?")).toBeVisible();
});

test("the answer hidden at the first step is offered beside the question", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, "/#a=kitten&b=sitting&view=matrix&step=0");
  const shown = page.getByRole("button", { name: "Show the answer" });
  await expect(shown).toHaveCount(1);
  const box = (await shown.boundingBox())!;
  expect(box.y + box.height).toBeLessThan(520);
  await page.getByRole("heading", { name: "The recurrence" }).click();
  await page.keyboard.press(".");
  await expect(steps(page)).toHaveText("step 1 of 42");
  await expect(shown).toHaveCount(1);
  await shown.click();
  await expect(page.getByText("3 edits, 1 optimal alignment")).toBeVisible();
});
