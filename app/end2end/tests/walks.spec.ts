// Random visitors with a slow and failing network: a result never stands beside a form that it does not belong to. The
// walks are reproducible; WALKS sets their number, and FIRST_WALK the first one.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, editor, open } from "./page";

const WALKS = Number(process.env.WALKS ?? 25);
const FIRST = Number(process.env.FIRST_WALK ?? 1);
const STEPS = 14;

const WORDS = ["kitten", "sitting", "intention", "execution", "banana", "ana", "a", ""];

/** Long enough for the solver to take a while, or for the server to be used. */
const LONG = dna(60_000, 5);
const CHANGED = 7;
const LONG_CHANGED = [...LONG].map((letter, at) => (at % 8_000 === 4_000 && at < CHANGED * 8_000 ? { A: "C", C: "G", G: "T", T: "A" }[letter] : letter)).join("");

const TASKS = { "Edit distance": distance, "Longest common subsequence": lcs, "Exact search": occurrences };

function table(a: string, b: string, cell: (equal: boolean, up: number, left: number, diagonal: number) => number, border: (at: number) => number): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => border(j));
  for (let i = 1; i <= a.length; i++) {
    const next = [border(i)];
    for (let j = 1; j <= b.length; j++) next.push(cell(a[i - 1] === b[j - 1], row[j], next[j - 1], row[j - 1]));
    row = next;
  }
  return row[b.length];
}

const isLong = (text: string) => text.length > 1_000;

function distance(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (a === "" || b === "") return a.length + b.length;
  if (isLong(a) !== isLong(b)) return undefined;
  // The visitor may have typed into either text.
  if (isLong(a)) return [LONG, LONG_CHANGED].includes(a) && [LONG, LONG_CHANGED].includes(b) ? CHANGED : undefined;
  return table(a, b, (equal, up, left, diagonal) => Math.min(up + 1, left + 1, diagonal + (equal ? 0 : 1)), (at) => at);
}

function lcs(a: string, b: string): number | undefined {
  if (a === b) return a.length;
  if (isLong(a) || isLong(b)) return undefined;
  return table(a, b, (equal, up, left, diagonal) => (equal ? diagonal + 1 : Math.max(up, left)), () => 0);
}

function occurrences(a: string, b: string): number | undefined {
  if (a === "") return undefined;
  let found = 0;
  for (let at = b.indexOf(a); at >= 0; at = b.indexOf(a, at + 1)) found += 1;
  return found;
}

/** A small pseudo-random number generator. */
class Dice {
  constructor(private state: number) {}

  roll(sides: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * sides);
  }

  of<T>(list: readonly T[]): T {
    return list[this.roll(list.length)];
  }
}

type Seen = { a: string; b: string; task: string; answer: string };

/** Records, before every frame, the result and the form that the visitor sees. */
function watch() {
  const seen = new Map<string, Seen>();
  const look = () => {
    const value = (which: string) => document.querySelector<HTMLTextAreaElement>(`#text-${which}`)?.value ?? "";
    const main = document.querySelector("main");
    const answer = main?.querySelector("output.big")?.textContent;
    if (main && answer && !main.hasAttribute("data-stale")) {
      const state = { a: value("a"), b: value("b"), task: main.querySelector("h1")?.textContent ?? "", answer };
      const short = (text: string) => (text.length > 1_000 ? `${text.length}` : text);
      seen.set(JSON.stringify([short(state.a), short(state.b), state.task, answer]), state);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  Object.assign(window, {
    takeSeen: () => {
      const all = [...seen.values()];
      seen.clear();
      return all;
    },
  });
}

async function check(page: Page, walk: number, steps: string[]): Promise<number> {
  const all: Seen[] = await page.evaluate(() => (window as unknown as { takeSeen: () => Seen[] }).takeSeen());
  for (const { a, b, task, answer } of all) {
    const expected = TASKS[task as keyof typeof TASKS]?.(a, b);
    const beside = `walk ${walk}, after ${steps.join("; ")}: ${answer} beside ${a.slice(0, 20)} (${a.length}), ${b.slice(0, 20)} (${b.length}), ${task}`;
    // A search says "No occurrence" instead of a number.
    const said = expected === 0 && task === "Exact search" ? "No" : `${expected}`;
    if (expected !== undefined) expect(answer.replaceAll(",", ""), beside).toBe(said);
  }
  return all.length;
}

/** Performs the next action of a visitor and returns its name. Does not wait for its effects. */
async function step(page: Page, dice: Dice, jobs: string[]): Promise<string> {
  const press = async (name: string, button: string) => {
    await page.getByRole("button", { name: button, exact: true }).first().click({ timeout: 200 }).catch(() => {});
    return name;
  };
  const fill = async (which: "a" | "b", text: string) => {
    await editor(page, which).fill(text, { timeout: 300 }).catch(() => {});
    return `${which} = ${text.length > 20 ? text.length : text}`;
  };
  switch (dice.roll(12)) {
    case 0:
    case 1:
      return fill("a", dice.of(WORDS));
    case 2:
    case 3:
      return fill("b", dice.of(WORDS));
    case 4: {
      const typed = dice.of(WORDS);
      await editor(page, dice.of(["a", "b"] as const)).pressSequentially(typed, { delay: dice.roll(40), timeout: 1_500 }).catch(() => {});
      return `typed ${typed}`;
    }
    case 5:
    case 6: {
      const task = dice.of(Object.keys(TASKS));
      await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: task }).click({ timeout: 300 }).catch(() => {});
      return task;
    }
    case 7: {
      await fill("a", LONG);
      await fill("b", dice.of([LONG, LONG_CHANGED]));
      return "long texts";
    }
    case 8:
      return press("run", "Run Ctrl ↵");
    case 9:
      return press("cancel", "Cancel");
    case 10: {
      const job = dice.of(jobs);
      await page.evaluate((job) => {
        history.pushState(null, "", `/j/${job}`);
        dispatchEvent(new PopStateEvent("popstate"));
      }, job);
      return `job ${job}`;
    }
    default: {
      const back = dice.roll(2) === 0;
      await page.evaluate((by) => void history.go(by), back ? -1 : 1);
      return back ? "back" : "forward";
    }
  }
}

test(`${WALKS} visitors on a failing network never see the result of another form`, async ({ browser, request }) => {
  test.setTimeout(60_000 + WALKS * 20_000);
  const jobs: string[] = [];
  for (const [task, a, b] of [["edit-distance", "intention", "execution"], ["exact-search", "ana", "banana"], ["lcs", "kitten", "sitting"]]) {
    const options = { unit: "graphemes" };
    const posted = await request.post("/api/v1/jobs?wait=5", { data: { task, options, a: { text: a }, b: { text: b } } });
    jobs.push((await posted.json()).id);
  }
  let results = 0;
  for (let walk = FIRST; walk < FIRST + WALKS; walk++) {
    const dice = new Dice(walk * 2_654_435_761);
    const page = await (await browser.newContext()).newPage();
    const broken: string[] = [];
    page.on("pageerror", (error) => broken.push(error.message));
    await page.addInitScript(watch);
    await open(page);
    // Going back must never leave the page.
    await page.evaluate((steps) => Array.from({ length: steps }, () => history.pushState(null, "", "/")), STEPS);
    const network = new Dice(walk);
    await page.route("**/api/v1/**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, network.roll(4) === 0 ? network.roll(1_200) : network.roll(60)));
      const fate = network.roll(12);
      if (fate === 0) return route.abort().catch(() => {});
      if (fate === 1) return route.fulfill({ status: 503, body: "" }).catch(() => {});
      return route.continue().catch(() => {});
    });
    const steps: string[] = [];
    for (let number = 0; number < STEPS; number++) {
      steps.push(await step(page, dice, jobs));
      await page.waitForTimeout(dice.of([0, 0, 20, 60, 200]));
      results += await check(page, walk, steps);
    }
    // Whatever happened before, the page still answers.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Cancel" }).click({ timeout: 200 }).catch(() => {});
    // A job that the last step has opened may arrive between these lines, with its own task.
    await expect(async () => {
      await page.getByRole("navigation", { name: "Task" }).getByRole("link", { name: "Edit distance" }).click();
      await editor(page, "a").fill("flaw");
      await editor(page, "b").fill("lawn");
      await expect(answer(page), steps.join("; ")).toHaveText("2", { timeout: 5_000 });
    }).toPass({ timeout: 20_000 });
    await page.waitForTimeout(300);
    results += await check(page, walk, steps);
    expect(broken, steps.join("; ")).toEqual([]);
    await page.context().close();
  }
  console.log(`${WALKS} walks, ${results} results seen`);
  expect(results).toBeGreaterThan(WALKS);
});
