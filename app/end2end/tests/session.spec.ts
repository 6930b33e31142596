// The page's state belongs to one form: late answers, failures and responses of an older form are ignored.
import { expect, type APIRequestContext, type Page } from "@playwright/test";
import { test } from "./test";
import { read } from "../../../kernels/benches/peers/cbor.mjs";
import { dna } from "./data";
import { answer, apiCalls, choose, cigar, editor, open, quickServer, runButton, type } from "./page";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Delays the responses of matching addresses by `ms` milliseconds. */
async function slow(page: Page, address: string | RegExp, ms: number, method = "GET"): Promise<void> {
  await page.route(address, async (route) => {
    if (route.request().method() === method) await wait(ms);
    await route.continue().catch(() => {});
  });
}

/**
 * Opens a form that only the server solves and waits for its plan. Its two files are uploaded before their job is
 * posted.
 */
async function planned(page: Page): Promise<void> {
  await quickServer(page);
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(400_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(400_000, 2) });
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs on the server/, { timeout: 20_000 });
}

const run = (page: Page) => runButton(page).click();

/** Has the server solve a job of these texts. Returns its id and its snapshot. */
async function solved(request: APIRequestContext, a: string, b: string) {
  const options = { unit: "graphemes" };
  const posted = await request.post("/api/v1/jobs?wait=5", { data: { task: "edit-distance", options, a: { text: a }, b: { text: b } } });
  const { id } = await posted.json();
  await expect.poll(async () => (await (await request.get(`/api/v1/jobs/${id}`)).json()).state).toBe("succeeded");
  return { id: id as string, snapshot: await (await request.get(`/api/v1/jobs/${id}`)).json() };
}

/** Returns the snapshot of a job as if it had no answer yet. */
const running = (snapshot: object) => ({ ...snapshot, state: "running", answer: null, metrics: {}, seq: 0 });

test("a task chosen during an upload is not replaced by its job", async ({ page }) => {
  await slow(page, "**/api/v1/texts?**", 1_500, "PUT");
  const calls = apiCalls(page);
  await planned(page);
  await run(page);
  await expect.poll(() => calls.filter((call) => call.startsWith("PUT")).length).toBe(1);
  await page.getByRole("link", { name: "Exact search" }).click();
  await page.waitForTimeout(4_500);
  expect(calls.filter((call) => call === "POST /api/v1/jobs")).toEqual([]);
  expect(new URL(page.url()).pathname).toBe("/exact-search");
});

test("the answer to newer typing is not replaced by a job that ended before", async ({ page, request }) => {
  const { id, snapshot } = await solved(request, "intention", "execution");
  let asked = 0;
  await page.route(`**/api/v1/jobs/${id}`, async (route) => {
    asked += 1;
    if (asked === 1) return route.fulfill({ json: running(snapshot) });
    await wait(2_000);
    await route.continue().catch(() => {});
  });
  await page.goto(`/j/${id}`);
  await expect.poll(() => asked).toBe(2);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.waitForTimeout(2_500);
  await expect(answer(page)).toHaveText("3");
  expect(await cigar(page)).toBe("1X3=1X1=1I");
});

test("a slow address does not overwrite newer typing", async ({ page, request }) => {
  const { id } = await solved(request, "intention", "execution");
  await slow(page, `**/api/v1/jobs/${id}`, 2_500);
  await page.goto(`/j/${id}`);
  await page.waitForTimeout(800);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.waitForTimeout(3_000);
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(editor(page, "b")).toHaveValue("sitting");
  expect(await cigar(page)).toBe("1X3=1X1=1I");
});

test("a task chosen while a job opens is not replaced by the task of the job", async ({ page, request }) => {
  const data = { task: "lcs", options: { unit: "graphemes" }, a: { text: "intention" }, b: { text: "execution" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data })).json();
  await slow(page, `**/api/v1/jobs/${id}`, 2_500);
  await page.goto(`/j/${id}`);
  await page.waitForTimeout(800);
  const tab = page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Edit distance" });
  await tab.click();
  await expect(page).toHaveURL("/");
  await page.waitForTimeout(3_000);
  await expect(page).toHaveURL("/");
  await expect(editor(page, "a")).toHaveValue("");
  await expect(tab).toHaveAttribute("aria-current", "page");
});

test("going back from a slow address holds when it responds", async ({ page, request }) => {
  const { id } = await solved(request, "intention", "execution");
  await slow(page, `**/api/v1/jobs/${id}`, 1_500);
  await open(page);
  await page.evaluate((id) => {
    history.pushState(null, "", `/j/${id}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, id);
  await page.waitForTimeout(300);
  await page.goBack();
  await page.waitForTimeout(2_500);
  expect(new URL(page.url()).pathname).toBe("/");
  await expect(editor(page, "a")).toHaveValue("");
  await expect(answer(page)).toHaveCount(0);
});

test("cancel while a job is posted is final, and the job is stopped", async ({ page }) => {
  const calls = apiCalls(page);
  await slow(page, "**/api/v1/jobs?**", 1_500, "POST");
  await planned(page);
  await run(page);
  await expect.poll(() => calls.includes("POST /api/v1/jobs"), { timeout: 20_000 }).toBe(true);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForTimeout(3_000);
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("Cancelled");
  expect(new URL(page.url()).pathname).toBe("/");
  await expect.poll(() => calls.some((call) => call.startsWith("DELETE /api/v1/jobs/"))).toBe(true);
});

test("a late failure does not remove the current result", async ({ page }) => {
  await page.route("**/api/v1/texts?**", async (route) => {
    await wait(1_500);
    await route.fulfill({ status: 503, body: "" }).catch(() => {});
  });
  await planned(page);
  await run(page);
  await page.waitForTimeout(200);
  await choose(page, "a", { name: "a.txt", content: "kitten" });
  await choose(page, "b", { name: "b.txt", content: "sitting" });
  await expect(answer(page)).toHaveText("3");
  await page.waitForTimeout(2_500);
  await expect(answer(page)).toHaveText("3");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the file chosen last for a text counts, however slowly the first one is read", async ({ page }) => {
  await page.addInitScript(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = async function () {
      if (this.size === 5) await new Promise((resolve) => setTimeout(resolve, 700));
      return read.call(this);
    };
  });
  await open(page);
  await choose(page, "a", { name: "first.txt", content: "first" });
  await choose(page, "a", { name: "second.txt", content: "second" });
  await expect(editor(page, "a")).toHaveValue("second");
  await page.waitForTimeout(3_000);
  await expect(editor(page, "a")).toHaveValue("second");
});

test("if event streams are refused, the job is polled until its answer", async ({ page, request }) => {
  const { id, snapshot } = await solved(request, "intention", "execution");
  const asked: number[] = [];
  const began = Date.now();
  await page.route(`**/api/v1/jobs/${id}`, async (route) => {
    asked.push(Date.now() - began);
    await route.fulfill({ json: asked.length < 4 ? running(snapshot) : snapshot });
  });
  await page.route(`**/api/v1/jobs/${id}/events**`, (route) => route.fulfill({ status: 403, body: "" }));
  await page.goto(`/j/${id}`);
  await expect(answer(page)).toHaveText("5", { timeout: 15_000 });
  // The first three requests come at once, the third because the stream was refused. The others follow after a pause
  // each.
  expect(asked.length).toBeLessThanOrEqual(5);
  expect(asked.at(-1)! - asked[1]).toBeGreaterThan(2_500);
});

test("a delayed event stream is not awaited: the job is polled instead", async ({ page, request }) => {
  const { id, snapshot } = await solved(request, "intention", "execution");
  let asked = 0;
  await page.route(`**/api/v1/jobs/${id}`, (route) => route.fulfill({ json: ++asked < 2 ? running(snapshot) : snapshot }));
  await page.route(`**/api/v1/jobs/${id}/events**`, () => {});
  await page.goto(`/j/${id}`);
  await expect(answer(page)).toHaveText("5", { timeout: 25_000 });
});

test("only one timer runs, however often the page becomes visible", async ({ page, request }) => {
  await page.addInitScript(() => {
    const later = window.setTimeout;
    Object.assign(window, { ticks: 0 });
    window.setTimeout = ((run: TimerHandler, ms?: number, ...rest: unknown[]) => {
      if (ms === 250) (window as unknown as { ticks: number }).ticks += 1;
      return later(run, ms, ...rest);
    }) as typeof setTimeout;
  });
  const { id, snapshot } = await solved(request, "intention", "execution");
  await page.route(`**/api/v1/jobs/${id}`, (route) => route.fulfill({ json: running(snapshot) }));
  await page.route(`**/api/v1/jobs/${id}/events**`, () => {});
  await page.goto(`/j/${id}`);
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
  for (let times = 0; times < 8; times++) {
    await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
    await page.waitForTimeout(100);
  }
  const ticks = () => page.evaluate(() => (window as unknown as { ticks: number }).ticks);
  const before = await ticks();
  await page.waitForTimeout(2_000);
  expect((await ticks()) - before).toBeLessThanOrEqual(12);
});

test("typing is answered while the solver serves queries of the last result", async ({ page }) => {
  await page.addInitScript(() => {
    const asked: number[][] = [];
    let slow = true;
    window.Worker = class extends Worker {
      private last = Promise.resolve();

      postMessage(message: unknown, moved?: unknown): void {
        const ask = Array.from((message as Uint8Array[])[0]);
        asked.push(ask);
        // A request for a window contains two arrays of two items, which start with the numbers of its group and kind.
        const isWindow = ask.some((byte, at) => byte === 0x82 && ask[at + 1] === 3 && ask[at + 2] === 0x82 && ask[at + 3] === 0);
        const wait = slow && isWindow ? 5_000 : 0;
        if (wait) slow = false;
        this.last = this.last.then(() => new Promise((resolve) => setTimeout(resolve, wait)));
        this.last.then(() => super.postMessage(message, moved as Transferable[]));
      }
    };
    Object.assign(window, { asked });
  });
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  // The number of each request, the result that it is about, and the numbers of its group and kind in the encoding of
  // `RequestKind` (explain/src/worker_protocol.rs).
  const asked = async () => {
    const bytes = await page.evaluate(() => (window as unknown as { asked: number[][] }).asked);
    return bytes.map(read).map(([number, of, what]) => ({ number, of: of?.[0], what: `${what[0]} ${what[1]?.[0]}` }));
  };
  const [SOLVE, WINDOW] = ["0 undefined", "3 0"];
  await expect.poll(async () => (await asked()).some(({ what }) => what === WINDOW)).toBe(true);
  await page.waitForTimeout(300);
  await editor(page, "b").pressSequentially("s");
  await expect(answer(page)).toHaveText("4", { timeout: 3_000 });
  await expect(page.getByRole("group", { name: /^Columns 0 to 8/ })).toBeVisible();
  const looks = (await asked()).filter(({ what }) => what === WINDOW);
  const solved = (await asked()).filter(({ what }) => what === SOLVE);
  expect(looks.length).toBeGreaterThan(1);
  expect(solved.map(({ number }) => number)).toContain(looks[0].of);
  expect(looks.at(-1)?.of).toBe(solved.at(-1)?.number);
});

test("the answer and the tabs stay visible while a letter is typed", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await answer(page).evaluate((number) => number.setAttribute("data-kept", ""));
  const matrix = page.getByRole("tab", { name: "Matrix" });
  await matrix.focus();
  await page.evaluate(() => {
    const area = document.querySelector<HTMLTextAreaElement>("#text-b")!;
    area.value += "s";
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await expect(answer(page)).toHaveText("4");
  await expect(page.locator("output.big[data-kept]")).toHaveCount(1);
  await expect(matrix).toBeFocused();
});

test("pausing and playing at once continues at the normal speed", async ({ page }) => {
  await open(page, "/#a=intention&b=execution&view=matrix&step=0");
  await page.getByRole("button", { name: "Play" }).evaluate((button) => {
    for (let times = 0; times < 5; times++) (button as HTMLElement).click();
  });
  await page.waitForTimeout(1_700);
  await page.getByRole("button", { name: "Pause" }).click();
  const step = Number(await page.getByRole("slider", { name: "Step" }).inputValue());
  expect(step).toBeGreaterThan(1);
  // A step takes 220 ms.
  expect(step).toBeLessThanOrEqual(9);
});

test("the browser releases files that no text uses", async ({ page }) => {
  await page.addInitScript(() => {
    const known = new WeakSet<Blob>();
    const files: WeakRef<Blob>[] = [];
    const slice = Blob.prototype.slice;
    Blob.prototype.slice = function (...range) {
      if (this.size === 300_000 && !known.has(this)) {
        known.add(this);
        files.push(new WeakRef(this));
      }
      return slice.apply(this, range);
    };
    Object.assign(window, { kept: () => [files.length, files.filter((file) => file.deref()).length] });
  });
  await open(page);
  for (let times = 0; times < 6; times++) {
    await choose(page, "a", { name: `${times}.bin`, content: Buffer.alloc(300_000, 0xff) });
    await expect(page.getByRole("region", { name: "Text a" })).toContainText(`${times}.bin`);
  }
  const devtools = await page.context().newCDPSession(page);
  const kept = () => page.evaluate(() => (window as unknown as { kept: () => number[] }).kept());
  expect((await kept())[0]).toBe(6);
  await expect(async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    expect((await kept())[1]).toBeLessThanOrEqual(2);
  }).toPass({ timeout: 10_000 });
});

test("a file that is still being read does not overwrite newer typing", async ({ page }) => {
  await page.addInitScript(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = async function () {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return read.call(this);
    };
  });
  await open(page);
  await choose(page, "a", { name: "slow.txt", content: "from a file" });
  await editor(page, "a").fill("typed");
  await page.waitForTimeout(2_000);
  await expect(editor(page, "a")).toHaveValue("typed");
});

test("the run button does not turn into a cancel button under the pointer", async ({ page }) => {
  // Delays every request to the solver.
  await page.addInitScript(() => {
    window.Worker = class extends Worker {
      postMessage(message: unknown, moved?: unknown): void {
        setTimeout(() => super.postMessage(message, moved as Transferable[]), 2_500);
      }
    };
  });
  await open(page);
  const run = runButton(page);
  const cancel = page.getByRole("button", { name: "Cancel" });
  // A slow run can be cancelled, and a cancelled run waits to be started again.
  await editor(page, "a").fill("kitten");
  await editor(page, "b").fill("sitting");
  await expect(cancel).toBeVisible();
  await page.waitForTimeout(600);
  await cancel.click();
  await expect(run).toBeVisible();
  // The button is held down while the reading becomes long.
  await run.hover();
  await editor(page, "b").press("End");
  await editor(page, "b").press("x");
  expect(await run.isVisible()).toBe(true);
  await page.mouse.down();
  await page.waitForTimeout(900);
  expect(await run.isVisible()).toBe(true);
  await page.mouse.up();
  await expect(cancel).toBeVisible();
  await expect(answer(page)).not.toBeEmpty({ timeout: 20_000 });
  // The button is pressed just after its label has changed.
  await page.evaluate(() => {
    const turns = () => {
      const button = [...document.querySelectorAll<HTMLButtonElement>(".runbar button")].find((button) => button.textContent?.includes("Cancel"));
      if (button && !button.hidden) button.click();
      else requestAnimationFrame(turns);
    };
    requestAnimationFrame(turns);
  });
  await editor(page, "b").fill("sittings");
  await expect(cancel).toBeVisible();
  await page.waitForTimeout(500);
  expect(await cancel.isVisible()).toBe(true);
  await expect(answer(page)).toHaveText("4", { timeout: 20_000 });
  // After a while, a press on the new label counts.
  await editor(page, "b").fill("sitting room");
  await expect(cancel).toBeVisible();
  await page.waitForTimeout(600);
  await cancel.click();
  // Long before the solver would answer.
  await expect(cancel).toBeHidden({ timeout: 800 });
});
