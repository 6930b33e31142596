// Texts that were replaced as a whole can be restored and swapped, and choose a suitable unit. This device remembers
// comparisons.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, choose, editor, open, type } from "./page";

const offer = (page: Page) => page.locator(".toast .offer");
const said = (page: Page) => page.locator(".unit-said");
const essay =
  "In the second place, the number of the offspring which survive is small. The action of climate seems at first sight to be quite independent of the struggle for existence; but in so far as climate chiefly acts in reducing food, it brings on the most severe struggle between the individuals.";

/** Pastes a text into a box, as from the clipboard. */
async function paste(page: Page, which: "a" | "b", text: string): Promise<void> {
  await editor(page, which).evaluate((area: HTMLTextAreaElement, text) => {
    area.value = text;
    area.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste", bubbles: true }));
  }, text);
}

async function texts(page: Page, a: string, b: string): Promise<void> {
  await expect(editor(page, "a")).toHaveValue(a);
  await expect(editor(page, "b")).toHaveValue(b);
}

test("a cleared text is restored by the button and by Ctrl+Z", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const clear = page.getByRole("region", { name: "Text b" }).getByRole("button", { name: /^Clear/ });
  await clear.click();
  await expect(offer(page)).toContainText("b cleared.");
  await texts(page, "kitten", "");
  await offer(page).getByRole("button", { name: "Undo" }).click();
  await texts(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await expect(offer(page)).toHaveCount(0);
  await clear.click();
  await expect(offer(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(offer(page)).toHaveCount(0);
  await editor(page, "a").focus();
  await page.keyboard.press("Control+z");
  await texts(page, "kitten", "sitting");
});

test("a sample replaces the texts, which undo and Back restore", async ({ page }) => {
  await open(page);
  await type(page, "cat", "cart");
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/a=cat&b=cart/);
  await page.getByRole("button", { name: "Samples" }).first().click();
  await page.getByRole("button", { name: /Daffodils/ }).first().click();
  await expect(offer(page)).toContainText("Sample loaded.");
  await expect(said(page)).toContainText("Compared by words, because this is prose");
  await expect(page).toHaveURL(/unit=words/);
  await page.goBack();
  await texts(page, "cat", "cart");
  await expect(answer(page)).toHaveText("1");
  await expect(offer(page)).toHaveCount(0);
  await page.goForward();
  await expect(editor(page, "a")).toHaveValue(/wandered lonely/);
  await expect(said(page)).toContainText("Compared by words");
});

test("a long sample closes the matrix, whose cells would be unreadable", async ({ page }) => {
  await open(page, "/approximate-search#view=matrix");
  await page.getByRole("button", { name: "Samples" }).first().click();
  await page.locator("#samples li button", { hasText: /sonnet|Sommer|Shakespeare/i }).first().click();
  await expect(page.getByRole("tab", { name: "Matches" })).toHaveAttribute("aria-selected", "true");
});

test("two dropped files are undone together, and typing ends the undo shortcut", async ({ page }) => {
  await open(page);
  await type(page, "one", "two");
  await expect(answer(page)).toHaveText("3");
  const dropped = await page.evaluateHandle(() => {
    const files = new DataTransfer();
    files.items.add(new File(["kitten"], "one.txt"));
    files.items.add(new File(["sitting"], "two.txt"));
    return files;
  });
  await page.locator("section.editor").first().dispatchEvent("drop", { dataTransfer: dropped });
  await expect(offer(page)).toContainText("Both texts replaced.");
  await texts(page, "kitten", "sitting");
  await offer(page).getByRole("button", { name: "Undo" }).click();
  await texts(page, "one", "two");
  await choose(page, "a", { name: "old.c", content: "int" });
  await expect(offer(page)).toContainText("a replaced by old.c.");
  await editor(page, "a").press("End");
  await editor(page, "a").pressSequentially("s");
  await page.locator("h1").first().click({ force: true });
  await page.keyboard.press("Control+z");
  await expect(editor(page, "b")).toHaveValue("two");
  await expect(editor(page, "a")).not.toHaveValue("one");
});

test("texts are swapped by the button and by X, in the current view", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix");
  await expect(page.getByRole("tab", { name: "Matrix" })).toHaveAttribute("aria-selected", "true");
  await page.locator("h1").first().click({ force: true });
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("x");
  await texts(page, "sitting", "kitten");
  await expect(page).toHaveURL(/a=sitting&b=kitten.*view=matrix/);
  await page.goBack();
  await texts(page, "kitten", "sitting");
  await page.goto("/exact-search#a=an&b=banana");
  await expect(answer(page)).toHaveText("2");
  await page.getByRole("button", { name: "Swap a and b" }).click();
  await texts(page, "banana", "an");
  await editor(page, "a").focus();
  await page.keyboard.press("x");
  await expect(editor(page, "b")).toHaveValue("an");
});

test("pasted prose is compared by words, and a chosen unit stays", async ({ page }) => {
  await open(page);
  await editor(page, "a").fill(essay);
  await expect(said(page)).toBeEmpty();
  await paste(page, "b", essay.replace("climate", "weather"));
  await expect(said(page)).toContainText("Compared by words, because this is prose");
  await expect(answer(page)).toHaveText("1");
  await said(page).getByRole("button", { name: "Compare by characters" }).click();
  await expect(said(page)).toContainText("Compared by characters");
  await expect(answer(page)).not.toHaveText("1");
  await paste(page, "a", essay);
  await expect(said(page)).toContainText("Compared by characters");
  await said(page).getByRole("button", { name: "Compare by words" }).click();
  await expect(said(page)).toContainText("Compared by words, because this is prose");
  await expect(answer(page)).toHaveText("1");
});

test("code files are compared by lines, and by characters in a search", async ({ page }) => {
  await open(page);
  const code = "fn main() {\n    let x = 1;\n    println!(\"{x}\");\n}\n";
  await choose(page, "a", { name: "old.rs", content: code });
  await choose(page, "b", { name: "new.rs", content: code.replace("1", "2") });
  await expect(said(page)).toContainText("Compared by lines, because this is code");
  await expect(answer(page)).toHaveText("1");
  await page.getByRole("link", { name: "Exact search" }).click();
  await expect(said(page)).toHaveText("");
  await page.goBack();
  await expect(said(page)).toContainText("Compared by lines");
});

test("comparisons are stored on this device until deleted or switched off", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const remembered = () => page.evaluate(() => localStorage.getItem("recent comparisons"));
  await expect.poll(remembered).not.toBeNull();
  await page.goto("/");
  const list = page.getByRole("region", { name: "Recent comparisons" });
  await expect(list.getByRole("link", { name: "3 edits: kitten and sitting" })).toBeVisible();
  await page.getByRole("contentinfo").getByRole("button", { name: "Recent comparisons" }).click();
  const dialog = page.getByRole("dialog", { name: "Recent comparisons" });
  await dialog.getByRole("link", { name: "3 edits: kitten and sitting" }).click();
  await texts(page, "kitten", "sitting");
  await page.getByRole("contentinfo").getByRole("button", { name: "Recent comparisons" }).click();
  await dialog.getByRole("button", { name: "Delete 3 edits: kitten and sitting" }).click();
  await expect(dialog).toContainText("Comparisons that you make appear here");
  expect(await remembered()).toBeNull();
  await dialog.getByLabel("Remember comparisons on this device").uncheck();
  await dialog.getByRole("button", { name: "Close" }).click();
  await editor(page, "b").fill("sittings");
  await expect(answer(page)).toHaveText("4");
  await page.waitForTimeout(2_000);
  expect(await remembered()).toBeNull();
});
