// The papers' methods, chosen on the page: each solves its task on this device, with the same answer as the default
// engine.
import { expect } from "@playwright/test";
import { test } from "./test";
import { answer, apiCalls, fillOption, open, options } from "./page";

/** For each task: an address with its texts, the methods of the papers, and their publications. */
const TASKS = [
  { address: "/#a=kitten&b=sitting", says: "3", methods: { sequential: "paper 000, 4", diagonal: "paper 000, 5" } },
  { address: "/approximate-search#a=annual&b=annealing", says: "1", methods: { sequential: "paper 000", diagonal: "paper 000", slices: "paper 000" } },
  { address: "/lcs#a=kitten&b=sitting", says: "4", methods: { hirschberg: "paper 001", "bit-parallel": "paper 001", "bit-parallel-blocks": "paper 001" } },
  { address: "/match-count#a=aba&b=xabababx", says: "3", methods: { naive: "paper 002", "shift-add": "paper 002", "parallel-shift-add": "paper 002" } },
  { address: "/exact-search#a=ana&b=bananas", says: "2", methods: { naive: "paper 004", kmp: "paper 004", "kmp-blocks": "paper 004" } },
];

for (const { address, says, methods } of TASKS) {
  const task = new URL(address, "http://page").pathname;
  test(`every method of ${task} has the answer of the engine and names its section`, async ({ page }) => {
    await open(page, address);
    const calls = apiCalls(page);
    await expect(answer(page)).toHaveText(says);
    const choice = page.getByLabel("Method");
    await options(page);
    await expect(choice).toBeVisible();
    expect(await choice.locator("option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))).toEqual(["", ...Object.keys(methods)]);
    for (const [method, published] of Object.entries(methods)) {
      await fillOption(page, "Method", method);
      await expect.poll(() => page.url()).toMatch(new RegExp(`method=${method}(&|$)`));
      await expect(page.locator("main[data-stale]")).toHaveCount(0);
      await expect(answer(page)).toHaveText(says);
      await page.getByRole("tab", { name: "Metrics" }).click();
      await expect(page.getByRole("link", { name: published })).toBeVisible();
      await page.reload();
      await expect(answer(page)).toHaveText(says);
      await options(page);
      await expect(choice).toHaveValue(method);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("link", { name: published })).toBeVisible();
    }
    // No request was sent to the server.
    expect(calls.filter((call) => call.startsWith("POST"))).toEqual([]);
  });
}
