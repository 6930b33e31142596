// Methods step by step: the strip, the drawing, the sentence, counts, code, deck, questions, the address.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { expectAccessible } from "./accessible";
import { editor, fillOption, open, options } from "./page";

const LENSES: Record<string, string> = {
  "two-rows": "/#a=SUNDAY&b=SATURDAY",
  traceback: "/#a=SUNDAY&b=SATURDAY",
  "furthest-rows": "/#a=SUNDAY&b=SATURDAY",
  osa: "/#a=freind&b=friends&costs=osa",
  "needleman-wunsch": "/sequence-alignment#a=GATTACA&b=GCATGCT",
  "smith-waterman": "/sequence-alignment#a=TGTTACGG&b=GGTTGACTA&costs=smith-waterman",
  gotoh: "/sequence-alignment#a=GCTTAGC&b=GCAGTC&costs=gotoh",
  "bit-vectors": "/lcs#a=TEACHING&b=LEARNING",
  "carry-select": "/lcs#a=TEACHING&b=LEARNING",
  hirschberg: "/lcs#a=TEACHING&b=LEARNING",
  slices: "/approximate-search#a=read&b=the+word+we+write+are+the+world+we+read",
  machine: "/approximate-search#a=read&b=the+word+we+write",
  "shift-add": "/match-count#a=abbac&b=acbabbaccb",
  "parallel-shift-add": "/match-count#a=abbac&b=acbabbaccb",
  naive: "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad",
  "failure-table": "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad",
  kmp: "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad",
  "kmp-blocks": "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad",
  "shift-and": "/exact-search#a=abacabad&b=abacabacabadabacababacabacabad",
};

const address = (lens: string, rest = "") => `${LENSES[lens]}&view=matrix&lens=${lens}${rest}`;
const sentence = (page: Page) => page.locator(".step-says .say");
const at = (page: Page) => page.locator(".deck output");

for (const [width, height] of [[1440, 900], [390, 844]] as const) {
  test(`the layout of a linked matrix with methods does not shift (${width} px)`, async ({ page }) => {
    type Shift = PerformanceEntry & { value: number; sources: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[] };
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      const seen = { sum: 0, moved: [] as string[], inMatrix: [] as string[] };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries() as Shift[]) {
          seen.sum += value;
          for (const { node, previousRect, currentRect } of sources) {
            const moved = `${value.toFixed(3)} ${node?.className}: ${previousRect.y} to ${currentRect.y}`;
            (node?.closest?.(".matrix-view") ? seen.inMatrix : seen.moved).push(moved);
          }
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto("/#a=kitten&b=sitting&view=matrix&step=20");
    await expect(page.locator(".orders label b").first()).toBeVisible();
    await page.waitForTimeout(400);
    const { sum, moved, inMatrix } = await page.evaluate(() => (window as unknown as { seen: { sum: number; moved: string[]; inMatrix: string[] } }).seen);
    expect(inMatrix).toEqual([]);
    expect(sum, moved.join("\n")).toBeLessThan(0.1);
    // The document no longer waits for the view that its address names.
    await expect(page.locator("html")).not.toHaveAttribute("data-arrives");
  });
}

test("an address that names a matrix without an answer shows a normal form", async ({ page }) => {
  await page.goto(`/#a=${"a".repeat(5000)}&b=x&view=matrix&unit=nonsense`);
  await expect(page.locator("html")).not.toHaveAttribute("data-arrives");
  await page.goto("/");
  await open(page);
  await expect(page.locator("main")).not.toHaveClass(/lens-page/);
  await expect(page.locator(".ask")).not.toHaveClass(/folded|ready/);
  await expect(page.locator(".foot")).toBeVisible();
});

const picker = (page: Page) => page.getByRole("radiogroup", { name: "Methods" });

test("the strip lists orders and methods, each with steps and description", async ({ page }) => {
  await open(page, "/lcs#a=TEACHING&b=LEARNING&view=matrix");
  await expect(page.getByRole("radiogroup")).toHaveCount(1);
  const names = ["Row by row", "Column by column", "Anti-diagonals", "Band", "Bit vectors", "Words of bits", "Carry select", "Two rows", "The way back", "Hirschberg", "Furthest rows"];
  await expect(picker(page).getByRole("radio")).toHaveCount(names.length);
  await expect(picker(page).locator("label b")).toHaveText(names);
  const steps = await picker(page).locator("small").allTextContents();
  expect(steps.every((text) => /^\d+ (steps|of 64 cells)$/.test(text)), steps.join()).toBe(true);
  for (const text of await picker(page).locator(".shows").allTextContents()) expect(text).toMatch(/^[A-Z].+ .+\.$/);
  // A screen reader reads name and number of steps, then the description.
  const hirschberg = page.getByRole("radio", { name: "Hirschberg 39 steps" });
  await expect(hirschberg).toHaveAccessibleDescription("The subsequence itself, in linear memory.");
  await picker(page).getByText("Hirschberg").click();
  await expect(page.locator(".watch-pic svg rect").first()).toBeVisible();
  await expect(at(page)).toHaveText("step 0 of 39");
  await expect(hirschberg).toBeChecked();
  await expect(picker(page).locator("label b")).toHaveText(names);
  await expect.poll(() => page.url()).toContain("lens=hirschberg");
  await picker(page).getByText("Anti-diagonals").click();
  await expect(page.getByRole("grid")).toBeVisible();
  await expect(page.getByRole("radio", { name: "Anti-diagonals 15 steps" })).toBeChecked();
  await expect.poll(() => page.url()).toMatch(/order=diag$/);
});

test("arrow keys, Home and End move through all methods, and the focus follows", async ({ page }) => {
  await open(page, "/exact-search#a=ana&b=bananas&view=matrix");
  const radio = (name: string) => picker(page).locator(`input[value=${name}]`);
  await radio("row").focus();
  const seen = ["row"];
  for (const name of ["column", "offset", "bits", "naive", "failure-table", "kmp", "kmp-blocks", "shift-and"]) {
    await page.keyboard.press("ArrowRight");
    await expect(radio(name)).toBeChecked();
    await expect(name.length < 7 && !["naive", "kmp"].includes(name) ? page.getByRole("grid") : page.locator(".watch-pic svg")).toBeVisible();
    await expect(radio(name)).toBeFocused();
    seen.push(name);
  }
  expect(await picker(page).locator("input").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))).toEqual(seen);
  await page.keyboard.press("Home");
  await expect(radio("row")).toBeFocused();
  await expect(page.getByRole("grid")).toBeVisible();
  await page.keyboard.press("End");
  await expect(radio("shift-and")).toBeFocused();
  await expect(radio("shift-and")).toBeChecked();
  await expect(page.locator(".watch-pic svg")).toBeVisible();
});

for (const [width, height] of [[390, 844], [1280, 720]] as const) {
  test(`the chosen method is visible in the strip, at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    for (const projector of ["", "&projector"]) {
      await page.goto("about:blank");
      await page.goto(address("hirschberg", projector));
      const label = picker(page).locator("label:has(:checked)");
      await expect(label).toContainText("Hirschberg");
      await expect(label).toContainText("39 steps");
      await expect(label.locator(".shows")).toBeVisible();
      await expect.poll(async () => {
        const box = (await label.boundingBox())!;
        return box.x >= 0 && box.x + Math.min(box.width, 150) <= width;
      }).toBe(true);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });
}

test("a link opens a step of KMP, and keys, player and code follow the step", async ({ page }) => {
  await page.goto(address("kmp", "&step=21"));
  await expect(at(page)).toHaveText("comparison 21 of 34");
  await expect(sentence(page)).toContainText("differs from d");
  await expect(page.locator(".step-says .why")).toContainText("slides by 4");
  await expect(page.locator(".lines li[aria-current]")).toHaveCount(1);
  await expect(page.locator(".counts")).toContainText("21 of 34");
  // Screen readers announce the sentence.
  await expect(page.locator(".lens-pic").getByRole("status")).toContainText("differs from d");
  await page.keyboard.press(".");
  await expect(at(page)).toHaveText("comparison 22 of 34");
  await expect.poll(() => page.url()).toContain("step=22");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(page.locator(".step-says .why")).toContainText("34 comparisons");
  await page.getByRole("button", { name: "First step" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await expect.poll(async () => Number((await at(page).textContent())!.split(" ")[1])).toBeGreaterThan(2);
});

test("changing a letter keeps the method", async ({ page }) => {
  await open(page, address("two-rows", "&step=3"));
  await expect(at(page)).toHaveText("step 3 of 6");
  await editor(page, "a").fill("SUNDAYS");
  await expect(at(page)).toHaveText("step 0 of 7");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("SUNDAYS to SATURDAY, step by step");
});

test("a wrong prediction is explained, and a right one advances and counts", async ({ page }) => {
  await page.goto(address("two-rows"));
  await page.getByLabel("Predict the next step").check();
  const quiz = page.getByRole("region", { name: "Predict" });
  await expect(quiz).toContainText("What is the value at [1, 1]?");
  await quiz.getByRole("button", { name: "2", exact: true }).click();
  await expect(quiz.getByRole("status").first()).toContainText("Try again");
  // The three sums with the winning one marked.
  await expect(quiz.locator(".sums li")).toHaveCount(3);
  await expect(quiz.locator(".sums li.win .res")).toHaveText("0");
  await quiz.getByRole("button", { name: "0", exact: true }).click();
  await expect(quiz.getByRole("status").first()).toContainText("Right: 0.");
  await expect(quiz).toContainText("0 of 1 right on the first try");
  await expect(quiz.locator(".sums")).toHaveCount(0);
  await expect(at(page)).toHaveText("step 1 of 6");
  await expect.poll(() => page.url()).toContain("ask=on");
});

test("each kind of question can be chosen", async ({ page }) => {
  await page.goto(address("machine", "&ask=on"));
  const quiz = page.getByRole("region", { name: "Predict" });
  const kinds = quiz.getByLabel("Ask for");
  for (const [kind, says] of [["a value", /How many requests/], ["what it is made of", /In which one is address/], ["what comes next", /Of which warp/], ["how long it takes", /How many (stages|time units)|time units does/]] as const) {
    await kinds.selectOption({ label: kind });
    await expect(quiz.locator(".cellname")).toContainText(says);
  }
  await expect.poll(() => page.url()).toContain("ask=time");
  await page.reload();
  await expect(quiz.getByLabel("Ask for")).toHaveValue("time");
});

test("a hand-in link contains seed and answers, and shows them with the score", async ({ page, browser }) => {
  await page.goto(address("kmp", "&ask=on&seed=41"));
  const quiz = page.getByRole("region", { name: "Predict" });
  for (let step = 0; step < 4; step++) {
    await quiz.locator(".answers button").first().click();
    if (await quiz.getByText("Try again").isVisible()) await page.keyboard.press(".");
    await expect(at(page)).toHaveText(`comparison ${step + 1} of 34`);
  }
  await quiz.getByText("right on the first try").click();
  await expect(quiz.locator(".replies li")).toHaveCount(4);
  const [score, answers] = [await quiz.locator(".replies summary").textContent(), await quiz.locator(".replies li").allTextContents()];
  await expect.poll(() => page.url()).toMatch(/&answers=[A-Za-z0-9_.]{4}(&|$)/);
  expect(score).toMatch(/^\d of 4 right on the first try$/);
  const link = page.url();
  expect(link).toContain("seed=41");
  const teacher = await browser.newPage();
  await teacher.goto(link);
  const seen = teacher.getByRole("region", { name: "Predict" });
  await expect(seen.locator(".replies summary")).toHaveText(score!);
  await seen.locator(".replies summary").click();
  await expect(seen.locator(".replies li")).toHaveText(answers.map((text) => text.trim()));
  // A link cannot claim a score without its answers: invalid answers do not count.
  await teacher.goto("about:blank");
  await teacher.goto(link.replace(/answers=[^&]*/, "answers=!!!!"));
  await expect(seen.locator(".cellname")).toBeVisible();
  await expect(seen.locator(".replies")).toHaveCount(0);
  // Other questions discard the answers.
  await quiz.getByRole("button", { name: "Other questions" }).click();
  await expect.poll(() => page.url()).toContain("seed=42");
  expect(page.url()).not.toContain("answers=");
  await teacher.close();
});

test("furthest rows reach the last cell in waves, on a path through few cells", async ({ page }) => {
  await page.goto(address("furthest-rows", "&step=1"));
  await expect(sentence(page)).toHaveText("Wave 0 begins in row 0, with no edit.");
  await expect(page.locator(".step-says .why")).toHaveText("Equal symbols cost nothing: the way slides along S to row 1.");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(page.locator(".step-says .why")).toHaveText(/^The last cell is reached with 3 edits; \d+ of 63 cells were visited\.$/);
  await expect(page.locator(".counts")).toContainText("4 of 4");
  await expect(page.locator(".lines h2")).toHaveText("Furthest rows · Ukkonen 1985");
  await page.goto(`/lcs#a=ABCABBA&b=CBABAC&view=matrix&lens=furthest-rows&step=1&ask=value`);
  const quiz = page.getByRole("region", { name: "Predict" });
  await expect(quiz.locator(".cellname")).toHaveText("Which row of diagonal −1 is the furthest with 1 edits?");
  await quiz.getByRole("button", { name: "1", exact: true }).click();
  await expect(quiz.getByRole("status").first()).toContainText("Right: 1.");
  await expect(page.locator(".lines h2")).toHaveText("Furthest rows · Myers 1986");
});

test("swaps have a fourth sum, and the last step says what they do not allow", async ({ page }) => {
  await open(page, "/#a=CA&b=ABC&costs=osa&view=matrix");
  await picker(page).getByText("With swaps").click();
  await expect(at(page)).toHaveText("step 0 of 7");
  await expect(page.locator(".step-says .why")).toContainText("A swapped pair takes no other edit.");
  await page.goto(address("osa", "&step=25"));
  await expect(page.locator(".step-says .why")).toHaveText("ei and ie are the same two symbols, swapped: the fourth sum comes from [2, 2], two back.");
  await expect(page.locator(".watch-pic svg")).toContainText("two back");
  await page.goto("about:blank");
  await page.goto("/#a=CA&b=ABC&costs=osa&view=matrix&lens=osa&step=6&ask=value");
  const quiz = page.getByRole("region", { name: "Predict" });
  await expect(quiz.locator(".cellname")).toContainText("The distance is 3.");
  await quiz.getByRole("button", { name: "2", exact: true }).click();
  await expect(quiz.getByRole("status").first()).toContainText("Right: 2.");
  await expect(page.locator(".step-says .why")).toHaveText("Swapping CA around the symbols of ABC would give 2, but a swapped pair takes no other edit.");
  // Costs without swaps have no lens for swaps.
  await page.goto("about:blank");
  await page.goto("/#a=CA&b=ABC&view=matrix&lens=osa");
  await expect(page.getByRole("grid")).toBeVisible();
});

test("lenses of scores fill the matrix, go the way back and ask on the way", async ({ page }) => {
  await page.goto(address("needleman-wunsch", "&step=1&ask=value"));
  const quiz = page.getByRole("region", { name: "Predict" });
  await expect(sentence(page)).toHaveText("The cell [1, 1] gets 1.");
  await expect(quiz.locator(".cellname")).toHaveText("What is the value at [1, 2]?");
  await quiz.getByRole("button", { name: "0", exact: true }).click();
  await expect(quiz.getByRole("status").first()).toContainText("Right: 0.");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(page.locator(".step-says .why")).toHaveText("The alignment is whole: 8 columns, 0 points.");
  await page.goto("about:blank");
  await page.goto(address("smith-waterman", "&step=72&ask=on"));
  await expect(quiz.locator(".cellname")).toHaveText("At which cell does the best piece end?");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(page.locator(".step-says .why")).toHaveText("The alignment is whole: 6 columns, 13 points.");
  await page.goto("about:blank");
  await page.goto(address("gotoh", "&step=0&ask=value"));
  await expect(quiz.locator(".cellname")).toHaveText(/^What is the value at \[1, 1\] in [MDI]\?$/);
  await expect(page.locator(".step-says .why")).toContainText("a pair in M, a deletion in D, an insertion in I.");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(page.locator(".step-says .why")).toHaveText(/^The alignment is whole: \d columns, 3 points\.$/);
  // Points without an opening have no lens of layers.
  await page.goto("about:blank");
  await page.goto("/sequence-alignment#a=GCTTAGC&b=GCAGTC&view=matrix&lens=gotoh");
  await expect(page.getByRole("grid")).toBeVisible();
});

test("parameters are part of the link, and invalid ones are marked", async ({ page }) => {
  await page.goto(address("slices", "&with=D:2"));
  const field = page.getByLabel("D", { exact: true });
  await expect(field).toHaveValue("2");
  await field.fill("3");
  await field.press("Tab");
  await expect.poll(() => page.url()).toContain("with=D%3A3");
  await field.fill("99");
  await field.press("Tab");
  await expect(field).toHaveAttribute("aria-invalid", "true");
});

for (const lens of Object.keys(LENSES)) {
  test(`${lens} fits the first screen and a phone, and is accessible`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(address(lens, "&step=3"));
    await expect(sentence(page)).toBeVisible();
    const deck = (await page.locator(".deck").boundingBox())!;
    expect(deck.y + deck.height).toBeLessThanOrEqual(900);
    const drawing = page.locator(".watch-pic svg");
    expect(await drawing.locator("text").count()).toBeGreaterThan(3);
    // No key is shown instead of its text.
    expect(await page.locator(".lens").innerText()).not.toMatch(/\{\w+!?\}|\b[a-z-]+\.[a-z-]+\b(?!\))/);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.locator(".watch-pic.narrow")).toBeVisible();
    await expectAccessible(page, 360);
  });
}

for (const [language, says] of [["de", "Muster"], ["es", "patrón"], ["fr", "motif"], ["ja", "パターン"], ["zh", "模式"]]) {
  test(`in ${language} the sentence of a step is translated`, async ({ page, context, baseURL }) => {
    await context.addCookies([{ name: "language", value: language, url: baseURL! }]);
    await page.goto(address("kmp", "&step=21"));
    await expect(sentence(page)).toContainText(says);
  });
}

test("the number of slices can be chosen, stays in the link, and is limited", async ({ page }) => {
  await open(page, "/approximate-search#a=ana&b=bananas");
  const slices = page.getByLabel("Slices, D");
  await options(page);
  await expect(page.getByLabel("Method")).toBeVisible();
  await expect(slices).toBeHidden();
  await fillOption(page, "Method", "slices");
  await fillOption(page, "Slices, D", "16");
  await expect.poll(() => page.url()).toContain("method=slices&blocks=16");
  await page.reload();
  await options(page);
  await expect(slices).toHaveValue("16");
  await fillOption(page, "Slices, D", "0");
  await expect(page.getByText("D is a whole number")).toBeVisible();
  await fillOption(page, "Method", "diagonal");
  await expect(slices).toBeHidden();
  await expect.poll(() => page.url()).not.toContain("blocks=");
});

test("the method of a paper solves the task, and the metrics name its section", async ({ page }) => {
  await open(page, "/exact-search#a=ana&b=bananas");
  await fillOption(page, "Method", "kmp");
  await expect.poll(() => page.url()).toContain("method=kmp");
  await page.getByRole("tab", { name: "Metrics" }).click();
  await expect(page.getByRole("link", { name: "paper 004, VI" })).toBeVisible();
});
