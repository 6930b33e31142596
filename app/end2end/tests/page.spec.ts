import { expect, test } from "@playwright/test";

test("the page comes to life under its content security policy", async ({ page }) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const answer = await page.goto("/");
  expect(answer?.headers()["content-security-policy"]).toContain("'wasm-unsafe-eval'");
  await expect(page).toHaveTitle(/Editscope/);
  await page.waitForLoadState("networkidle");
  expect(complaints).toEqual([]);
});

test("a script may be kept for ever, the page must be asked for again", async ({ page, request }) => {
  const document = await page.goto("/");
  expect(document?.headers()["cache-control"]).toBe("no-cache");
  const folder = await page.locator('meta[name="pkg"]').getAttribute("content");
  const script = await request.get(`${folder}/app_bg.wasm`, { headers: { "accept-encoding": "br" } });
  expect(script.headers()["cache-control"]).toContain("immutable");
  expect(script.headers()["content-encoding"]).toBe("br");
  expect(script.headers()["content-type"]).toBe("application/wasm");
});
