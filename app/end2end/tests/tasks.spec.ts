// The other tasks, typed: small texts whose answers are known by hand.
import { expect, test, type Page } from "@playwright/test";
import { answer, apiCalls, cigar, editor, open, saved, type } from "./page";

/** Ranges of `b` that the list shows. */
async function listed(page: Page): Promise<string[]> {
  const buttons = page.locator("table.hits").getByRole("button");
  return (await buttons.allTextContents()).map((text) => text.replaceAll(/\s/g, ""));
}

const result = (page: Page) => page.getByRole("region", { name: "Answer" });

test("approximate search: annual is one edit away from a piece of annealing, which opens as an alignment", async ({ page }) => {
  const calls = apiCalls(page);
  await open(page, "/approximate-search");
  await type(page, "annual", "annealing");
  await expect(answer(page)).toHaveText("1");
  await expect(result(page)).toContainText("edit turns a into the nearest piece of b. One piece is as near as that.");
  await expect.poll(() => listed(page)).toEqual(["0–6"]);
  await expect(page.locator("table.hits .found")).toHaveText("anneal");
  await expect(page.locator(".verse .hit").first()).toHaveText(/^annea/);
  await page.getByRole("button", { name: /open its alignment/ }).click();
  await expect(page.getByRole("group", { name: /^Columns 0 to 6/ })).toBeVisible();
  await expect(page.getByText("the opened hit")).toBeVisible();
  expect(await cigar(page)).toBe("3=1X2=");
  expect(calls).toEqual([]);
});

test("approximate search within k: all ends, only the nearest of neighbours, or their number", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "aba", "xxabaxx");
  const k = page.getByLabel("At most k edits");
  await k.fill("1");
  // Ends 4, 5 and 6 are within one edit: ab, aba, abax.
  await expect(answer(page)).toHaveText("3");
  await expect(result(page)).toContainText("positions of b are ends of a piece within 1 edit of a. The nearest is a itself.");
  await expect.poll(() => listed(page)).toEqual(["2–5"]);
  await expect(page.locator(".verse rt")).toHaveText(["1", "0", "1"]);
  await expect(page.getByText("3 ends in 1 place; the best of each is marked.")).toBeVisible();
  await page.getByLabel("Only the nearest of neighbouring ends").check();
  await expect(answer(page)).toHaveText("1");
  await expect.poll(() => listed(page)).toEqual(["2–5"]);
  await page.getByLabel("Only the nearest of neighbouring ends").uncheck();
  await page.getByLabel("Only count").check();
  await expect(answer(page)).toHaveText("3");
  await expect(page.locator("table.hits")).toBeHidden();
  await expect(page).toHaveURL(/\/approximate-search#a=aba&b=xxabaxx&max_distance=1&count_only$/);
});

test("a k that is no number is said in words and put right", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "aba", "xxabaxx");
  await expect(answer(page)).toHaveText("0");
  const k = page.getByLabel("At most k edits");
  await k.fill("two");
  await expect(page.getByRole("alert")).toContainText("k is a whole number");
  await expect(answer(page)).toHaveCount(0);
  await k.fill("2");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).not.toHaveText("0");
  await k.fill("");
  await expect(answer(page)).toHaveText("0");
  await expect(result(page)).toContainText("a occurs in b as it is");
});

test("longest common subsequence: kitten and sitting share ittn", async ({ page }) => {
  await open(page, "/lcs");
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("4");
  await expect(result(page).locator(".subsequence")).toContainText("ittn");
  await expect(result(page)).toContainText("Similarity 57.1");
  await expect(result(page).locator(".verse").nth(0).locator(".hit")).toHaveText(["itt", "n"]);
  await expect(result(page).locator(".verse").nth(1).locator(".hit")).toHaveText(["itt", "n"]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the subsequence" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("ittn");
  await expect(page.getByRole("group", { name: /^Columns 0 to 9/ })).toBeVisible();
  const made = await cigar(page);
  expect([...made.matchAll(/(\d+)=/g)].reduce((sum, [, columns]) => sum + Number(columns), 0)).toBe(4);
  expect(made).not.toContain("X");
});

test("match count: abba over acbabaccb scores 3, and the profile and the best offsets say where", async ({ page }) => {
  await open(page, "/match-count");
  await type(page, "abba", "acbabaccb");
  await expect(answer(page)).toHaveText("3");
  await expect(result(page)).toContainText("of 4 letters agree where a fits b best. One offset attains it, of 6 offsets.");
  const best = page.getByRole("table", { name: "The best offsets" }).getByRole("row");
  await expect(best).toHaveText([/Offset/, /^031/, /^222/, /^322/, /^113/, /^513/, /^404/]);
  await expect(page.getByRole("heading", { name: "Laid over at offset 0" })).toBeVisible();
  await page.getByLabel("At most k unequal").fill("2");
  await expect(result(page)).toContainText("3 offsets have at most 2 unequal.");
  await expect.poll(() => listed(page)).toEqual(["0–4", "2–6", "3–7"]);
  await page.getByRole("button", { name: "2 to 6, open its alignment" }).click();
  await expect(page.getByRole("heading", { name: "Laid over at offset 2" })).toBeVisible();
  await expect.poll(() => cigar(page)).toBe("2X2=");
  await page.getByLabel("Lay at offset").fill("4");
  await page.getByLabel("Lay at offset").press("Enter");
  await expect.poll(() => cigar(page)).toBe("4X");
});

test("exact search: aba is twice in ababa, overlapping", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "aba", "ababa");
  await expect(answer(page)).toHaveText("2");
  await expect(result(page)).toContainText("places in b hold a");
  await expect.poll(() => listed(page)).toEqual(["0–3", "2–5"]);
  expect(await saved(page, "CSV of hits")).toContain("\n2,5");
});

const NONE: { path: string; a: string; b: string; k?: string; number: string; says: string }[] = [
  { path: "/exact-search", a: "winter", b: "summer", number: "0", says: "a does not occur in b" },
  { path: "/exact-search", a: "longer", b: "long", number: "0", says: "It is longer than b" },
  { path: "/approximate-search", a: "winter", b: "summer", k: "1", number: "0", says: "a does not occur in b within 1 edit" },
  { path: "/match-count", a: "longer", b: "long", number: "0", says: "a is longer than b" },
  { path: "/lcs", a: "abc", b: "xyz", number: "0", says: "a and b have nothing in common" },
];

for (const { path, a, b, k, number, says } of NONE) {
  test(`${path} of ${a} and ${b} finds nothing, and says so`, async ({ page }) => {
    await open(page, path);
    if (k) await page.getByLabel("At most k edits").fill(k);
    await type(page, a, b);
    await expect(answer(page)).toHaveText(number);
    await expect(result(page)).toContainText(says);
    await expect(page.locator("table.hits")).toBeHidden();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
}

test("switching tasks keeps both texts, and so does the way back", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const tabs = page.getByRole("navigation", { name: "Task" });
  await tabs.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Longest common subsequence");
  await expect(editor(page, "b")).toHaveValue("sitting");
  await expect(answer(page)).toHaveText("4");
  await expect(page).toHaveURL(/\/lcs#a=kitten&b=sitting$/);
  await expect(page.getByLabel("At most k edits")).toBeHidden();
  await tabs.getByRole("link", { name: "Approximate search" }).click();
  await expect(page.getByLabel("At most k edits")).toBeVisible();
  await expect(page.getByLabel("Show the alignment")).toBeHidden();
  await expect(page).toHaveURL(/\/approximate-search#/);
  await page.goBack();
  await expect(answer(page)).toHaveText("4");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Longest common subsequence");
  await expect(editor(page, "a")).toHaveValue("kitten");
});

test("a link opens its task with its options, and one from before tasks had paths too", async ({ page }) => {
  await page.goto("/match-count#a=abba&b=acbabaccb&max_mismatches=2");
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByLabel("At most k unequal")).toHaveValue("2");
  await page.goto("about:blank");
  await page.goto("/#task=lcs&a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("4");
  await page.goto("about:blank");
  const response = await page.goto("/exact-search");
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Exact search");
  expect((await page.goto("/no-such-task"))?.status()).toBe(404);
});
