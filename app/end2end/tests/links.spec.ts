// Sharing: links with the whole input, results that the server stores until they are deleted, and encrypted ones that
// it cannot read.
import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, apiCalls, editor, open, type } from "./page";

/** Opens the share dialog and selects a kind of link. */
async function share(page: Page, kind: RegExp): Promise<Locator> {
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: kind }).check({ force: true });
  return dialog;
}

const link = (dialog: Locator) => dialog.getByRole("textbox", { name: "Link" }).inputValue();

/** Makes the link and returns its address. */
async function make(dialog: Locator): Promise<string> {
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toBeVisible();
  return link(dialog);
}

test("a link that contains its texts needs no server state", async ({ page, browser }) => {
  await open(page);
  await type(page, "naïve +&=#", "native\t👩‍🚀");
  await expect(answer(page)).toHaveText("7");
  const calls = apiCalls(page);
  const dialog = await share(page, /^Link/);
  const address = await link(dialog);
  expect(new URL(address).hash).not.toBe("");
  await expect(dialog.getByRole("img", { name: "QR code of the link" })).toBeVisible();
  expect(calls).toEqual([]);

  const stranger = await (await browser.newContext()).newPage();
  const theirs = apiCalls(stranger);
  await open(stranger, address);
  await expect(answer(stranger)).toHaveText("7");
  expect(theirs).toEqual([]);
  await stranger.context().close();
});

test("a stored link shows the same result to another visitor until it is deleted", async ({ page, browser, request }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const dialog = await share(page, /Stored result/);
  const address = await make(dialog);
  expect(new URL(address).pathname).toMatch(/^\/r\//);
  await expect(dialog.getByRole("textbox", { name: "Embed in your own page" })).toHaveValue(/ title="3 edits: kitten and sitting" /);

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(address);
  await expect(stranger).toHaveTitle(/3 edits/);
  await expect(answer(stranger)).toHaveText("3");
  await expect(stranger.getByRole("group", { name: /^Columns 0 to 7/ })).toBeVisible();
  await expect(stranger.locator(".shared")).toBeHidden();

  await dialog.getByRole("button", { name: "Delete the link now" }).click();
  await expect(dialog.getByText("The link is deleted")).toBeVisible();
  expect((await request.get(address)).status()).toBe(410);
  await stranger.reload();
  await expect(stranger.getByRole("alert")).toContainText(/expired|deleted/);
  await context.close();
});

test("a shared result can be read without JavaScript", async ({ page, browser }) => {
  await open(page);
  await type(page, "I wandered lonely as a Cloud", "I wandered lonely as a cloud,");
  const address = await make(await share(page, /Stored result/));
  const context = await browser.newContext({ javaScriptEnabled: false });
  const reader = await context.newPage();
  await reader.goto(address);
  await expect(reader.locator(".answer .say")).toContainText("edits turn a into b");
  await expect(reader.getByRole("heading", { name: "How it was computed" })).toBeVisible();
  await expect(reader.getByRole("row", { name: /substitute C by c/ })).toBeVisible();
  await expect(reader.getByRole("textbox")).toHaveCount(0);
  for (const width of [1440, 768, 320]) {
    await reader.setViewportSize({ width, height: 800 });
    const [inner, outer] = [reader.locator("article"), reader.locator("main")];
    expect((await inner.boundingBox())!.width).toBeLessThanOrEqual((await outer.boundingBox())!.width);
  }
  await context.close();
});

test("a private link opens only with its key", async ({ page, browser }) => {
  await open(page);
  await type(page, "kitten of mine", "sitting of yours");
  await expect(answer(page)).toBeVisible();
  const expected = await answer(page).textContent();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postDataBuffer()?.toString("latin1") ?? ""}`));
  const dialog = await share(page, /Private link/);
  const address = await make(dialog);
  const { pathname, hash } = new URL(address);
  expect(pathname).toMatch(/^\/s\//);
  expect(hash).toHaveLength(44);
  expect(sent.length).toBeGreaterThan(0);
  for (const request of sent) {
    expect(request).not.toContain("kitten");
    expect(request).not.toContain(hash.slice(1));
  }

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(address);
  await expect(answer(stranger)).toHaveText(expected!);
  await expect(editor(stranger, "a")).toHaveValue("kitten of mine");
  // The address is still the link, so that it can be bookmarked.
  await stranger.waitForTimeout(600);
  expect(stranger.url()).toBe(address);

  const wrong = address.slice(0, -4) + (address.endsWith("AAAA") ? "BBBB" : "AAAA");
  for (const broken of [wrong, address.split("#")[0]!]) {
    const other = await context.newPage();
    await other.goto(broken);
    await expect(other.getByRole("alert")).toContainText("This key does not open it");
    await other.close();
  }
  const unknown = await context.newPage();
  await unknown.goto("/s/abc#def");
  await expect(unknown.getByRole("alert")).toContainText(/There is nothing/);
  await unknown.close();
  await dialog.getByRole("button", { name: "Delete the link now" }).click();
  await expect(dialog.getByText("The link is deleted")).toBeVisible();
  await stranger.reload();
  await expect(stranger.getByRole("alert")).toContainText(/expired|deleted/);
  await context.close();
});

test("your links are listed and can be deleted", async ({ page, request }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  const dialog = await share(page, /Stored result/);
  const address = await make(dialog);
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  await dialog.getByText("Your links (1)").click();
  await dialog.getByRole("button", { name: "Delete 3 edits: kitten and sitting" }).click();
  await expect(dialog.getByText("Your links")).toBeHidden();
  expect((await request.get(address)).status()).toBe(410);
});

test("the share dialog is accessible, and a picture of the result can be saved", async ({ page }) => {
  await open(page);
  await type(page, "kitten <b>", "sitting & co");
  const dialog = await share(page, /Stored result/);
  await make(dialog);
  await dialog.getByText(/^Your links/).click();
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  for (const [name, start] of [
    ["SVG", "<svg"],
    ["PNG", "\x89PNG"],
  ] as const) {
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: `Picture (${name})` }).click();
    const file = readFileSync(await (await saved).path());
    expect(file.toString("latin1", 0, 4)).toBe(start);
    expect(file.length).toBeGreaterThan(2_000);
  }
  for (const width of [1440, 768, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth), `at ${width}`).toBeLessThanOrEqual(0);
  }
});
