// The ambiguity codes of IUPAC: on the page, in the address, and for stored results.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, apiCalls, cigar, editor, open, options, saved, setOption, type } from "./page";

const said = (page: Page) => page.locator(".options-said");
const codes = (page: Page) => page.getByLabel("Ambiguity codes");
const rows = (page: Page) => page.locator("table.hits tbody tr").filter({ visible: true });

// The second occurrence is on the other strand: GCTGGCAC is the reverse complement of GTGCCAGC.
const TEXT = "AAGTGCCAGCAAGCTGGCAC";

test("a code matches its bases on both strands, and is in the address", async ({ page }) => {
  const calls = apiCalls(page);
  await open(page, "/exact-search");
  await type(page, "hello", TEXT);
  await options(page);
  await expect(codes(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await type(page, "GTGYCAGC", TEXT);
  await expect(answer(page)).toHaveText("No");
  await setOption(page, "Ambiguity codes");
  await expect(answer(page)).toHaveText("1");
  await expect(said(page)).toContainText("ambiguity codes");
  await setOption(page, "Both strands");
  await expect(answer(page)).toHaveText("2");
  await expect(rows(page).nth(0).locator(".found")).toHaveText("GTGCCAGC");
  await expect(rows(page).nth(1).locator(".found")).toHaveText("GCTGGCAC");
  await expect(page).toHaveURL(/strands=both.*ambiguity/);
  expect(calls).toEqual([]);
  await page.reload();
  await expect(answer(page)).toHaveText("2");
  await options(page);
  await expect(codes(page)).toBeChecked();
});

test("hits have fewer edits with codes, in files too", async ({ page }) => {
  await open(page, "/approximate-search#a=GTRNAAC&b=TTGTACAACTT&ambiguity");
  await expect(answer(page)).toHaveText("0");
  expect(await saved(page, "PAF of matches")).toContain("cg:Z:7=");
  await rows(page).first().getByRole("button").click();
  await expect(page.locator('[popovertarget="exports-hit"]')).toBeVisible();
  expect(await cigar(page)).toBe("7=");
  await setOption(page, "Ambiguity codes", false);
  await expect(answer(page)).toHaveText("2");
  await expect(page).not.toHaveURL(/ambiguity/);
});

test("the matrix has the matches of codes, and no lens of equal symbols", async ({ page }) => {
  await open(page, "/approximate-search#a=RN&b=GCAT&ambiguity&view=matrix");
  await expect(page.getByRole("grid")).toBeVisible();
  await expect(page.getByRole("radio", { name: /Slices/ })).toHaveCount(0);
  await setOption(page, "Ambiguity codes", false);
  await expect(page.getByRole("radio", { name: /Slices/ })).toHaveCount(1);
});

test("a symbol that is no code is named with its place", async ({ page }) => {
  await open(page, "/exact-search#a=GATC&b=GATCN&ambiguity");
  await expect(answer(page)).toHaveText("1");
  await editor(page, "b").fill("GATC GATC");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("The symbol “ ” at position 4 of b is none");
  await setOption(page, "White space");
  await expect(answer(page)).toHaveText("2");
});

test("a method of a paper and codes exclude each other", async ({ page }) => {
  await open(page, "/exact-search#a=GATC&b=GATCN&ambiguity");
  await options(page);
  await page.getByLabel("Method").selectOption("kmp");
  await expect(codes(page)).not.toBeChecked();
  await expect(page).toHaveURL(/method=kmp/);
  await expect(page).not.toHaveURL(/ambiguity/);
  await codes(page).check();
  await expect(page).not.toHaveURL(/method=/);
  await page.keyboard.press("Escape");
  await page.goto("about:blank");
  await page.goto("/exact-search#a=GATC&b=GATCN&ambiguity&method=kmp");
  await expect(page.getByRole("alert")).toContainText("It has ambiguity and method");
});

test("a stored result has hits of codes", async ({ page, request }) => {
  const job = { task: "exact-search", options: { ambiguity: true, strands: "both" }, a: { text: "GTGYCAGC" }, b: { text: TEXT } };
  const solved = await (await request.post("/api/v1/jobs?wait=30", { data: job })).json();
  expect(solved.answer.positions).toEqual([2, 12]);
  const link = await (await request.post("/api/v1/links", { data: { job: solved.id, lifetime: "1d" } })).json();
  await page.goto(new URL(link.url, "http://127.0.0.1").pathname);
  await expect(answer(page)).toHaveText("2");
  await expect(rows(page).nth(1).locator(".found")).toHaveText("GCTGGCAC");
});

for (const [path, plain, coded] of [["/", "3", "1"], ["/lcs", "2", "4"], ["/sequence-alignment", "−1", "3"]]) {
  test(`letters match by their bases at ${path}`, async ({ page }) => {
    const calls = apiCalls(page);
    await open(page, `${path}#a=GRTCN&b=GACA`);
    await expect(answer(page)).toHaveText(plain);
    await setOption(page, "Ambiguity codes");
    await expect(answer(page)).toHaveText(coded);
    expect(await cigar(page)).toBe("2=1D2=");
    await expect(page.locator("section.alignment .legend").first()).toContainText("4 matching");
    await expect(page).toHaveURL(/ambiguity/);
    await page.goto(page.url() + "&view=matrix");
    await page.reload();
    await expect(page.getByRole("grid")).toBeVisible();
    await expect(page.getByRole("list", { name: "Legend" })).toContainText("matching");
    expect(calls).toEqual([]);
  });
}

test("equal sentences say that letters match", async ({ page }) => {
  await open(page, "/#a=RN&b=GC&ambiguity");
  await expect(page.locator("main")).toContainText("all letters of RN and GC match.");
  await setOption(page, "Ambiguity codes", false);
  await expect(answer(page)).toHaveText("2");
});

test("swaps and matrices exclude codes", async ({ page }) => {
  await open(page, "/#a=GATC&b=GATCN&ambiguity");
  await options(page);
  await page.getByLabel("Costs", { exact: true }).selectOption("osa");
  await expect(codes(page)).not.toBeChecked();
  await codes(page).check();
  await expect(page.getByLabel("Costs", { exact: true })).toHaveValue("levenshtein");
  await page.getByLabel("Costs", { exact: true }).selectOption("blosum62");
  await expect(codes(page)).not.toBeChecked();
  await page.keyboard.press("Escape");
  await page.goto("about:blank");
  await page.goto("/sequence-alignment#a=GATC&b=GATCN&ambiguity&matrix=nuc44");
  await expect(page.getByRole("alert")).toContainText("It has ambiguity and matrix");
});

test("match count adds the letters whose codes have a base in common", async ({ page }) => {
  await open(page, "/match-count#a=RN&b=GCTT&ambiguity");
  await expect(answer(page)).toHaveText("2");
  await setOption(page, "Ambiguity codes", false);
  await expect(answer(page)).toHaveText("0");
});
