// Results in other sites' pages, on paper, and the static pages.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { test } from "./test";
import { answer } from "./page";

test("another site can show a result in a frame, and no other page of this one", async ({ page, baseURL }) => {
  const frame = (path: string) => `<iframe title="${path}" width="800" height="420" src="${new URL(path, baseURL)}"></iframe>`;
  const body = frame("/embed/lcs#a=kitten&amp;b=sitting") + frame("/lcs#a=kitten&amp;b=sitting");
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(body)).listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address() as AddressInfo;
  await page.goto(`http://localhost:${port}/`);
  const shown = page.frameLocator('iframe[title^="/embed"]');
  await expect(shown.locator("output.big")).toHaveText("4");
  await expect(shown.getByRole("navigation")).toHaveCount(0);
  await expect(shown.getByRole("textbox", { name: "a", exact: true })).toHaveCount(0);
  await expect(shown.getByRole("link", { name: "Open in Editscope" })).toHaveAttribute("href", "/lcs#a=kitten&b=sitting");
  await expect(page.frameLocator('iframe[title^="/lcs"]').locator("main")).toHaveCount(0);
  site.close();
});

test("a frame shows the texts on request", async ({ page }) => {
  await page.goto("/embed/edit-distance#a=kitten&b=sitting&texts");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("textbox", { name: "b", exact: true }).fill("kitchen");
  await expect(answer(page)).toHaveText("2");
  expect(new URL(page.url()).pathname).toBe("/embed/edit-distance");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});

test("a frame shows exactly the steps that its address names", async ({ page }) => {
  await page.goto("/embed/exact-search#a=ana&b=bananas&view=matrix&lens=kmp&steps=3-6");
  const step = page.getByRole("slider", { name: "Step" });
  await expect(step).toHaveValue("3");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(step).toHaveValue("6");
  await expect(page.getByRole("button", { name: "Step forward" })).toBeVisible();
  await page.getByRole("button", { name: "Step forward" }).click();
  await expect(step).toHaveValue("6");
  await page.getByRole("button", { name: "First step" }).click();
  await expect(step).toHaveValue("3");
  await page.goto("/embed/edit-distance#a=kitten&b=sitting&view=matrix&order=diag&steps=2-5");
  await page.reload();
  await expect(step).toHaveValue("2");
  await page.getByRole("button", { name: "Last step" }).click();
  await expect(step).toHaveValue("5");
});

for (const path of ["/how", "/limits", "/papers", "/learn", "/learn/costs", "/api/docs"]) {
  test(`${path} can be read without scripts`, async ({ page }) => {
    // Axe checks every line of the reference, folded or not.
    test.setTimeout(120_000);
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
    for (const width of [1440, 768, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
    }
  });
}

test("a sheet to fill in is printed with its solution", async ({ page }) => {
  await page.goto("/print#a=SUNDAY&b=SATURDAY");
  const sheet = page.getByRole("article", { name: "Sheet" });
  const key = page.getByRole("article", { name: "Answer key" });
  await expect(sheet.getByRole("heading", { name: "Edit distance of SUNDAY and SATURDAY" })).toBeVisible();
  const given = () => sheet.locator("td").evaluateAll((cells) => cells.filter((cell) => cell.textContent!.trim()).length);
  expect(await given()).toBe(15);
  await expect(key.locator("td")).toHaveCount(63);
  await expect(key.locator("td").last()).toHaveText("3");
  await page.getByLabel("What is filled in").selectOption("blank");
  await expect.poll(given).toBe(0);
  await page.getByLabel("What is filled in").selectOption("3");
  // The row that contains the answer stays empty.
  await expect.poll(given).toBe(36);
  await expect(sheet.getByRole("img", { name: "QR code" })).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  const pages = async () => (await page.pdf({ format: "A4", printBackground: false })).toString("latin1").match(/\/Type \/Page\b/g)!.length;
  expect(await pages()).toBe(2);
  await page.getByLabel("Answer key on a second page").uncheck();
  await expect(key).toHaveCount(0);
  expect(await pages()).toBe(1);
});
