// A run that takes long: left, found again, stopped.
import { expect, test, type Page } from "@playwright/test";
import { dna } from "./data";
import { answer, choose, open, quickServer, runButton } from "./page";

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

test("closing the page loses nothing: the address shows the run, and cancel stops it within a second", async ({ page, context, request }) => {
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
});

test("cancel stops the browser's own solver within a second, and it answers again", async ({ page }) => {
  await open(page);
  // Too long to be answered while typing, and kept from the server.
  await page.route("**/api/v1/engines", (route) => route.abort());
  const text = dna(400_000, 3);
  await choose(page, "a", { name: "a.txt", content: text });
  await choose(page, "b", { name: "b.txt", content: dna(400_000, 4) });
  await runButton(page).click();
  const cancel = page.getByRole("button", { name: "Cancel" });
  await expect(cancel).toBeVisible();
  await cancel.click();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("Cancelled", { timeout: 1_000 });
  await choose(page, "b", { name: "b.txt", content: text });
  await runButton(page).click();
  await expect(answer(page)).toHaveText("0", { timeout: 10_000 });
});

test("what sends a run to the server does not load: the page says so, and sends it when it is told to again", async ({ page }) => {
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

// Pressed while the file is being opened, before it is looked at, and while the server is asked.
for (const delay of [0, 50, 300, 600]) {
  test(`Run pressed ${delay} ms after a file was chosen follows the plan once it is made`, async ({ page }) => {
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

test("Run pressed while both files are still being read counts once they are", async ({ page }) => {
  test.setTimeout(90_000);
  // A slow disk, and a server that cannot be reached: this device solves it when it is told to.
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

test("a server that offers more after a minute is asked again, without a reload", async ({ page }) => {
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
