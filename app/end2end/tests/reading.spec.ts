// How texts are read: the page tells beside the editors whether a text is a file of records, with a switch and a choice
// of records.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { dna } from "./data";
import { answer, choose, countIn, editor, open, options, runButton, setOption, type } from "./page";

const THREE = ">chr1 of a phage\nACGTACGT\n>chr2\nTTACGGAA\n>chr3\nGGGG\n";

const side = (page: Page, which: "a" | "b") => page.getByRole("region", { name: `Text ${which}` });
const readAs = (page: Page, which: "a" | "b") => side(page, which).getByLabel("Read both as");
const record = (page: Page, which: "a" | "b") => side(page, which).getByLabel(/records$/);

/** Returns record and range of every hit in the list. */
async function places(page: Page): Promise<string[]> {
  const rows = page.locator("table.hits tbody tr");
  return (await rows.all()).reduce<Promise<string[]>>(async (said, row) => {
    const cells = [row.locator(".record"), row.getByRole("button")].map((cell) => cell.innerText());
    return [...(await said), (await Promise.all(cells)).map((text) => text.replaceAll(/\s/g, "")).join(":")];
  }, Promise.resolve([]));
}

test("quoted mail is read as text with all its symbols", async ({ page }) => {
  await open(page);
  await type(page, "> Hi Bob,\n> how are you\nFine, thanks.", "Hi Bob,\nhow are you\nFine, thanks.");
  await expect(answer(page)).toHaveText("4");
  await expect(side(page, "a")).toContainText("Plain text: every symbol counts.");
  await expect(readAs(page, "a")).toHaveValue("auto");
  await expect(readAs(page, "b")).toBeHidden();
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await expect(readAs(page, "a")).toBeHidden();
});

test("FASTA equals its letters in lower case, and differs if read as text", async ({ page }) => {
  await open(page);
  await type(page, ">strand\nACGT\nACGT\n", "acgtacgt");
  await expect(answer(page)).toHaveText("0");
  await expect(side(page, "a")).toContainText("FASTA: headers and line breaks are skipped; upper and lower case are the same.");
  await expect(side(page, "b")).toContainText("A sequence, like the other text");
  await readAs(page, "b").selectOption("never");
  await expect(answer(page)).toHaveText("17");
  await expect(readAs(page, "a")).toHaveValue("never");
  await expect(page).toHaveURL(/&fasta=never$/);
  await page.reload();
  await expect(answer(page)).toHaveText("17");
  await expect(readAs(page, "b")).toHaveValue("never");
  await expect(side(page, "b")).toContainText("Plain text: every symbol counts.");
  await readAs(page, "a").selectOption("always");
  await expect(answer(page)).toHaveText("0");
});

test("a search in several records names the record, and finds nothing across them", async ({ page }) => {
  await open(page, "/exact-search");
  await type(page, "ACG", THREE);
  await expect(answer(page)).toHaveText("3");
  await expect(record(page, "b")).toHaveValue("apart");
  await expect.poll(() => places(page)).toEqual(["chr1:0–3", "chr1:4–7", "chr2:2–5"]);
  await editor(page, "a").fill("gttt");
  await expect(answer(page)).toHaveText("No");
  await record(page, "b").selectOption({ label: "All as one text" });
  await expect(answer(page)).toHaveText("1");
  await expect(page.locator("table.hits .record").first()).toBeHidden();
  await editor(page, "a").fill("ACG");
  await record(page, "b").selectOption({ label: "chr2" });
  await expect(answer(page)).toHaveText("1");
  await expect(page).toHaveURL(/&record_b=1$/);
  await page.reload();
  await expect(answer(page)).toHaveText("1");
  await expect(record(page, "b").locator("option:checked")).toHaveText("chr2");
});

test("a comparison with one of several records asks for the record", async ({ page }) => {
  await open(page);
  await type(page, "acgtacgt", THREE);
  await expect(page.getByRole("alert")).toContainText("b has 3 records: chr1 of a phage, chr2, chr3.");
  await record(page, "b").selectOption({ label: "chr1 of a phage" });
  await expect(answer(page)).toHaveText("0");
  await expect(page.getByRole("alert")).toBeHidden();
  // The choice stays while the file is edited, but not for another text.
  await editor(page, "b").fill(THREE.replace("ACGTACGT", "ACGTTACGT"));
  await expect(answer(page)).toHaveText("1");
  await expect(record(page, "b").locator("option:checked")).toHaveText("chr1 of a phage");
  await editor(page, "b").fill("acgtacgg");
  await expect(answer(page)).toHaveText("1");
  await expect(record(page, "b")).toBeHidden();
});

test("a missing record is reported, and removed by one click", async ({ page }) => {
  await page.goto(`/exact-search#a=ACG&b=${encodeURIComponent(THREE)}&record_b=chr9`);
  await expect(page.getByRole("alert")).toContainText("b has no such record. It has 3: chr1 of a phage, chr2, chr3.");
  await page.getByRole("button", { name: "Choose no record" }).click();
  await expect(answer(page)).toHaveText("3");
});

test("with many records a record can be chosen by its name", async ({ page }) => {
  const many = Array.from({ length: 130 }, (_, number) => `>read${number}\n${dna(40, number)}\n`).join("");
  await open(page);
  await choose(page, "a", { name: "reads.fasta", content: many });
  await editor(page, "b").fill(dna(40, 117));
  await expect(page.getByRole("alert")).toContainText("a has 130 records");
  await side(page, "a").getByLabel("Record of a, by name or number").fill("read117");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveText("0");
});

test("a job on the server names its record, and another record can be compared", async ({ page, request }) => {
  const upload = async (text: string) => (await (await request.put("/api/v1/texts", { data: Buffer.from(text) })).json()).id;
  const [a, b] = [await upload(`>z\n${dna(70_000, 1)}\n`), await upload(`>x\n${dna(70_000, 1)}\n>y\n${dna(70_000, 2)}\n`)];
  const job = { task: "edit-distance", a: { upload: a }, b: { upload: b, record: "x" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  await page.goto(`/j/${id}`);
  await expect(answer(page)).toHaveText("0");
  await expect(side(page, "b")).toContainText("FASTA: headers and line breaks are skipped");
  await expect(record(page, "b").locator("option:checked")).toHaveText("x");
  await record(page, "b").selectOption({ label: "y" });
  await expect(record(page, "b").locator("option:checked")).toHaveText("y");
  await runButton(page).click();
  await expect(answer(page)).not.toHaveText("0", { timeout: 30_000 });
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(record(page, "b").locator("option:checked")).toHaveText("y");
});

test.describe("German", () => {
  test.use({ locale: "de-DE" });

  test("reading reports are translated", async ({ page }) => {
    await page.goto(`/exact-search#a=ACG&b=${encodeURIComponent(THREE)}`);
    await expect(answer(page)).toHaveText("3");
    await expect(page.locator(".read-as p").last()).toHaveText(/^FASTA: Kopfzeilen und Zeilenumbrüche werden übersprungen/);
    await expect(page.getByLabel("3 Datensätze")).toHaveValue("apart");
  });
});

test("digits are ignored by an option, also in a link", async ({ page }) => {
  await open(page);
  await type(page, "page 12", "page 3");
  await expect(answer(page)).toHaveText("2");
  await setOption(page, "Digits");
  await expect(answer(page)).toHaveText("0");
  await expect(page.locator(".options-said")).toContainText("Ignored: digits");
  await expect(page).toHaveURL(/ignore_digits/);
  await page.reload();
  await expect(answer(page)).toHaveText("0");
});

test("line ends, accents and punctuation are ignored by options, also in a link", async ({ page }) => {
  await open(page);
  await type(page, "Crème brûlée, please.  \n\nThank you!\n", "Creme brulee please\nThank you");
  await expect(answer(page)).toHaveText("10");
  await setOption(page, "Accents");
  await expect(answer(page)).toHaveText("7");
  await setOption(page, "Punctuation");
  await expect(answer(page)).toHaveText("4");
  await setOption(page, "Line ends and blank lines");
  await expect(answer(page)).toHaveText("0");
  await expect(page.locator(".options-said")).toContainText("Ignored: line ends and blank lines, accents, punctuation");
  await expect(page).toHaveURL(/ignore_line_ends&ignore_punctuation&ignore_accents/);
  await page.reload();
  await expect(answer(page)).toHaveText("0");
  await countIn(page, "bytes");
  await expect((await options(page)).getByLabel("Accents", { exact: true })).toBeDisabled();
});
