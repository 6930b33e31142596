// The page in other languages, including messages of the engines.
import { expect, type Page } from "@playwright/test";
import { test } from "./test";
import { answer, open, type } from "./page";

/** Every English sentence of the page contains one of these words, and no other language has them. */
const ENGLISH = /\b(the|of|and|is|are|be|by|it|take|takes|because|turn|turns|with|this|here|both|symbols?|cells?|edits?)\b/i;

/** Returns all texts about the run and the answer. */
async function told(page: Page): Promise<string> {
  const parts = page.locator(".runline, .options-said, .answer, .legend, .msg .say, .msg h2, .minimap figcaption, table.figures");
  return (await parts.allInnerTexts()).join("\n");
}

/** Opens a file of these bytes as the first text. */
async function chooseBytes(page: Page, bytes: number[]): Promise<void> {
  const buffer = Buffer.from(bytes);
  await page.locator("input[type=file]").first().setInputFiles({ name: "a.bin", mimeType: "application/octet-stream", buffer });
}

test.describe("German", () => {
  test.use({ locale: "de-DE" });

  test("German texts are fetched once and cached, and the page starts with them", async ({ page }) => {
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const fetched = () => page.evaluate(() => (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(({ name }) => name.endsWith("/words/de.json")).map(({ transferSize }) => transferSize));
    await open(page);
    const title = page.getByRole("heading", { level: 1 });
    await expect(title).toHaveText("Zwei Texte vergleichen und sehen, worin sie sich unterscheiden");
    await expect(page.getByLabel("Sprache")).toHaveValue("de");
    const first = await fetched();
    expect(first.filter((bytes) => bytes > 10_000)).toHaveLength(1);
    await page.goto("/lcs");
    await open(page);
    expect((await fetched()).filter((bytes) => bytes > 10_000)).toHaveLength(0);
    // Switches to another language without loading a new document, and back.
    await page.evaluate(() => Object.assign(window, { same: true }));
    await page.getByLabel("Sprache").selectOption("fr");
    await expect(title).toHaveText("Comparez deux textes et voyez ce qui les distingue");
    await page.getByLabel("Langue").selectOption("en");
    await expect(title).toHaveText("Compare two texts and see how they differ");
    await page.getByLabel("Language").selectOption("de");
    await expect(title).toHaveText("Zwei Texte vergleichen und sehen, worin sie sich unterscheiden");
    expect(await page.evaluate(() => "same" in window)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("a page whose translations do not load says that nothing works", async ({ page }) => {
    await page.route("**/words/de.json", (route) => route.abort());
    await page.goto("/");
    await expect(page.getByRole("alert")).toContainText("Das Programm dieser Seite wurde nicht geladen");
  });

  for (const [path, a, b, says] of [
    ["/", "kitten", "sitting", "Änderungen überführen kitten in sitting. Zu 57,1 % ähnlich (1 − 3/7)"],
    ["/lcs", "nematode", "empty", "Buchstaben gemeinsam, in derselben Reihenfolge"],
    ["/approximate-search", "wind", "ein wnd weht", "Änderung: Der ähnlichste Treffer ist wnd."],
    ["/match-count", "abba", "acbabaccb", "von 4 Buchstaben stimmen bestenfalls überein"],
    ["/exact-search", "aba", "ababab", "Vorkommen von aba. Überlappungen zählen mit."],
  ]) {
    test(`plan and answer of ${path} are in German`, async ({ page }) => {
      await open(page, path);
      await type(page, a, b);
      await expect(answer(page)).toBeVisible();
      await expect(page.locator(".runline")).toContainText(/In Ihrem Browser in .* berechnet\..*geprüft.*Ihre Texte haben dieses Gerät nicht verlassen\./);
      await expect.poll(async () => (await told(page)).replace(/\s+/g, " ")).toContain(says);
      expect(await told(page)).not.toMatch(ENGLISH);
    });
  }

  test("a failure is in German", async ({ page }) => {
    await open(page);
    await chooseBytes(page, [0x61, 0x62, 0xff, 0xfe, 0x63]);
    await page.getByRole("textbox", { name: "b", exact: true }).fill("abc");
    const message = page.locator(".msg");
    await expect(message).toContainText("ist bei Byte 2 kein gültiges UTF-8");
    expect(await told(page)).not.toMatch(ENGLISH);
    await expect(message.getByRole("button", { name: "Nach Bytes vergleichen" })).toBeVisible();
  });
});

for (const [locale, says, equal, plan] of [
  ["es-ES", "ediciones convierten kitten en sitting. 57,1 % de similitud (1 − 3/7)", "0 ediciones: a y b son iguales", /Calculado en su navegador en/],
  ["fr-FR", "modifications transforment kitten en sitting. 57,1 % de similarité (1 − 3/7)", "0 modification : a et b sont égaux", /Calculé dans votre navigateur en/],
] as const) {
  test.describe(locale, () => {
    test.use({ locale });

    test("plan and answer have the plural form of their number", async ({ page }) => {
      await open(page);
      await expect(page.locator("html")).toHaveAttribute("lang", locale.slice(0, 2));
      await type(page, "kitten", "sitting");
      await expect(answer(page)).toHaveText("3");
      await expect(page.locator(".runline")).toContainText(plan);
      await expect.poll(async () => (await told(page)).replace(/\s+/g, " ")).toContain(says);
      expect(await told(page)).not.toMatch(ENGLISH);
      await type(page, "same", "same");
      await expect(answer(page)).toHaveText("0");
      await expect.poll(async () => (await told(page)).replace(/\s+/g, " ")).toContain(equal);
    });

    test("the other tasks are translated", async ({ page }) => {
      for (const [path, a, b] of [["/lcs", "nematode", "empty"], ["/approximate-search", "wind", "una vnd sopla"], ["/match-count", "abba", "acbabaccb"], ["/exact-search", "aba", "ababab"]]) {
        await open(page, path);
        await type(page, a, b);
        await expect(answer(page)).toBeVisible();
        expect(await told(page), path).not.toMatch(ENGLISH);
      }
    });
  });
}

test("the menu changes the language at once, and the choice is stored", async ({ page }) => {
  await open(page);
  await type(page, "kitten", "sitting");
  for (const [tag, heading] of [["es", "Distancia de edición"], ["fr", "Distance d’édition"], ["de", "Editierdistanz"], ["ja", "編集距離"], ["zh", "编辑距离"], ["en", "Edit distance"], ["fr", "Distance d’édition"]]) {
    await page.locator(".prefs select").selectOption(tag);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
    await expect(answer(page)).toHaveText("3");
  }
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Distance d’édition");
});

for (const [locale, number, says] of [
  ["ja-JP", "3", "回の編集で kitten が sitting になります"],
  ["zh-CN", "3", "次编辑可将 kitten 变为 sitting"],
]) {
  test.describe(locale, () => {
    test.use({ locale });

    test("plan and answer are translated", async ({ page }) => {
      await open(page);
      await type(page, "kitten", "sitting");
      await expect(answer(page)).toHaveText(number);
      await expect(page.locator(".answer")).toContainText(says);
      expect(await told(page)).not.toMatch(ENGLISH);
    });

    test("Han characters have the forms of the language", async ({ page }) => {
      await page.goto("/");
      const families = await page.evaluate(() => ["body", "h1", ".say", "textarea"].map((of) => getComputedStyle(document.querySelector(of)!).fontFamily));
      const [own, other] = locale === "ja-JP" ? ["CJK JP", "CJK SC"] : ["CJK SC", "CJK JP"];
      for (const family of families) {
        expect(family).toContain(own);
        expect(family).not.toContain(other);
        expect(family).not.toContain("system-ui");
      }
    });
  });
}

test("static pages exist in every language, and the choice holds elsewhere", async ({ page }) => {
  await page.goto("/how");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("How it works");
  await page.getByRole("navigation", { name: "Language" }).getByRole("link", { name: "Deutsch" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wie es funktioniert");
  await expect(page.getByRole("main")).toContainText("Eine Addition, deren Übertrag die Spalte hinabläuft");
  await page.getByRole("link", { name: "Grenzen" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await page.getByRole("link", { name: "Zwei Texte vergleichen" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Zwei Texte vergleichen und sehen, worin sie sich unterscheiden");
  for (const [name, how, limits] of [["Español", "Cómo funciona", "Límites"], ["Français", "Comment ça marche", "Limites"]]) {
    await page.goto("/how");
    await page.locator(".languages").getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(how);
    await page.getByRole("link", { name: limits }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(limits);
  }
});

test("a shared result has its title in the language of the reader", async ({ page, request }) => {
  const job = { task: "edit-distance", a: { text: "kitten" }, b: { text: "sitting" }, options: { unit: "graphemes" } };
  const { id } = await (await request.post("/api/v1/jobs?wait=5", { data: job })).json();
  const made = await request.post("/api/v1/links", { data: { job: id, lifetime: "1d", names: { a: "1807", b: "1815" } } });
  await page.goto(new URL((await made.json()).url, "http://127.0.0.1").pathname);
  await expect(page).toHaveTitle("3 edits: 1807 and 1815 · Editscope");
  await expect(answer(page)).toHaveText("3");
  for (const [tag, title] of [["es", "3 ediciones: 1807 y 1815 · Editscope"], ["fr", "3 modifications : 1807 et 1815 · Editscope"], ["en", "3 edits: 1807 and 1815 · Editscope"]]) {
    await page.locator(".prefs select").selectOption(tag);
    await expect(page).toHaveTitle(title);
  }
  await page.locator(".prefs select").selectOption("es");
  await page.reload();
  await expect(page).toHaveTitle("3 ediciones: 1807 y 1815 · Editscope");
  await expect(page.locator('meta[property="og:title"]')).toHaveAttribute("content", "3 ediciones: 1807 y 1815 · Editscope");
});

test("the task names leave space for the preferences in every language and width", async ({ page }) => {
  await page.goto("/match-count");
  for (const tag of ["en", "de", "es", "fr", "ja", "zh"]) {
    await page.locator(".prefs select").selectOption(tag);
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
    for (const width of [1095, 1200, 1270, 1281, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      const [tab, first] = await Promise.all([page.locator(".tasks a").last().boundingBox(), page.locator(".prefs > *").filter({ visible: true }).first().boundingBox()]);
      const apart = tab!.y >= first!.y + first!.height - 5 || tab!.x + tab!.width <= first!.x;
      expect(apart, `${tag} at ${width}`).toBe(true);
    }
  }
});

test("keys are named as on keyboards, and decimals have the sign of the language", async ({ page }) => {
  for (const [tag, run, keys, speed] of [
    ["en", "Ctrl ↵", ["PgUp", "PgDn", "Home", "End", "Space"], "0.5 ×"],
    ["de", "Strg ↵", ["Bild ↑", "Bild ↓", "Pos1", "Ende", "Leertaste"], "0,5 ×"],
    ["es", "Ctrl ↵", ["RePág", "AvPág", "Inicio", "Fin", "Espacio"], "0,5 ×"],
    ["fr", "Ctrl ↵", ["Pg préc", "Pg suiv", "Début", "Fin", "Espace"], "0,5 ×"],
    ["ja", "Ctrl ↵", ["PgUp", "PgDn", "Home", "End", "スペース"], "0.5 ×"],
    ["zh", "Ctrl ↵", ["PgUp", "PgDn", "Home", "End", "空格"], "0.5 ×"],
  ] as const) {
    await page.context().addCookies([{ name: "language", value: tag, url: process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000" }]);
    await page.goto("about:blank");
    await open(page, "/#a=kitten&b=sitting&view=matrix");
    await expect(page.getByRole("grid")).toBeVisible();
    await expect(page.locator(".runbar kbd").first()).toHaveText(run, { useInnerText: false });
    await expect(page.locator(".deck option").first()).toHaveText(speed);
    for (const key of keys.slice(2)) await expect(page.locator("#grid-help kbd", { hasText: key })).toHaveCount(1);
    await page.locator("textarea").first().blur();
    await page.keyboard.press("?");
    for (const key of keys) await expect(page.locator("dialog .keys kbd").filter({ hasText: key }).first()).toBeVisible();
  }
});

test("the engine in this browser is named in the current language", async ({ page }) => {
  await page.context().addCookies([{ name: "language", value: "de", url: process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000" }]);
  await open(page, "/#a=kitten&b=sitting&view=metrics");
  await expect(page.locator("main")).toContainText("WebAssembly, ein Thread");
  await expect(page.locator("main")).not.toContainText("one thread");
});
