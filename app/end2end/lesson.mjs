// Plays the lesson of docs/lesson.md and takes its pictures: the projector of 1,280 × 720 pixels with a phone beside it, one file a step, as
// docs/lesson/NN-name.webp. `node lesson.mjs` while a server runs (EDITSCOPE_URL); `node lesson.mjs ../../docs/lesson-collections collections` does the
// same for docs/lesson-collections.md; `node lesson.mjs /tmp/wide widths` takes every step at the widths
// of screens instead, to be looked at. It fails where a step does not come up, is wider than its window, or its file is over 60 kB.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import * as lessons from "./lesson-steps.mjs";

const [folder = "../../docs/lesson", mode] = process.argv.slice(2);
const lesson = mode === "collections" ? lessons.collections : lessons.lesson;
const url = process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000";
const MOST_BYTES = 60_000;

const PROJECTOR = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 720 };
const WIDTHS = [1920, 1440, 1280, 1024, 390, 320];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const wrong = [];

/** A page at an address, once what the step waits for is there. */
async function shown(viewport, step, address) {
  const context = await browser.newContext({ viewport, locale: "en-GB", colorScheme: "light", hasTouch: viewport.width < 700, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.on("pageerror", (error) => wrong.push(`${step.name}: ${error}`));
  await page.goto(`${url}${address}`);
  await page.locator(step.waits ?? "output.big:not(:empty)").first().waitFor({ state: "attached", timeout: 30_000 }).catch(() => wrong.push(`${step.name}: ${address} does not come up`));
  await page.waitForTimeout(700);
  await step.acts?.(page);
  await page.waitForTimeout(500);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) wrong.push(`${step.name} at ${viewport.width}: ${wide} px too wide`);
  return { context, page };
}

/** A file of the window, as small as it can be read. */
async function webp(page, quality) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
  return Buffer.from(data, "base64");
}

/** Projector and phone beside each other, on the grey of a wall. */
async function pair(step, left, right) {
  const shot = async (page) => `data:image/png;base64,${(await page.screenshot({ type: "png" })).toString("base64")}`;
  const context = await browser.newContext({ viewport: { width: PROJECTOR.width + PHONE.width + 72, height: PROJECTOR.height + 48 } });
  const page = await context.newPage();
  const [projector, phone] = [await shot(left), await shot(right)];
  await page.setContent(
    `<body style="margin:0;background:#c9cfcc;display:flex;gap:24px;padding:24px;box-sizing:border-box;align-items:start">` +
      `<img src="${projector}" width="${PROJECTOR.width}" height="${PROJECTOR.height}"><img src="${phone}" width="${PHONE.width}" height="${PHONE.height}" style="border-radius:18px"></body>`,
  );
  await page.locator("img").last().evaluate((image) => image.decode());
  let file;
  for (const quality of [80, 65, 50, 35, 20]) {
    file = await webp(page, quality);
    if (file.length <= MOST_BYTES) break;
  }
  if (file.length > MOST_BYTES) wrong.push(`${step.name}: ${file.length} bytes`);
  await context.close();
  return file;
}

for (const [nth, step] of lesson.entries()) {
  const name = `${String(nth + 1).padStart(2, "0")}-${step.name}`;
  if (mode === "widths") {
    for (const width of WIDTHS) {
      const { context, page } = await shown({ width, height: 900 }, step, width < 700 ? (step.phone ?? step.address) : step.address);
      writeFileSync(join(folder, `${name}-${width}.png`), await page.screenshot());
      await context.close();
    }
    continue;
  }
  const left = await shown(PROJECTOR, step, step.address + (step.address.includes("#") ? "&projector" : ""));
  const right = await shown(PHONE, { ...step, acts: step.actsOnPhone ?? step.acts }, step.phone ?? step.address);
  if (step.at) await right.page.locator(step.at).first().evaluate((element) => element.scrollIntoView());
  const file = await pair(step, left.page, right.page);
  writeFileSync(join(folder, `${name}.webp`), file);
  console.log(`${name}.webp ${file.length} bytes`);
  await left.context.close();
  await right.context.close();
}
await browser.close();
wrong.forEach((what) => console.log(what));
process.exitCode = wrong.length > 0 ? 1 : 0;
