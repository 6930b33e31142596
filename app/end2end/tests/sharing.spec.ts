// Shared results: private texts stay out of the address, links contain the settings of the view, stored results can be
// compared again, and copying works without https.
import { expect, type Browser, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, answered, choose, countIn, editor, open, type } from "./page";

/** Longer than the page waits before it writes the address. */
const WRITTEN_MS = 800;

/** Makes a link of this kind to the current result. */
async function shared(page: Page, kind: RegExp): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: kind }).check({ force: true });
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toBeVisible();
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  await page.keyboard.press("Escape");
  return link;
}

async function stranger(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await expect(answered(page)).toBeVisible();
  return page;
}

test("a private link never puts its texts into the address, and keeps its key", async ({ page, browser }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const address = await shared(page, /Private link/);

  const other = await stranger(browser, address);
  await other.getByRole("tab", { name: "Matrix" }).click();
  await expect(other.getByRole("grid")).toBeVisible();
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url()).toBe(`${address}&view=matrix`);
  await other.reload();
  await expect(other.getByRole("grid")).toBeVisible();
  await expect(answer(other)).toHaveText("3");

  await editor(other, "b").fill("sitting kitten");
  await expect(answer(other)).not.toHaveText("3");
  await other.getByRole("link", { name: "Longest common subsequence" }).click();
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url()).not.toMatch(/sitting|kitten/);
  await other.goBack();
  await other.goBack();
  await expect(editor(other, "b")).toHaveValue("sitting");
  expect(other.url().split("&")[0]).toBe(address);
  await other.getByRole("button", { name: "Share" }).click();
  const dialog = other.getByRole("dialog", { name: "Share this result" });
  await expect(dialog.getByRole("radio", { name: /Private link/ })).toBeChecked();
  expect((await dialog.getByRole("textbox", { name: "Link" }).inputValue()).split("&")[0]).toBe(address);
  await other.context().close();
});

for (const kind of [/Stored result/, /Private link/]) {
  test(`a ${kind.source.toLowerCase()} opens the shared step, cell and order`, async ({ page, browser }) => {
    await open(page, "/#a=intention&b=execution&view=matrix&order=column&step=20&cell=3,4");
    await expect(answer(page)).toHaveText("5");
    const address = await shared(page, kind);
    const other = await stranger(browser, address);
    await expect(other.getByRole("grid")).toBeVisible();
    await expect(other.getByRole("slider", { name: "Step" })).toHaveValue("20");
    await expect(other.getByRole("radio", { name: /^Column by column/ })).toBeChecked();
    await expect(other.locator('[role="grid"] [aria-selected="true"]')).toHaveCount(1);
    await other.waitForTimeout(WRITTEN_MS);
    for (const part of ["view=matrix", "order=column", "step=20", "cell=3,4"]) expect(other.url()).toContain(part);
    // A shared result can be shared again.
    await other.getByRole("button", { name: "Share" }).click();
    const again = await other.getByRole("textbox", { name: "Link" }).inputValue();
    expect(new URL(again).pathname).toBe(new URL(address).pathname);
    await other.context().close();
  });
}

test("a class code is a typed word that opens a copy, and its maker can end it", async ({ page, browser }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Class code/ }).check({ force: true });
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const shown = dialog.locator(".class-code");
  await expect(shown).toHaveText(/^([bdfghjkmnprstvwz][aeiou]){3,5}$/);
  const code = await shown.innerText();
  const address = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  expect(new URL(address).pathname).toBe(`/c/${code}`);
  await expect(dialog.getByText("Anyone with the code can read both texts.")).toBeVisible();
  await expect(dialog.getByRole("img", { name: "QR code of the link" })).toBeVisible();

  // The header shows the code as long as the texts are those of the code.
  await page.keyboard.press("Escape");
  const tag = page.getByRole("banner").getByRole("button", { name: `Class code: /c/${code}` });
  await tag.click();
  const panel = page.locator("#class-code");
  await expect(panel.locator(".class-code")).toHaveText(code);
  await expect(panel.getByRole("img", { name: "QR code of the link" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await expect(page.getByRole("banner").getByRole("button", { name: `Class code: ${new URL(address).host}/c/${code}` })).toBeVisible();
  await page.keyboard.press("s");
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await editor(page, "b").fill("sittin");
  await expect(tag).toBeHidden();
  await editor(page, "b").fill("sitting");
  await expect(tag).toBeVisible();
  await expect(answer(page)).toHaveText("3");

  const other = await (await browser.newContext()).newPage();
  await other.goto(new URL("/c", address).href);
  await other.getByRole("textbox", { name: "Type the code from the board." }).fill(` ${code.toUpperCase()}`);
  await other.getByRole("button", { name: "Open the result" }).click();
  await expect(answer(other)).toHaveText("3");
  expect(new URL(other.url()).pathname).toMatch(/^\/r\//);
  await editor(other, "b").fill("kitten");
  await expect(answer(other)).toHaveText("0");

  await page.getByRole("button", { name: "Share" }).click();
  await dialog.getByText(/^Your links/).click();
  await dialog.locator(".yours").getByRole("button", { name: /^Delete/ }).first().click();
  await expect(tag).toBeHidden();
  const gone = await other.goto(address);
  expect(gone?.status()).toBe(410);
  await other.goto(new URL("/c/zazozu", address).href);
  await expect(other.getByRole("alert")).toContainText("No result has the class code “zazozu”.");
  await other.context().close();
});

test("a class code opens the question of the teacher without the teacher's answers", async ({ page, browser }) => {
  await open(page, "/#a=ab&b=b&view=matrix&ask=on");
  await page.locator("#guess").fill("1");
  await page.getByRole("button", { name: "Check" }).click();
  await expect.poll(() => page.url()).toContain("answers=B");
  await page.getByRole("button", { name: "Share this step" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Class code/ }).check({ force: true });
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.locator(".class-code")).toHaveText(/^[a-z]+$/);
  const address = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  const student = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await student.goto(address);
  await expect(student.locator("#guess")).toBeVisible();
  expect(student.url()).toContain("ask=on");
  expect(student.url()).not.toContain("answers=");
  await student.context().close();
});

test("the skip link skips, and changes neither address nor texts", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix");
  await expect(answer(page)).toHaveText("3");
  const before = page.url();
  await page.locator("a.skip").focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(WRITTEN_MS);
  expect(page.url()).toBe(before);
  await expect(page.locator("#main")).toBeFocused();
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(page.getByRole("grid")).toBeVisible();
});

test("copying works on a page loaded over HTTP", async ({ page }) => {
  const port = new URL(process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000").port;
  await open(page, `http://classroom.example:${port}/`);
  expect(await page.evaluate(() => "clipboard" in navigator && Boolean(navigator.clipboard))).toBe(false);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const pasted = async () => {
    await editor(page, "a").fill("");
    await editor(page, "a").press("Control+v");
    return editor(page, "a").inputValue();
  };
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /^Link/ }).check({ force: true });
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  await dialog.getByRole("button", { name: "Copy" }).first().click();
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
  // Screen readers do not announce a change of a button's content.
  await expect(dialog.getByRole("status").filter({ hasText: "Copied" })).toHaveCount(1);
  await expect(page.locator(":is(button, summary) [role=status]")).toHaveCount(0);
  await page.keyboard.press("Escape");
  expect(await pasted()).toBe(link);

  await page.goto(`http://classroom.example:${port}/lcs#a=kitten&b=sitting`);
  await page.getByRole("button", { name: "Copy the subsequence" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await pasted()).toBe("ittn");
});

for (const [address, words] of [
  ["/#v=2&a=x&b=y", "made by a newer version"],
  ["/#a=x&b=y&unit=furlongs", "“furlongs” is not a valid value for unit"],
  ["/lcs#task=tea&a=x&b=y", "“tea” is not a valid value for task"],
] as const) {
  test(`an unreadable address is reported: ${address}`, async ({ page }) => {
    await page.goto(address);
    await expect(page.getByRole("alert")).toContainText(words);
    await page.waitForTimeout(WRITTEN_MS);
    expect(page.url()).toContain(address);
  });
}

test("a link with unknown parameters is compared with a warning", async ({ page }) => {
  await page.goto("/#a=kitten&b=sitting&gap_costs=2");
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByRole("alert")).toContainText("“gap_costs”");
});

test("the dialog says what is stored before a link is made", async ({ page, request }) => {
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  const nothing = dialog.getByText("Nothing is stored until you make the link.");
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  await dialog.getByRole("radio", { name: /Stored result/ }).check({ force: true });
  await expect(nothing).toBeVisible();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toBeVisible();
  await dialog.getByRole("radio", { name: /Private link/ }).check({ force: true });
  await expect(dialog.getByText("There is a link to this result already. This makes another one.")).toBeVisible();
  await expect(nothing).toBeHidden();

  const job = { task: "edit-distance", options: {}, a: { text: "kitten" }, b: { text: "sitting" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  await page.goto(`/j/${id}`);
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  await dialog.getByRole("radio", { name: /Stored result/ }).check({ force: true });
  await expect(dialog.getByText("The server keeps this result and its texts for a limited time.")).toBeVisible();
  await expect(nothing).toBeHidden();
});

test("a stored result can be compared again in every unit, byte for byte", async ({ page, browser }) => {
  await open(page);
  await choose(page, "a", { name: "one.txt", content: "the  quick brown fox" });
  await choose(page, "b", { name: "two.txt", content: "the quick  red fox" });
  await countIn(page, "words");
  await expect(answer(page)).toHaveText("1");
  const address = await shared(page, /Stored result/);
  const other = await stranger(browser, address);
  await expect(other.locator(".editors").getByText("one.txt")).toBeVisible();
  await countIn(other, "bytes");
  await expect(editor(other, "a")).toHaveValue("the  quick brown fox");
  await expect(answer(other)).toHaveText("5");
  await other.context().close();

  const bytes = Buffer.from([0xff, 0x00, 0x41, 0xfe]);
  await open(page);
  await choose(page, "a", { name: "a.bin", content: bytes });
  await choose(page, "b", { name: "b.bin", content: Buffer.concat([bytes, Buffer.from([0x80])]) });
  await countIn(page, "bytes");
  await expect(answer(page)).toHaveText("1");
  const binary = await stranger(browser, await shared(page, /Stored result/));
  await binary.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(answer(binary)).toHaveText("4");
  await binary.context().close();
});

test("a print sheet stays at its address for every task", async ({ page }) => {
  await page.goto("/print#a=kitten&b=sitting");
  await expect(page.getByText(/Distance: 3\. Number of optimal alignments: \d/)).toBeVisible();
  await page.getByRole("link", { name: "Approximate search" }).click();
  await expect(page.getByText("Fewest edits: 2.")).toBeVisible();
  await page.waitForTimeout(WRITTEN_MS);
  expect(new URL(page.url()).pathname).toBe("/print");
  await page.reload();
  await expect(page.getByText("Fewest edits: 2.")).toBeVisible();
  await page.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(page.getByText("Length: 4. Number of optimal alignments:")).toBeVisible();
});

test("the next result keeps the view but no positions of the last one", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting&view=matrix&order=column&step=9&cell=2,2");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(answer(page)).toHaveText("4");
  await page.waitForTimeout(WRITTEN_MS);
  expect(page.url()).toContain("view=matrix");
  expect(page.url()).toContain("order=column");
  expect(page.url()).not.toMatch(/step=|cell=/);
});

test("without scripts the first page says that scripts are needed", async ({ request }) => {
  // Playwright's browser without scripts parses pages as if scripts were on, so that it never shows <noscript>.
  expect(await (await request.get("/")).text()).toContain("<noscript><p class=\"say\">Editscope needs JavaScript to compare texts");
});

test("the wheel scrolls the page past a picture, and zooms with Ctrl", async ({ page }) => {
  const word = "kitten mitten sitting ".repeat(6);
  await open(page, `/#a=${word.replaceAll(" ", "+")}&b=${word.replaceAll(" ", "+")}x&view=dots`);
  const plot = page.getByRole("application").or(page.locator("canvas.dots")).first();
  await plot.scrollIntoViewIfNeeded();
  await plot.hover();
  const top = () => page.evaluate(() => window.scrollY);
  await page.evaluate(() => window.scrollTo(0, 0));
  await plot.hover();
  const before = await top();
  await page.mouse.wheel(0, 120);
  await expect.poll(top).not.toBe(before);
});

test("a link that is made slowly is not shown for a newer result", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  let [made, let_go] = [0, () => {}];
  const held = new Promise<void>((resolve) => (let_go = resolve));
  await page.route("**/api/v1/links", async (route) => {
    const response = await route.fetch();
    made += 1;
    await held;
    await route.fulfill({ response }).catch(() => {});
  });
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  const choose = async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await dialog.getByRole("radio", { name: /Stored result/ }).check({ force: true });
  };
  await choose();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect.poll(() => made).toBe(1);
  await page.keyboard.press("Escape");
  await editor(page, "b").fill("kitchen");
  await expect(answer(page)).toHaveText("2");
  await choose();
  let_go();
  // The link is in the list of links, but is not offered for the current result.
  await expect(dialog.getByText("Your links (1)")).toBeVisible();
  await dialog.getByText("Your links (1)").click();
  await expect(dialog.getByRole("link", { name: "3 edits: kitten and sitting" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Make the link" })).toBeEnabled();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toBeHidden();
});

test("a link that cannot be made is reported in the dialog", async ({ page }) => {
  await page.route("**/api/v1/links", (route) =>
    route.fulfill({ status: 404, contentType: "application/problem+json", body: JSON.stringify({ type: "/problems/not-found", title: "There is no such job", status: 404, detail: "It is gone." }) }),
  );
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Stored result/ }).check({ force: true });
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("alert")).toContainText("There is no such job");
  await expect(dialog.getByRole("alert").getByRole("button")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(answer(page)).toHaveText("3");
});
