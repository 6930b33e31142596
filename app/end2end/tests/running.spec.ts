// A long run: left, found again, cancelled.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, choose, open, quickServer, runButton, solved } from "./page";

/** Starts a run of about 10¹² cells on the server and returns its address once it computes. */
async function start(page: Page): Promise<string> {
  await quickServer(page);
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(1_200_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(1_200_000, 2) });
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs on the server/);
  await runButton(page).click();
  await expect(page.getByText(/cells a second/)).toBeVisible({ timeout: 60_000 });
  return page.url();
}

test("a run survives closing the page, and cancel stops it within a second", async ({ browser, page, context, request }) => {
  test.setTimeout(120_000);
  const address = await start(page);
  await page.close();

  const again = await context.newPage();
  await again.goto(address);
  await expect(again.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  await expect(again.getByText(/cells a second/)).toBeVisible();

  const id = new URL(address).pathname.split("/").at(-1);
  const clicked = Date.now();
  await again.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(async () => (await (await request.get(`/api/v1/jobs/${id}`)).json()).state, { intervals: [50] }).toBe("cancelled");
  expect(Date.now() - clicked).toBeLessThan(1_000);
  await expect(again.getByRole("region", { name: "Plan" })).toContainText("Cancelled");
  await expect(answer(again)).toHaveCount(0);

  // The texts are on the server only. Their owner may delete them; others read that they exist.
  await expect(again.getByText(/Your texts stay on the server until/)).toBeVisible();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(address);
  await expect(stranger.getByText("The texts of this job stay on the server for a limited time.")).toBeVisible();
  await expect(stranger.getByRole("button", { name: "Delete now" })).toHaveCount(0);
  const uploads = await request.get(`/api/v1/jobs/${id}/texts/a?from=0&len=1`);
  expect(uploads.status()).toBe(200);
  await again.getByRole("button", { name: "Delete now" }).click();
  await expect(again.getByText("Deleted from the server.")).toBeVisible();
  expect((await request.get(`/api/v1/jobs/${id}/texts/a?from=0&len=1`)).status()).toBeGreaterThanOrEqual(404);
  await again.goto(address);
  await expect(again.getByRole("alert")).toContainText(/You deleted this result on .+It cannot be brought back./);
  await expect(again.getByRole("textbox")).toHaveCount(0);
});

test("a run cancelled by its maker leaves nothing on the server", async ({ page, request }) => {
  test.setTimeout(120_000);
  const address = await start(page);
  const id = new URL(address).pathname.split("/").at(-1);
  // The key that brings texts back leaves a run on the server alone.
  await expect(page.locator(".toast .offer")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  expect(page.url()).toBe(address);
  await page.reload();
  await expect(page.getByRole("heading", { name: "a.txt and b.txt" })).toBeVisible();
  await page.goto("/");
  await page.goBack();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("Cancelled");
  expect((await request.get(`/api/v1/jobs/${id}`)).status()).toBe(200);

  const again = await page.context().newPage();
  const second = await start(again);
  await again.getByRole("button", { name: "Cancel" }).click();
  await expect(again.getByText("Deleted from the server. Your texts are still in this page.")).toBeVisible();
  expect(new URL(again.url()).pathname).toBe("/");
  const gone = new URL(second).pathname.split("/").at(-1);
  expect((await request.get(`/api/v1/jobs/${gone}/texts/a?from=0&len=1`)).status()).toBeGreaterThanOrEqual(404);
  await again.getByRole("button", { name: "Run" }).click();
  await expect(again).toHaveURL(/\/j\//, { timeout: 60_000 });
  await again.getByRole("button", { name: "Cancel" }).click();
  await expect(again.getByText("Deleted from the server.")).toBeVisible();
});

test("cancel stops the browser's solver, and the next comparison works", async ({ page }) => {
  await open(page);
  // Too long to be answered while typing, and without offers of the server.
  await page.route("**/api/v1/engines", (route) => route.abort());
  const text = dna(400_000, 3);
  await choose(page, "a", { name: "a.txt", content: text });
  await choose(page, "b", { name: "b.txt", content: dna(400_000, 4) });
  await runButton(page).click();
  const cancel = page.getByRole("button", { name: "Cancel" });
  await expect(cancel).toBeVisible();
  await cancel.click();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("Cancelled. Nothing was uploaded.", { timeout: 1_000 });
  await choose(page, "b", { name: "b.txt", content: text });
  // A fast machine answers without being told to.
  await solved(page, "0");
});

test("if the code for uploads does not load, the page says so and can try again", async ({ page }) => {
  test.setTimeout(90_000);
  await page.route(/split_stored/, (route) => route.abort());
  await quickServer(page);
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(400_000, 5) });
  await choose(page, "b", { name: "b.txt", content: dna(400_000, 6) });
  const plan = page.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText(/Runs on the server/, { timeout: 20_000 });
  await runButton(page).click();
  await expect(page.getByRole("alert")).toContainText("A part of the page did not load");
  await page.unroute(/split_stored/);
  await runButton(page).click();
  await expect(page).toHaveURL(/\/j\//, { timeout: 20_000 });
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(plan).toContainText("Cancelled", { timeout: 20_000 });
});

// Pressed at once, while the file is being opened, and while the server is asked for offers.
for (const delay of [0, 50, 300, 600]) {
  test(`a run requested ${delay} ms after a file was chosen waits for the plan`, async ({ page }) => {
    // The server compares both texts beside other tests.
    test.setTimeout(90_000);
    await quickServer(page, { delay: 800 });
    await open(page);
    await choose(page, "a", { name: "a.txt", content: dna(400_000, 1) });
    await page.getByLabel("File for b").evaluate((input, delay) => {
      const run = [...document.querySelectorAll("button")].find((button) => button.textContent?.trim().startsWith("Run"))!;
      input.addEventListener("change", () => setTimeout(() => run.click(), delay));
    }, delay);
    await choose(page, "b", { name: "b.txt", content: dna(400_000, 2) });
    await expect(page).toHaveURL(/\/j\//, { timeout: 20_000 });
    await expect(answer(page)).not.toBeEmpty({ timeout: 60_000 });
  });
}

test("a run requested while both files are read starts once they are read", async ({ page }) => {
  test.setTimeout(90_000);
  // A slow disk and an unreachable server: this device computes when told to.
  await page.addInitScript(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = async function () {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return read.call(this);
    };
  });
  await page.route("**/api/v1/engines", (route) => route.abort());
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(100_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(100_000, 2) });
  await runButton(page).click({ timeout: 1_000 });
  await expect(answer(page)).not.toBeEmpty({ timeout: 60_000 });
});

test("engines are asked again after a minute, without a reload", async ({ page }) => {
  let asked = 0;
  await page.clock.install();
  await quickServer(page, {
    change: (told) => {
      asked += 1;
      return asked > 1 ? told : told.replaceAll('"cells_per_second":1e12', '"cells_per_second":1');
    },
  });
  await open(page);
  const plan = page.getByRole("region", { name: "Plan" });
  await choose(page, "a", { name: "a.txt", content: dna(400_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(400_000, 2) });
  await expect(plan).toContainText("Runs in your browser", { timeout: 20_000 });
  await choose(page, "b", { name: "c.txt", content: dna(400_000, 3) });
  await expect(plan).toContainText("Runs in your browser", { timeout: 20_000 });
  expect(asked).toBe(1);
  await page.clock.fastForward(61_000);
  await choose(page, "b", { name: "d.txt", content: dna(400_000, 4) });
  await expect(plan).toContainText(/Runs on the server/, { timeout: 20_000 });
  expect(asked).toBe(2);
});

test("missing parts of a result are loaded once the page is online again", async ({ page, request }) => {
  const job = { task: "edit-distance", a: { text: "kitten" }, b: { text: "sitting" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=20&fresh=1", { data: job })).json();
  await page.route(/\/(alignment|export)/, (route) => route.abort());
  await page.goto(`/j/${id}`);
  await expect(answer(page)).toHaveText("3");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("It appears as soon as you are online again.");
  await page.unroute(/\/(alignment|export)/);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(alert).toHaveCount(0);
  await expect(answer(page)).toHaveText("3");
});

test("an unknown address is reported in place of the page content", async ({ page }) => {
  await page.goto("/nope");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("This page does not exist");
  await expect(alert).not.toContainText("not-found");
  await expect(page.getByRole("textbox")).toHaveCount(0);
  await page.getByRole("button", { name: "Start a comparison" }).click();
  await expect(page.getByRole("textbox").first()).toBeVisible();
  await expect(alert).toHaveCount(0);
});
