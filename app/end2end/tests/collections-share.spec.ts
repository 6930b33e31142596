// Links of the page with many texts: with the texts in the address, and private links that the server stores encrypted.
import { expect, type Browser, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";

/** Longer than the page waits before it writes the address. */
const WRITTEN_MS = 800;

function dialogOf(page: Page): Locator {
  return page.getByRole("dialog", { name: "Share this result" });
}

async function share(page: Page, kind: RegExp): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("radio", { name: kind }).check({ force: true });
  const link = dialog.getByRole("textbox", { name: "Link" });
  if (kind.test("Private link")) {
    await expect(link).toBeHidden();
    await dialog.getByRole("button", { name: "Make the link" }).click();
  }
  await expect(link).toBeVisible();
  return link.inputValue();
}

/** Returns a private link to "kitten" and "mitten". */
async function privateLink(page: Page): Promise<string> {
  await page.goto("/collections#a=kitten%0Amitten");
  await expect(answer(page)).toBeVisible();
  return share(page, /Private link/);
}

/** Deletes the only link of this browser. */
async function deleteLink(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Share" }).click();
  await dialogOf(page).getByText(/^Your links/).click();
  await dialogOf(page).locator(".yours").getByRole("button", { name: /^Delete/ }).click();
  await expect(dialogOf(page).getByText(/^Your links/)).toBeHidden();
  await page.keyboard.press("Escape");
}

async function stranger(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  return page;
}

/** Files of random letters that are too long for an address. */
function longFiles() {
  let seed = 1;
  const letters = () => String.fromCharCode(33 + ((seed = (seed * 48271) % 2147483647) % 90));
  const text = Array.from({ length: 36_000 }, letters).join("");
  return ["mia.txt", "tom.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name === "mia.txt" ? text : `${text.slice(1)}xy`) }));
}

test("a private link of files opens them elsewhere, stays in the address, and can be deleted", async ({ page, browser }) => {
  await page.goto("/collections");
  await page.getByLabel("Files to compare").setInputFiles(longFiles());
  await expect(answer(page)).toBeVisible();
  await expect(page.getByText("Nothing left this device.", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Share" }).click();
  await expect(dialogOf(page).getByRole("radio", { name: /^Link/ })).toBeDisabled();
  await expect(dialogOf(page).getByRole("radio", { name: /^Private link/ })).toBeChecked();
  await page.keyboard.press("Escape");
  const address = await share(page, /Private link/);
  expect(address).toMatch(/\/collections#s=[\w-]+\.[\w-]{43}/);
  await expect(dialogOf(page)).toContainText("It expires on");
  await expect(dialogOf(page).getByRole("img", { name: "QR code of the link" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("The server stores an encrypted copy for your link.")).toBeVisible();

  const other = await stranger(browser, address);
  await expect(other.locator(".chosen-pair .who")).toHaveText("mia.txt and tom.txt");
  await other.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url().startsWith(address.split("&")[0])).toBe(true);
  expect(other.url()).toContain("view=pairs");
  await other.reload();
  await expect(other.locator(".figures.pairs tbody tr:not(.line)")).toHaveCount(1);
  // The dialog has the link by which the page was opened.
  await other.getByRole("button", { name: "Share" }).click();
  await expect(dialogOf(other).getByRole("radio", { name: /^Private link/ })).toBeChecked();
  expect((await dialogOf(other).getByRole("textbox", { name: "Link" }).inputValue()).split("&")[0]).toBe(address.split("&")[0]);
  await other.keyboard.press("Escape");

  await page.getByRole("button", { name: "Share" }).click();
  await dialogOf(page).getByText(/^Your links/).click();
  await expect(dialogOf(page).locator(".yours")).toContainText("2 texts, private");
  await dialogOf(page).locator(".yours").getByRole("button", { name: /^Delete/ }).click();
  await expect(dialogOf(page).getByText(/^Your links/)).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page.getByText("The server stores an encrypted copy for your link.")).toHaveCount(0);
  const late = await stranger(browser, address);
  await expect(late.getByRole("alert")).toBeVisible();
  await expect(answer(late)).toHaveCount(0);
  await late.context().close();
  await other.context().close();
});

test("edited texts of a private link stay out of the address", async ({ page, browser }) => {
  await page.goto("/collections#measure=edits&a=kitten%0Asitting&b=mitten");
  await expect(answer(page)).toBeVisible();
  const address = await share(page, /Private link/);
  const other = await stranger(browser, address);
  const text = other.getByRole("textbox", { name: "a: texts" });
  await expect(text).toHaveValue("kitten\nsitting");
  await expect(other.getByRole("textbox", { name: "b: texts" })).toHaveValue("mitten");
  await text.fill("kitten\nsitting\nbitten");
  await expect(other.getByText("Your browser compared 3 pairs,")).toBeVisible();
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url()).not.toMatch(/kitten|[#&]z=/);
  expect(other.url()).toContain("measure=edits");
  // A reload shows them again, and they are still private.
  await other.reload();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  await expect(text).toHaveValue("kitten\nsitting\nbitten");
  await expect(other.getByRole("textbox", { name: "b: texts" })).toHaveValue("mitten");
  await text.fill("kitten\nsitting\nsmitten\nsit");
  await expect(other.getByText("Your browser compared 4 pairs,")).toBeVisible();
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url()).not.toMatch(/kitten|[#&]z=/);
  // Back and forward, too.
  await other.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  await other.goBack();
  await expect(other).not.toHaveURL(/view=pairs/);
  await expect(text).toHaveValue("kitten\nsitting\nsmitten\nsit");
  // A link with the texts needs a choice.
  await other.getByRole("button", { name: "Share" }).click();
  await expect(dialogOf(other).getByRole("radio", { name: /^Private link/ })).toBeChecked();
  await other.context().close();
});

test("texts of a private link stay out of the address after they were cut out, and Clear forgets the link", async ({ page, browser }) => {
  const other = await stranger(browser, await privateLink(page));
  const text = other.getByRole("textbox", { name: /^Texts/ });
  await expect(answer(other)).toBeVisible();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  await text.fill("");
  await other.waitForTimeout(WRITTEN_MS);
  await text.fill("kitten\nmitten\nbitten");
  await other.waitForTimeout(WRITTEN_MS);
  expect(other.url()).not.toMatch(/kitten|[#&]z=/);
  await other.getByRole("button", { name: "Clear" }).click();
  await text.fill("sunday\nsaturday");
  await expect(other).toHaveURL(/#a=sunday%0Asaturday$/);
  await other.context().close();
});

test("Back shows the texts of a private link that was deleted meanwhile, and its empty address has no texts", async ({ page }) => {
  const address = await privateLink(page);
  await page.goto("about:blank");
  await page.goto(address);
  await expect(answer(page)).toBeVisible();
  await page.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: "Pairs" }).click();
  await expect(page).toHaveURL(/view=pairs/);
  await deleteLink(page);
  await page.goBack();
  await expect(page).toHaveURL(/#s=$/);
  await expect(answer(page)).toBeVisible();
  await page.reload();
  await expect(answer(page)).toBeVisible();
  await page.goto("about:blank");
  await page.goto("/collections#s=");
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByRole("textbox", { name: /^Texts/ }).fill("sunday\nsaturday");
  await expect(page).toHaveURL(/#a=sunday%0Asaturday$/);
});

test("an option that is changed while a private link is opened, or after it failed, keeps the link", async ({ page, browser }) => {
  const address = await privateLink(page);
  const fragment = new URL(address).hash;
  const other = await stranger(browser, new URL("/collections#a=sunday%0Asaturday", page.url()).href);
  await expect(answer(other)).toBeVisible();
  await other.route("**/api/v1/sealed/*", (route) => route.abort());
  await other.evaluate((hash) => (location.hash = hash), fragment);
  await expect(other.getByRole("alert")).toBeVisible();
  await other.getByLabel("Measure").selectOption("edits");
  await other.waitForTimeout(WRITTEN_MS);
  expect(new URL(other.url()).hash).toBe(fragment);
  await other.unroute("**/api/v1/sealed/*");
  await other.reload();
  await expect(answer(other)).toBeVisible();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  const text = other.getByRole("textbox", { name: /^Texts/ });
  await expect(text).toHaveValue("kitten\nmitten");
  // A failure of the network removes no link from the address.
  await text.fill("kitten\nbitten");
  await other.waitForTimeout(WRITTEN_MS);
  await other.route("**/api/v1/sealed/*", (route) => route.abort());
  await other.reload();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  await other.getByLabel("Measure").selectOption("edits");
  await expect(other).toHaveURL(/measure=edits/);
  expect(other.url()).toContain(fragment.split("&")[0]);
  await other.context().close();
});

test("a private link that was not opened stays in the address", async ({ page, browser }) => {
  const address = await privateLink(page);
  const other = await (await browser.newContext()).newPage();
  await other.route("**/api/v1/sealed/*", (route) => route.abort());
  await other.goto(address);
  await expect(other.getByRole("alert")).toBeVisible();
  await other.getByLabel("Measure").selectOption("edits");
  await other.waitForTimeout(WRITTEN_MS);
  await other.unroute("**/api/v1/sealed/*");
  await other.reload();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  const text = other.getByRole("textbox", { name: /^Texts/ });
  await expect(text).toHaveValue("kitten\nmitten");
  // Edited texts are there also without the link.
  await text.fill("kitten\nbitten");
  await other.waitForTimeout(WRITTEN_MS);
  await other.route("**/api/v1/sealed/*", (route) => route.abort());
  await other.reload();
  await other.getByRole("button", { name: "Change texts or options" }).click();
  await expect(text).toHaveValue("kitten\nbitten");
  await other.context().close();
});

test("texts of a deleted private link are there after a reload", async ({ page }) => {
  const address = await privateLink(page);
  await page.goto("about:blank");
  await page.goto(address);
  await expect(answer(page)).toBeVisible();
  await deleteLink(page);
  await expect(page).toHaveURL(/#s=$/);
  await page.reload();
  await expect(answer(page)).toBeVisible();
  await page.getByRole("button", { name: "Change texts or options" }).click();
  await expect(page.getByRole("textbox", { name: /^Texts/ })).toHaveValue("kitten\nmitten");
});

test("an address that cannot be opened stays", async ({ page }) => {
  await page.goto("/collections#z=AQ");
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("Measure").selectOption("edits");
  await page.waitForTimeout(WRITTEN_MS);
  expect(page.url()).toContain("#z=AQ");
  await page.getByRole("textbox", { name: /^Texts/ }).fill("kitten\nmitten");
  await expect(page).toHaveURL(/#measure=edits&a=kitten%0Amitten/);
});

test("pairs of a private link have no address, and files that replace its texts are in the address", async ({ page, browser }) => {
  const other = await stranger(browser, await privateLink(page));
  const who = other.locator(".chosen-pair .who");
  const pair = other.getByRole("link", { name: "Open this pair" });
  await expect(who).toBeVisible();
  await expect(other.getByText("These texts are from a private link, so that no address may contain them.")).toBeVisible();
  await expect(pair).toBeHidden();
  const files = ["one.txt", "two.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`the text of ${name}`) }));
  await other.getByLabel("Files to compare").setInputFiles(files);
  await expect(who).toHaveText("one.txt and two.txt");
  await expect(pair).toBeVisible();
  await expect(other).toHaveURL(/[#&]z=/);
  await other.reload();
  await expect(who).toHaveText("one.txt and two.txt");
  await other.context().close();
});

test("text that is typed while a private link is opened stays", async ({ page, browser }) => {
  const address = await privateLink(page);
  const other = await (await browser.newContext()).newPage();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await other.route("**/api/v1/sealed/*", async (route) => {
    await released;
    await route.continue();
  });
  const asked = other.waitForRequest("**/api/v1/sealed/*");
  await other.goto(address);
  await asked;
  const text = other.getByRole("textbox", { name: /^Texts/ });
  await text.fill("sunday\nsaturday");
  await expect(answer(other)).toBeVisible();
  const replied = other.waitForResponse("**/api/v1/sealed/*");
  release();
  await replied;
  await other.waitForTimeout(WRITTEN_MS);
  await expect(text).toHaveValue("sunday\nsaturday");
  await other.context().close();
});

test("a link with the texts needs no server, and a wrong key is named", async ({ page, browser }) => {
  await page.goto("/collections#a=kitten%0Amitten");
  await expect(answer(page)).toBeVisible();
  const calls: string[] = [];
  page.on("request", (request) => request.url().includes("/api/") && calls.push(request.url()));
  const address = await share(page, /^Link/);
  expect(new URL(address).hash).toContain("a=kitten%0Amitten");
  expect(calls).toEqual([]);
  await page.keyboard.press("Escape");
  const sealed = await share(page, /Private link/);
  const other = await stranger(browser, sealed.replace(/\.[\w-]{43}/, `.${"A".repeat(43)}`));
  await expect(other.getByRole("alert")).toContainText("This key does not open it");
  await other.context().close();
});

test("a search for patterns is shared by a private link", async ({ page, browser }) => {
  await page.goto("/collections#task=exact-search&a=kit%0Asit&b=kitten+sitting");
  await expect(answer(page)).toBeVisible();
  const address = await share(page, /Private link/);
  expect(address).toContain("task=exact-search");
  const other = await stranger(browser, address);
  await expect(answer(other)).toHaveText(await answer(page).innerText());
  await other.context().close();
});
