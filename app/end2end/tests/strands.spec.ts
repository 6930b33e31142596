// DNA searched on both strands: hits on the reverse strand on the page, and the files of all hits, for results of this
// device and stored ones.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, apiCalls, countIn, editor, exported, fillOption, open, options, saved, setOption, type } from "./page";

// TGTATC is the reverse complement of GATTACA without one letter.
const TEXT = "TTGATTACATTCCTGTATCCC";

const both = (page: Page) => page.getByLabel("Both strands");
const rows = (page: Page) => page.locator("table.hits tbody tr").filter({ visible: true });

test("the reverse complement is found, shown and aligned, and is in the address", async ({ page }) => {
  const calls = apiCalls(page);
  await open(page, "/approximate-search");
  await type(page, "hello", TEXT);
  await options(page);
  await expect(both(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await type(page, "GATTACA", TEXT);
  await options(page);
  await expect(both(page)).toBeVisible();
  await fillOption(page, "At most k edits", "1");
  await setOption(page, "Merge overlapping matches");
  await expect(answer(page)).toHaveText("1");
  await setOption(page, "Both strands");
  await expect(answer(page)).toHaveText("2");
  await expect(page.locator(".answer .say")).toContainText("1 on the strand as it stands, 1 on the other.");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(0)).toContainText("+");
  await expect(rows(page).nth(1)).toContainText("−");
  await expect(rows(page).nth(1).locator(".found")).toHaveText("TGTATC");
  await rows(page).nth(1).getByRole("button").click();
  await expect(page.getByText("On the other strand: a is reversed and complemented.")).toBeVisible();
  await expect(page).toHaveURL(/strands=both/);
  expect(calls).toEqual([]);
  await page.reload();
  await expect(answer(page)).toHaveText("2");
  await options(page);
  await expect(both(page)).toBeChecked();
});

test("all hits are saved as SAM, PAF and BED with their strands", async ({ page }) => {
  await open(page, "/exact-search#a=GATC&b=GATCTTGATC&strands=both");
  await expect(answer(page)).toHaveText("4");
  expect(await saved(page, "BED of matches")).toBe(
    [0, 6].flatMap((at) => ["+", "-"].map((strand) => `b\t${at}\t${at + 4}\ta\t1000\t${strand}\n`)).join(""),
  );
  const sam = (await saved(page, "SAM of matches")).split("\n").filter((line) => line && !line.startsWith("@"));
  expect(sam.map((line) => line.split("\t").slice(1, 4).join(" "))).toEqual(["0 b 1", "272 b 1", "256 b 7", "272 b 7"]);
  expect((await saved(page, "PAF of matches")).split("\n").filter(Boolean)).toHaveLength(4);
  await editor(page, "a").fill("GAXC");
  await expect(page.getByText("The pattern has no other strand")).toBeVisible();
});

test("a stored result has hits of both strands", async ({ page, request }) => {
  const options = { strands: "both", max_distance: 1, local_minima: true };
  const job = { task: "approximate-search", options, a: { text: "GATTACA" }, b: { text: TEXT } };
  const solved = await (await request.post("/api/v1/jobs?wait=30", { data: job })).json();
  const link = await (await request.post("/api/v1/links", { data: { job: solved.id, lifetime: "1d" } })).json();
  await page.goto(new URL(link.url, "http://127.0.0.1").pathname);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("−");
  const address = await (await exported(page)).getByRole("link", { name: "SAM of matches" }).getAttribute("href");
  await page.keyboard.press("Escape");
  const sam = await (await request.get(address!)).text();
  expect(sam).toContain("a\t272\tb\t14\t255\t");
  await rows(page).nth(1).getByRole("button").click();
  await expect(page.getByText("On the other strand: a is reversed and complemented.")).toBeVisible();
});

test("edits of DNA are saved as VCF and rows as FASTA, and a patch keeps line ends", async ({ page }) => {
  await open(page);
  await type(page, "ACGTTA", "AGGTTA");
  await expect(answer(page)).toHaveText("1");
  expect(await saved(page, "VCF")).toContain("\na\t2\t.\tC\tG\t.\tPASS\t.\n");
  expect((await saved(page, "Aligned FASTA")).split("\n").filter((line) => line.startsWith(">"))).toEqual([">a", ">b"]);
  await countIn(page, "lines");
  await type(page, "x\ny\n", "x\nz\ny");
  await expect(answer(page)).toHaveText("1");
  expect(await saved(page, "Unified diff")).toBe("--- a\n+++ b\n@@ -1,2 +1,3 @@\n x\n-y\n+z\n+y\n\\ No newline at end of file\n");
});

test("next difference opens the first one after the visible rows and scrolls to it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const a = "ACGT".repeat(1000);
  const letters = [...a];
  for (let at = 50; at < letters.length; at += 100) letters[at] = letters[at] === "T" ? "A" : "T";
  await open(page);
  await type(page, a, letters.join(""));
  await expect(answer(page)).toHaveText("40");
  const area = page.getByRole("region", { name: /^Alignment, columns/ });
  // Every row has a difference, so that there is nothing to hide.
  await expect(page.getByRole("button", { name: "Hide equal rows" })).toBeHidden();
  await answer(page).click();
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press("j");
  await expect(page.getByText("1 of 40")).toBeVisible();
  await expect(area).toBeInViewport();
  await page.getByLabel("Column or position").fill("2000");
  await page.getByLabel("Column or position").press("Enter");
  await answer(page).click();
  const firstColumn = async () => Number((await area.getAttribute("aria-label"))!.match(/columns ([\d,]+)/)![1].replace(",", ""));
  await expect.poll(firstColumn).toBeGreaterThan(1000);
  const first = await firstColumn();
  await page.keyboard.press("j");
  await expect(page.getByText(`${Math.ceil((first - 50) / 100) + 1} of 40`)).toBeVisible();
});
