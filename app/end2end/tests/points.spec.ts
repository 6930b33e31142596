// Points and colours of the columns of sequence alignment. Sums are those of BLOSUM62 with gaps of −11 and −1, as a plain
// program adds them up.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, open } from "./page";

/** Aligns two hemoglobins by BLOSUM62. */
async function openProteins(page: Page): Promise<void> {
  await open(page, "/sequence-alignment");
  await page.getByRole("button", { name: /^Two hemoglobins/ }).click();
  await expect(answer(page)).toHaveText("282");
  await expect(page.locator(".tall .points-line svg").first()).toBeVisible();
}

/** Presses a column of the first row, once the row has its final place and length. */
async function press(page: Page, column: number): Promise<void> {
  const row = page.locator(".tall .block").first();
  const place = async () => [await row.locator(".points-line").boundingBox(), Number(await row.getAttribute("data-len"))] as const;
  let before = "";
  await expect
    .poll(async () => {
      const [known, now] = [before, JSON.stringify(await place())];
      before = now;
      return now === known;
    })
    .toBe(true);
  const [box, len] = await place();
  await page.mouse.click(box!.x + ((column + 0.5) * box!.width) / len, box!.y + 4);
}

const chosen = (page: Page) => page.locator(".chosen-column");

test("the kinds of columns have sums, and rows have bars", async ({ page }) => {
  await openProteins(page);
  const legend = page.locator(".alignment .strip .legend");
  for (const sum of ["63 equal, +329", "25 similar pairs, +34", "52 different, −39", "7 inserted, −29", "2 deleted, −13"]) await expect(legend).toContainText(sum);
  await expect(page.locator(".points-tools .note")).toHaveText("Aligned with itself, a scores 733 and b 780.");
  const rows = page.locator(".tall .block.seq");
  await expect(rows.first().locator(".points-line")).toHaveAttribute("aria-label", /^Points of these columns: [+−]\d+$/);
  const sums = await rows.locator(".points-name + .points-line + .pos").allTextContents();
  expect(sums.map((sum) => Number(sum.replace("−", "-"))).reduce((all, sum) => all + sum, 0)).toBe(282);
  expect(await rows.first().locator("svg rect:not(.cut)").count()).toBe(Number(await rows.first().getAttribute("data-len")));
});

test("the points can be hidden, and the link keeps that", async ({ page }) => {
  await openProteins(page);
  const height = async () => (await page.locator(".tall").boundingBox())!.height;
  const before = await height();
  await page.getByRole("checkbox", { name: "Points" }).uncheck();
  await expect(page).toHaveURL(/&points=0/);
  await expect(page.locator(".tall .points-line svg")).toHaveCount(0);
  await expect.poll(height).toBeLessThan(before);
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Points" })).not.toBeChecked();
  await page.getByRole("checkbox", { name: "Points" }).check();
  await expect(page).not.toHaveURL(/points=0/);
  await expect.poll(height).toBe(before);
});

test("a chosen column is framed and stated with its sums", async ({ page }) => {
  await openProteins(page);
  await press(page, 4);
  await expect(chosen(page)).toContainText("Column 4");
  await expect(chosen(page)).toContainText("S over T: +1");
  await expect(chosen(page)).toContainText("Similar. The sum is 1 before this column and 2 after it.");
  await expect(page.locator(".spot-column")).toHaveCount(1);
  await page.locator(".align.scroller").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(chosen(page)).toContainText("– over H: −12");
  await expect(chosen(page)).toContainText("A gap in a. The sum is 9 before this column and −3 after it.");
  await expect(page.locator(".points-below .figures tbody tr").first()).toContainText("K over K");
});

test("amino acids are coloured by property", async ({ page }) => {
  await openProteins(page);
  await expect(page.locator(".tall .aa")).toHaveCount(0);
  await page.getByRole("button", { name: "Zappo" }).click();
  await expect(page).toHaveURL(/&colours=zappo/);
  await expect(page.locator(".tall .aa.aliphatic").first()).toHaveText(/[ILVAM]/);
  await expect(page.locator(".legend.residues li")).toHaveText([/aliphatic ILVAM/, /aromatic FWY/, /positive charge KRH/, /negative charge DE/, /polar STNQ/, /bends the chain PG/, /cysteine C/]);
  await expect(page.locator(".tall .marks").first()).toContainText(":");
  const zappo = await page.locator(".tall .aa").count();
  await page.reload();
  await expect(page.getByRole("button", { name: "Zappo" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Clustal" }).click();
  await expect.poll(() => page.locator(".tall .aa").count()).toBeLessThan(zappo);
  await page.getByRole("button", { name: "None" }).click();
  await expect(page.locator(".tall .aa")).toHaveCount(0);
  await expect(page.locator(".tall .by-residue").first()).toBeVisible();
  await page.getByRole("button", { name: "Edits", exact: true }).click();
  await expect(page).not.toHaveURL(/colours/);
});

test("bases have points and no colours of amino acids", async ({ page }) => {
  await open(page, "/sequence-alignment#a=GATTACA&b=GATCA&colours=zappo");
  await expect(page.locator(".tall .points-line .u")).toHaveText(["+1", "+1", "+1", "−1", "−1", "+1", "+1"]);
  await expect(page.getByRole("button", { name: "Zappo" })).toHaveCount(0);
  await expect(page.locator(".subst, .tall .aa")).toHaveCount(0);
});

test("the substitution matrix is a grid that leads to columns", async ({ page }) => {
  await openProteins(page);
  const grid = page.getByRole("grid", { name: "BLOSUM62" });
  await expect(grid.locator("tbody td")).toHaveCount(400);
  await expect(grid.locator("thead th")).toHaveText([..."CSTPAGNDEQHRKMILVFYW"]);
  // S over T: row 1, column 2.
  const now = grid.locator("td.now");
  await expect(async () => {
    await press(page, 4);
    await expect(now).toHaveText("1", { timeout: 1_000 });
  }).toPass();
  await expect(now).toHaveClass(/used/);
  await now.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(grid.locator("td.now")).toHaveText("4");
  await expect(page.locator(".substitutions-aside")).toContainText("S over S: +4");
  await expect(page.locator(".substitutions-aside")).toContainText("about 4 times as often as by chance. Every 2 points double this number.");
  await expect(grid.locator("td[tabindex='0']")).toHaveCount(1);
  // K over K: Enter goes from one of its columns to the next one.
  const lysines = grid.locator("tbody tr").nth(12).locator("td").nth(12);
  await lysines.click();
  await page.keyboard.press("Enter");
  await expect(chosen(page)).toContainText("K over K: +5");
  const before = (await chosen(page).textContent())!;
  await page.keyboard.press("Enter");
  await expect(chosen(page)).toContainText("K over K: +5");
  await expect(chosen(page)).not.toHaveText(before);
});

test("the alignment is saved for EMBOSS and BLAST", async ({ page }) => {
  await openProteins(page);
  await page.getByRole("button", { name: "Export" }).click();
  for (const [name, begin] of [["EMBOSS pair", /# Aligned_sequences: 2\n# 1: HBA_HUMAN\n[^]*# Score: 282\.0\n/], ["BLAST table", /^HBA_HUMAN\tHBB_HUMAN\t42\.282\t149\t77\t3\t1\t142\t1\t147\t282\n$/]] as const) {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name, exact: true }).click();
    const stream = await (await download).createReadStream();
    let text = "";
    for await (const chunk of stream) text += chunk;
    expect(text).toMatch(begin);
  }
});

for (const theme of ["light", "dark"] as const) {
  for (const width of [320, 390, 768]) {
    test(`points and matrix fit a window of ${width} pixels in the ${theme} theme`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 720 });
      await openProteins(page);
      await expect(page.locator(".subst")).toBeVisible();
      // The rows get their heights after the first frame.
      await expect(async () => {
        const [rows, below] = await Promise.all([".align.scroller", "#below-alignment"].map((part) => page.locator(part).boundingBox()));
        expect(below!.y).toBeGreaterThanOrEqual(rows!.y + rows!.height);
      }).toPass();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    });
  }
}
