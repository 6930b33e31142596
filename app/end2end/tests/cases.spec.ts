// Cases reported by users of other programs, on the page. server/tests/cases/cases.json defines its fields; the
// server's tests read it too.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, choose, editor, exported, open, runButton, saved, slowServer } from "./page";

type Text = string | { file: string } | { repeat: [string, number] } | { letters: [number, number, number] } | { concat: Text[] };

type Case = {
  number: number;
  name: string;
  task?: string;
  options?: Record<string, string | number | boolean>;
  a: Text;
  b: Text;
  answer?: { distance?: number | null; length?: number; total?: number; best?: number | null };
  reading?: Record<string, string>;
  warnings?: string[];
  exports?: Record<string, string | string[]>;
  fails?: { words: string[]; page?: string[] };
  marks?: [string, string, string][];
  page?: { shows?: string; says?: string[]; named?: string[]; not_saved?: string[]; reloads?: boolean };
  not_at?: Record<string, string>;
};

const folder = resolve(import.meta.dirname, "../../../server/tests/cases");
const cases: Case[] = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8")).cases;

/** Longer texts are opened as files. */
const MOST_IN_LINK = 7_000;

/** Text that stands in for a file until the address is read and the file is chosen. */
const PLACEHOLDER = "a text that is replaced by a file";

/** Names of the buttons that save a format. */
const BUTTONS: Record<string, string> = {
  bed: "BED of matches",
  cigar: "CIGAR",
  csv: "CSV of matches",
  diff: "Unified diff",
  edits: "CSV of edits",
  "hits-paf": "PAF of matches",
  "hits-sam": "SAM of matches",
  html: "Report (HTML)",
  json: "JSON",
  paf: "PAF",
  positions: "List of positions",
  sam: "SAM",
  svg: "Picture (SVG)",
  text: "Text blocks",
  vcf: "VCF",
};

const FORMATS: Record<string, RegExp> = {
  embl: /^EMBL:/,
  fasta: /^FASTA:/,
  fastq: /^FASTQ:/,
  genbank: /^GenBank:/,
  plain: /^Plain text:/,
  sequence: /^A sequence/,
};

const WARNINGS: Record<string, RegExp> = {
  "breaks-off": /The last record has no end/,
  "gaps-count": /Gaps \(- or \.\), the first in line \d+, count as symbols\./,
  "looks-like-utf16": /This looks like UTF-16 without a byte order mark/,
  "no-sequence": /Records without a sequence, the first in line \d+ \(\w+\), are empty\./,
  "numbers-skipped": /Numbers and spaces between the letters are skipped/,
  "only-line-ends": /apart from the line ends/,
  "utf16-as-bytes": /This is UTF-16, and its bytes are compared/,
};

function bytes(text: Text): Buffer {
  if (typeof text === "string") return Buffer.from(text);
  if ("file" in text) return readFileSync(join(folder, text.file));
  if ("repeat" in text) return Buffer.from(text.repeat[0].repeat(text.repeat[1]));
  if ("concat" in text) return Buffer.concat(text.concat.map(bytes));
  const [first, count, step] = text.letters;
  return Buffer.from(Array.from({ length: count }, (_, at) => String.fromCodePoint(first + at * step)).join(""));
}

/** Returns the large number that the page shows. */
function numeral({ task, options, answer, page }: Case): string {
  if (page?.shows !== undefined) return page.shows;
  const counts = task === "exact-search" || (task === "approximate-search" && options?.max_distance !== undefined);
  const number = counts ? answer!.total! : (answer!.distance ?? answer!.length ?? answer!.best ?? 0);
  return counts && number === 0 ? "No" : number.toLocaleString("en-US");
}

/** Opens the texts of a case: by a link, and those that it cannot hold as files. */
async function enter(page: Page, { task, options, a, b }: Case): Promise<void> {
  const texts = [a, b].map((text, at) => {
    const content = bytes(text);
    const name = typeof text !== "string" && "file" in text ? text.file : undefined;
    return { which: (["a", "b"] as const)[at]!, content, name: name ?? (content.length > MOST_IN_LINK ? "typed.txt" : undefined) };
  });
  const inLink = texts.map(({ which, content, name }) => `${which}=${encodeURIComponent(name ? PLACEHOLDER : content.toString())}`);
  const said = Object.entries({ unit: "bytes", ...options }).map(([name, value]) => (value === true ? name : `${name}=${value}`));
  const address = `${path(task!)}#${[...inLink, ...said].join("&")}`;
  const files = texts.filter(({ name }) => name);
  if (files.length > 0) {
    await page.goto("about:blank");
    await open(page, address);
    for (const { which } of files) await expect(editor(page, which)).toHaveValue(PLACEHOLDER);
    for (const { which, content, name } of files) await choose(page, which, { name: name!, content });
    return;
  }
  // An empty form has no answer, so that no old answer is taken for that of the next case.
  await page.goto(`${path(task!)}#a=&b=`);
  await expect(answer(page)).toHaveCount(0);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.goto(address);
}

const path = (task: string): string => (task === "edit-distance" ? "/" : `/${task}`);
const side = (page: Page, which: string): Locator => page.getByRole("region", { name: `Text ${which}` });
const rows = (page: Page): Locator => page.getByRole("region", { name: "Both texts, line by line" });

/** Compares everything that the page shows about a case. Continues after a mismatch. */
async function look(page: Page, row: Case): Promise<void> {
  const soft = expect.configure({ soft: true, timeout: 6_000 });
  const main = page.locator("main");
  await enter(page, row);
  if (row.fails) {
    for (const words of row.fails.page ?? row.fails.words) await soft(page.getByRole("alert"), row.name).toContainText(words);
    await soft(answer(page), row.name).toHaveCount(0);
    return;
  }
  // The number counts places of overlapping ends; a sentence has the number of ends.
  const { max_distance, local_minima } = row.options ?? {};
  const isOfEnds = row.task === "approximate-search" && max_distance !== undefined && !local_minima;
  if (isOfEnds) await soft(main, row.name).toContainText(new RegExp(`(?<!\\d)${row.answer!.total} end positions? in`));
  else await shows(page, row);
  for (const [which, format] of Object.entries(row.reading ?? {})) {
    if (format !== "plain") await soft(side(page, which).locator(".read-as p").first(), row.name).toHaveText(FORMATS[format]!);
  }
  for (const [type, words] of Object.entries(WARNINGS)) {
    if (row.warnings?.includes(type)) await soft(main, row.name).toContainText(words);
    else await soft(main, row.name).not.toContainText(words);
  }
  for (const words of row.page?.says ?? []) await soft(main, row.name).toContainText(words);
  for (const name of row.page?.named ?? []) await soft(rows(page).getByRole("img", { name }).first(), row.name).toBeVisible();
  if (row.marks) await soft(rows(page).locator("mark, del, ins"), row.name).toHaveText(row.marks.map(([, , text]) => text));
  for (const [format, expected] of Object.entries(row.exports ?? {})) {
    const name = `${row.name}: ${format}`;
    if (row.page?.not_saved?.includes(format)) continue;
    const [kind, mark] = format.split("&");
    const box = (await exported(page)).getByRole("checkbox", { name: /byte order mark/ });
    if ((await box.count()) > 0) await box.setChecked(mark === "bom=1");
    const file = await saved(page, BUTTONS[kind!]!);
    if (typeof expected === "string") soft(format === "cigar" ? file.trim() : file, name).toBe(expected);
    else for (const piece of expected) soft(file, name).toContain(piece);
  }
  if (row.page?.reloads) {
    await page.reload();
    await shows(page, row);
  }
}

/** Waits for the number of a case. Presses Run if the page leaves the run to the visitor, as on a busy machine. */
async function shows(page: Page, row: Case): Promise<void> {
  await expect(async () => {
    if (await runButton(page).isVisible()) await runButton(page).click({ timeout: 1_000 });
    await expect(answer(page), row.name).toHaveText(numeral(row), { timeout: 2_000 });
  })
    .toPass({ timeout: 15_000, intervals: [50] })
    .catch((error) => expect.soft(String(error), row.name).toBe("the right number"));
}

test.describe.configure({ mode: "parallel" });

/** Number of cases per test. */
const PART = 40;
const taken = cases.filter(({ task, not_at }) => task && !not_at?.page);
for (const task of new Set(taken.map(({ task }) => task!))) {
  const ofTask = taken.filter((row) => row.task === task);
  for (let from = 0; from < ofTask.length; from += PART) {
    const part = ofTask.slice(from, from + PART);
    test(`${task}: cases ${part[0]!.number} to ${part.at(-1)!.number} have their expected values`, async ({ page }) => {
      test.setTimeout(120_000);
      await slowServer(page);
      await open(page, path(task));
      for (const row of part) await test.step(row.name, () => look(page, row));
    });
  }
}

test("a typed half of a surrogate pair becomes the replacement character", async ({ page }) => {
  await open(page, "/#a=&b=x&unit=chars");
  await editor(page, "a").evaluate((area: HTMLTextAreaElement) => {
    area.value = "\ud83d";
    area.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/#a=%EF%BF%BD&b=x/);
});
