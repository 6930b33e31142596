// The texts of the page that compares many texts: two collections, archives, folders, lists of hand-ins, tables, templates.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";
import { zip } from "./zip";

const ESSAY = "The council wants to know what we think about closing the High Street to cars, so here is my opinion. ";
const ESSAYS: Record<string, string> = {
  "mia.txt": `${ESSAY}I walk to school every day and the air is bad in the morning, because all cars wait there.`,
  "tom.txt": `${ESSAY}I walk to school every day and the air is poor in the morning, because many cars wait there.`,
  "saga.txt": "My grandmother sells flowers near the station. Without cars nobody would buy heavy pots from her any more.",
};
const LIST = `filename,label,created_at,full_name
mia.txt,9a,2026-11-12 17:06:00 +0100,"Bauer, Mia"
tom.txt,9b,2026-11-13 21:42:00 +0100,"Okafor, Tom"
saga.txt,9a,2026-11-14 07:54:00 +0100,"Lindqvist, Saga"
gone.txt,9b,2026-11-14 08:00:00 +0100,"Nobody, N."
`;

async function open(page: Page, address = "/collections"): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole("group", { name: "What is compared" })).toBeVisible();
}

function files(page: Page): Locator {
  return page.getByLabel("Files to compare");
}

function folded(page: Page): Locator {
  return page.getByRole("region", { name: "Compared texts" });
}

function headline(page: Page): Locator {
  return page.locator('[data-part="answer"]');
}

async function compareTwo(page: Page, a: string[], b: string[]): Promise<void> {
  await open(page);
  await page.getByRole("button", { name: "a against b" }).click();
  await page.getByRole("textbox", { name: "a: texts" }).fill(a.join("\n"));
  await page.getByRole("textbox", { name: "b: texts" }).fill(b.join("\n"));
  await expect(answer(page)).toBeVisible();
}

const CODES = ["ACGTACGT", "TTTTCCCC", "GGGGAAAA"];
const READS = ["ACGTACGA", "ACGTACGT", "TTTTCCCC", "TTTTCCCA", "CACACACA", "GGGGAAAT"];

test("texts of one collection are compared with those of another", async ({ page }) => {
  await compareTwo(page, CODES, READS);
  await page.getByLabel("Measure").selectOption("edits");
  await page.getByLabel("Alike within").fill("1");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveText("5");
  await expect(headline(page)).toContainText("of 6 texts of b are nearest to exactly one text of a, within 1 edit.");
  await expect(headline(page)).toContainText("Near no text of a: 1 text.");
  await expect(page.getByText("Your browser compared 18 pairs,")).toBeVisible();
  const counts = await page.locator(".assigned tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("th, td.r")].map((cell) => cell.textContent?.trim())));
  expect(counts).toEqual([["ACGTACGT", "2", "1"], ["TTTTCCCC", "2", "1"], ["GGGGAAAA", "1", "0"]]);
  await expect(page.locator(".distant tbody tr")).toHaveText([/^CACACACA/]);
  // The keys of the map.
  const map = page.getByRole("application", { name: /^Heat map of 3 texts and 6 texts/ });
  await map.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".chosen-pair .who")).toHaveText("ACGTACGT and ACGTACGA");
  await expect(page).toHaveURL(/chosen=0,0/);
  await page.keyboard.press("n");
  await expect(page.locator(".chosen-pair .who")).toHaveText("TTTTCCCC and TTTTCCCC");
  await expect(page).toHaveURL(/chosen=1,2/);
  await page.reload();
  await expect(page.locator(".chosen-pair .who")).toHaveText("TTTTCCCC and TTTTCCCC");
  await expect(page.getByRole("link", { name: "Open this pair" })).toHaveAttribute("href", "/#a=TTTTCCCC&b=TTTTCCCC");
  // The list has all pairs.
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Pairs" }).click();
  await expect(page.locator(".figures.pairs tbody tr:not(.line)")).toHaveCount(18);
  await expect(page.locator(".figures.pairs tbody tr").first()).toContainText("ACGTACGT and ACGTACGT");
});

test("two collections are saved as files without a tree", async ({ page }) => {
  await compareTwo(page, ["kitten"], ["sitting", "mitten"]);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: /^Newick/ })).toBeHidden();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^CSV of the matrix/ }).click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe(",sitting,mitten\nkitten,3,1\n");
});

test("the second collection comes back, and an address has both", async ({ page }) => {
  await compareTwo(page, ["kitten"], ["sitting", "mitten"]);
  await expect(page).toHaveURL(/a=kitten&b=sitting%0Amitten/);
  await page.getByRole("button", { name: "All pairs in a" }).click();
  await expect(page.getByRole("textbox", { name: "b: texts" })).toHaveCount(0);
  await expect(headline(page)).toContainText("One text has no pair.");
  await page.getByRole("button", { name: "a against b" }).click();
  await expect(page.getByRole("textbox", { name: "b: texts" })).toHaveValue("sitting\nmitten");
  await expect(page).toHaveURL(/b=sitting%0Amitten/);
  await page.reload();
  await expect(page.getByRole("textbox", { name: "b: texts" })).toHaveValue("sitting\nmitten");
});

test("an archive with a list of hand-ins gives names, labels and times", async ({ page }) => {
  await open(page);
  const inside = Object.fromEntries(Object.entries({ ...ESSAYS, "info.csv": LIST }).map(([name, text]) => [`class/${name}`, text]));
  const archive = zip({ ...inside, "class/.DS_Store": "x", "class/photo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]) });
  await files(page).setInputFiles({ name: "class.zip", mimeType: "application/zip", buffer: archive });
  await expect(answer(page)).toHaveText("2");
  await expect(folded(page)).toContainText("3 files");
  await expect(folded(page)).toContainText("info.csv names gone.txt, which is not among the files.");
  await expect(folded(page)).toContainText("Not read: class/photo.png.");
  await expect(folded(page)).toContainText("Not read: 1 file. The operating system has added them.");
  await expect(page.locator(".chosen-pair .who")).toHaveText("Bauer, Mia and Okafor, Tom");
  await expect(page.locator(".groups li .who")).toHaveText("Bauer, Mia (9a) · Okafor, Tom (9b)");
  const times = page.getByRole("region", { name: "When they were handed in" });
  await expect(times.getByRole("img")).toHaveCount(2);
  await expect(times.getByRole("img").nth(1)).toHaveAccessibleName("Bauer, Mia, 2026-11-12 17:06; Okafor, Tom, 2026-11-13 21:42");
  await expect(times).toContainText("Bauer, Mia → Okafor, Tom");
  // Names and times are in the address; hidden names are hidden here too.
  await expect(page).toHaveURL(/z=/);
  await page.reload();
  await expect(times).toContainText("Bauer, Mia → Okafor, Tom");
  await page.getByRole("checkbox", { name: "Hide names" }).check();
  await expect(times).toContainText("Text 1 → Text 2");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await expect(page.getByRole("region", { name: "Files" }).getByRole("listitem")).toHaveText([/Bauer, Mia\s+9a · 2026-11-12 17:06/, /Okafor, Tom/, /Lindqvist, Saga/]);
});

test("a damaged archive is named", async ({ page }) => {
  await open(page);
  await files(page).setInputFiles({ name: "class.zip", mimeType: "application/zip", buffer: zip(ESSAYS).subarray(0, 200) });
  await expect(page.getByText("Not read: class.zip. The archive is damaged.").first()).toBeVisible();
});

test("an archive without files is named", async ({ page }) => {
  await open(page);
  await files(page).setInputFiles({ name: "empty.zip", mimeType: "application/zip", buffer: zip({}) });
  await expect(page.getByText("Not read: empty.zip. No file was found there.").first()).toBeVisible();
  // Files beside it are compared.
  await files(page).setInputFiles([
    { name: "empty.zip", mimeType: "application/zip", buffer: zip({}) },
    ...Object.entries(ESSAYS).map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })),
  ]);
  await expect(folded(page)).toContainText("3 files");
  await expect(folded(page)).toContainText("Not read: empty.zip. No file was found there.");
});

test("files in Windows-1252 are converted on request", async ({ page }) => {
  const file = (name: string, text: string, encoding: BufferEncoding) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text, encoding) });
  const list = "filename;label;full_name\nmia.txt;9a;Müller, Mia\ntom.txt;9b;Okafor, Tom\n";
  await open(page);
  await files(page).setInputFiles([
    file("mia.txt", "the café is closed", "latin1"),
    file("tom.txt", "the café is closing", "utf8"),
    file("info.csv", list, "latin1"),
    file("saga.txt", "a naïve dog", "latin1"),
  ]);
  const run = page.getByRole("region", { name: "Comparison" });
  await expect(run.getByRole("alert")).toContainText("mia.txt is not valid UTF-8 at byte 7.");
  await run.getByRole("button", { name: "Convert and edit" }).click();
  for (const name of ["mia.txt", "info.csv", "saga.txt"]) {
    await expect(folded(page)).toContainText(`${name} was read as Western European (Windows-1252).`);
  }
  await expect(folded(page)).not.toContainText("tom.txt was read");
  await expect(folded(page)).toContainText("3 files");
  await expect(page.locator(".chosen-pair .who")).toHaveText("Müller, Mia and Okafor, Tom");
  await expect(run.getByRole("alert")).toHaveCount(0);
  // The bytes of before come back.
  await page.goBack();
  await expect(run.getByRole("alert")).toContainText("mia.txt is not valid UTF-8");
  await page.goForward();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Müller, Mia and Okafor, Tom");

  // A table has its columns then.
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await files(page).setInputFiles(file("answers.csv", "name;answer\nMia;der Käfer\nTom;die Käfer\n", "latin1"));
  await run.getByRole("button", { name: "Convert and edit" }).click();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and Tom");
});

test("the files of a folder are compared", async ({ page, browserName }) => {
  test.skip(browserName !== "chromium", "other browsers choose no folders in tests");
  await open(page);
  const folder = join(mkdtempSync(join(tmpdir(), "editscope-")), "class");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(ESSAYS)) writeFileSync(join(folder, name), text);
  await page.getByLabel("Folder to compare").setInputFiles(folder);
  await expect(folded(page)).toContainText("3 files");
  await expect(page.locator(".chosen-pair .who")).toHaveText(/^(mia\.txt and tom\.txt|tom\.txt and mia\.txt)$/);
});

test("a column of a table has the texts", async ({ page }) => {
  await open(page);
  const table = `id;student;answer\n1;Mia;the cat sat on the mat\n2;Tom;"the cat sat; on the mat"\n3;Saga;a dog ran\n`;
  await files(page).setInputFiles({ name: "answers.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await expect(headline(page)).toContainText("3 texts");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await expect(page.getByLabel("Column of the texts")).toHaveValue("2");
  await page.getByLabel("Column of the names").selectOption("student");
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and Tom");
  await expect(page).toHaveURL(/column=2,1/);
  await page.getByLabel("The first row names the columns").uncheck();
  await expect(headline(page)).toContainText("4 texts");
  await page.getByLabel("Each text is").selectOption("lines");
  await expect(page.getByLabel("Column of the texts")).toHaveCount(0);
  await expect(page).not.toHaveURL(/column=/);
});

test("words of a template do not count", async ({ page }) => {
  await open(page);
  await files(page).setInputFiles(Object.entries(ESSAYS).map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
  await expect(page.locator(".chosen-pair .say b")).toHaveText(/^9\d\.\d%$/);
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByLabel("Template: a file with which all texts began").setInputFiles({ name: "starter.txt", mimeType: "text/plain", buffer: Buffer.from(ESSAY) });
  await expect(page.getByText("Template: starter.txt.")).toBeVisible();
  // Both essays have all 20 words of the template, and the third one has none.
  await expect(page.getByText(/Of the template, and not counted: \d+ words\./).first()).toBeVisible();
  await expect(page).toHaveURL(/counts=3,,1/);
  await page.reload();
  await expect(folded(page)).toContainText("Of the template, and not counted:");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByRole("button", { name: "Remove the template" }).click();
  await expect(page.getByRole("button", { name: "Add a template" })).toBeFocused();
  await expect(page.getByText("Template: starter.txt.")).toBeHidden();
  await expect(page).not.toHaveURL(/counts=/);
});

test("a template in UTF-16 is converted on request", async ({ page }) => {
  await open(page);
  await files(page).setInputFiles(Object.entries(ESSAYS).map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
  await page.getByRole("button", { name: "Change texts or options" }).click();
  const template = { name: "starter.txt", mimeType: "text/plain", buffer: Buffer.from(`\u{feff}${ESSAY}`, "utf16le") };
  await page.getByLabel("Template: a file with which all texts began").setInputFiles(template);
  const run = page.getByRole("region", { name: "Comparison" });
  await expect(run.getByRole("alert")).toContainText("starter.txt is not valid UTF-8 at byte 0.");
  await run.getByRole("button", { name: "Convert and edit" }).click();
  await expect(run.getByRole("alert")).toHaveCount(0);
  await expect(page.getByText("starter.txt was read as UTF-16.").first()).toBeVisible();
  await expect(page.getByText("Template: starter.txt.")).toBeVisible();
  // Both essays have all 20 words of the template.
  await expect(page.getByText(/Of the template, and not counted: \d+ words\./).first()).toBeVisible();
});

test("files that cannot be read are counted in the head of their editor", async ({ page }) => {
  await open(page);
  const head = page.locator("#count-texts");
  await expect(head).toHaveText("no texts yet");
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text, "latin1") });
  await files(page).setInputFiles([file("mia.txt", "the café is closed"), file("tom.txt", "the café is closing")]);
  const run = page.getByRole("region", { name: "Comparison" });
  await expect(run.getByRole("alert")).toContainText("is not valid UTF-8");
  await expect(head).toHaveText("2 files");
  // The name of a single file stands before it.
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(head).toHaveText("no texts yet");
  await files(page).setInputFiles(file("mia.txt", "the café is closed"));
  await expect(run.getByRole("alert")).toContainText("is not valid UTF-8");
  await expect(head).toHaveText("");
});

test("a line of joined files is the same text with and without a byte order mark", async ({ page }) => {
  await open(page);
  const joined = Buffer.from("\u{feff}kitten\nsitting\n\u{feff}kitten\n");
  await files(page).setInputFiles({ name: "joined.txt", mimeType: "text/plain", buffer: joined });
  await expect(folded(page)).toContainText("Distinct texts: 2.");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  await expect(list.locator("tbody tr").last()).toContainText("same as 1");
  await list.getByRole("button", { name: "Rename sitting" }).click();
  await list.getByRole("textbox").fill("Mia");
  await list.getByRole("textbox").press("Enter");
  await expect(page.locator(".nearest-of")).toContainText("Mia");
  await expect(list.locator("tbody tr").last()).toContainText("same as 1");
});

test("controls that disappear pass the keyboard focus on", async ({ page }) => {
  await open(page);
  await files(page).setInputFiles(Object.entries(ESSAYS).map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
  const change = page.getByRole("button", { name: "Change texts or options" });
  await change.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Files" })).toBeFocused();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Add a template" }).click()]);
  await chooser.setFiles({ name: "starter.txt", mimeType: "text/plain", buffer: Buffer.from(ESSAY) });
  await expect(page.getByRole("button", { name: "Remove the template" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Add a template" })).toBeFocused();
  const threshold = page.getByLabel("Alike at");
  await threshold.fill("97");
  await threshold.press("Enter");
  await page.getByRole("button", { name: "Use it" }).focus();
  await page.keyboard.press("Enter");
  await expect(threshold).toBeFocused();
  await expect(threshold).not.toHaveValue("97");
  // Opened texts hide the editor with its button.
  await page.getByRole("button", { name: "Clear" }).click();
  const sample = page.locator(".first button").first();
  await sample.focus();
  await page.keyboard.press("Enter");
  await expect(change).toBeFocused();
});

test("long names break into lines", async ({ page }) => {
  await open(page);
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const long = `${"a".repeat(240)}.txt`;
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Add a template" }).click()]);
  await chooser.setFiles(file(long, "zebra"));
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  await expect(page.getByText("Its lines, and five or more")).toBeVisible();
  expect(await fits(), "the template").toBe(true);
  await files(page).setInputFiles([file(long, "the cat sat"), file("tom.txt", "the cat sits"), file("saga.txt", "a dog")]);
  const table = page.locator(".nearest-of");
  await expect(table).toContainText("tom.txt");
  expect(await fits(), "the answer").toBe(true);
  expect(await table.evaluate((table) => table.scrollWidth <= table.parentElement!.clientWidth), "the nearest texts").toBe(true);
  const name = (await table.getByRole("row", { name: /^tom/ }).getByRole("rowheader").boundingBox())!;
  expect(name.width).toBeGreaterThan(100);
});

test("a half-typed threshold stays while an answer arrives", async ({ page }) => {
  await open(page);
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill("the cat sat\nthe cat sits\na dog\nzebras");
  await page.getByLabel("Measure").selectOption("edits");
  await expect(page.getByText("Your browser compared 6 pairs,")).toBeVisible();
  const threshold = page.getByLabel("Alike within");
  const suggested = await threshold.inputValue();
  await threshold.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("1");
  // The texts change without a move of the focus.
  await text.evaluate((area: HTMLTextAreaElement) => {
    area.value = "kitten\nkittens\nsitting and more\nkitten and more\nsomething else entirely";
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await expect(page.getByText("Your browser compared 10 pairs,")).toBeVisible();
  await page.waitForTimeout(300);
  await expect(threshold).toHaveValue("1");
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/within=12/);
  await threshold.fill("some");
  await threshold.press("Enter");
  await expect(threshold).toHaveValue("12");
  expect(suggested).not.toBe("12");
});

test("two collections fit on a phone and are accessible", async ({ page }) => {
  test.setTimeout(90_000);
  await page.setViewportSize({ width: 390, height: 844 });
  await compareTwo(page, CODES, READS);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(" ")}`), colorScheme).toEqual([]);
  }
});
