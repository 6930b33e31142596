// The page tells what the server stores about a visitor, and deletes it at the visitor's request.
import { expect } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, choose, open, quickServer, runButton } from "./page";

test("a result is deleted with its uploads, and compared again from this device", async ({ page, request }) => {
  test.setTimeout(120_000);
  await quickServer(page);
  await open(page);
  const a = dna(400_000, 1);
  await choose(page, "a", { name: "a.txt", content: a });
  await choose(page, "b", { name: "b.txt", content: dna(200_000, 2) + a.slice(200_000) });
  await runButton(page).click();
  await expect(page).toHaveURL(/\/j\//, { timeout: 20_000 });
  await expect(answer(page)).not.toBeEmpty({ timeout: 60_000 });
  await expect(page.getByText(/The server keeps this result for .+ and deletes your texts on .+\./)).toBeVisible();
  const job = `/api/v1/jobs/${new URL(page.url()).pathname.split("/").at(-1)}`;
  expect((await request.get(job)).status()).toBe(200);

  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your links (1)").click();
  await expect(dialog.getByRole("link", { name: "Edit distance" })).toBeVisible();
  await page.keyboard.press("Escape");

  const deleted: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && deleted.push(new URL(request.url()).pathname));
  await page.getByRole("button", { name: "Delete now" }).click();
  const told = page.getByText("The server has deleted the result.");
  await expect(told).toBeVisible();
  await expect(answer(page)).toHaveCount(0);
  expect((await request.get(job)).status()).toBe(410);
  expect(deleted.filter((path) => path.startsWith("/api/v1/texts/"))).toHaveLength(2);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("delete ")))).toEqual([]);

  // The message stays visible beside the new plan for the same texts.
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs (on|in)/);
  await page.waitForTimeout(1_000);
  await expect(told).toBeVisible();

  // The texts are on this device, and are sent again.
  await runButton(page).click();
  await expect(page).toHaveURL(/\/j\//, { timeout: 20_000 });
  await expect(told).toHaveCount(0);
  await expect(answer(page)).not.toBeEmpty({ timeout: 60_000 });
});
