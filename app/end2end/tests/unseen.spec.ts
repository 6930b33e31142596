// Characters that nobody sees: drawn as pictures, called by name, and without power over what stands beside them.
import { expect, test } from "@playwright/test";
import { answer } from "./page";

const texts = `#a=${encodeURIComponent("a\tb")}&b=${encodeURIComponent("a\u202Eb\u200D")}&unit=chars`;

test("in the alignment and in its edits", async ({ page }) => {
  await page.goto(`/${texts}&view=alignment`);
  await expect(answer(page)).toHaveText("2");
  const row = page.getByRole("group", { name: /^Columns 0 to/ });
  await expect(row.getByRole("img", { name: "tab", exact: true })).toHaveText("→");
  await expect(row.getByRole("img", { name: "U+202E right-to-left override" })).toHaveText("RLO");
  await expect(row.getByTitle("zero-width joiner")).toHaveText("ZWJ");
  await expect(page.getByRole("button", { name: "substitute → (tab) by RLO (U+202E right-to-left override)" })).toBeVisible();
  await expect(page.getByRole("button", { name: "insert ZWJ (zero-width joiner)" })).toBeVisible();
  // A sample's name has a joiner that is part of an emoji.
  const shown = (await page.locator("main section").allInnerTexts()).join("").replaceAll("👩‍🚀 → 👨‍🚀", "");
  expect(shown).not.toMatch(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/);
});

test("in the matrix and its sentences", async ({ page }) => {
  await page.goto(`/${texts}&view=matrix&cell=2,2`);
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".sums").first()).toContainText("substitute → (tab) by RLO (U+202E right-to-left override)");
  await expect(page.getByRole("grid").locator("th").getByTitle("tab", { exact: true })).toHaveText("→");
  await expect(page.getByRole("grid").locator("th").getByTitle("zero-width joiner")).toHaveText("ZWJ");
});

test.describe("French", () => {
  test.use({ locale: "fr-FR" });

  test("names are the reader's", async ({ page }) => {
    await page.goto(`/${texts}&view=alignment`);
    await expect(page.getByRole("button", { name: "remplacer → (tabulation) par RLO (U+202E forçage droite à gauche)" })).toBeVisible();
  });
});

test("in the text around hits", async ({ page }) => {
  await page.goto(`/exact-search#a=b&b=${encodeURIComponent("a\u202Eb c\u2066b")}`);
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".verse")).toContainText("a⟨RLO⟩b c⟨LRI⟩b");
});
