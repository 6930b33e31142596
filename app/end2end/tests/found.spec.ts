// Hits of searches on the server: pages of hits, the alignment of a hit, files, stored links.
import { expect, type APIRequestContext, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, cigar, open, type } from "./page";
import { score } from "./score";

/** Uploads both texts, waits for the job and returns its path on the page. */
async function job(request: APIRequestContext, task: string, a: string, b: string, options = {}): Promise<string> {
  const upload = async (data: string) => {
    const sent = await request.put("/api/v1/texts", { data: Buffer.from(data), headers: { "content-type": "application/octet-stream" } });
    return { upload: (await sent.json()).id };
  };
  const made = await request.post("/api/v1/jobs?wait=5", { data: { task, options, a: await upload(a), b: await upload(b) } });
  const { id } = await made.json();
  await expect.poll(async () => (await (await request.get(`/api/v1/jobs/${id}`)).json()).state).toBe("succeeded");
  return `/j/${id}`;
}

/** Returns the positions at which `a` begins in `b`. */
function occurrences(a: string, b: string): number[] {
  const all: number[] = [];
  for (let at = b.indexOf(a); at >= 0; at = b.indexOf(a, at + 1)) all.push(at);
  return all;
}

// A shared result begins with the server's own text, which contains a table too.
const rows = (page: Page) => page.locator("main > div:not(.shared) table.hits tbody tr");
const grouped = (number: number) => number.toLocaleString("en-GB");

test("occurrences in an uploaded text are paged, each with its surrounding text", async ({ page, request }) => {
  const b = dna(100_000, 11);
  const all = occurrences("ACGTAC", b);
  await page.goto(await job(request, "exact-search", "ACGTAC", b));
  await expect(answer(page)).toHaveText(grouped(all.length));
  await expect(page).toHaveTitle(new RegExp(`${grouped(all.length)} occurrences`));
  await expect(rows(page)).toHaveCount(20);
  const around = b.slice(Math.max(all[0] - 30, 0), all[0] + 6);
  await expect(page.locator(".verse li").first()).toContainText(around.slice(-20));
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(rows(page).first()).toContainText(`${grouped(all[20])}–${grouped(all[20] + 6)}`);
  const last = all.length - 1;
  await page.getByLabel("Go to number").fill(String(all.length));
  await page.getByLabel("Go to number").press("Enter");
  await expect(rows(page)).toHaveCount((last % 20) + 1);
  await expect(rows(page).last()).toContainText(`${grouped(all[last])}–${grouped(all[last] + 6)}`);
  await expect(page.getByRole("button", { name: "Next page" })).toBeDisabled();
});

test("a hit deep in an uploaded text opens there, and its edits can be exported", async ({ page, request }) => {
  const b = dna(60_000, 12);
  const piece = b.slice(41_000, 41_040);
  const a = `${piece.slice(0, 10)}${piece[10] === "A" ? "C" : "A"}${piece.slice(11, 25)}${piece.slice(26)}`;
  await page.goto(await job(request, "approximate-search", a, b, { max_distance: 3 }));
  const found = await page.request.get(`${page.url().replace("/j/", "/api/v1/jobs/")}/hits`);
  const hits: { start: number; end: number; distance: number }[] = (await found.json()).hits;
  // Neighbouring ends form one place.
  await expect(answer(page)).toHaveText(grouped(hits.filter(({ end }, at) => at === 0 || hits[at - 1].end + 1 !== end).length));
  const nearest = hits.findIndex((hit) => hit.distance === 2);
  const name = `${grouped(hits[nearest].start)} to ${grouped(hits[nearest].end)}, open its alignment`;
  await page.getByRole("button", { name }).click();
  await expect(page.getByRole("heading", { name: `Alignment of number ${nearest + 1}` })).toBeVisible();
  await expect(page.getByRole("group", { name: /^Columns 0 to/ })).toContainText(grouped(hits[nearest].start));
  await expect(page.locator(".runline").getByText("verified", { exact: true })).toBeVisible();
  expect(score(await cigar(page), a, b.slice(hits[nearest].start, hits[nearest].end))).toBe(2);
});

test("the profile of a long text has a brush with sliders and a movable threshold", async ({ page, request }) => {
  const b = dna(50_000, 13);
  await page.goto(await job(request, "match-count", b.slice(30_000, 30_100), b));
  await expect(answer(page)).toHaveText("100");
  await expect(page.getByRole("img", { name: /Equal symbols at each of 49,901 offsets: \d+ to 100/ })).toBeVisible();
  await expect(page.getByText("100 equal at offset 30,000").first()).toBeVisible();
  const begin = page.getByRole("slider", { name: "First offset of the range" });
  const end = page.getByRole("slider", { name: "Last offset of the range" });
  await expect(begin).toHaveAttribute("aria-valuenow", "29940");
  await begin.press("Home");
  await expect(begin).toHaveAttribute("aria-valuenow", "0");
  await end.press("ArrowLeft");
  await expect(page.getByText(/In the selection, the maximum of each/)).toBeVisible();
  const line = page.getByRole("slider", { name: /Threshold/ });
  await expect(line).toHaveAttribute("aria-valuenow", "100");
  await line.press("PageDown");
  await expect(page.getByText("with at most 2 unequal")).toBeVisible();
  await page.getByRole("button", { name: "Offset 30,000, place it there" }).click();
  await expect(begin).toHaveAttribute("aria-valuenow", /^\d+$/);
  await expect(page.getByRole("heading", { name: "Offset 30,000" })).toBeVisible();
  await expect(page.locator(".runline").getByText("verified", { exact: true })).toBeVisible();
});

test("a subsequence of uploaded texts is aligned and summarized", async ({ page, request }) => {
  await page.goto(await job(request, "lcs", dna(2_000, 14), dna(2_000, 15)));
  const length = Number((await answer(page).textContent())!.replaceAll(",", ""));
  await expect(page.locator(".runline").getByText("verified", { exact: true })).toBeVisible();
  const made = await cigar(page);
  expect([...made.matchAll(/(\d+)=/g)].reduce((sum, [, columns]) => sum + Number(columns), 0)).toBe(length);
});

test("a stored search shows its hits to another visitor", async ({ page, browser }) => {
  await open(page, "/exact-search");
  await type(page, "aba", "ababa");
  await expect(answer(page)).toHaveText("2");
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Stored result/ }).check();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(link);
  await expect(stranger).toHaveTitle(/2 occurrences/);
  await expect(stranger.getByRole("heading", { level: 1 })).toHaveText("Exact search");
  await expect(rows(stranger)).toHaveText([/0–3/, /2–5/]);
  await rows(stranger).nth(1).getByRole("button").click();
  await expect(stranger.locator("#hit-1")).toHaveClass(/current/);
  await context.close();
});
