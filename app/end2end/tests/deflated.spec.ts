// Long texts in a link: one browser deflates them and another one inflates them, up to the limit of the text fields.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { answer, editor, open, type } from "./page";

/** Longer than the page waits before it writes the address. */
const WRITTEN_MS = 800;

const ENGLISH = "the of and a in that it was his he for with as had but all we not they one by at this from so what there which or when her would if no them who will more out than up into do any your has man could other time about some very then made over did down only way find use may water long little people day part sound work know place years live back give most after thing our just name good sentence think say great where help through much before line right too mean old same tell boy follow came want show also around form three small set put end does another well large must big even such because turn here why ask went men read need land different home us move try kind hand picture again change off play spell air away animal house point page letter mother answer found study still learn should world high every near add food between own below country plant last school father keep tree never start city earth eye light thought head under story saw left few while along might close something seem next hard open example begin life always those both paper together got group often run".split(" ");
const CHINESE = [..."的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"];

/** Generates words, or letters, of a vocabulary in pseudo-random order. */
function text(vocabulary: string[], length: number, between: string): string {
  let [state, out] = [12_345, ""];
  while (out.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    out += vocabulary[Math.floor(state / 7) % vocabulary.length]! + between;
  }
  return out.slice(0, length);
}

/** Replaces some letters of a text. */
const edited = (text: string, by: string) => [...text].map((letter, at) => (at % 900 === 450 ? by : letter)).join("");

/** Encodes two texts as the page does for a link. */
function packed(a: string, b: string, { version = 1, lengths }: { version?: number; lengths?: [number, number] } = {}): string {
  const sides = [a, b].map((side) => Buffer.from(side));
  const head = Buffer.alloc(8);
  sides.forEach((side, at) => head.writeUInt32LE(lengths?.[at] ?? side.length, 4 * at));
  const turns = Array.from({ length: Math.ceil(Math.max(...sides.map((side) => side.length)) / 8_192) }, (_, turn) => sides.map((side) => side.subarray(turn * 8_192, (turn + 1) * 8_192)));
  return Buffer.concat([Buffer.from([version]), deflateSync(Buffer.concat([head, ...turns.flat()]), { level: 9 })]).toString("base64url");
}

/** Returns the link with the texts from the share dialog. */
async function textInLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /^Link/ }).check({ force: true });
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  await page.keyboard.press("Escape");
  return link;
}

for (const [language, a, by] of [
  ["English", text(ENGLISH, 30_000, " "), "#"],
  ["Chinese", text(CHINESE, 9_000, ""), "火"],
] as const) {
  test(`two long ${language} texts fit in a link`, async ({ page, browser }) => {
    const b = edited(a, by);
    const letters = { a: [...a], b: [...b] };
    await open(page);
    await type(page, a, b);
    const found = String(letters.a.filter((letter, at) => letter !== letters.b[at]).length);
    // Two browsers beside each other, on the smallest machine, need some seconds for texts of this size.
    await expect(answer(page)).toHaveText(found, { timeout: 15_000 });
    const link = await textInLink(page);
    const { pathname, hash } = new URL(link);
    expect([pathname, hash.slice(0, 3)]).toEqual(["/", "#z="]);
    expect(hash.length).toBeLessThanOrEqual(32_000);
    // The address bar has the same link, so that a reload finds it.
    await expect.poll(() => page.url()).toBe(link);
    await page.reload();
    await expect(editor(page, "b")).toHaveValue(b);

    const stranger = await (await browser.newContext()).newPage();
    await open(stranger, `${link}&view=metrics`);
    await expect(answer(stranger)).toHaveText(found, { timeout: 15_000 });
    await expect(editor(stranger, "a")).toHaveValue(a);
    await expect(editor(stranger, "b")).toHaveValue(b);
    // The address stays as it was opened.
    await stranger.waitForTimeout(WRITTEN_MS);
    expect(stranger.url()).toBe(`${link}&view=metrics`);
    await stranger.context().close();
  });
}

test("short texts stay readable in the link, and long ones are deflated", async ({ page }) => {
  await open(page, "/lcs#a=kitten&b=sitting");
  await expect(answer(page)).toHaveText("4");
  await page.waitForTimeout(WRITTEN_MS);
  expect(new URL(page.url()).hash).toBe("#a=kitten&b=sitting");
  await editor(page, "a").fill(text(ENGLISH, 2_500, " "));
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#z=/);
  await editor(page, "a").fill("kitten");
  await expect.poll(() => new URL(page.url()).hash).toBe("#a=kitten&b=sitting");
});

test("the QR code of a deflated link contains the link", async ({ page }) => {
  const wasmBinary = readFileSync(createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")).buffer as ArrayBuffer;
  prepareZXingModule({ overrides: { wasmBinary } });
  await open(page);
  await type(page, "acgt".repeat(800), "acga".repeat(800));
  await expect(answer(page)).toHaveText("800");
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /^Link/ }).check({ force: true });
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  expect(new URL(link).hash).toMatch(/^#z=/);
  const [code, ...others] = await readBarcodes(await dialog.getByRole("img", { name: "QR code of the link" }).screenshot(), { formats: ["QRCode"] });
  expect([code?.text, others]).toEqual([link, []]);
});

test("a small link with huge contents is not unpacked to its end", async ({ page }) => {
  for (const bomb of [packed("\0".repeat(30_000_000), "b"), packed("\0".repeat(30_000_000), "b", { lengths: [5, 1] }), packed("x".repeat(1_000_001), "b")]) {
    await page.goto("/");
    await page.goto(`/#z=${bomb}`);
    await expect(page.getByRole("alert")).toContainText(/It has more text than a field takes: at most 1.MB/);
    await expect(editor(page, "a")).toHaveValue("");
  }
});

test("an unreadable link is reported, and the address stays unchanged", async ({ page }) => {
  const whole = packed(text(ENGLISH, 3_000, " "), text(ENGLISH, 2_000, " "));
  const middle = whole.length >> 1;
  const other = whole[middle] === "A" ? "B" : "A";
  for (const [letters, words] of [
    [whole.slice(0, middle) + other + whole.slice(middle + 1), "was cut off"],
    [whole.slice(0, -9), "was cut off"],
    [whole + "AAAA", "was cut off"],
    ["no letters!", "was cut off"],
    [packed("a", "b", { lengths: [2, 1] }), "was cut off"],
    [packed("a", "b", { version: 2 }), "made by a newer version"],
  ] as const) {
    await page.goto("/");
    await page.goto(`/#z=${letters}&unit=words`);
    await expect(page.getByRole("alert")).toContainText(words);
    await page.waitForTimeout(WRITTEN_MS);
    expect(page.url()).toContain(encodeURI(`#z=${letters}&unit=words`));
  }
  await page.goto(`/lcs#z=${whole}`);
  await expect(answer(page)).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a link that unpacks slowly does not overwrite newer typing", async ({ page }) => {
  await page.addInitScript(() => {
    const read = ReadableStreamDefaultReader.prototype.read;
    const inflate = DecompressionStream;
    let late = 0;
    (window as any).DecompressionStream = function (format: CompressionFormat) {
      late = 1_500;
      return new inflate(format);
    };
    ReadableStreamDefaultReader.prototype.read = async function (...given: []) {
      await new Promise((resolve) => setTimeout(resolve, late));
      return read.apply(this, given) as any;
    };
  });
  await open(page, `/#z=${packed("one of the link ".repeat(200), "other of the link")}`);
  await type(page, "kitten", "sitting");
  await expect(answer(page)).toHaveText("3");
  await page.waitForTimeout(3_500);
  await expect(editor(page, "a")).toHaveValue("kitten");
  await expect(answer(page)).toHaveText("3");
});

test("a browser without compression opens and makes plain links", async ({ page, browser }) => {
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.addInitScript(() => {
    delete (window as any).CompressionStream;
    delete (window as any).DecompressionStream;
  });
  const a = text(ENGLISH, 3_000, " ");
  await open(other);
  await type(other, a, "kitten");
  await expect(answer(other)).toBeVisible();
  const link = await textInLink(other);
  expect(new URL(link).hash).toMatch(/^#a=/);
  await expect(other.getByText("of at most 8,000 characters.")).toBeAttached();
  await open(page, link);
  await expect(editor(page, "a")).toHaveValue(a);
  await other.goto("/");
  await other.goto(`/#z=${packed("a", "b")}`);
  await expect(other.getByRole("alert")).toContainText("this browser cannot unpack them");
  await context.close();
});

test("long texts of a private link are not in the address, even deflated", async ({ page, browser }) => {
  const a = text(ENGLISH, 5_000, " ");
  await open(page);
  await type(page, a, edited(a, "#"));
  await expect(answer(page)).toBeVisible();
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this result" });
  await dialog.getByRole("radio", { name: /Private link/ }).check({ force: true });
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("textbox", { name: "Link" })).toHaveValue(/\/s\//);
  const address = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  const other = await (await browser.newContext()).newPage();
  await other.goto(address);
  await expect(editor(other, "a")).toHaveValue(a);
  await editor(other, "b").fill(`${a} and more`);
  await other.getByRole("link", { name: "Longest common subsequence" }).click();
  await expect(answer(other)).toHaveText("5,000");
  await other.waitForTimeout(WRITTEN_MS);
  expect(new URL(other.url()).hash).toBe("");
  await other.context().close();
});

test("frames and the print sheet accept deflated texts", async ({ page }) => {
  const letters = packed("kitten", "sitting");
  await page.goto(`/embed/lcs#z=${letters}`);
  await expect(answer(page)).toHaveText("4");
  await expect(page.getByRole("link", { name: "Open in Editscope" })).toHaveAttribute("href", `/lcs#z=${letters}`);
  await page.goto(`/print#task=lcs&z=${letters}`);
  await expect(page.getByText("Length: 4. Number of optimal alignments:")).toBeVisible();
});
