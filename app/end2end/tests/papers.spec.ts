// The papers: cards in every language, tables with measured figures, methods in a frame.
import { expect } from "@playwright/test";
import { test } from "./test";
import { expectAccessible } from "./accessible";
import { open } from "./page";

const LANGUAGES = ["en", "de", "es", "fr", "ja", "zh"];

test("the footer links to five papers with pictures, and their page runs no script", async ({ page }) => {
  await open(page);
  const scripts: string[] = [];
  await page.getByRole("contentinfo").getByRole("link", { name: "The papers" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The papers");
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  await page.reload();
  await expect(page.getByRole("article")).toHaveCount(5);
  await expect(page.locator("article .idea svg")).toHaveCount(5);
  expect(scripts).toEqual([]);
});

test("published times are listed beside those of the method here and of Editscope", async ({ page }) => {
  await page.goto("/papers");
  const table = page.getByRole("region", { name: "Approximate search: times of both papers" });
  const row = table.getByRole("row").filter({ hasText: "1,024" });
  await expect(row.getByRole("cell")).toHaveText(["419.6", "16", "27,720", "66.1", /^\d+(\.\d)?$/, "14.35", "9,141", "0.53", "24.03"]);
  // The page states that the model is within a fifth of the published times.
  const priced = Number(await row.getByRole("cell").nth(4).textContent());
  expect(Math.abs(priced / 419.6 - 1)).toBeLessThan(0.22);
  const subsequences = page.getByRole("row").filter({ hasText: "131,574.88" });
  await expect(subsequences.getByRole("cell")).toHaveText(["10,306.66", "131,574.88", "12.77", "630.7", "2.571"]);
  const chart = page.getByRole("img", { name: /48 published times/ });
  await expect(chart.locator("circle")).toHaveCount(48);
  const measured = page.getByRole("img", { name: /every time is 2\.08–2\.17 times what is predicted.* 1\.54–2\.55 times/ });
  await expect(measured.locator("circle")).toHaveCount(48);
});

test("the numbers of the machine are beside the prediction, with two more tables", async ({ page }) => {
  await page.goto("/papers");
  const machine = page.getByRole("region", { name: "The numbers of that machine" });
  for (const [symbol, value, what] of [["w", "32", "threads of a warp"], ["d", "132", "multiprocessors"], ["p", "1,024; 270,336", "95"], ["l", "29 (15 ns)", "shared memory"], ["L", "649 (334 ns); 288 (148 ns)", "global memory"]]) {
    const row = machine.getByRole("row").filter({ has: page.getByRole("rowheader", { name: symbol, exact: true }) });
    await expect(row.getByRole("cell").first()).toHaveText(value);
    await expect(row.getByRole("cell").last()).toContainText(what);
  }
  await expect(page.getByText("NVIDIA H200, and the threads")).toBeVisible();
  const rates = page.getByRole("region", { name: "Approximate search: throughput" });
  await expect(rates.getByRole("row").filter({ hasText: "Xu et al. 2013" }).getByRole("cell")).toHaveText(["17", "1", "GeForce 310M", "2.17", "5,409", "27.31", "4,923", "872.8"]);
  const ups = page.getByRole("region", { name: "Longest common subsequence: speed-up" });
  await expect(ups.getByRole("row").filter({ hasText: "1.8 × 1.51" }).getByRole("cell")).toHaveText(["13.4", "43.1", "69.07", "76.5", "130.2", "467.7", "280,954"]);
});

test("a method can be watched beside its description after a click", async ({ page }) => {
  const frames: string[] = [];
  page.on("request", (request) => request.url().includes("/embed/") && frames.push(request.url()));
  await page.goto("/papers");
  await page.waitForLoadState("networkidle");
  expect(frames).toEqual([]);
  const card = page.getByRole("article").filter({ hasText: "Bit-Parallelism" });
  await card.getByText("Watch Hirschberg").click();
  const frame = card.frameLocator("iframe");
  const at = frame.locator(".deck output");
  await expect(at).toHaveText("step 29 of 39");
  await frame.getByRole("button", { name: "Step forward" }).click();
  await expect(at).toHaveText("step 30 of 39");
  expect(frames).toHaveLength(1);
});

for (const language of LANGUAGES) {
  test(`in ${language} the papers fit a phone and are accessible`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`/papers?language=${language}`);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expectAccessible(page, 320);
  });
}
