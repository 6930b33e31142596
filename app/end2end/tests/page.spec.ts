import { expect } from "@playwright/test";
import { test } from "./test";
import { answer, choose, countIn, editor, open, runButton, type } from "./page";

test("the page starts under its content security policy", async ({ page }) => {
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

test("scripts may be cached forever, and the page must be revalidated", async ({ page, request }) => {
  const document = await page.goto("/");
  expect(document?.headers()["cache-control"]).toBe("no-cache");
  const folder = await page.locator('meta[name="pkg"]').getAttribute("content");
  const script = await request.get(`${folder}/app_bg.wasm`, { headers: { "accept-encoding": "br" } });
  expect(script.headers()["cache-control"]).toContain("immutable");
  expect(script.headers()["content-encoding"]).toBe("br");
  expect(script.headers()["content-type"]).toBe("application/wasm");
});

test("a view is downloaded shortly before it is shown", async ({ page }) => {
  const parts: string[] = [];
  page.on("request", (request) => parts.push(...(/(split_\w+|solver_bg)\.wasm/.exec(request.url())?.slice(1) ?? [])));
  await page.goto("/");
  await page.waitForLoadState("networkidle");
  await expect.poll(() => parts).toEqual(["split_opening"]);
  await editor(page, "a").focus();
  await expect.poll(() => parts.toSorted()).toEqual(["solver_bg", "split_opening", "split_result"]);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("dialog", { name: "Share this result" })).toBeVisible();
  expect(parts).toEqual(expect.arrayContaining(["split_dialogs"]));
  expect(parts.filter((part, at) => parts.indexOf(part) !== at)).toEqual([]);
});

test("the first answer needs few requests, and another task loads its own solver", async ({ page }) => {
  const asked: string[] = [];
  // In Chromium, requests of a worker belong to the page too.
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto("/#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("3");
  await page.waitForLoadState("networkidle");
  expect(asked.length, asked.join(" ")).toBeLessThanOrEqual(20);
  expect(asked.filter((path) => /split_(approximate_search|lcs|match_count|exact_search|files|drawings|letters|task)/.test(path))).toEqual([]);
  await page.goto("/exact-search#a=iss&b=mississippi");
  await expect(answer(page)).toHaveText("2");
  await expect.poll(() => asked.some((path) => path.endsWith("/split_exact_search.wasm"))).toBe(true);
  expect(asked.filter((path) => /split_(approximate_search|lcs|match_count)/.test(path))).toEqual([]);
});

test("the Unicode tables are loaded with the first text outside ASCII", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const letters = () => asked.filter((path) => path.endsWith("/split_letters.wasm")).length;
  await open(page);
  await type(page, "cafe\u0301", "cafe");
  await expect(answer(page)).toHaveText("1");
  expect(letters()).toBe(1);
  await type(page, "cafe\u0301", "caf\u00e9s");
  await expect(answer(page)).toHaveText("2");
  expect(letters()).toBe(1);
});

test("without the Unicode tables the page says so and still compares ASCII", async ({ page }) => {
  await open(page);
  await page.route(/split_letters/, (route) => route.abort());
  await type(page, "\u00fcber", "uber");
  await expect(page.getByText("A part of the page did not load")).toBeVisible();
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.unroute(/split_letters/);
  await type(page, "\u00fcber", "uber");
  await expect(answer(page)).toHaveText("1");
});

test("a task whose solver does not load is solved once the solver loads", async ({ page }) => {
  await open(page, "/match-count");
  await page.route(/split_match_count/, (route) => route.abort());
  await type(page, "kitten", "sitting");
  await expect(page.getByText("A part of the page did not load")).toBeVisible();
  await page.unroute(/split_match_count/);
  await type(page, "kittens", "sitting");
  await expect(answer(page)).not.toHaveText("");
  await expect(page.getByText("A part of the page did not load")).toHaveCount(0);
});

test("a part that does not load is reported and requested again", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.route(/split_dialogs/, (route) => route.abort());
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("alert")).toContainText("A part of the page did not load");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.unroute(/split_dialogs/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("dialog", { name: "Share this result" })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an action whose code did not load is done after trying again", async ({ page }) => {
  await page.route(/split_result/, (route) => route.abort());
  await open(page, "/match-count");
  await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Edit distance" }).click();
  await type(page, "kitten", "sitting");
  await expect(page.getByRole("alert")).toContainText("A part of the page did not load");
  await page.unroute(/split_result/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page).toHaveURL(/\/#a=kitten&b=sitting$/);
});

test("code that loads late compares the latest form", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/split_result/, async (route) => held.then(() => route.continue()));
  await open(page);
  await type(page, "kitten", "kit");
  await countIn(page, "bytes");
  await type(page, "kitten", "mitten");
  await runButton(page).click();
  release();
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/#a=kitten&b=mitten&unit=bytes$/);
});

test("typing overrides a file or sample chosen before", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/split_result/, async (route) => held.then(() => route.continue()));
  await open(page);
  await choose(page, "a", { name: "a.txt", content: "from a file" });
  await type(page, "kitten", "mitten");
  await page.getByRole("button", { name: "Samples" }).first().click();
  await page.locator(".menu-panel:popover-open").getByRole("button", { name: /intention/ }).first().click();
  await type(page, "kitten", "sitting");
  release();
  await expect(answer(page)).toHaveText("3");
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(editor(page, "b")).toHaveValue("sitting");
});

test("early typing is restored after a reload", async ({ page }) => {
  let visits = 0;
  // The part never loads on the first visit.
  await page.route(/split_result/, async (route) => (visits++ === 0 ? undefined : route.continue()));
  await open(page);
  await type(page, "kitten & co", "sitting");
  await page.reload();
  await expect(answer(page)).not.toBeEmpty();
  await expect(editor(page, "a")).toHaveValue("kitten & co");
  await expect(page).toHaveURL(/#a=kitten\+%26\+co&b=sitting$/);
});

for (const [what, file] of [["its wasm", "**/app_bg.wasm"], ["its script", "**/app.js"]] as const) {
  test(`a page without ${what} says that nothing works`, async ({ page }) => {
    await page.route(file, (route) => route.abort());
    await page.goto("/");
    await expect(page.getByRole("alert")).toContainText("The program of this page did not load");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
}

test.describe(() => {
  test.use({ mayStop: true });
  test("a page whose program crashed says so", async ({ page }) => {
    await open(page);
    const said = page.getByRole("alert").filter({ hasText: "has stopped because of an error" });
    await expect(said).toHaveCount(0);
    // A second hydration fails fatally without the elements that the server rendered.
    await page.evaluate(async () => {
      const { hydrate } = await import(`${document.querySelector<HTMLMetaElement>("meta[name=pkg]")!.content}/app.js`);
      document.querySelectorAll("header, main, footer").forEach((element) => element.remove());
      setTimeout(() => hydrate());
    });
    await expect(said).toBeVisible();
  });
});

test("a crash of the solver is reported, and a new solver answers", async ({ page }) => {
  // For this text the worker traps, as in a panic, outside of its message handler.
  const trap = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
  const traps = `
    const solve = self.onmessage;
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${trap}])));
    self.onmessage = (event) => (new TextDecoder().decode(event.data[1]) === "trap" ? setTimeout(exports.f) : solve(event));`;
  await page.context().route("**/worker.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + traps });
  });
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await editor(page, "a").fill("trap");
  await expect(page.getByRole("alert")).toContainText("The comparison in this browser has stopped");
  await type(page, "kitten", "sit");
  await expect(answer(page)).toHaveText("4");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the answer has no run button, and can be computed again from the metrics", async ({ page }) => {
  await open(page);
  await expect(runButton(page)).toBeHidden();
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await expect(runButton(page)).toBeHidden();
  await page.getByRole("button", { name: "Run details" }).click();
  await page.getByRole("button", { name: "Run again" }).click();
  await expect(answer(page)).toHaveText("3");
});

test("a solver that does not load is not reported as crashed", async ({ page }) => {
  let cut = true;
  await page.context().route("**/solver_bg.wasm", (route) => (cut ? route.abort() : route.continue()));
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(page.getByRole("alert")).toContainText("The program that compares did not load");
  cut = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the first visit plays the matrix once, later visits show it filled", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page);
  const opening = page.locator("a.opening");
  await expect(opening).toHaveClass(/plays/);
  await page.keyboard.press("Escape");
  await expect(opening).not.toHaveClass(/plays/);
  await page.reload();
  await expect(opening.locator("td").last()).toHaveText("3");
  await expect(opening).not.toHaveClass(/plays/);
  await expect(opening.locator("td.path")).toHaveCount(8);
  await opening.click();
  await expect(page.getByRole("tab", { name: "Matrix" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#text-b")).toHaveValue("sitting");
});
