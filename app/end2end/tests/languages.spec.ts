// The page in other languages: what the engines say is said in the visitor's language too.
import { expect, test, type Page } from "@playwright/test";
import { answer, open, type } from "./page";

/** Words that every English sentence of the page has one of, and that are none in German. */
const ENGLISH = /\b(the|of|and|is|are|be|by|it|take|takes|because|turn|turns|with|this|here|both|symbols?|cells?|edits?)\b/i;

/** Everything that is told about the run and the answer. */
async function told(page: Page): Promise<string> {
  const parts = page.locator(".runbar, .answer, .legend, .msg .say, .msg h2, .minimap figcaption, table.figures");
  return (await parts.allInnerTexts()).join("\n");
}

/** A file of these bytes, opened as the first text. */
async function chooseBytes(page: Page, bytes: number[]): Promise<void> {
  const buffer = Buffer.from(bytes);
  await page.locator("input[type=file]").first().setInputFiles({ name: "a.bin", mimeType: "application/octet-stream", buffer });
}

test.describe("German", () => {
  test.use({ locale: "de-DE" });

  for (const [path, a, b, says] of [
    ["/", "kitten", "sitting", "Änderungen machen a zu b: eine in je 2 Spalten. Ähnlichkeit 57,1 %"],
    ["/lcs", "nematode", "empty", "Buchstaben in a und in b"],
    ["/approximate-search", "wind", "ein wnd weht", "Änderung macht a zum nächsten Stück von b"],
    ["/match-count", "abba", "acbabaccb", "auf 4 Buchstaben"],
    ["/exact-search", "aba", "ababab", "Stellen"],
  ]) {
    test(`plan and answer of ${path}`, async ({ page }) => {
      await open(page, path);
      await type(page, a, b);
      await expect(answer(page)).toBeVisible();
      const plan = page.getByRole("region", { name: "Plan" });
      await expect(plan).toContainText(/Dieser Browser hat dies beim Tippen gelöst, weil \d+ (Zellen|Symbole) dafür/);
      await expect.poll(async () => (await told(page)).replace(/\s+/g, " ")).toContain(says);
      expect(await told(page)).not.toMatch(ENGLISH);
    });
  }

  test("a failure", async ({ page }) => {
    await open(page);
    await chooseBytes(page, [0x61, 0x62, 0xff, 0xfe, 0x63]);
    await page.getByRole("textbox", { name: "b", exact: true }).fill("abc");
    const message = page.locator(".msg");
    await expect(message).toContainText("ist bei Byte 2 kein gültiges UTF-8");
    expect(await told(page)).not.toMatch(ENGLISH);
    await expect(message.getByRole("button", { name: "Als Bytes vergleichen" })).toBeVisible();
  });
});

for (const [locale, number, says] of [
  ["ja-JP", "3", "回の編集で a が b になります"],
  ["zh-CN", "3", "次编辑可将 a 变成 b"],
]) {
  test.describe(locale, () => {
    test.use({ locale });

    test("plan and answer", async ({ page }) => {
      await open(page);
      await type(page, "kitten", "sitting");
      await expect(answer(page)).toHaveText(number);
      await expect(page.locator(".answer")).toContainText(says);
      expect(await told(page)).not.toMatch(ENGLISH);
    });

    test("Han letters have the forms of the language", async ({ page }) => {
      await page.goto("/");
      const families = await page.evaluate(() => ["body", "h1", ".say", "textarea"].map((of) => getComputedStyle(document.querySelector(of)!).fontFamily));
      const [own, other] = locale === "ja-JP" ? ["CJK JP", "CJK SC"] : ["CJK SC", "CJK JP"];
      for (const family of families) {
        expect(family).toContain(own);
        expect(family).not.toContain(other);
        expect(family).not.toContain("system-ui");
      }
    });
  });
}

test("pages that are only read are there in every language, and the choice holds for the rest", async ({ page }) => {
  await page.goto("/how");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("How it works");
  await page.getByRole("navigation", { name: "Language" }).getByRole("link", { name: "Deutsch" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wie es funktioniert");
  await expect(page.getByRole("main")).toContainText("Eine Addition, deren Übertrag die Spalte hinabläuft");
  await page.getByRole("link", { name: "Grenzen" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await page.getByRole("link", { name: "Zwei Texte vergleichen" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Editierdistanz");
});
