// The figures of a run: its time by stage, the same job here and on the server, and the commands that reproduce it.
import { spawnSync } from "node:child_process";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, apiCalls, open, type } from "./page";

const KITTEN = "/#a=kitten&b=sitting&view=metrics";

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  for (const width of [1440, 768, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
  }
}

function section(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("stages are shown with times, and both engines are compared", async ({ page }) => {
      await open(page, KITTEN);
      const calls = apiCalls(page);
      await expect(section(page, "Time by stage").getByRole("listitem").filter({ hasText: "Computing" })).toBeVisible();
      const versus = section(page, "This device and the server");
      await expect(versus).toContainText("The button sends both texts, 13 bytes, to the server");
      expect(calls).toEqual([]);
      await versus.getByRole("button", { name: "Run it here and on the server" }).click();
      await expect(versus.getByText("Both found the same.")).toBeVisible();
      await expect(versus.getByRole("listitem")).toHaveCount(2);
      await expect(versus.getByRole("listitem").first()).toContainText("WebAssembly, one thread");
      expect(calls).toContain("POST /api/v1/jobs");
      // The page still shows the result of this device.
      await page.getByRole("tab", { name: "Alignment", exact: true }).click();
      await expect(page.locator(".align .row, .align .at").first()).toBeVisible();
      await page.getByRole("tab", { name: "Metrics", exact: true }).click();
      await check(page);
    });
  });
}

test("a run can be reproduced by hashes and by a command that the server accepts", async ({ page, baseURL }) => {
  await open(page, KITTEN);
  const again = section(page, "Reproduce this run");
  await expect(again.getByText(/^[0-9a-f]{64}$/)).toHaveCount(2);
  await expect(again).toContainText("editscope solve edit-distance a.txt b.txt --engine cpu --set unit=graphemes");
  const command = await again.locator("pre").last().innerText();
  expect(command).toContain(`${new URL(baseURL!).origin}/api/v1/jobs?wait=30`);
  const { stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  const answered = JSON.parse(stdout);
  expect(answered.answer.distance).toBe(3);
  // The server reports the same hashes of the texts.
  await expect(again.getByText(answered.a.blake3)).toBeVisible();
  await expect(again.getByText(answered.b.blake3)).toBeVisible();
});

test("a result of the server is also computed here from fetched texts", async ({ page }) => {
  await open(page);
  // The second text is short enough for the page to have it, so that the job contains it directly.
  const [a, b] = [dna(17_000, 1), dna(1_000, 2)];
  const solved = await page.evaluate(async ([a, b]) => {
    const upload = async (text: string) => (await (await fetch("/api/v1/texts", { method: "PUT", body: text })).json()).id;
    const job = { task: "edit-distance", options: { alignment: false }, a: { upload: await upload(a) }, b: { upload: await upload(b) } };
    const headers = { "content-type": "application/json" };
    return (await (await fetch("/api/v1/jobs?wait=30", { method: "POST", headers, body: JSON.stringify(job) })).json()).id;
  }, [a, b]);
  await page.goto(`/j/${solved}#view=metrics`);
  await expect(answer(page)).not.toBeEmpty({ timeout: 20_000 });
  const versus = section(page, "This device and the server");
  await expect(versus).toContainText("The button brings 17 kB into this browser, and sends 1 kB to the server");
  const calls = apiCalls(page);
  await versus.getByRole("button", { name: "Run it here and on the server" }).click();
  await expect(versus.getByText("Both found the same.")).toBeVisible({ timeout: 25_000 });
  expect(calls.filter((call) => call.endsWith("/file"))).toHaveLength(1);
  expect(calls.filter((call) => call.startsWith("PUT"))).toEqual([]);
});

test("a long comparison can be stopped without stopping the page", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "the", "the other day they gathered there ".repeat(10));
  await page.getByRole("tab", { name: "Metrics", exact: true }).click();
  const versus = section(page, "This device and the server");
  // The server is slow.
  await page.route("**/api/v1/jobs?wait=5&fresh=1", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await route.continue().catch(() => {});
  });
  await versus.getByRole("button", { name: "Run it here and on the server" }).click();
  await expect(versus.getByText("The server computes.")).toBeVisible();
  await versus.getByRole("button", { name: "Stop" }).click();
  await expect(versus.getByRole("button", { name: "Run it here and on the server" })).toBeVisible();
  await expect(versus.getByText("Both found the same.")).toBeHidden();
  await expect(answer(page)).toHaveText("50");
});

test("a comparison stopped while its job is being posted leaves no job behind", async ({ page }) => {
  await open(page, KITTEN);
  const versus = section(page, "This device and the server");
  let [id, let_go] = ["", () => {}];
  const held = new Promise<void>((resolve) => (let_go = resolve));
  // The server has the job, but the page does not know its id yet.
  await page.route("**/api/v1/jobs?wait=5&fresh=1", async (route) => {
    const response = await route.fetch();
    ({ id } = await response.json());
    await held;
    await route.fulfill({ response }).catch(() => {});
  });
  const calls = apiCalls(page);
  await versus.getByRole("button", { name: "Run it here and on the server" }).click();
  await expect.poll(() => id).not.toBe("");
  await versus.getByRole("button", { name: "Stop" }).click();
  await expect(versus.getByRole("button", { name: "Run it here and on the server" })).toBeVisible();
  let_go();
  await expect.poll(() => calls).toContain(`DELETE /api/v1/jobs/${id}`);
});
