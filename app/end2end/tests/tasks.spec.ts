// The other tasks, with small typed texts whose answers are known by hand.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, apiCalls, cigar, editor, fillOption, open, options, saved, setOption, type } from "./page";

/** Returns the ranges of `b` in the list. */
async function listed(page: Page): Promise<string[]> {
  const buttons = page.locator("table.hits").getByRole("button");
  return (await buttons.allTextContents()).map((text) => text.replaceAll(/\s/g, ""));
}

const result = (page: Page) => page.getByRole("region", { name: "Answer" });

test("approximate search: annual is one edit from a piece of annealing", async ({ page }) => {
  const calls = apiCalls(page);
  await open(page, "/approximate-search");
  await type(page, "annual", "annealing");
  await expect(answer(page)).toHaveText("1");
  await expect(result(page)).toContainText("edit: the closest match is anneal. This is the only best match.");
  await expect.poll(() => listed(page)).toEqual(["0–6"]);
  await expect(page.locator("table.hits .found")).toHaveText("anneal");
  await expect(page.locator(".verse .hit").first()).toHaveText(/^annea/);
  await page.getByRole("button", { name: /open its alignment/ }).click();
  await expect(page.getByRole("group", { name: /^Columns 0 to 6/ })).toBeVisible();
  await expect(page.locator(".runline")).toContainText("verified");
  expect(await cigar(page)).toBe("3=1X2=");
  expect(calls).toEqual([]);
});

test("approximate search within k: all ends, the nearest ones, or their number", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "aba", "xxabaxx");
  await fillOption(page, "At most k edits", "1");
  // Ends 4, 5 and 6 are within one edit: ab, aba, abax.
  await expect(answer(page)).toHaveText("1");
  await expect(result(page)).toContainText("place matches aba within 1 edit. The best match is exact. 3 end positions in all.");
  await expect.poll(() => listed(page)).toEqual(["2–5"]);
  await expect(page.locator(".verse rt")).toHaveText(["1", "0", "1"]);
  await expect(page.getByText("3 end positions in 1 place; the best in each is marked.")).toBeVisible();
  await setOption(page, "Merge overlapping matches");
  await expect(answer(page)).toHaveText("1");
  await expect.poll(() => listed(page)).toEqual(["2–5"]);
  await setOption(page, "Merge overlapping matches", false);
  await setOption(page, "Only count");
  await expect(answer(page)).toHaveText("3");
  await expect(page.locator("table.hits")).toBeHidden();
  await expect(page).toHaveURL(/\/approximate-search#a=aba&b=xxabaxx&max_distance=1&count_only$/);
});

test("an invalid k is explained and corrected", async ({ page }) => {
  await open(page, "/approximate-search");
  await type(page, "aba", "xxabaxx");
  await expect(answer(page)).toHaveText("0");
  const k = (value: string) => fillOption(page, "At most k edits", value);
  await k("two");
  await expect(page.getByRole("alert")).toContainText("k is a whole number");
  await expect(answer(page)).toHaveCount(0);
  await k("2");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).not.toHaveText("0");
  await k("");
  await expect(answer(page)).toHaveText("0");
  await expect(result(page)).toContainText("aba occurs exactly");
});

test("longest common subsequence: kitten and sitting share ittn", async ({ page }) => {
  await open(page, "/lcs");
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("4");
  await expect(page.locator(".subsequence")).toContainText("ittn");
  await expect(result(page)).toContainText("57.1% of the longer text");
  await expect(page.locator(".verse").nth(0).locator(".hit")).toHaveText(["itt", "n"]);
  await expect(page.locator(".verse").nth(1).locator(".hit")).toHaveText(["itt", "n"]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the subsequence" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("ittn");
  await expect(page.getByRole("group", { name: /^Columns 0 to 9/ })).toBeVisible();
  const made = await cigar(page);
  expect([...made.matchAll(/(\d+)=/g)].reduce((sum, [, columns]) => sum + Number(columns), 0)).toBe(4);
  expect(made).not.toContain("X");
});

test("match count: abba in acbabaccb scores 3, with profile and best offsets", async ({ page }) => {
  await open(page, "/match-count");
  await type(page, "abba", "acbabaccb");
  await expect(answer(page)).toHaveText("3");
  await expect(result(page)).toContainText("of 4 letters match at best, at offset 0. abba slides along acbabaccb: 6 offsets in all.");
  const best = page.getByRole("table", { name: "The best offsets" }).getByRole("row");
  await expect(best).toHaveText([/Offset/, /^031/, /^222/, /^322/, /^113/, /^513/, /^404/]);
  await expect(page.getByRole("heading", { name: "Offset 0" })).toBeVisible();
  await fillOption(page, "At most k unequal", "2");
  await expect(result(page)).toContainText("3 offsets have at most 2 unequal.");
  await expect.poll(() => listed(page)).toEqual(["0–4", "2–6", "3–7"]);
  await page.getByRole("button", { name: "2 to 6, open its alignment" }).click();
  await expect(page.getByRole("heading", { name: "Offset 2" })).toBeVisible();
  await expect.poll(() => cigar(page)).toBe("2X2=");
  await page.getByLabel("Place at offset").fill("4");
  await page.getByLabel("Place at offset").press("Enter");
  await expect.poll(() => cigar(page)).toBe("4X");
});

test("exact search: aba occurs twice in ababa, overlapping", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "aba", "ababa");
  await expect(answer(page)).toHaveText("2");
  await expect(result(page)).toContainText("occurrences of aba. Overlaps count.");
  await expect.poll(() => listed(page)).toEqual(["0–3", "2–5"]);
  expect(await saved(page, "CSV of matches")).toContain("\n2,5");
});

const NONE: { path: string; a: string; b: string; k?: string; number: string; says: string }[] = [
  { path: "/exact-search", a: "winter", b: "summer", number: "No", says: "occurrence of winter" },
  { path: "/exact-search", a: "longer", b: "long", number: "No", says: "The pattern is longer than the text" },
  { path: "/approximate-search", a: "winter", b: "summer", k: "1", number: "No", says: "match for winter within 1 edit" },
  { path: "/match-count", a: "longer", b: "long", number: "", says: "The pattern is longer than the text, so there is no offset" },
  { path: "/lcs", a: "abc", b: "xyz", number: "0", says: "letters in common" },
];

for (const { path, a, b, k, number, says } of NONE) {
  test(`${path} of ${a} and ${b} finds nothing and says so`, async ({ page }) => {
    await open(page, path);
    if (k) await fillOption(page, "At most k edits", k);
    await type(page, a, b);
    await expect(answer(page)).toHaveText(number);
    await expect(result(page)).toContainText(says);
    await expect(page.locator("table.hits")).toBeHidden();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
}

test("switching tasks keeps both texts in both directions", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const tabs = page.getByRole("navigation", { name: "Task" });
  await tabs.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Longest common subsequence");
  await expect(editor(page, "b")).toHaveValue("sitting");
  await expect(answer(page)).toHaveText("4");
  await expect(page).toHaveURL(/\/lcs#a=kitten&b=sitting$/);
  await expect((await options(page)).getByLabel("At most k edits")).toBeHidden();
  await page.keyboard.press("Escape");
  await tabs.getByRole("link", { name: "Approximate search" }).click();
  await expect((await options(page)).getByLabel("At most k edits")).toBeVisible();
  await expect(page.getByLabel("Show the alignment")).toBeHidden();
  await expect(page).toHaveURL(/\/approximate-search#/);
  await page.goBack();
  await expect(answer(page)).toHaveText("4");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Longest common subsequence");
  await expect(editor(page, "a")).toHaveValue("kitten");
});

test("a link opens its task with options, also if it is older than the task paths", async ({ page }) => {
  await page.goto("/match-count#a=abba&b=acbabaccb&max_mismatches=2");
  await expect(answer(page)).toHaveText("3");
  await expect((await options(page)).getByLabel("At most k unequal")).toHaveValue("2");
  await page.goto("about:blank");
  await page.goto("/#task=lcs&a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("4");
  await page.goto("about:blank");
  const response = await page.goto("/exact-search");
  expect(response?.status()).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Exact search");
  expect((await page.goto("/no-such-task"))?.status()).toBe(404);
});
