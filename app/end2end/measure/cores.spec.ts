// Times of long jobs about two texts on one core and on several. The time is that of the solver, from the request to the answer. The cores that
// the machine lacks are simulated, and share those that it has.
import { expect, test, type Page } from "@playwright/test";
import { dna } from "../tests/data";
import { answer, choose, open, runButton, slowServer } from "../tests/page";

const CORES = (process.env.EDITSCOPE_CORES ?? "1,2").split(",").map(Number);
const RUNS = Number(process.env.EDITSCOPE_RUNS ?? 5);

type Job = { name: string; address: string; a: number; b: number };

const JOBS: Job[] = [
  { name: "approximate search, 1,024 in 4 Mi letters", address: "/approximate-search", a: 1024, b: 1 << 22 },
  { name: "approximate search, 4,096 in 15 million letters", address: "/approximate-search", a: 4096, b: 15_000_000 },
  { name: "LCS with alignment, 100,000 letters", address: "/lcs", a: 100_000, b: 100_000 },
  { name: "LCS with alignment, 400,000 letters", address: "/lcs", a: 400_000, b: 400_000 },
  { name: "edit distance with alignment, 100,000 letters", address: "/", a: 100_000, b: 100_000 },
];

/** Solves the job on a device with `cores` cores, and returns the solver's time in milliseconds. */
async function time(page: Page, job: Job, cores: number): Promise<number> {
  await page.addInitScript((cores) => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores }), cores);
  await slowServer(page);
  await open(page, job.address);
  await choose(page, "a", { name: "a.txt", content: dna(job.a, 3) });
  await choose(page, "b", { name: "b.txt", content: dna(job.b, 4) });
  await expect(async () => {
    if (await runButton(page).isVisible()) await runButton(page).click({ timeout: 1_000 });
    // An answer of an earlier form is stale.
    await expect(page.locator("main[data-stale]")).toHaveCount(0, { timeout: 60_000 });
    await expect(answer(page)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await page.getByRole("tab", { name: "Metrics", exact: true }).click();
  const took = page.locator("dt", { hasText: /^Took$/ }).locator("xpath=following-sibling::dd[1]");
  const [, number, unit] = (await took.innerText()).match(/([\d.,]+)\s*(ms|s)/)!;
  return Number(number.replace(",", "")) * (unit === "s" ? 1000 : 1);
}

for (const job of JOBS) {
  test(job.name, async ({ browser }) => {
    test.setTimeout(600_000);
    const times = new Map<number, number[]>(CORES.map((cores) => [cores, []]));
    // Runs on different numbers of cores alternate, so that other programs slow all of them down.
    for (let run = 0; run < RUNS; run++) {
      for (const cores of CORES) {
        const context = await browser.newContext();
        times.get(cores)!.push(await time(await context.newPage(), job, cores));
        await context.close();
      }
    }
    const shown = [...times].map(([cores, all]) => {
      const sorted = all.toSorted((one, other) => one - other);
      return `${cores} cores: least ${sorted[0].toFixed(0)}, median ${sorted[sorted.length >> 1].toFixed(0)} ms`;
    });
    console.log(`${job.name}: ${shown.join("; ")}`);
  });
}
