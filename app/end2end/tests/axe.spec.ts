// Axe finds no accessibility violation in any view with content, in light and in dark.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { views } from "../views.mjs";
import { dna } from "./data";
import { answer, answered, open, type } from "./page";

/** Checks all rules in the light theme, and those that depend on colours in the dark theme. */
async function check(page: Page): Promise<void> {
  const found = async (axe: AxeBuilder) =>
    (await axe.analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(" ")}`);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  expect(await found(new AxeBuilder({ page })), "in light").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect(await found(new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"])), "in dark").toEqual([]);
}

for (const [name, address] of Object.entries(views)) {
  test(name, async ({ page }) => {
    await page.goto(address);
    await expect(answered(page)).toBeVisible();
    await check(page);
  });
}

test("the empty form is accessible", async ({ page }) => {
  await open(page);
  await check(page);
});

test("the sheet of keys and the share dialog are accessible", async ({ page }) => {
  await page.goto(views.alignment);
  await expect(answer(page)).toBeVisible();
  await answer(page).click();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await check(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("dialog").getByRole("img", { name: "QR code of the link" })).toBeVisible();
  await check(page);
});

test("a failure is accessible", async ({ page }) => {
  await open(page);
  await page.getByLabel("File for a").setInputFiles({ name: "a.bin", mimeType: "application/octet-stream", buffer: Buffer.from([97, 255, 98]) });
  await page.getByRole("textbox", { name: "b", exact: true }).fill("abc");
  await expect(page.getByRole("alert")).toBeVisible();
  await check(page);
});

test("a running job is accessible", async ({ page, request }) => {
  const upload = async (text: string) => (await (await request.put("/api/v1/texts", { data: Buffer.from(text) })).json()).id;
  const [a, b] = [await upload(dna(1_500_000, 5)), await upload(dna(1_500_000, 6))];
  const { id } = await (await request.post("/api/v1/jobs", { data: { task: "edit-distance", a: { upload: a }, b: { upload: b } } })).json();
  await page.goto(`/j/${id}`);
  await expect(page.getByRole("progressbar", { name: "Progress" })).toBeVisible();
  await check(page);
  await request.delete(`/api/v1/jobs/${id}`);
});

test("a shared result, its frame and its print sheet are accessible", async ({ page, request }) => {
  test.setTimeout(60_000);
  const job = { task: "edit-distance", a: { text: "intention" }, b: { text: "execution" }, options: { unit: "graphemes" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  const link = await (await request.post("/api/v1/links", { data: { job: id, lifetime: "1d" } })).json();
  const path = new URL(link.url, "http://127.0.0.1").pathname;
  for (const address of [path, `/embed${path}`, "/print#a=SUNDAY&b=SATURDAY", "/how", "/limits", "/papers", "/learn", "/learn/costs", "/learn/collections"]) {
    await page.goto(address);
    // The server's own text of a result is replaced by the live view.
    await page.waitForLoadState("networkidle");
    await expect(page.getByRole("heading", { level: 1 }).or(page.getByRole("heading", { level: 2 })).first()).toBeVisible();
    await check(page);
  }
});

test("the API reference is accessible, folded and with one entry open", async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto("/api/docs");
  await expect(page.getByText("GET /api/v1/engines").first()).toBeVisible();
  await check(page);
  await expect(page.locator("#schema-Snapshot")).toBeHidden();
  await page.locator('a[href="#schema-Snapshot"]').first().evaluate((link: HTMLElement) => link.click());
  await expect(page.locator("#schema-Snapshot")).toBeVisible();
});

test("two long texts with scattered differences are accessible", async ({ page }) => {
  await open(page);
  const text = dna(600, 7);
  await type(page, text, `${text.slice(0, 300)}ACGTTTT${text.slice(320)}`);
  await expect(answer(page)).toBeVisible();
  await check(page);
});
