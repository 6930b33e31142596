// Actions of a visitor on the page, by roles and labels.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Download, type Locator, type Page, type Route } from "@playwright/test";

export type File = { name: string; content: string | Buffer };

/**
 * Opens the form and waits for hydration, which shows in the start of the solver when a field gets the focus. Earlier
 * clicks have no effect.
 */
export async function open(page: Page, address = "/"): Promise<void> {
  let started = false;
  page.on("request", (request) => (started ||= request.url().endsWith("/worker.js")));
  await page.goto(address);
  await expect(async () => {
    await editor(page, "a").blur();
    await editor(page, "a").focus();
    expect(started).toBe(true);
  }).toPass({ intervals: [50] });
}

/**
 * Makes the server report fast engines, so that plans use it: a server that was busy during its measurement would leave
 * more to the page. Changes the response as text, because JavaScript would round its largest numbers.
 */
export async function quickServer(page: Page, { delay = 0, change = (told: string) => told } = {}): Promise<void> {
  const answer = async (route: Route) => {
    const [response] = await Promise.all([route.fetch(), new Promise((resolve) => setTimeout(resolve, delay))]);
    const told = (await response.text()).replace(/"cells_per_second":[^,}]+/g, '"cells_per_second":1e12');
    await route.fulfill({ response, body: change(told) });
  };
  // A page that was left makes no more requests.
  await page.route("**/api/v1/engines", (route) => answer(route).catch(() => {}));
}

/** Makes the server report slow engines, so that every comparison runs in this browser. */
export async function slowServer(page: Page): Promise<void> {
  await page.route("**/api/v1/engines", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/"cells_per_second":[^,}]+/g, '"cells_per_second":1') });
  });
}

export function editor(page: Page, which: "a" | "b"): Locator {
  return page.getByRole("textbox", { name: which === "a" ? /(^|\s)a$/ : /(^|\s)b$/ });
}

export async function type(page: Page, a: string, b: string): Promise<void> {
  await editor(page, "a").fill(a);
  await editor(page, "b").fill(b);
}

/** Opens a file from disk, as a visitor does, because Playwright would build given contents inside the page. */
export async function choose(page: Page, which: "a" | "b", { name, content }: File): Promise<void> {
  const path = join(mkdtempSync(join(tmpdir(), "editscope-")), name);
  writeFileSync(path, content);
  await page.getByLabel(`File for ${which}`).setInputFiles(path);
}

export async function countIn(page: Page, unit: "bytes" | "chars" | "graphemes" | "words" | "lines"): Promise<void> {
  const panel = await options(page);
  await panel.locator(`input[name="unit"][value="${unit}"]`).check();
  await page.keyboard.press("Escape");
}

/** Opens the panel of options. */
export async function options(page: Page): Promise<Locator> {
  return menu(page, "options");
}

/** Opens a menu of the page. */
async function menu(page: Page, id: string): Promise<Locator> {
  const panel = page.locator(`#${id}`);
  await expect(async () => {
    if (!(await panel.isVisible())) await page.locator(`[popovertarget="${id}"]`).click({ timeout: 1_000 });
    await expect(panel).toBeVisible({ timeout: 500 });
  }).toPass();
  return panel;
}

/** Opens the menu of exports. */
export async function exported(page: Page): Promise<Locator> {
  return menu(page, "exports");
}

/** Returns the region of the answer. A matrix hides it until the last step. */
export function answered(page: Page): Locator {
  return page.locator('[data-part="answer"]');
}

/** Returns the button that starts the waiting job. */
export function runButton(page: Page): Locator {
  return page.locator(".runbar").getByRole("button", { name: /^Run/ });
}

/**
 * Presses Run until the page shows the number `number`, because a page on a busy machine leaves more runs to the
 * visitor.
 */
export async function solved(page: Page, number: string): Promise<void> {
  await expect(async () => {
    if (await runButton(page).isVisible()) await runButton(page).click({ timeout: 1_000 });
    await expect(answer(page)).toHaveText(number, { timeout: 10_000 });
  }).toPass();
}

/** Switches an option on or off, by its label in the panel. */
export async function setOption(page: Page, label: string, on = true): Promise<void> {
  await (await options(page)).getByLabel(label, { exact: true }).setChecked(on);
  await page.keyboard.press("Escape");
}

/** Fills in a number, or chooses a method, in the panel of options. */
export async function fillOption(page: Page, label: string, value: string): Promise<void> {
  const field = (await options(page)).getByLabel(label);
  if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(value);
  else await field.fill(value);
  await page.keyboard.press("Escape");
}

/** Returns the big number of the answer. */
export function answer(page: Page): Locator {
  return page.locator("output.big");
}

/** Returns the CIGAR that the page saves. */
export async function cigar(page: Page): Promise<string> {
  const download = page.waitForEvent("download");
  // The alignment of an opened hit has a menu of its own.
  const ofHit = await page.locator('[popovertarget="exports-hit"]').isVisible();
  const files = ofHit ? await menu(page, "exports-hit") : await exported(page);
  await files.getByRole("button", { name: "CIGAR" }).or(files.getByRole("link", { name: "CIGAR" })).click();
  await page.keyboard.press("Escape");
  return (await content(await download)).trim();
}

/** Returns the content of the file that the page saves for this menu entry. */
export async function saved(page: Page, name: string): Promise<string> {
  const download = page.waitForEvent("download");
  await (await exported(page)).getByRole("button", { name, exact: true }).click();
  await page.keyboard.press("Escape");
  return content(await download);
}

async function content(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Collects the addresses under /api/ that the page requests from now on. */
export function apiCalls(page: Page): string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) calls.push(`${request.method()} ${pathname}`);
  });
  return calls;
}
