// Files: formats, encodings and sizes, accepted and rejected.
import { expect } from "@playwright/test";
import { test } from "./test";
import { gzipSync } from "node:zlib";
import { dna } from "./data";
import { answer, choose, countIn, editor, open, quickServer, runButton, saved } from "./page";

test("line ends do not count in lines but count in bytes", async ({ page }) => {
  await open(page);
  await choose(page, "a", { name: "windows.txt", content: "one\r\ntwo\r\n" });
  await choose(page, "b", { name: "unix.txt", content: "one\ntwo\n" });
  await countIn(page, "lines");
  await expect(answer(page)).toHaveText("0");
});

test("a file with Windows line ends is read-only until it is converted", async ({ page }) => {
  await open(page);
  await choose(page, "a", { name: "windows.txt", content: "one\r\ntwo\r\n" });
  const pane = page.locator(".editor").first();
  await expect(pane.locator(".head")).toHaveText("one\ntwo\n");
  await expect(pane).toContainText("Windows line ends (CRLF). Shown read-only, so that nothing changes by accident.");
  await pane.getByRole("button", { name: "Convert and edit" }).click();
  await expect(editor(page, "a")).toHaveValue("one\ntwo\n");
  await expect(page.locator(".toast")).toContainText("a can be edited now. Its lines end with LF.");
  await expect(pane.getByRole("button", { name: "Convert and edit" })).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(pane.locator(".head")).toBeVisible();
});

for (const [encoding, content, says] of [
  ["Windows-1252", Buffer.from("café, naïve", "latin1"), "Western European (Windows-1252)"],
  ["UTF-16 without a mark", Buffer.from("hello, world", "utf16le"), "UTF-16"],
] as const) {
  test(`a file in ${encoding} is converted and can be edited`, async ({ page }) => {
    await open(page);
    await choose(page, "a", { name: "old.txt", content });
    const pane = page.locator(".editor").first();
    await expect(pane).toContainText("Not UTF-8. Shown read-only");
    await pane.getByRole("button", { name: "Convert and edit" }).click();
    await expect(page.locator(".toast")).toContainText(`a was read as ${says}.`);
    await expect(editor(page, "a")).toHaveValue(encoding === "Windows-1252" ? "café, naïve" : "hello, world");
  });
}

test("an empty file is a text", async ({ page }) => {
  await open(page);
  await choose(page, "a", { name: "empty.txt", content: "" });
  await choose(page, "b", { name: "abc.txt", content: "abc" });
  await expect(answer(page)).toHaveText("3");
});

test("a file that is not UTF-8 is refused in characters and accepted in bytes", async ({ page }) => {
  await open(page);
  await countIn(page, "chars");
  await choose(page, "a", { name: "latin1.txt", content: Buffer.from([0x63, 0x61, 0x66, 0xe9]) });
  await editor(page, "b").fill("cafe");
  await expect(page.getByRole("alert")).toContainText("not UTF-8");
  await page.getByRole("button", { name: "Compare by bytes" }).click();
  await expect(answer(page)).toHaveText("1");
});

test("the FASTA header becomes the name, and letters are compared without case", async ({ page }) => {
  await open(page);
  await choose(page, "a", { name: "a.fasta", content: ">first strand\nacgt\nacgt\n" });
  await choose(page, "b", { name: "b.fasta", content: ">second strand\nACGTAGGT\n" });
  await expect(answer(page)).toHaveText("1");
  await expect(page.getByRole("region", { name: "Text a" })).toContainText("first strand");
});

test("an upload over the limit of the server is refused with the limit", async ({ page }) => {
  // Without this the page would not even try. The server's offers are changed so that they allow more symbols than the
  // server takes, like outdated offers.
  await quickServer(page, { change: (told) => told.replaceAll(/"symbols":\s*\d+/g, '"symbols":16000000') });
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(1_600_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(1_600_000, 2) });
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/Runs on the server/);
  await runButton(page).click();
  await expect(page.getByRole("alert")).toContainText(/Limit: 1,500,000/);
});

test("a job over every limit is refused before the upload", async ({ page }) => {
  const uploads: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && uploads.push(request.url()));
  await open(page);
  await choose(page, "a", { name: "a.txt", content: dna(2_500_000, 1) });
  await choose(page, "b", { name: "b.txt", content: dna(2_500_000, 2) });
  await expect(page.getByRole("alert")).toContainText(/limit/);
  expect(uploads).toEqual([]);
});

// A member of bgzip: gzip with its own length in the header.
function bgzip(text: string) {
  const gzip = gzipSync(text);
  const header = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0, 0]);
  header.writeUInt16LE(gzip.length + 8 - 1, 16);
  return Buffer.concat([header, gzip.subarray(10)]);
}

test("gzip and bgzip files are unpacked", async ({ page }) => {
  await open(page);
  const text = ">first strand\nACGTACGT\n";
  await choose(page, "a", { name: "a.fasta.gz", content: gzipSync(text) });
  await choose(page, "b", { name: "b.fasta", content: text });
  await expect(answer(page)).toHaveText("0");
  await expect(editor(page, "a")).toHaveValue(text);
  const members = Buffer.concat([bgzip(">first strand\nACGT"), bgzip("AGGT\n"), bgzip("")]);
  await choose(page, "b", { name: "b.fasta.gz", content: members });
  await expect(answer(page)).toHaveText("1");
  await expect(editor(page, "b")).toHaveValue(">first strand\nACGTAGGT\n");
});

// Written by `printf ACGTACGTACGT | pzstd`. A skippable frame comes first.
const PZSTD = Buffer.from("502a4d18040000001900000028b52ffd0458610000414347544143475441434754e8151994", "hex");

test("gzip of several members and Zstandard are unpacked by code loaded on demand", async ({ page }) => {
  const parts: string[] = [];
  page.on("request", (request) => request.url().includes("unpack") && parts.push(request.url()));
  await open(page);
  await choose(page, "b", { name: "b.txt.gz", content: gzipSync("ACGTACGTACGT") });
  await expect(editor(page, "b")).toHaveValue("ACGTACGTACGT");
  expect(parts).toEqual([]);
  const members = Buffer.concat([gzipSync("ACGT"), gzipSync(""), gzipSync("ACGTACGT")]);
  for (const [name, content] of [
    ["members.txt.gz", members],
    ["padded.txt.gz", Buffer.concat([members, Buffer.alloc(64)])],
    ["a.txt.zst", PZSTD],
    ["two.txt.zst", Buffer.concat([PZSTD.subarray(12), Buffer.from("502a4d180000000028b52ffd24000100" + "0099e9d851", "hex")])],
  ] as const) {
    await choose(page, "a", { name, content });
    await expect(editor(page, "a")).toHaveValue("ACGTACGTACGT");
    await expect(page.getByRole("region", { name: "Text a" })).toContainText(name.replace(/\.(gz|zst)$/, ""));
    await expect(answer(page)).toHaveText("0");
    await page.getByRole("region", { name: "Text a" }).getByRole("button", { name: "Clear" }).click();
  }
  expect(parts.length).toBe(1);
  await choose(page, "a", { name: "a.gz", content: Buffer.concat([gzipSync("ACGT"), Buffer.from("garbage")]) });
  await expect(editor(page, "a")).toHaveValue("ACGT");
  await expect(page.getByText("Bytes behind the gzip data were ignored.")).toBeVisible();
});

test("a file that cannot be compared is reported until it is replaced", async ({ page }) => {
  await open(page);
  const alert = page.getByRole("alert");
  const whole = gzipSync(dna(10_000, 1));
  const wrong = Buffer.from(whole);
  wrong[whole.length - 6] ^= 1;
  for (const [name, content, words] of [
    ["short.gz", whole.subarray(0, whole.length - 20), "ends too early"],
    ["wrong.gz", wrong, "does not match the checksum"],
    ["short.zst", PZSTD.subarray(0, 30), "ends too early"],
    ["a.fa.xz", Buffer.from("fd377a585a000004", "hex"), "a.fa.xz is an xz archive"],
    ["a.docx", Buffer.concat([Buffer.from("504b0304", "hex"), Buffer.alloc(26), Buffer.from("[Content_Types].xml")]), "is not a text file"],
  ] as const) {
    await choose(page, "a", { name, content });
    await expect(alert).toContainText(words);
    await choose(page, "b", { name: "b.txt", content: "ACGT" });
    await expect(editor(page, "b")).toHaveValue("ACGT");
    await countIn(page, "words");
    await expect(alert).toContainText(words);
    await expect(answer(page)).toHaveCount(0);
    await countIn(page, "graphemes");
    expect(page.url()).not.toContain("b=ACGT");
  }
  await page.getByRole("region", { name: "Text a" }).getByRole("button", { name: "Clear" }).click();
  await expect(alert).toHaveCount(0);
  await expect(answer(page)).toHaveText("4");
});

test("an image is refused as a text, and its bytes can be compared", async ({ page }) => {
  await open(page);
  const png = Buffer.from("89504e470d0a1a0a", "hex");
  await choose(page, "a", { name: "a.png", content: png });
  await choose(page, "b", { name: "b.png", content: Buffer.concat([png, Buffer.from("x")]) });
  await expect(page.getByRole("alert")).toContainText("a.png is an image");
  await page.getByRole("button", { name: "Compare by bytes" }).click();
  await expect(answer(page)).toHaveText("1");
});

for (const [size, filler] of [["short", ""], ["over a megabyte", "x".repeat(1_200_000)]] as const) {
  test(`a ${size} file of two lines is searched for its second line, and its positions are saved`, async ({ page }) => {
    await open(page, "/exact-search");
    await choose(page, "b", { name: "input.txt", content: `ababa${filler}aba\r\naba\r\n` });
    await page.getByRole("button", { name: "Search the first line for the second" }).click();
    await expect(editor(page, "a")).toHaveValue("aba");
    const hits = filler ? [0, 2, 1_200_005] : [0, 2, 5];
    await expect(answer(page)).toHaveText(String(hits.length));
    expect(await saved(page, "List of positions")).toBe(`${hits.join("\n")}\n`);
    await expect(page.getByRole("button", { name: "Search the first line for the second" })).toHaveCount(0);
  });
}

test("a large file without exactly two lines is not split into pattern and text", async ({ page }) => {
  await open(page, "/exact-search");
  await choose(page, "b", { name: "input.txt", content: `${"x".repeat(1_200_000)}\nab\nabc\n` });
  await page.getByRole("button", { name: "Search the first line for the second" }).click();
  await expect(page.getByText("The file does not have two lines")).toBeVisible();
});

test("two files dropped together become both texts", async ({ page }) => {
  await open(page);
  const dropped = await page.evaluateHandle(() => {
    const files = new DataTransfer();
    files.items.add(new File(["kitten"], "one.txt"));
    files.items.add(new File(["sitting"], "two.txt"));
    return files;
  });
  await page.locator("section.editor").nth(1).dispatchEvent("drop", { dataTransfer: dropped });
  await expect(answer(page)).toHaveText("3");
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(editor(page, "b")).toHaveValue("sitting");
});

for (const [name, text, pattern, positions] of [
  ["found", "abacabacabadabacababacabacabad", "abacabad", [4, 22]],
  ["not there", "bananas", "nab", []],
] as const) {
  test(`the input file of paper 004 is dropped onto the page: its pattern is ${name}`, async ({ page }) => {
    await open(page, "/exact-search");
    const dropped = await page.evaluateHandle((content) => {
      const files = new DataTransfer();
      files.items.add(new File([content], "input.txt"));
      return files;
    }, `${text}\n${pattern}\n`);
    await page.locator("section.editor").nth(1).dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("button", { name: "Search the first line for the second" }).click();
    await expect(editor(page, "a")).toHaveValue(pattern);
    await expect(editor(page, "b")).toHaveValue(text);
    await expect(answer(page)).toHaveText(positions.length > 0 ? String(positions.length) : "No");
    const listed = await saved(page, "List of positions");
    expect(listed).toBe(positions.length > 0 ? `${positions.join("\n")}\n` : "Not found\n");
  });
}
