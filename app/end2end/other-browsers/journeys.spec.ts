// The page's main journeys in the engines that are not Chromium.
import { expect } from "@playwright/test";
import { dna } from "../tests/data";
import { Network } from "../tests/network";
import { views } from "../views.mjs";
import { harmful, KEYS, test, type Visitor } from "./visitor";

/** A link of this kind to what is on the page. */
async function link(visitor: Visitor, kind: string): Promise<URL> {
  await visitor.click("button", "Share");
  await visitor.click("dialog .kinds label", kind);
  if (kind !== "Link") await visitor.click("dialog button", "Make the link");
  await expect.poll(() => visitor.value("#share-link")).toContain("http");
  return new URL(await visitor.value("#share-link"));
}

test("the page opens without warnings or errors of the browser", async ({ driver, visitor }) => {
  // One that complains is heard.
  expect(String(await driver.said("data:text/html,<script>console.error('heard')</script>"))).toContain("heard");
  await driver.begin();
  for (const address of ["/", views.matrix, views["match-count"]]) {
    expect(harmful(await driver.said(new URL(address, visitor.origin).href)), address).toEqual([]);
  }
});

test("kitten and sitting are compared while typing without any request", async ({ visitor }) => {
  await visitor.openForm();
  await visitor.texts("kitten", "sitting");
  await visitor.answer("3");
  await visitor.sees(".answer", /edits turn kitten into sitting/);
  await expect.poll(() => visitor.count('[role="group"][aria-label^="Columns 0 to 7"]')).toBe(1);
  await expect.poll(async () => (await visitor.address()).hash).toBe("#a=kitten&b=sitting");
  expect(await visitor.asked()).toEqual([]);
});

test("each task has an answer", async ({ visitor }) => {
  for (const [path, title, a, b, answer] of [
    ["/", "Compare two texts and see how they differ", "intention", "execution", "5"],
    ["/approximate-search", "Approximate search", "annual", "annealing", "1"],
    ["/lcs", "Longest common subsequence", "kitten", "sitting", "4"],
    ["/match-count", "Match count", "abba", "acbabaccb", "3"],
    ["/exact-search", "Exact search", "aba", "ababa", "2"],
  ] as const) {
    await visitor.openForm(path);
    await visitor.sees("h1", title);
    await visitor.texts(a, b);
    await visitor.answer(answer);
  }
});

test("the matrix opens and steps by mouse and by keys", async ({ visitor }) => {
  await visitor.openForm("/#a=SUNDAY&b=SATURDAY");
  await visitor.answer("3");
  await visitor.click("button", "Matrix");
  await expect.poll(() => visitor.count('[role="grid"] tbody td')).toBe(63);
  await visitor.sees(".deck output", "step 48 of 48");
  await visitor.click("button", "First step");
  await visitor.click("button", "Step forward");
  await visitor.click("button", "Step forward");
  await visitor.sees(".deck output", "step 2 of 48");
  await visitor.click("button", "Last step");
  await visitor.click('[role="grid"] tbody tr:nth-child(4) td:nth-of-type(6)');
  await visitor.sees(".cellname", /^D\[3, 5\] = 3: SUN and SATUR are 3 edits apart/);
  await visitor.press([KEYS.right]);
  await visitor.sees(".cellname", /^D\[3, 6\] = /);
});

test("uploaded files are compared on the server, and the job keeps its address", async ({ visitor }) => {
  test.setTimeout(180_000);
  await visitor.openForm();
  await visitor.choose("a", "a.txt", dna(400_000, 1));
  await visitor.choose("b", "b.txt", dna(400_000, 2));
  await visitor.sees("main", /Runs on the server in .+Your texts will be uploaded\./);
  await visitor.click("button", "Run");
  await visitor.answer(/^2\d\d,\d{3}$/, 120_000);
  const address = await visitor.address();
  expect(address.pathname).toMatch(/^\/j\/./);
  const found = await visitor.text("output.big");
  await visitor.driver.begin();
  await visitor.open(address.href);
  await visitor.answer(found);
  await expect.poll(() => visitor.count(".align .row, .align .at")).toBeGreaterThan(0);
});

for (const kind of ["Link", "Stored result", "Private link"]) {
  test(`${kind}: another visitor sees the same result`, async ({ visitor }) => {
    // A matrix keeps the answer to itself until its last step.
    await visitor.openForm("/#a=kitten&b=sitting&view=matrix&step=20");
    await visitor.sees(".deck output", "step 20 of 42");
    const address = await link(visitor, kind);
    expect(address.pathname.slice(0, 3)).toBe({ "Link": "/", "Stored result": "/r/", "Private link": "/s/" }[kind]);
    await visitor.driver.begin();
    await visitor.open(address.href);
    await visitor.sees(".deck output", "step 20 of 42");
    expect(await visitor.value("#text-b")).toBe("sitting");
  });
}

test("another language is applied at once and on the next visit", async ({ visitor }) => {
  await visitor.openForm("/#a=kitten&b=sitting");
  await visitor.answer("3");
  for (const [language, task, product] of [
    ["de", "Editierdistanz", "Zwei Texte vergleichen und sehen, worin sie sich unterscheiden"],
    ["ja", "編集距離", "2 つのテキストを比べて、違いを見る"],
    ["zh", "编辑距离", "比较两段文本，看清差异所在"],
  ]) {
    await visitor.select("header .prefs select", language);
    await visitor.sees("h1", task);
    await visitor.answer("3");
    await visitor.open("/");
    await visitor.sees("h1", product);
    await visitor.openForm("/#a=kitten&b=sitting");
    await visitor.answer("3");
  }
});

test("back and forward restore the tasks with their texts", async ({ visitor }) => {
  await visitor.openForm();
  await visitor.texts("kitten", "sitting");
  await visitor.answer("3");
  await visitor.click("nav.tasks a", "Longest common subsequence");
  await visitor.sees("h1", "Longest common subsequence");
  await visitor.answer("4");
  await visitor.click("nav.tasks a", "Exact search");
  await visitor.answer("No");
  await visitor.driver.evaluate(() => history.back());
  await visitor.sees("h1", "Longest common subsequence");
  await visitor.answer("4");
  await visitor.driver.evaluate(() => history.back());
  await visitor.sees("h1", "Edit distance");
  await visitor.answer("3");
  await visitor.driver.evaluate(() => history.forward());
  await visitor.answer("4");
  expect(await visitor.value("#text-a")).toBe("kitten");
});

test("no view is wider than a phone, in light and dark theme", async ({ visitor }) => {
  const ground = () => visitor.driver.evaluate(() => getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor);
  await visitor.openForm("/#a=kitten&b=sitting");
  const light = await ground();
  await visitor.click("button", "Light or dark");
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await visitor.driver.resize(visitor.driver.narrowest, 800);
  for (const [name, address] of Object.entries(views)) {
    await visitor.open(address);
    await visitor.sees("output.big, .deck output", /\d/);
    expect(await visitor.tooWide(), name).toBeLessThanOrEqual(0);
    expect(await ground(), name).toBe(dark);
  }
});

test("the dot plot is drawn, and the metrics of the run are shown", async ({ visitor }) => {
  await visitor.openForm(views.dots.replace("&view=dots", ""));
  await visitor.click("button", "Dot plot");
  await visitor.sees('.dots-view [role="status"]', /equal words of \d+ symbols were counted/);
  const inks = () =>
    visitor.driver.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>(".dots-view canvas")!;
      const pixels = new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      return new Set(pixels).size;
    });
  await expect.poll(inks).toBeGreaterThan(2);
  await visitor.click("button", "Metrics");
  await visitor.sees("main", /Time by stage/);
  await visitor.click("button", "Run it here and on the server");
  await visitor.sees("main", /Both found the same\./);
});

test("the page works offline after the first visit", async ({ visitor, baseURL }) => {
  const network = new Network(baseURL!);
  const origin = await network.listen();
  await visitor.openForm(`${origin}/`);
  await visitor.texts("kitten", "sitting");
  await visitor.answer("3");
  const isKept = async () => Boolean(navigator.serviceWorker.controller && (await caches.match("/print", { ignoreVary: true })));
  await expect.poll(() => visitor.driver.evaluate(isKept), { timeout: 30_000 }).toBe(true);
  network.down = true;
  await visitor.open(`${origin}/lcs#a=kitten&b=sitting`);
  await visitor.answer("4");
  await visitor.texts("nematode", "empty");
  await visitor.answer("3");
  network.close();
});
