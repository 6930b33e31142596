// Sharing: the whole input in the address, or a result that the server keeps until it is deleted.
import { expect, test } from "@playwright/test";
import { answer, apiCalls, open, type } from "./page";

test("a link that holds its texts needs no server state", async ({ page, browser }) => {
  await open(page);
  await type(page, "naïve +&=#", "native\t👩‍🚀");
  const expected = await answer(page).textContent();
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Text in the link/ }).check();
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  expect(new URL(link).hash).not.toBe("");

  const stranger = await (await browser.newContext()).newPage();
  const calls = apiCalls(stranger);
  await open(stranger, link);
  await expect(answer(stranger)).toHaveText(expected!);
  expect(calls).toEqual([]);
  await stranger.context().close();
});

test("a stored link shows the same to a stranger, and is gone once deleted", async ({ page, browser, request }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Stored link/ }).check();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  expect(new URL(link).pathname).toMatch(/^\/r\//);

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(link);
  await expect(stranger).toHaveTitle(/3 edits/);
  await expect(answer(stranger)).toHaveText("3");
  await expect(stranger.getByRole("group", { name: /^Columns 0 to 7/ })).toBeVisible();

  await dialog.getByRole("button", { name: "Delete the link now" }).click();
  await expect(dialog.getByText("The link is deleted")).toBeVisible();
  expect((await request.get(link)).status()).toBe(410);
  await stranger.reload();
  await expect(stranger.getByRole("alert")).toContainText(/ended|deleted/);
  await context.close();
});
