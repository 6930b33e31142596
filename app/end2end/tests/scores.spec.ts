// Sequence alignment: points, parts of the texts, wrong numbers, addresses, small windows. Answers are known by hand or
// by a plain program.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, answered, cigar, editor, fillOption, open, options, saved, setOption, type } from "./page";

const DNA = ["TTGATTACATTCAGC", "CAGATTCATTCTGGA"] as const;

/** Returns the sentence about the options. */
const said = (page: Page) => page.locator(".options-said");

/** Returns the sentences beside the big number. */
const sentence = (page: Page) => answered(page).locator(".say");

/** Opens the form with two pieces of DNA. */
async function openDna(page: Page, parts = ""): Promise<void> {
  await open(page, `/sequence-alignment#a=${DNA[0]}&b=${DNA[1]}${parts}`);
}

/** Types a number of the points. Labels of hidden fields contain some of these labels. */
async function fillPoints(page: Page, label: string, value: string): Promise<void> {
  await (await options(page)).getByLabel(label, { exact: true }).fill(value);
  await page.keyboard.press("Escape");
}

/** Chooses the parts of the texts that are aligned. */
async function align(page: Page, name: string): Promise<void> {
  await (await options(page)).getByRole("radio", { name }).check({ force: true });
  await page.keyboard.press("Escape");
}

test("the whole texts are aligned with the usual points", async ({ page }) => {
  await open(page, "/sequence-alignment");
  await type(page, "GATTACA", "GATCA");
  await expect(answer(page)).toHaveText("3");
  await expect(sentence(page)).toContainText("points: the best alignment of all of GATTACA with all of GATCA.");
  await expect(sentence(page)).toContainText("Identity 71.4%, 5 of 7 columns");
  await expect(said(page)).toHaveText("Equal +1, different −1, −1 for each symbol of a gap. The largest sum wins.");
  await expect(page).toHaveURL(/\/sequence-alignment#a=GATTACA&b=GATCA$/);
  await expect(page.getByRole("tab", { name: "Matrix" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Alignment" })).toBeVisible();
  await expect(page.locator(".alignment .legend")).toContainText("2 deleted");
});

test("a preset sets points and what is aligned", async ({ page }) => {
  await openDna(page);
  await fillOption(page, "Costs", "blastn");
  await expect(answer(page)).toHaveText("11");
  await expect(sentence(page)).toContainText("letters 2–12 of TTGATTACATTCAGC and 2–11 of CAGATTCATTCTGGA are the best pieces.");
  await expect(sentence(page)).toContainText("Identity 90%, 9 of 10 columns · 1 column in 1 gap");
  await expect(said(page)).toHaveText("Best piece of each · Equal +2, different −3. A gap: −5 to open, −2 for each symbol. The largest sum wins.");
  await expect(page).toHaveURL(/&costs=blastn$/);
  // Rows show the positions of the pieces, and symbols outside of them are no edits.
  const ends = page.locator(".align .pos");
  await expect(ends.filter({ hasText: "a" }).last()).toHaveText(/^a\s*2$/);
  await expect(page.locator(".alignment .legend")).toContainText("1 deleted");
  await expect(page.locator(".alignment .legend")).toContainText("0 inserted");
});

test("similar residues have a sign and a count of their own", async ({ page }) => {
  await open(page, "/sequence-alignment");
  await page.getByRole("button", { name: /^Two hemoglobins/ }).click();
  await expect(answer(page)).toHaveText("282");
  await expect(sentence(page)).toContainText("Identity 42.3%, 63 of 149 columns · Similar 59.1%, 88 columns with points above 0 · 9 columns in 3 gaps");
  const legend = page.locator(".alignment .strip .legend");
  for (const count of ["63 equal", "25 similar pairs", "52 different", "7 inserted", "2 deleted"]) await expect(legend).toContainText(count);
  await expect(page.locator(".align .tall .marks").first()).toContainText(/:/);
  await expect(page.locator(".align mark.similar").first()).toBeVisible();
  await expect(said(page)).toContainText("Symbols score by BLOSUM62. A gap: −11 to open, −1 for each symbol.");
  await expect((await options(page)).getByLabel("Equal", { exact: true })).toBeHidden();
  await page.keyboard.press("Escape");
  await fillOption(page, "Pairs by", "pam250");
  await expect(page).toHaveURL(/&costs=blosum62&matrix=pam250$/);
  await expect(said(page)).toContainText("Symbols score by PAM250.");
});

test("a changed preset is named and taken back", async ({ page }) => {
  await openDna(page, "&costs=blastn");
  await expect(answer(page)).toHaveText("11");
  await fillPoints(page, "A gap opens", "-4");
  await expect(answer(page)).toHaveText("12");
  await expect(page).toHaveURL(/&costs=blastn&open=-4$/);
  const panel = await options(page);
  await expect(panel.getByLabel("Costs", { exact: true }).locator("option:checked")).toHaveText("DNA, as BLAST, changed");
  await panel.getByRole("button", { name: "Back to DNA, as BLAST" }).click();
  await expect(answer(page)).toHaveText("11");
  await expect(page).toHaveURL(/&costs=blastn$/);
  await expect(panel.getByRole("button", { name: /^Back to/ })).toBeHidden();
});

test("changed costs of edit distance are named and taken back", async ({ page }) => {
  await open(page);
  await type(page, "ab", "ba");
  await fillOption(page, "Costs", "osa");
  await fillOption(page, "Costs", "own");
  await fillOption(page, "Cost of a swap", "0");
  await expect(answer(page)).toHaveText("0");
  const panel = await options(page);
  await expect(panel.getByLabel("Costs", { exact: true }).locator("option:checked")).toHaveText("Damerau–Levenshtein (OSA), changed");
  await panel.getByRole("button", { name: "Back to Damerau–Levenshtein (OSA)" }).click();
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/&costs=osa$/);
});

test("a choice from the other half of the menu changes the task and keeps the texts", async ({ page }) => {
  await openDna(page);
  await fillOption(page, "Costs", "levenshtein");
  await expect(page).toHaveURL(/\/#a=TTGATTACATTCAGC&b=CAGATTCATTCTGGA$/);
  await fillOption(page, "Costs", "gotoh");
  await expect(page).toHaveURL(/\/sequence-alignment#a=TTGATTACATTCAGC&b=CAGATTCATTCTGGA&costs=gotoh$/);
  await page.goBack();
  await expect(editor(page, "a")).toHaveValue(DNA[0]);
});

test("parts of the texts may be left out", async ({ page }) => {
  await open(page, "/sequence-alignment#a=CCCCGATTACA&b=GATTACATTT");
  await expect(answer(page)).toHaveText("0");
  await align(page, "End on start");
  await expect(answer(page)).toHaveText("7");
  await expect(sentence(page)).toContainText("the end of CCCCGATTACA overlaps the start of GATTACATTT by 7 columns.");
  await expect(sentence(page)).toContainText("outside and free: 4 letters of CCCCGATTACA, 3 letters of GATTACATTT");
  await expect(page).toHaveURL(/&mode=semi-global&free=a-start,b-end$/);
  const panel = await options(page);
  await panel.getByLabel("start of a").uncheck();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/&mode=semi-global&free=b-end$/);
  await align(page, "Best piece of each");
  await expect(answer(page)).toHaveText("7");
  await expect((await options(page)).getByText("Free ends")).toBeHidden();
});

test("further pieces of a local alignment are listed", async ({ page }) => {
  await open(page, "/sequence-alignment#a=TTGATTACATT&b=GATTACACCGATACA&costs=blastn");
  await expect(answer(page)).toHaveText("14");
  const rows = page.locator("table.pieces tbody tr");
  await expect(rows).toHaveCount(0);
  await fillPoints(page, "Number of best pieces", "3");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText(/1\s*14\s*2–9\s*0–7\s*100%\s*0/);
  await expect(rows.nth(1)).toContainText(/2\s*8\s*5–9\s*11–15\s*100%\s*0/);
  await expect(page).toHaveURL(/&costs=blastn&pieces=3$/);
  await expect(said(page)).toContainText("Best piece of each · 3 pieces · Equal +2");
  await page.reload();
  await expect(rows).toHaveCount(3);
  await fillPoints(page, "Number of best pieces", "101");
  await expect(page.getByRole("alert")).toContainText("Type a number from 1 to 100.");
  await align(page, "Whole with whole");
  await expect(rows).toHaveCount(0);
  await expect(page).toHaveURL(/&costs=blastn&mode=global$/);
});

test("a score below 0 is explained", async ({ page }) => {
  await open(page, "/sequence-alignment#a=AAA&b=CCC");
  await expect(answer(page)).toHaveText("−3");
  await page.getByText("Why below 0?").click();
  await page.getByRole("button", { name: "Show the best piece" }).click();
  await expect(answer(page)).toHaveText("0");
  await expect(sentence(page)).toContainText("points: no piece of AAA and CCC scores above 0.");
  await expect(page.getByText("Why below 0?")).toHaveCount(0);
});

test("a wrong number is explained with its range and gives no answer", async ({ page }) => {
  await openDna(page);
  for (const [label, wrong, sentence] of [["Equal", "1001", "from −1,000 to 1,000"], ["Different", "0.55", "Points have at most one decimal"], ["A gap opens", "5", "A gap must not earn points"], ["Each symbol", "many", "from −1,000 to 0"]]) {
    await fillPoints(page, label, wrong);
    await expect(page.getByRole("alert")).toContainText(sentence);
    await expect(answer(page)).toHaveCount(0);
    const field = (await options(page)).getByLabel(label, { exact: true });
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await field.fill("−7");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(answer(page)).toHaveCount(1);
  }
  await expect(page).toHaveURL(/&equal=-7&different=-7&open=-7&gap=-7$/);
});

test("points with a decimal are typed, shown exactly and kept in the link", async ({ page }) => {
  await openDna(page);
  await fillPoints(page, "Equal", "5");
  await fillPoints(page, "Different", "-4.5");
  await fillPoints(page, "A gap opens", "-9.5");
  // Each key is pressed, because the begin of the number is another number.
  const field = (await options(page)).getByLabel("Each symbol", { exact: true });
  await field.press("Control+a");
  await field.pressSequentially("-0.5");
  await expect(field).toHaveValue("−0.5");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/&equal=5&different=-4.5&open=-9.5&gap=-0.5$/);
  await expect(answer(page)).toHaveText("12");
  await page.reload();
  await expect(answer(page)).toHaveText("12");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await fillPoints(page, "Equal", "101");
  await expect(page.getByRole("alert")).toContainText("all numbers and those of the matrix must be from −100 to 100");
});

test.describe("in German", () => {
  test.use({ locale: "de-DE" });

  test("points have a decimal comma", async ({ page }) => {
    await open(page, "/sequence-alignment#a=GATTACA&b=GATCA&equal=5.5&open=-9&gap=-0.5");
    await expect(answer(page)).toHaveText("17,5");
    await expect(said(page)).toContainText("−0,5");
  });
});

test("an address has the points, and a wrong one is refused", async ({ page }) => {
  await openDna(page, "&costs=smith-waterman&gap=-3&mode=global");
  const number = await answer(page).textContent();
  await page.reload();
  await expect(answer(page)).toHaveText(number ?? "");
  await expect(page).toHaveURL(/&costs=smith-waterman&gap=-3&mode=global$/);
  for (const [parts, sentence] of [["open=5", "“5” is not a valid value for open"], ["costs=osa", "“osa” is not a valid value for costs"], ["free=b-start", "“b-start” is not a valid value for free"]]) {
    await page.goto("about:blank");
    await page.goto(`/sequence-alignment#a=x&b=y&${parts}`);
    await expect(page.getByRole("alert")).toContainText(sentence);
    await expect(answer(page)).toHaveCount(0);
  }
});

test("pairs score by any matrix of NCBI", async ({ page }) => {
  await open(page, "/sequence-alignment#a=MKWV&b=MRW&costs=blosum62");
  await expect(answer(page)).toHaveText("6");
  const menu = (await options(page)).getByLabel("Pairs by");
  await expect(menu.locator("option")).toHaveCount(68);
  await expect(menu.locator("optgroup")).toHaveCount(2);
  await expect(menu.locator("option:checked")).toHaveText("BLOSUM62");
  await page.keyboard.press("Escape");
  await fillOption(page, "Pairs by", "blosum100");
  await expect(answer(page)).toHaveText("20");
  await expect(said(page)).toContainText("Symbols score by BLOSUM100.");
  await fillOption(page, "Pairs by", "pam10");
  await expect(page).toHaveURL(/&costs=blosum62&matrix=pam10$/);
  await page.reload();
  await expect(said(page)).toContainText("Symbols score by PAM10.");
  await expect((await options(page)).getByLabel("Pairs by").locator("option:checked")).toHaveText("PAM10");
});

test("pairs score by a matrix of the visitor", async ({ page }) => {
  await open(page, "/sequence-alignment#a=ACA&b=AGA");
  await expect(answer(page)).toHaveText("1");
  await fillOption(page, "Pairs by", "custom");
  const field = page.locator("#custom-matrix");
  await options(page);
  await expect(field).toHaveValue("   A  C  G\nA  1 -1 -1\nC -1  1 -1\nG -1 -1  1\n");
  const own = "# Rows and columns differ.\n  A C G\nA 3 -2 -2\nC -2 3 -4\nG -2 1 3";
  await field.fill(own);
  await expect(answer(page)).toHaveText("4");
  await expect(field).toHaveValue(own);
  await expect(page).toHaveURL(/&matrix=custom:ACG:3,-2,-2,-2,3,-4,-2,1,3$/);
  await page.keyboard.press("Escape");
  await expect(said(page)).toContainText("Symbols score by a custom matrix");
  await type(page, "AGA", "ACA");
  await expect(answer(page)).toHaveText("7");
  await page.reload();
  await expect(answer(page)).toHaveText("7");
  await options(page);
  await expect(field).toHaveValue("   A  C  G\nA  3 -2 -2\nC -2  3 -4\nG -2  1  3\n");
});

test("faults of a matrix are named with their place and give no answer", async ({ page }) => {
  await open(page, "/sequence-alignment#a=ACA&b=AA&matrix=custom:AC:1,-1,1");
  await expect(answer(page)).toHaveText("1");
  await options(page);
  const field = page.locator("#custom-matrix");
  for (const [wrong, sentence] of [["A C\nA 1 x", "Line 2, column 5: “x” is not a number from −1,000 to 1,000 with at most one decimal."], ["A C\nA 1 0", "Line 1, column 3: The letter C has no row."], ["A C\nA 1", "Line 2, column 3: Numbers in the row of A: 1 instead of 2."]]) {
    await field.fill(wrong);
    await expect(page.getByRole("alert")).toContainText(sentence);
    await expect(answer(page)).toHaveCount(0);
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveValue(wrong);
  }
  await field.fill("A C\nA 5 0\nC 0 5");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).toHaveText("9");
  await page.keyboard.press("Escape");
  await editor(page, "b").fill("AN");
  await expect(page.getByRole("alert")).toContainText("The matrix has no row for");
});

for (const [path, number] of [["/", "2"], ["/lcs", "3"], ["/sequence-alignment", "1"], ["/approximate-search", "2"]] as const) {
  test(`gaps stand on the right on request at ${path}`, async ({ page }) => {
    await open(page, `${path}#a=GAAAC&b=GAC`);
    await expect(answer(page)).toHaveText(number);
    // The list of hits is drawn again after each run, and an alignment that was opened before is closed then.
    const opened = async () => {
      if (path !== "/approximate-search") return;
      await expect(async () => {
        await page.getByRole("button", { name: /open its alignment/ }).first().click();
        await expect(page.locator('[popovertarget="exports-hit"]')).toBeVisible({ timeout: 1000 });
      }).toPass();
    };
    await opened();
    expect(await cigar(page)).toBe("1=2D2=");
    await setOption(page, "Gaps on the right");
    await expect(page).toHaveURL(/#a=GAAAC&b=GAC&gaps=rightmost$/);
    await expect(said(page)).toContainText("gaps on the right");
    await expect(answer(page)).toHaveText(number);
    await opened();
    await expect(async () => expect(await cigar(page)).toBe("2=2D1=")).toPass();
    await page.reload();
    await expect(answer(page)).toHaveText(number);
    await expect((await options(page)).getByLabel("Gaps on the right", { exact: true })).toBeChecked();
  });
}

test("VCF has its gaps on the left, wherever the page shows them", async ({ page }) => {
  await open(page, "/#a=GAAAC&b=GAC&gaps=rightmost");
  await expect(answer(page)).toHaveText("2");
  expect(await saved(page, "VCF")).toContain("\t1\t.\tGAA\tG\t");
});

test("tasks without gaps do not offer to move them", async ({ page }) => {
  await open(page, "/match-count#a=GA&b=GAC");
  await expect((await options(page)).getByLabel("Gaps on the right", { exact: true })).toBeHidden();
});

for (const theme of ["light", "dark"] as const) {
  test(`panel and answer fit narrow windows in the ${theme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    for (const width of [320, 390, 768]) {
      await page.setViewportSize({ width, height: 720 });
      // Another fragment alone would not load the page again.
      await page.goto("about:blank");
      await openDna(page, "&mode=semi-global&free=a-start,b-end");
      await expect(answer(page)).toHaveCount(1);
      const panel = await options(page);
      await expect(panel.getByText("Free ends")).toBeVisible();
      expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
      await page.keyboard.press("Escape");
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  });
}
