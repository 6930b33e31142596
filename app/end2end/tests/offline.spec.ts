// Without network: the page loads and answers; the page of a new server replaces it; no data of a visitor is cached.
import { expect, type Page } from "@playwright/test";
import { test as base } from "./test";
import { Network } from "./network";
import { answer, editor, open, type } from "./page";

const test = base.extend<{ network: Network; origin: string }>({
  network: async ({ baseURL }, use) => {
    const network = new Network(baseURL!);
    await use(network);
    network.close();
  },
  origin: async ({ network }, use) => use(await network.listen()),
});

test.use({ serviceWorkers: "allow" });

/** Returns the build of the page's scripts. */
async function build(page: Page): Promise<string> {
  return (await page.locator('meta[name="pkg"]').getAttribute("content"))!.split("/").at(-1)!;
}

/** Returns all cached addresses, by the name of their cache. */
function kept(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const all: Record<string, string[]> = {};
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      all[name] = (await cache.keys()).map(({ url }) => new URL(url).pathname + new URL(url).search + new URL(url).hash);
    }
    return all;
  });
}

/** Waits until the whole page of this build is cached and no other build is. */
async function isKept(page: Page, build: string): Promise<void> {
  await expect.poll(async () => Object.keys(await kept(page)), { timeout: 25_000 }).toEqual([`editscope pkg/${build}`]);
  await expect.poll(async () => Object.values(await kept(page))[0], { timeout: 25_000 }).toContain("/print");
  await page.evaluate(async () => navigator.serviceWorker.ready);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
}

test("offline reload shows the page in the chosen language, and comparisons work", async ({ page, network, origin }) => {
  test.setTimeout(90_000);
  await open(page, `${origin}/`);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await isKept(page, await build(page));
  await page.getByLabel("Language").selectOption("de");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Editierdistanz");
  const german = () =>
    page.evaluate(async () => {
      const documents = await Promise.all(["/", "/lcs"].map(async (path) => (await caches.match(path, { ignoreVary: true }))?.text()));
      return documents.every((text) => text?.includes('lang="de"'));
    });
  await expect.poll(german).toBe(true);

  network.down = true;
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Editierdistanz");
  await expect(answer(page)).toHaveText("3");
  await editor(page, "b").fill("kit");
  await expect(answer(page)).toHaveText("3");
  await editor(page, "b").fill("kitchen");
  await expect(answer(page)).toHaveText("2");
  // A part that has not been shown yet, and another task by its address.
  await page.getByRole("tab", { name: "Matrix" }).click();
  await expect(page.getByRole("grid")).toBeVisible();
  await page.goto(`${origin}/lcs#a=kitten&b=sitting`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Längste gemeinsame Teilfolge");
  await expect(answer(page)).toHaveText("4");
});

test("a newer page of the server replaces the cached one at the next load", async ({ page, network, origin }) => {
  test.setTimeout(90_000);
  await open(page, `${origin}/`);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  const old = await build(page);
  await isKept(page, old);

  const next = "fedcba9876543210";
  network.renamed = { from: old, to: next };
  await page.reload();
  expect(await build(page)).toBe(next);
  await expect(answer(page)).toHaveText("3");
  await isKept(page, next);
  network.down = true;
  await page.reload();
  expect(await build(page)).toBe(next);
  await expect(answer(page)).toHaveText("3");
});

test("offline, functions of the server say so, and no text is cached", async ({ page, network, origin }) => {
  test.setTimeout(90_000);
  await open(page, `${origin}/`);
  await type(page, "mitten", "fitting");
  await expect(answer(page)).toHaveText("3");
  await isKept(page, await build(page));
  const share = async (kind: RegExp) => {
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share this result" });
    await dialog.getByRole("radio", { name: kind }).check({ force: true });
    await dialog.getByRole("button", { name: "Make the link" }).click();
    return dialog;
  };
  for (const kind of [/Stored result/, /Private link/]) {
    const dialog = await share(kind);
    const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
    await page.goto(link);
    await expect(answer(page)).toHaveText("3");
    await page.goto(`${origin}/#a=mitten&b=fitting`);
    await expect(answer(page)).toHaveText("3");
  }
  const [places] = Object.values(await kept(page));
  const others = places.filter((place) => !/^\/pkg\/[0-9a-f]{16}\/[\w./-]+$/.test(place));
  const pages = ["/", "/approximate-search", "/collections", "/exact-search", "/favicon.svg", "/lcs", "/match-count", "/print", "/sequence-alignment"];
  expect(others.toSorted()).toEqual(pages);
  const told = await page.evaluate(async (pages) => {
    const responses = await Promise.all(pages.map((path) => caches.match(path, { ignoreVary: true })));
    return (await Promise.all(responses.map(async (response) => response!.url + (await response!.text())))).join("\n");
  }, pages);
  expect(told).not.toMatch(/mitten|fitting/);

  network.down = true;
  await page.reload();
  await expect(answer(page)).toHaveText("3");
  const dialog = await share(/Stored result/);
  await expect(dialog.getByRole("alert")).toBeVisible();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toBeHidden();
});

test("the script that caches the page is always revalidated", async ({ request }) => {
  const script = await request.get("/offline.js?build=pkg/0123");
  expect(script.headers()["cache-control"]).toBe("no-cache");
  expect(script.headers()["content-type"]).toContain("javascript");
});
