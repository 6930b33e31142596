// Long comparisons of many texts on several cores of the visitor's device.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer } from "./page";

/** 32 texts of `length` letters. The last text is the first one with an edit. */
function lines(length: number): string {
  const texts = Array.from({ length: 31 }, (_, seed) => dna(length, seed + 1));
  return [...texts, `${texts[0].slice(0, 700)}${texts[0].slice(701)}`].join("\n");
}

/**
 * Compares 32 texts of `length` letters on a device with `cores` cores. With 1,500 letters, these are 1.1 thousand million cells, which are
 * divided. Returns a function that tells the largest number of workers that ran at a time.
 */
async function compare(page: Page, cores: number, length: number): Promise<() => number> {
  let [running, most] = [0, 0];
  page.on("worker", (worker) => {
    most = Math.max(most, ++running);
    worker.on("close", () => running--);
  });
  await page.addInitScript((cores) => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores }), cores);
  await page.goto("/collections#view=pairs");
  await page.getByRole("textbox", { name: /^Texts/ }).fill(lines(length));
  return () => most;
}

async function rows(page: Page): Promise<string[]> {
  await expect(answer(page)).toBeVisible({ timeout: 60_000 });
  return page.locator(".figures.pairs tbody tr:not(.line)").allInnerTexts();
}

test("a comparison on several cores has the answer of one core", async ({ browser }) => {
  const shown: string[][] = [];
  for (const cores of [1, 4]) {
    const page = await (await browser.newContext()).newPage();
    const workers = await compare(page, cores, 1500);
    shown.push(await rows(page));
    await expect(page.getByText("Your browser compared 496 pairs,")).toBeVisible();
    expect(workers()).toBe(cores === 1 ? 1 : 4);
    await page.context().close();
  }
  expect(shown[0].length).toBeGreaterThan(30);
  expect(shown[1]).toEqual(shown[0]);
});

test("a comparison on several cores can be cancelled and begun again", async ({ page }) => {
  await compare(page, 4, 12_000);
  // More cells than are computed without being asked.
  await page.getByRole("button", { name: "Compare here" }).click();
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The comparison was cancelled.")).toBeVisible();
  await page.getByRole("textbox", { name: /^Texts/ }).fill(lines(1500));
  expect((await rows(page)).length).toBeGreaterThan(30);
});
