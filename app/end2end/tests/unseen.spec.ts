// Invisible characters: drawn as pictures, named, and without effect on their neighbours.
import { expect } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";

const texts = `#a=${encodeURIComponent("a\tb")}&b=${encodeURIComponent("a\u202Eb\u200D")}&unit=chars`;

test("invisible characters are marked in the alignment and its edits", async ({ page }) => {
  await page.goto(`/${texts}&view=alignment`);
  await expect(answer(page)).toHaveText("2");
  const row = page.getByRole("group", { name: /^Columns 0 to/ });
  await expect(row.getByRole("img", { name: "tab", exact: true })).toHaveText("→");
  await expect(row.getByRole("img", { name: "U+202E right-to-left override" })).toHaveText("RLO");
  await expect(row.getByTitle("zero-width joiner")).toHaveText("ZWJ");
  await expect(page.getByRole("button", { name: "substitute → (tab) by RLO (U+202E right-to-left override)" })).toBeVisible();
  await expect(page.getByRole("button", { name: "insert ZWJ (zero-width joiner)" })).toBeVisible();
  // The name of a sample contains a joiner that is part of an emoji.
  const shown = (await page.locator("main section").allInnerTexts()).join("").replaceAll("👩‍🚀 → 👨‍🚀", "");
  expect(shown).not.toMatch(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/);
});

test("invisible characters are marked in the matrix and its sentences", async ({ page }) => {
  await page.goto(`/${texts}&view=matrix&cell=2,2`);
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".sums").first()).toContainText("substitute → (tab) by RLO (U+202E right-to-left override)");
  await expect(page.getByRole("grid").locator("th").getByTitle("tab", { exact: true })).toHaveText("→");
  await expect(page.getByRole("grid").locator("th").getByTitle("zero-width joiner")).toHaveText("ZWJ");
});

test.describe("French", () => {
  test.use({ locale: "fr-FR" });

  test("names of invisible characters are translated", async ({ page }) => {
    await page.goto(`/${texts}&view=alignment`);
    await expect(page.getByRole("button", { name: "remplacer → (tabulation) par RLO (U+202E forçage droite à gauche)" })).toBeVisible();
  });
});

test("invisible characters are marked in the text around hits", async ({ page }) => {
  await page.goto(`/exact-search#a=b&b=${encodeURIComponent("a\u202Eb c\u2066b")}`);
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".verse")).toContainText("a⟨RLO⟩b c⟨LRI⟩b");
});

const sides = (unit: string, a: string, b: string) => `/#a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&unit=${unit}`;

test("side by side, invisible characters are framed and cannot reorder their row", async ({ page }) => {
  await page.goto(sides("lines", "if (a) {\u202E }\u2066return;\nnext\npass\u200Bword", "if (a) { return; }\nnext\npassword\n"));
  await expect(answer(page)).toHaveText("2");
  const rows = page.getByRole("region", { name: "Both texts, line by line" });
  await expect(rows.getByRole("img", { name: "U+202E right-to-left override" })).toBeVisible();
  await expect(rows.getByRole("img", { name: "zero-width space" })).toBeVisible();
  const edits = page.getByRole("table", { name: "Edits in view" });
  await expect(edits.getByText("U+200B zero-width space", { exact: true })).toBeVisible();
  // The words of the first row stand from left to right, as in the file.
  const lefts = await rows.locator(".twin").first().locator(".side").first().locator(".t").evaluate((line) => {
    const place = (word: string) => {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent!.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        return range.getBoundingClientRect().left;
      }
      return NaN;
    };
    return ["if", "{", "return"].map(place);
  });
  expect([...lefts].sort((a, b) => a - b)).toEqual(lefts);
});

test("letters of two scripts that look alike are named", async ({ page }) => {
  await page.goto(sides("words", "p\u0430ypal.com", "paypal.com"));
  await expect(page.getByText("\u0430 U+0430 Cyrillic and a U+0061 Latin look alike")).toBeVisible();
  await page.goto(sides("graphemes", "caf\u00E9", "cafe\u0301"));
  await expect(page.getByText("the same letters, stored differently (Unicode NFC and NFD)")).toBeVisible();
});

test("side by side, Hebrew and Arabic rows run right to left, numbers at the left", async ({ page }) => {
  await page.goto(sides("lines", "שלום עולם 1\nمرحبا 12", "שלוש עולם 1\nمرحبا 13"));
  await expect(answer(page)).toHaveText("2");
  const line = page.locator(".twin .t").first();
  await expect(line).toHaveCSS("direction", "rtl");
  const [number, text] = [await page.locator(".twin .no").first().boundingBox(), await line.boundingBox()];
  expect(number!.x).toBeLessThan(text!.x);
});

test("a selection that begins in one column is copied from that column only", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(sides("lines", "def f(x):\n\treturn x + 1\n\n# end  \nlast", "def f(x):\n\treturn x + 2\n\n\n# end  \nlast\n"));
  const lines = page.locator(".twin .side:last-child .t");
  await expect(lines).toHaveCount(6);
  await lines.first().evaluate((first) => {
    const all = [...document.querySelectorAll(".twin .side:last-child .t")];
    const last = all[all.length - 1];
    getSelection()!.setBaseAndExtent(first, 0, last, last.childNodes.length);
  });
  await page.keyboard.press("Control+c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.replaceAll("\r\n", "\n")).toBe("def f(x):\n\treturn x + 2\n\n\n# end  \nlast");
});
