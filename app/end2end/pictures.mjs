// Takes a picture of every view, as docs/pictures/*.png: `node pictures.mjs` while a server runs (EDITSCOPE_URL). Pictures of the
// narrow page and of the dark one are beside those of the wide, light one; `node pictures.mjs /tmp/all every` takes all of every view:
// tablet, phone, projector, large text.
import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";
import { views } from "./views.mjs";

const [folder = "../../docs/pictures", every, only] = process.argv.slice(2);
const url = process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000";

const looks = [
  { name: "", width: 1440, colorScheme: "light" },
  { name: "-dark", width: 1440, colorScheme: "dark" },
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
  for (const [name, address] of Object.entries(views).filter(([name]) => !only || name.startsWith(only))) {
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.log(`${name}${look.name}: ${message.text().slice(0, 200)}`));
    page.on("pageerror", (error) => console.log(`${name}${look.name}: ${error}`));
    await page.goto(url + address);
    await page.locator("output.big").waitFor({ timeout: 60_000 }).catch(() => console.log(`${name}${look.name}: no answer`));
    await page.evaluate(({ text, projector }) => {
      if (text) document.documentElement.style.fontSize = text;
      if (projector) document.documentElement.setAttribute("data-projector", "");
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
await browser.close();
