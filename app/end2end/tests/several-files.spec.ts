// Several files on the page of two texts: all are compared on the page of many texts, or one is chosen.
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, editor, open } from "./page";
import { zip } from "./zip";

const TEXTS: Record<string, string> = { "one.txt": "kitten", "two.txt": "sitting", "three.txt": "mitten" };

/** Drops files onto an editor. */
async function drop(page: Page, which: "a" | "b", files: Record<string, string | Buffer>): Promise<void> {
  const given = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("base64")]);
  const dropped = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, content] of given) {
      transfer.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name));
    }
    return transfer;
  }, given);
  await page.getByRole("region", { name: `Text ${which}` }).dispatchEvent("drop", { dataTransfer: dropped });
}

function offer(page: Page, which: "a" | "b"): Locator {
  return page.getByRole("region", { name: `Text ${which}` }).getByRole("group");
}

async function expectCompared(page: Page, names: string[]): Promise<void> {
  await expect(page).toHaveURL(/\/collections/);
  await expect(answer(page)).toBeVisible();
  await expect(page.getByRole("region", { name: "Compared texts" })).toContainText(`${names.length} files`);
  await page.getByRole("button", { name: "Change texts or options" }).click();
  const files = page.getByRole("region", { name: "Files" });
  for (const name of names) await expect(files.getByRole("button", { name: `Rename ${name}` })).toBeVisible();
}

test("three dropped files are all compared, or one is chosen", async ({ page }) => {
  await open(page);
  await editor(page, "b").fill("kitchen");
  await drop(page, "a", TEXTS);
  await expect(offer(page, "a")).toContainText("These are 3 files, and a is one text.");
  await expect(editor(page, "a")).toHaveValue("");
  await expect(offer(page, "a").getByRole("button", { name: "Compare all of them" })).toBeFocused();
  await offer(page, "a").getByRole("button", { name: "Choose one" }).click();
  await offer(page, "a").getByRole("button", { name: "two.txt" }).click();
  await expect(editor(page, "a")).toHaveValue("sitting");
  await expect(page.getByRole("region", { name: "Text a" })).toContainText("two.txt");
  await expect(offer(page, "a")).toHaveCount(0);
  await expect(editor(page, "b")).toHaveValue("kitchen");

  await drop(page, "b", TEXTS);
  await offer(page, "b").getByRole("button", { name: "Compare all of them" }).click();
  await expectCompared(page, Object.keys(TEXTS));
  // The files are handed over once, and the address has them from then on.
  await expect(page).toHaveURL(/z=/);
  expect(page.url()).not.toContain("handed");
  await page.reload();
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();
  await page.goBack();
  await expect(editor(page, "b")).toHaveValue("kitchen");
});

test("texts that are typed while handed files are read stay beside them or come back", async ({ page }) => {
  // The other page reads no file before the visitor has typed.
  await page.addInitScript(() => {
    if (location.pathname !== "/collections") return;
    const read = Blob.prototype.arrayBuffer;
    const released = new Promise<void>((resolve) => Object.assign(window, { releaseFiles: resolve }));
    Blob.prototype.arrayBuffer = async function () {
      await released;
      return read.call(this);
    };
  });
  await open(page);
  await drop(page, "a", TEXTS);
  await offer(page, "a").getByRole("button", { name: "Compare all of them" }).click();
  await expect(page).toHaveURL(/\/collections/);
  await page.getByRole("button", { name: "a against b" }).click();
  const [a, b] = ["a: texts", "b: texts"].map((name) => page.getByRole("textbox", { name }));
  await expect(page.getByText("Files are being read.").first()).toBeVisible();
  await a.fill("kit\nsit");
  await b.fill("kitchen");
  await expect(page.getByText("Your browser compared 2 pairs,")).toBeVisible();
  await page.evaluate(() => (window as unknown as { releaseFiles: () => void }).releaseFiles());
  const files = page.getByRole("region", { name: "Files" });
  for (const name of Object.keys(TEXTS)) await expect(files.getByRole("button", { name: `Rename ${name}` })).toBeVisible();
  await expect(page.getByText("The files have replaced texts that came while they were read.").first()).toBeVisible();
  await expect(b).toHaveValue("kitchen");
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();
  await page.goBack();
  await expect(a).toHaveValue("kit\nsit");
  await expect(b).toHaveValue("kitchen");
});

test("the last press on more files moves the focus to the first new one", async ({ page }) => {
  await open(page);
  await drop(page, "a", Object.fromEntries(Array.from({ length: 101 }, (_, number) => [`${number}.txt`, `text ${number}`])));
  await offer(page, "a").getByRole("button", { name: "Choose one" }).click();
  const rows = page.getByRole("region", { name: "Files" }).getByRole("listitem");
  await expect(rows).toHaveCount(100);
  await page.getByRole("button", { name: "Show 100 more" }).focus();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(101);
  await expect(rows.last()).toBeFocused();
});

test("the offer can be closed, and ends when the text changes", async ({ page }) => {
  await open(page);
  await drop(page, "a", TEXTS);
  await offer(page, "a").getByRole("button", { name: "Close" }).click();
  await expect(offer(page, "a")).toHaveCount(0);
  await drop(page, "a", TEXTS);
  await expect(offer(page, "a")).toBeVisible();
  await editor(page, "a").fill("kit");
  await expect(offer(page, "a")).toHaveCount(0);
  await expect(editor(page, "a")).toHaveValue("kit");
});

test("several files that are chosen for one text are offered", async ({ page }) => {
  await open(page, "/lcs");
  const chosen = Object.entries(TEXTS).slice(0, 2).map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) }));
  await page.getByLabel("File for b").setInputFiles(chosen);
  await expect(offer(page, "b")).toContainText("These are 2 files, and b is one text.");
  await offer(page, "b").getByRole("button", { name: "Compare all of them" }).click();
  await expectCompared(page, ["one.txt", "two.txt"]);
  // The measure is that of the task.
  await expect(page.getByLabel("Measure")).toHaveValue("lcs-ratio");
});

test("files of an archive are all compared, or one is chosen", async ({ page }) => {
  await open(page);
  await editor(page, "a").fill("kit");
  const archive = zip({ "class/one.txt": "kitten", "class/two.txt": "sitting", "class/.DS_Store": "x", "__MACOSX/class/._one.txt": "x" });
  await drop(page, "a", { "class.zip": archive });
  await expect(offer(page, "a")).toContainText("class.zip has 2 files, and a is one text.");
  await expect(editor(page, "a")).toHaveValue("kit");
  await offer(page, "a").getByRole("button", { name: "Choose one" }).click();
  await offer(page, "a").getByRole("button", { name: "two.txt" }).click();
  await expect(editor(page, "a")).toHaveValue("sitting");
  await drop(page, "a", { "class.zip": archive });
  await offer(page, "a").getByRole("button", { name: "Compare all of them" }).click();
  await expectCompared(page, ["one.txt", "two.txt"]);
});

test("the only file of an archive is opened, and a damaged archive is named", async ({ page }) => {
  await open(page);
  await drop(page, "b", { "one.zip": zip({ "one.txt": "kitten" }) });
  await expect(editor(page, "b")).toHaveValue("kitten");
  await expect(offer(page, "b")).toHaveCount(0);
  await drop(page, "b", { "bad.zip": zip({ "one.txt": "kitten", "two.txt": "sitting" }).subarray(0, 80) });
  await expect(offer(page, "b")).toContainText("The archive is damaged.");
  await expect(offer(page, "b").getByRole("button", { name: "Choose one" })).toBeHidden();
  await expect(editor(page, "b")).toHaveValue("kitten");
});

test("one dropped file and two dropped files are opened without a question", async ({ page }) => {
  await open(page);
  await drop(page, "b", { "one.txt": "kitten" });
  await expect(editor(page, "b")).toHaveValue("kitten");
  await drop(page, "b", { "one.txt": "kitten", "two.txt": "sitting" });
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByRole("button", { name: "Compare all of them" })).toHaveCount(0);
});
