// Takes a picture of every view, as docs/pictures/*.png: `node pictures.mjs` while a server runs (EDITSCOPE_URL). Pictures of the
// narrow page and of the dark one are beside those of the wide, light one; `node pictures.mjs /tmp/all every` takes all of every view.
import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";

const [folder = "../../docs/pictures", every] = process.argv.slice(2);
const url = process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000";

const sonnet = "Shall I compare thee to a Summers day?\nThou art more louely and more temperate:\nRough windes do shake the darling buds of Maie,\nAnd Sommers lease hath all too short a date:";
const editions = [
  "I wandered lonely as a Cloud\nThat floats on high o'er Vales and Hills,\nWhen all at once I saw a crowd\nA host of dancing Daffodils;\nAlong the Lake, beneath the trees,\nTen thousand dancing in the breeze.",
  "I wandered lonely as a cloud\nThat floats on high o'er vales and hills,\nWhen all at once I saw a crowd,\nA host, of golden daffodils;\nBeside the lake, beneath the trees,\nFluttering and dancing in the breeze.",
];
const part = (name, text) => `${name}=${encodeURIComponent(text)}`;
const views = {
  alignment: `/#${part("a", "intention of the many")}&${part("b", "execution by the few")}`,
  "side-by-side": `/#${part("a", editions[0])}&${part("b", editions[1])}&unit=lines`,
  matrix: "/#a=SUNDAY&b=SATURDAY&view=matrix",
  "matrix-diagonals": "/#a=SUNDAY&b=SATURDAY&view=matrix&order=diag&step=8",
  subsequence: "/lcs#a=nematode+knowledge&b=empty+bottle",
  "subsequence-matrix": "/lcs#a=nematode&b=empty+bottle&view=matrix",
  "approximate-search": `/approximate-search#a=summer&${part("b", sonnet)}&max_distance=2&case_insensitive`,
  "match-count": `/match-count#a=abba&${part("b", "acbabaccb".repeat(12))}&max_mismatches=1`,
  "exact-search": `/exact-search#a=aba&${part("b", "ababababa cababa ".repeat(6))}`,
  metrics: "/#a=kitten&b=sitting&view=metrics",
};
const looks = [
  { name: "", width: 1440, colorScheme: "light" },
  { name: "-dark", width: 1440, colorScheme: "dark" },
  { name: "-tablet", width: 768, colorScheme: "light" },
  { name: "-phone", width: 320, colorScheme: "dark" },
  { name: "-phone-light", width: 320, colorScheme: "light" },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const look of every ? looks : looks.slice(0, 1)) {
  const context = await browser.newContext({ viewport: { width: look.width, height: 900 }, colorScheme: look.colorScheme, locale: "en-GB" });
  for (const [name, address] of Object.entries(views)) {
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.log(`${name}${look.name}: ${message.text().slice(0, 200)}`));
    page.on("pageerror", (error) => console.log(`${name}${look.name}: ${error}`));
    await page.goto(url + address);
    await page.locator("output.big").waitFor({ timeout: 60_000 }).catch(() => console.log(`${name}${look.name}: no answer`));
    await page.waitForTimeout(1_200);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) console.log(`${name}${look.name}: ${wide} px too wide`);
    await page.screenshot({ path: `${folder}/${name}${look.name}.png`, fullPage: true });
    await page.close();
  }
  await context.close();
}
await browser.close();
