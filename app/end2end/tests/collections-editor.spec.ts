// The editor of the page that compares many texts: typed lines as a list, names of files, the task in the header.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";

function textFile(name: string, text: string) {
  return { name, mimeType: "text/plain", buffer: Buffer.from(text) };
}

/** Saves the answer as a file, and returns its content. */
async function saved(page: Page, format: RegExp): Promise<string> {
  await page.getByRole("button", { name: "Save" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: format }).click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const task = (page: Page) => page.getByRole("navigation", { name: "Task" }).locator('[aria-current="page"]');

test("typed lines are shown as a list that follows the text", async ({ page }) => {
  await page.goto("/collections");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  const views = page.getByRole("group", { name: "View of the texts" });
  await expect(views).toBeHidden();
  await text.fill("kitten\nmitten\nkit\n\nkitten");
  await views.getByRole("button", { name: "List" }).click();
  await expect(text).toBeHidden();
  const rows = page.getByRole("region", { name: "List of texts" }).locator("tbody tr");
  await expect(rows).toHaveCount(5);
  await expect(rows.last()).toContainText("same as 1");
  const cells = async () => Promise.all((await rows.all()).map((row) => row.locator("th, td").allInnerTexts()));
  expect((await cells()).map(([number, name, length, , note]) => [number, name, length, note])).toEqual([
    ["1", "kitten", "6", ""],
    ["2", "mitten", "6", ""],
    ["3", "kit", "3", ""],
    ["4", "", "0", "empty"],
    ["5", "kitten", "6", "same as 1"],
  ]);
  const widths = await rows.locator("rect").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(widths[2] / widths[0]).toBeCloseTo(0.5, 1);
  await views.getByRole("button", { name: "Text" }).click();
  await text.fill("kitten\nsitting");
  await views.getByRole("button", { name: "List" }).click();
  await expect(rows).toHaveCount(2);
});

test("typed lines are renamed and left out, and the address has both", async ({ page }) => {
  await page.goto("/collections#measure=edits");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  const views = page.getByRole("group", { name: "View of the texts" });
  await text.fill("kitten\nmitten\nkit\nsitting");
  await expect(page.getByText("Your browser compared 6 pairs,")).toBeVisible();
  await views.getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  const row = (number: number) => list.locator("tbody tr").nth(number);
  await list.getByRole("button", { name: "Rename mitten" }).click();
  const field = list.getByRole("textbox", { name: "Rename mitten" });
  await expect(field).toBeFocused();
  await field.fill("Mia");
  // Enter within an input method takes its letters only.
  await field.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
  await expect(field).toBeFocused();
  await field.press("Enter");
  await expect(list.getByRole("button", { name: "Rename Mia" })).toBeFocused();
  await expect(row(1)).toContainText("Mia mitten");
  await expect(page.locator(".chosen-pair .who")).toHaveText("kitten and Mia");

  await list.getByRole("button", { name: "Leave out kitten" }).click();
  await expect(row(0).locator("th, td").first()).toHaveText("–");
  await expect(row(0)).toContainText("left out");
  await expect(page.locator(".chosen-pair .who")).not.toContainText("kitten");
  await expect(page.getByText("Left out: 1 text.").first()).toBeVisible();
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();
  await expect(page).toHaveURL(/out=0&named=1,Mia/);
  await page.reload();
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();

  // Edits follow their lines.
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await text.fill("sitten\nkitten\nmitten\nkit\nsitting");
  await views.getByRole("button", { name: "List" }).click();
  await expect(row(1)).toContainText("left out");
  await expect(row(2)).toContainText("Mia mitten");
  await expect(page).toHaveURL(/out=1&named=2,Mia/);

  // Names are in files, too.
  await expect(page.getByText("Your browser compared 6 pairs,")).toBeVisible();
  expect((await saved(page, /^CSV of the matrix/)).split("\n")[0]).toBe(",sitten,Mia,kit,sitting");

  await list.getByRole("button", { name: "Take back kitten" }).click();
  await expect(page.getByText("Your browser compared 10 pairs,")).toBeVisible();
  await expect(page).not.toHaveURL(/out=/);
  await list.getByRole("button", { name: "Rename Mia" }).click();
  await list.getByRole("textbox").fill("");
  await list.getByRole("textbox").press("Enter");
  await expect(page).not.toHaveURL(/named=/);
  await expect(row(2).getByRole("rowheader")).toHaveText("mitten");
});

test("names of typed lines beside opened files are in files, table and map", async ({ page }) => {
  await page.goto("/collections#measure=edits&a=kitten%0A%0Asitting&b=");
  await page.getByLabel("Files to compare").last().setInputFiles([textFile("m.txt", "mitten"), textFile("k.txt", "kit")]);
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByRole("group", { name: "View of the texts" }).first().getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  await list.getByRole("button", { name: "Rename kitten" }).click();
  await list.getByRole("textbox").fill("Mia");
  await list.getByRole("textbox").press("Enter");
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and m.txt");
  await expect(page.locator(".assigned tbody")).toContainText("Mia");
  const rows = (await saved(page, /^CSV of the matrix/)).trimEnd().split(/\r?\n/);
  expect(rows.map((row) => row.split(",").slice(0, 2))).toEqual([["", "m.txt"], ["Mia", "1"], ["", "6"], ["sitting", "3"]]);
  expect(await saved(page, /^CSV of pairs/)).toContain("Mia,m.txt");
  expect(await saved(page, /^JSON/)).toContain('"Mia"');
});

test("a renaming goes on while answers arrive, and ends with its text", async ({ page }) => {
  await page.goto("/collections#measure=edits");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill("kitten\nmitten\nkit\nsitting");
  await expect(page.getByText("Your browser compared 6 pairs,")).toBeVisible();
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  await list.getByRole("button", { name: "Leave out kitten" }).click();
  await list.getByRole("button", { name: "Rename mitten" }).click();
  const field = list.getByRole("textbox", { name: "Rename mitten" });
  await field.fill("Mi");
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("Mi");
  await page.waitForTimeout(800);
  expect(page.url()).not.toContain("named=");
  await field.pressSequentially("a");
  // A visitor who leaves the field takes the name.
  await page.getByRole("button", { name: "Open files" }).focus();
  await expect(page).toHaveURL(/named=1,Mia/);
  await expect(field).toBeHidden();
  // Another text with the same number keeps its name.
  await list.getByRole("button", { name: "Rename Mia" }).click();
  await list.getByRole("textbox").fill("Tom");
  await page.evaluate(() => (location.hash = "measure=edits&a=one%0Atwo%0Athree"));
  await expect(list.getByRole("rowheader")).toHaveText(["one", "two", "three"]);
  await expect(list.getByRole("textbox")).toHaveCount(0);
  await page.waitForTimeout(800);
  expect(page.url()).not.toContain("named=");
});

test("a renamed line has the scores of before while a template is chosen", async ({ page }) => {
  const begin = "one two three four five six seven";
  await page.goto("/collections#measure=edits");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill(`${begin} kitten\nsitting ${begin}\nmitten`);
  await expect(page.getByText("Your browser compared 3 pairs,")).toBeVisible();
  const scores = async () => (await saved(page, /^CSV of the matrix/)).trimEnd().split("\n").slice(1).map((row) => row.split(",").slice(1));
  const whole = await scores();
  await page.getByLabel("Template: a file with which all texts began").setInputFiles(textFile("starter.txt", begin));
  await expect(page.getByText(/Of the template, and not counted:/).first()).toBeVisible();
  const before = await scores();
  expect(before).not.toEqual(whole);
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  await list.getByRole("button", { name: "Rename mitten" }).click();
  await list.getByRole("textbox").fill("Mia");
  await list.getByRole("textbox").press("Enter");
  await expect(page.locator(".nearest-of")).toContainText("Mia");
  await expect(page.getByText(/Of the template, and not counted:/).first()).toBeVisible();
  expect(await scores()).toEqual(before);
  await page.reload();
  await expect(page.locator(".nearest-of")).toContainText("Mia");
  expect(await scores()).toEqual(before);
});

test("Back keeps the name of a line, and takes back that of a file", async ({ page }) => {
  await page.goto("/collections#measure=edits");
  await page.getByRole("textbox", { name: "Texts", exact: true }).fill("kitten\nmitten");
  await expect(page.getByText("Your browser compared 1 pair,")).toBeVisible();
  const pair = page.locator(".chosen-pair .who");
  const rename = async (region: string, name: string, next: string) => {
    const list = page.getByRole("region", { name: region });
    await list.getByRole("button", { name: `Rename ${name}` }).click();
    await list.getByRole("textbox").fill(next);
    await list.getByRole("textbox").press("Enter");
  };
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  await rename("List of texts", "mitten", "Mia");
  await expect(pair).toHaveText("kitten and Mia");
  await page.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  await expect(page).toHaveURL(/view=pairs/);
  await page.goBack();
  await expect(page).not.toHaveURL(/view=pairs/);
  await expect(page).toHaveURL(/named=1,Mia/);
  await expect(pair).toHaveText("kitten and Mia");

  await page.getByLabel("Files to compare").setInputFiles([textFile("a.txt", "the cat sat"), textFile("b.txt", "the cat sits")]);
  await expect(pair).toHaveText("a.txt and b.txt");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await rename("Files", "a.txt", "Tom");
  await expect(pair).toHaveText("Tom and b.txt");
  await page.goBack();
  await expect(pair).toHaveText("a.txt and b.txt");
  await page.goForward();
  await expect(pair).toHaveText("Tom and b.txt");
  await page.goBack();
  await page.goBack();
  await expect(pair).toHaveText("kitten and Mia");
});

test("long names are shortened in files and whole in list and address", async ({ page }) => {
  await page.goto("/collections#measure=edits&a=kitten%0Asitting");
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  const long = `${"a".repeat(150)}${"b".repeat(150)}`;
  await list.getByRole("button", { name: "Rename kitten" }).click();
  await list.getByRole("textbox").fill(long);
  await list.getByRole("textbox").press("Enter");
  await expect(list.getByRole("rowheader").first()).toContainText(long);
  await expect(page).toHaveURL(new RegExp(long));
  await expect(page.getByText("Your browser compared 1 pair,")).toBeVisible();
  const short = `${"a".repeat(100)}…${"b".repeat(99)}`;
  await expect(page.locator(".chosen-pair .who")).toHaveText(`${short} and sitting`);
  expect((await saved(page, /^CSV of the matrix/)).split("\n")[0]).toBe(`,${short},sitting`);
});

test("lines that are left out or taken back keep the keyboard focus", async ({ page }) => {
  await page.goto("/collections#measure=edits");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill("kitten\nmitten\nkit\nsitting");
  await expect(page.getByText("Your browser compared 6 pairs,")).toBeVisible();
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  for (const [name, next, pairs] of [["Leave out kitten", "Take back kitten", 3], ["Take back kitten", "Leave out kitten", 6]] as const) {
    await list.getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
    await expect(list.getByRole("button", { name: next })).toBeFocused();
    await expect(page.getByText(`Your browser compared ${pairs} pairs,`)).toBeVisible();
    await expect(list.getByRole("button", { name: next })).toBeFocused();
  }
  await page.getByRole("button", { name: "Clear" }).focus();
  await page.keyboard.press("Enter");
  await expect(text).toBeFocused();
  // The next text is not listed while it is typed.
  await page.keyboard.type("ab");
  await expect(text).toHaveValue("ab");
  await expect(text).toBeFocused();
});

test("a file that is left out moves the keyboard focus to the next one", async ({ page }) => {
  await page.goto("/collections");
  await page.getByLabel("Files to compare").setInputFiles(["a", "b", "c", "d"].map((name) => textFile(`${name}.txt`, `the cat ${name}`)));
  await page.getByRole("button", { name: "Change texts or options" }).click();
  const files = page.getByRole("region", { name: "Files" });
  for (const [name, next, pairs] of [["a", "b", "3 pairs"], ["d", "c", "1 pair"]]) {
    await files.getByRole("button", { name: `Leave out ${name}.txt` }).focus();
    await page.keyboard.press("Enter");
    await expect(files.getByRole("button", { name: `Leave out ${next}.txt` })).toBeFocused();
    await expect(page.getByText(`Your browser compared ${pairs},`)).toBeVisible();
    await expect(files.getByRole("button", { name: `Leave out ${next}.txt` })).toBeFocused();
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Texts", exact: true })).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Texts", exact: true })).toHaveValue("the cat b");
});

for (const [name, length] of [["short", 2], ["long", 300]] as const) {
  test(`${name} typed text is there after a reload at once`, async ({ page }) => {
    await page.goto("/collections");
    const text = page.getByRole("textbox", { name: "Texts", exact: true });
    const typed = Array.from({ length }, (_, number) => `text ${number}`).join("\n");
    // The page lives on until the new document arrives, and must not change its address then.
    await page.route("**/collections", async (route) => {
      await new Promise((done) => setTimeout(done, 1500));
      await route.continue();
    });
    await text.fill(typed);
    await page.getByLabel("Measure").selectOption("edits");
    await page.reload();
    await page.getByRole("button", { name: "Change texts or options" }).click();
    await expect(text).toHaveValue(typed);
    await expect(page.getByLabel("Measure")).toHaveValue("edits");
    await expect(page).toHaveURL(length > 100 ? /measure=edits&z=/ : /measure=edits&a=/);
  });
}

test("typed text is there after Back from another page", async ({ page }) => {
  await page.goto("/collections");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill("kitten\nmitten");
  await page.goto("/learn");
  await page.goBack();
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await expect(text).toHaveValue("kitten\nmitten");
  await expect(page).toHaveURL(/kitten/);
});

test("further rows of lists are shown on request", async ({ page }) => {
  await page.goto("/collections");
  const text = page.getByRole("textbox", { name: "Texts", exact: true });
  await text.fill(Array.from({ length: 230 }, (_, number) => `text ${number}`).join("\n"));
  await page.getByRole("group", { name: "View of the texts" }).getByRole("button", { name: "List" }).click();
  const list = page.getByRole("region", { name: "List of texts" });
  const near = page.locator(".nearest-of");
  const nearest = page.getByRole("region", { name: /Nearest/ }).getByRole("button", { name: /^Show/ });
  for (const [rows, before, button, after] of [
    [list.locator("tbody tr"), 200, list.getByRole("button", { name: "Show 200 more" }), 230],
    [near.locator("tbody tr"), 10, nearest, 110],
    [near.locator("tbody tr"), 110, nearest, 210],
    [near.locator("tbody tr"), 210, nearest, 230],
  ] as const) {
    await expect(rows).toHaveCount(before);
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(rows).toHaveCount(after);
    // The last press hides the button.
    if (after === 230) await expect(rows.nth(before)).toBeFocused();
    else await expect(button).toBeFocused();
  }
  await expect(list.getByRole("button", { name: "Show 200 more" })).toBeHidden();
  await page.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  const pairs = page.locator(".figures.pairs tbody tr:not(.line)");
  const before = await pairs.count();
  await page.getByRole("button", { name: /^Show \d+ more/ }).click();
  await expect(pairs).not.toHaveCount(before);
});

test("a file is renamed in list, map and address", async ({ page }) => {
  await page.goto("/collections");
  await page.getByLabel("Files to compare").setInputFiles([
    { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("the cat sat") },
    { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("the cat sat on the mat") },
  ]);
  await page.getByRole("button", { name: "Change texts or options" }).click();
  const files = page.getByRole("region", { name: "Files" });
  const widths = await files.locator("rect").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  expect(widths[0] / widths[1]).toBeCloseTo(0.5, 1);
  await files.getByRole("button", { name: "Rename a.txt" }).click();
  const field = files.getByRole("textbox", { name: "Rename a.txt" });
  await expect(field).toBeFocused();
  await field.fill("Mia");
  await field.press("Enter");
  await expect(files.getByRole("button", { name: "Rename Mia" })).toBeVisible();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and b.txt");
  // Escape leaves the name.
  await files.getByRole("button", { name: "Rename b.txt" }).click();
  await files.getByRole("textbox").fill("x");
  await files.getByRole("textbox").press("Escape");
  await expect(files.getByRole("button", { name: "Rename b.txt" })).toBeFocused();
  await expect(page).toHaveURL(/z=/);
  await page.reload();
  await expect(page.locator(".chosen-pair .who")).toHaveText("Mia and b.txt");
});

test("the header marks the task of the measure", async ({ page }) => {
  await page.goto("/collections#a=kitten%0Amitten");
  await expect(task(page)).toHaveAccessibleName("Edit distance");
  await page.getByLabel("Measure").selectOption("lcs-ratio");
  await expect(task(page)).toHaveAccessibleName("Longest common subsequence");
  await page.getByLabel("Measure").selectOption("points");
  await expect(task(page)).toHaveAccessibleName("Sequence alignment");
  await page.getByRole("link", { name: "Search for patterns" }).click();
  await expect(task(page)).toHaveAccessibleName("Approximate search");
});
