// Takes a picture of every view, as docs/pictures/*.png: `node pictures.mjs` while a server runs (EDITSCOPE_URL). Pictures of the
// narrow page and of the dark one are beside those of the wide, light one; `node pictures.mjs /tmp/all every` takes all of every view:
// tablet, phone, projector, large text, black and white, of methods that are watched and of the pages of the papers and of the lesson too. README's first picture, docs/compare.png, is of two chromosomes from the folder that
// EDITSCOPE_TEST_DATA names; `node pictures.mjs ../../docs/pictures "" compare` takes that one alone.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { more, views } from "./views.mjs";

const [folder = "../../docs/pictures", every, only] = process.argv.slice(2);
const url = process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000";

const looks = [
  { name: "", width: 1440, colorScheme: "light" },
  { name: "-dark", width: 1440, colorScheme: "dark" },
  { name: "-black-and-white", width: 1440, colorScheme: "light", palette: "print" },
  { name: "-wide", width: 1920, colorScheme: "light" },
  { name: "-laptop", width: 1024, colorScheme: "dark" },
  { name: "-phone-390", width: 390, colorScheme: "light" },
  { name: "-tablet", width: 768, colorScheme: "light" },
  { name: "-phone", width: 320, colorScheme: "dark" },
  { name: "-phone-light", width: 320, colorScheme: "light" },
  { name: "-projector", width: 1280, colorScheme: "light", projector: true },
  { name: "-large-text", width: 1440, colorScheme: "light", text: "200%" },
  { name: "-tablet-large-text", width: 768, colorScheme: "dark", text: "200%" },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const look of every ? looks : looks.slice(0, 1)) {
  const context = await browser.newContext({ viewport: { width: look.width, height: 900 }, colorScheme: look.colorScheme, locale: "en-GB" });
  for (const [name, address] of Object.entries(every ? { ...views, ...more } : views).filter(([name]) => !only || name.startsWith(only))) {
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.log(`${name}${look.name}: ${message.text().slice(0, 200)}`));
    page.on("pageerror", (error) => console.log(`${name}${look.name}: ${error}`));
    await page.goto(`${url}${address}${look.projector ? "&projector" : ""}`);
    if (!address.includes("#")) await page.locator("h1").waitFor();
    else await page.locator("output.big, .lens").first().waitFor({ timeout: 60_000 }).catch(() => console.log(`${name}${look.name}: no answer`));
    await page.evaluate(({ text, palette }) => {
      if (text) document.documentElement.style.fontSize = text;
      if (palette) document.documentElement.dataset.palette = palette;
    }, look);
    await page.waitForTimeout(1_200);
    if (name === "metrics") {
      await page.getByRole("button", { name: "Run it here and on the server" }).click();
      await page.getByText("Both found the same.").waitFor().catch(() => console.log(`${name}${look.name}: no comparison`));
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) console.log(`${name}${look.name}: ${wide} px too wide`);
    await page.screenshot({ path: `${folder}/${name}${look.name}.png`, fullPage: true });
    await page.close();
  }
  await context.close();
}

const [a, b] = ["chromosome_1m.fasta", "chromosome_1m_94.fasta"].map((file) => join(process.env.EDITSCOPE_TEST_DATA ?? "../../../shared/data", file));
if (every || (only && only !== "compare")) {
  // Neither asked for.
} else if (!existsSync(a) || !existsSync(b)) {
  console.log(`LEFT OUT compare.png: EDITSCOPE_TEST_DATA names no folder with ${a} and ${b}`);
} else {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1500 }, colorScheme: "light", locale: "en-GB" });
  await page.goto(url);
  await page.getByLabel("File for a").setInputFiles(a);
  await page.getByLabel("File for b").setInputFiles(b);
  await page.getByRole("region", { name: "Plan" }).getByText(/server/).first().waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: /^Run/ }).first().click();
  await page.locator("output.big").filter({ hasText: "62,190" }).waitFor({ timeout: 180_000 });
  await page.waitForTimeout(2_500);
  await page.screenshot({ path: join(folder, "../compare.png") });
}
await browser.close();
