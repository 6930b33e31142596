// The lesson: five stations, one link for a class, answers and score in the link that is handed in.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";

test("answers are checked without a script, and the link to hand in has them and their score", async ({ page }) => {
  await page.goto("/learn?seed=7");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Learn");
  const stations = page.locator("fieldset");
  await expect(stations).toHaveCount(5);
  for (const station of await stations.all()) await station.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page).toHaveURL(/\/learn\?seed=7&q1=\d+&q2=\d+&q3=\d+&q4=\d+&q5=\d+$/);
  const score = await page.getByRole("status").textContent();
  const right = await page.locator(".verdict.right").count();
  expect(score).toBe(`${right} of 5 right.`);
  const link = await page.getByRole("link", { name: /q5=/ }).getAttribute("href");
  await page.goto(link!);
  await expect(page.getByRole("status")).toHaveText(score!);
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(5);
  await page.getByRole("link", { name: "Other questions" }).click();
  await expect(page).toHaveURL(/seed=8$/);
  await expect(page.getByRole("radio", { checked: true })).toHaveCount(0);
});

test("a teacher's own texts stand in the link with the rest, and every method of the lesson runs on them", async ({ browser }) => {
  // Without scripts, as the page is.
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto("/learn?seed=7");
  await page.getByText("Texts of your own").click();
  await page.getByLabel("a", { exact: true }).fill("GATTACA");
  await page.getByLabel("b", { exact: true }).fill("GCATGCU");
  await page.getByRole("button", { name: "Use these texts" }).click();
  await expect(page).toHaveURL(/\/learn\?seed=7&a=GATTACA&b=GCATGCU$/);
  await expect(page.getByText("How many edits turn GATTACA into GCATGCU?")).toBeVisible();
  const frames = await page.locator("iframe").evaluateAll((all) => all.map((frame) => frame.getAttribute("src")));
  expect(frames).toHaveLength(5);
  for (const frame of frames) expect(frame).toContain("#a=GATTACA&b=GCATGCU&view=matrix");
  await page.locator("#station-1").getByRole("radio", { name: "4", exact: true }).check();
  await page.locator("#station-2").getByRole("radio", { name: "13", exact: true }).check();
  await page.locator("#station-4").getByRole("radio", { name: "14", exact: true }).check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page).toHaveURL(/seed=7&a=GATTACA&b=GCATGCU&q1=4&q2=13&q4=14$/);
  await expect(page.getByRole("status")).toHaveText("3 of 5 right.");
  await page.getByRole("link", { name: "Other questions" }).click();
  await expect(page).toHaveURL(/seed=8&a=GATTACA&b=GCATGCU$/);
  await page.getByRole("link", { name: "Without texts of your own" }).click();
  await expect(page).toHaveURL(/\/learn\?seed=8$/);
  await page.goto(`/learn?seed=7&a=${"x".repeat(17)}&b=y`);
  await expect(page.getByRole("alert")).toContainText("These texts do not fit");
  await page.context().close();
});

test("the method of a station runs on a teacher's texts", async ({ page }) => {
  await page.goto("/learn?seed=7&a=GATTACA&b=GCATGCU");
  const station = page.locator("#station-4");
  await station.getByText("Watch it").click();
  await expect(station.frameLocator("iframe").locator(".watch-pic svg").first()).toBeVisible();
  await expect(station.frameLocator("iframe").locator(".lens-page, main").first()).toContainText("GATTACA");
});

test("a link that was cut off or typed wrongly shows the lesson", async ({ page }) => {
  const answer = await page.goto("/learn?seed=x&q1=few&q2=");
  expect(answer!.status()).toBe(200);
  await expect(page.locator("fieldset")).toHaveCount(5);
});

for (const language of ["en", "de", "es", "fr", "ja", "zh"]) {
  test(`in ${language} nothing is wider than a phone, and axe finds nothing`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`/learn?language=${language}&seed=3&q1=1`);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)).toEqual([]);
    }
  });
}
