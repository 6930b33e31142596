// Keys, focus and screen readers: shortcuts that can be switched off, a live region that exists before it has text,
// menus that stay on the page.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, editor, open, runButton, type } from "./page";

function projector(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.hasAttribute("data-projector"));
}

test("single-key shortcuts are off in dialogs, and stay off if switched off", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await editor(page, "b").blur();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard" });
  await expect(sheet).toBeVisible();
  await page.keyboard.press("p");
  await page.keyboard.press("j");
  expect(await projector(page), "behind a dialog").toBe(false);
  await expect(page.getByText("1 of 3", { exact: true })).toHaveCount(0);
  await sheet.getByLabel("Single keys are shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await page.keyboard.press("p");
  await page.keyboard.press("j");
  await page.keyboard.press("?");
  expect(await projector(page)).toBe(false);
  await expect(sheet).toBeHidden();
  await expect(page).toHaveURL(/a=kitten&b=sitting/);
  await page.reload();
  await expect(answer(page)).toHaveText("3");
  await page.keyboard.press("p");
  expect(await projector(page), "after a reload").toBe(false);
  await page.getByRole("tab", { name: "Matrix" }).click();
  const step = page.locator(".deck output");
  await page.getByRole("button", { name: "First step" }).click();
  await expect(step).toContainText("step 0");
  await editor(page, "b").focus();
  await editor(page, "b").blur();
  await page.keyboard.press(".");
  await expect(step, "a step by its key").toContainText("step 0");
  await page.getByRole("tab", { name: "Alignment", exact: true }).click();
  await page.getByRole("button", { name: /^Keyboard/ }).click();
  await sheet.getByLabel("Single keys are shortcuts").check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await expect(page.getByText("1 of 3", { exact: true })).toBeVisible();
});

test("shortcuts of the alignment do not work in another view", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("tab", { name: "Metrics" }).click();
  await page.keyboard.press("j");
  await page.getByRole("tab", { name: "Alignment" }).click();
  await expect(page.getByText("3 changes").first()).toBeVisible();
  await expect(page.getByText("1 of 3", { exact: true })).toHaveCount(0);
});

test("a single live region exists before the answer and announces each answer", async ({ page }) => {
  await open(page);
  const region = page.locator("[data-live]");
  await expect(region).toHaveAttribute("aria-live", "polite");
  await expect(region).toHaveText("");
  await region.evaluate((element) => ((window as unknown as { region: Element }).region = element));
  await type(page, "kitten", "sitting");
  await expect(region).toHaveText(/^3 edits turn kitten into sitting/);
  await editor(page, "b").fill("kitten");
  await expect(region).toHaveText(/^0 edits: a and b are equal/);
  expect(await region.evaluate((element) => element === (window as unknown as { region: Element }).region), "the live region is still the same element").toBe(true);
  await expect(page.locator("output.big")).toHaveAttribute("aria-live", "off");
});

test("menus stay inside the window, close by Escape or outside, and return focus", async ({ page }) => {
  await open(page);
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 720 });
    for (const name of ["Samples", "Options"]) {
      const button = page.getByRole("button", { name, exact: true });
      await button.focus();
      await page.keyboard.press("Enter");
      const panel = page.locator(".menu-panel:popover-open");
      await expect(panel).toBeVisible();
      const box = (await panel.boundingBox())!;
      const seen = await page.evaluate(() => ({ width: document.documentElement.clientWidth, top: -window.scrollY, all: document.documentElement.scrollWidth }));
      expect(box.x, `left at ${width}`).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width, `right at ${width}`).toBeLessThanOrEqual(seen.width);
      expect(box.y, `above at ${width}`).toBeGreaterThanOrEqual(seen.top);
      expect(seen.all).toBeLessThanOrEqual(width);
      await page.keyboard.press("Escape");
      await expect(panel).toHaveCount(0);
      await expect(button).toBeFocused();
    }
    await page.getByRole("button", { name: "Samples" }).first().click();
    await expect(page.locator(".menu-panel:popover-open")).toBeVisible();
    await page.mouse.click(width - 4, 710);
    await expect(page.locator(".menu-panel:popover-open")).toHaveCount(0);
  }
});

test("the focus never moves to the body", async ({ page }) => {
  const focused = () => page.evaluate(() => document.activeElement?.tagName);
  await open(page);
  const samples = page.getByRole("button", { name: "Samples" }).first();
  await samples.click();
  await page.locator(".menu-panel:popover-open").getByRole("button", { name: /kitten/ }).first().click();
  await expect(answer(page)).toHaveText("3");
  await expect(samples, "after a sample").toBeFocused();
  await page.goto("about:blank");
  await page.goto("/approximate-search#a=summer&b=a+sommer+is+no+sumer&max_distance=2");
  const hits = page.getByRole("region", { name: "Table of matches" });
  await hits.getByRole("button").first().focus();
  await page.evaluate(() => document.activeElement!.closest("tr")!.remove());
  await expect.poll(focused, "after the focused element was removed").not.toBe("BODY");
  const next = page.getByRole("button", { name: "Next match" });
  await next.focus();
  await next.evaluate((button) => (button.closest("section")!.hidden = true));
  await expect.poll(focused, "after the focused element was hidden").not.toBe("BODY");
  expect(await page.evaluate(() => Boolean(document.activeElement?.closest("[hidden]")))).toBe(false);
});

test("the focus follows a long run to its end", async ({ page }) => {
  test.setTimeout(90_000);
  await open(page);
  const dna = (seed: number, len: number) => { let state = seed; return Array.from({ length: len }, () => "ACGT"[(state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 30]).join(""); };
  await page.getByLabel("File for a").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from(dna(1, 700_000)) });
  await page.getByLabel("File for b").setInputFiles({ name: "b.txt", mimeType: "text/plain", buffer: Buffer.from(dna(2, 700_000)) });
  const run = runButton(page);
  // While the page reads both texts for long, the button is not shown.
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs (on|in)/, { timeout: 60_000 });
  await run.focus();
  await page.keyboard.press("Enter");
  const cancel = page.getByRole("button", { name: "Cancel" });
  await expect(cancel).toBeVisible({ timeout: 30_000 });
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  await cancel.focus();
  await page.keyboard.press("Enter");
  await expect(cancel).toBeHidden();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
});

test("tabs have panels, and arrow keys move among tabs without selecting", async ({ page }) => {
  await open(page, "/#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("3");
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  const panel = (name: string) => page.getByRole("tabpanel", { name, exact: true });
  await expect(page.getByRole("tablist", { name: "View" }).getByRole("tab")).toHaveCount(4);
  await expect(panel("Alignment")).toBeVisible();
  // A panel exists before its view is downloaded, and is hidden until it is chosen.
  for (const name of ["Alignment", "Matrix", "Dot plot", "Metrics"]) {
    const id = (await tab(name).getAttribute("aria-controls"))!;
    await expect(page.locator(`#${id}[role=tabpanel]`), name).toHaveCount(1);
  }
  await expect(page.getByRole("tabpanel")).toHaveCount(1);
  // Only the chosen tab can be reached by Tab.
  for (const [name, index] of [["Alignment", "0"], ["Matrix", "-1"], ["Dot plot", "-1"], ["Metrics", "-1"]]) {
    await expect(tab(name), name).toHaveAttribute("tabindex", index);
  }
  await tab("Alignment").focus();
  for (const [key, name] of [["ArrowRight", "Matrix"], ["End", "Metrics"], ["ArrowRight", "Alignment"], ["ArrowLeft", "Metrics"], ["Home", "Alignment"], ["End", "Metrics"]]) {
    await page.keyboard.press(key);
    await expect(tab(name), key).toBeFocused();
  }
  await expect(tab("Alignment")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(panel("Metrics")).toContainText("Time by stage");
  await expect(tab("Metrics")).toHaveAttribute("aria-selected", "true");
  await expect(panel("Alignment")).toBeHidden();
  await expect(tab("Metrics")).toBeFocused();
});
