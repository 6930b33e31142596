// The lesson: five stations, one link for a class, answers and score in the link that a student hands in.
import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { test } from "./test";
import { expectAccessible } from "./accessible";

test("answers are checked without a script, and the hand-in link has the score", async ({ page }) => {
  await page.goto("/learn?seed=7");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Learn");
  const stations = page.locator("fieldset");
  await expect(stations).toHaveCount(5);
  for (const station of await stations.all()) await station.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page).toHaveURL(/\/learn\?seed=7&q1=\d+&q2=\d+&q3=\d+&q4=\d+&q5=\d+&check=1$/);
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
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page.getByRole("alert")).toContainText("Nothing was checked, because no answer is chosen.");
});

test("a wrong answer gets a hint and a second try, and the link keeps the first", async ({ page }) => {
  // 4, 13 and 14 are right.
  await page.goto("/learn?seed=7&a=GATTACA&b=GCATGCU&q1=3&q2=13");
  const station = page.locator("#station-1");
  await expect(page.getByRole("status")).toHaveText("1 of 5 right.");
  await expect(station.locator(".verdict")).toContainText("Not right yet.");
  await expect(station.locator(".verdict")).not.toContainText("4");
  await expect(station.getByRole("radio", { name: "3", exact: true })).toBeDisabled();
  await station.getByRole("radio", { name: "4", exact: true }).check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  await expect(page).toHaveURL(/&q1=3&r1=4&q2=13&check=1$/);
  await expect(station.locator(".verdict")).toContainText("Right on the second try.");
  await expect(page.getByRole("status")).toHaveText("1 of 5 right.");
  await expect(page.getByRole("link", { name: /q1=3&q2=13$/ })).toBeVisible();
});

test("a teacher's own texts are in the link and in every method of the lesson", async ({ browser }) => {
  // Without scripts, because the page has none.
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
  await expect(page).toHaveURL(/seed=7&a=GATTACA&b=GCATGCU&q1=4&q2=13&q4=14&check=1$/);
  await expect(page.getByRole("status")).toHaveText("3 of 5 right.");
  await page.getByRole("link", { name: "Other questions" }).click();
  await expect(page).toHaveURL(/seed=8&a=GATTACA&b=GCATGCU$/);
  await page.getByRole("link", { name: "Without texts of your own" }).click();
  await expect(page).toHaveURL(/\/learn\?seed=8$/);
  await page.goto(`/learn?seed=7&a=${"x".repeat(17)}&b=y`);
  await expect(page.getByRole("alert")).toContainText("These texts do not fit");
  await page.context().close();
});

test("the method of a station uses a teacher's texts", async ({ page }) => {
  await page.goto("/learn?seed=7&a=GATTACA&b=GCATGCU");
  const station = page.locator("#station-4");
  await station.getByText("Watch it").click();
  await expect(station.frameLocator("iframe").locator(".watch-pic svg").first()).toBeVisible();
  await expect(station.frameLocator("iframe").locator(".lens-page, main").first()).toContainText("GATTACA");
});

test("a truncated or mistyped link shows the lesson", async ({ page }) => {
  const answer = await page.goto("/learn?seed=x&q1=few&q2=");
  expect(answer!.status()).toBe(200);
  await expect(page.locator("fieldset")).toHaveCount(5);
});

for (const language of ["en", "de", "es", "fr", "ja", "zh"]) {
  test(`in ${language} the lesson fits a phone and is accessible`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`/learn?language=${language}&seed=3&q1=1`);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expectAccessible(page, 320);
  });
}

test("a teacher pastes the links of a class and sees each score", async ({ page, browser }) => {
  // A student predicts cells of a matrix, the first one wrongly.
  await page.goto("/#a=ab&b=b&view=matrix&ask=on");
  const field = page.getByRole("spinbutton").or(page.locator("#guess"));
  for (const value of ["2", "1", "1"]) {
    await field.fill(value);
    await page.getByRole("button", { name: "Check" }).click();
  }
  await expect.poll(() => page.url()).toMatch(/answers=CB/);
  await expect(page.locator(".quiz .score")).toHaveText("1 of 2 right on the first try");
  const matrix = page.url();
  await expect(page.getByRole("link", { name: "Class scores" })).toBeVisible();
  // Another student answers the five questions; a third one hands in the link of the class.
  await page.goto("/learn?seed=7");
  for (const station of await page.locator("fieldset").all()) await station.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Check the answers" }).click();
  const [lesson, score] = [page.url(), await page.getByRole("status").textContent()];

  const teacher = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await teacher.goto("/learn?seed=7");
  await teacher.getByRole("link", { name: "Class scores" }).click();
  await teacher.getByRole("textbox").fill(`Ada: ${matrix}\nBob\n${lesson}\nCy ${new URL("/learn?seed=7", lesson)}\n\nHello`);
  await teacher.getByRole("button", { name: "Show the scores" }).click();
  await expect(teacher.getByRole("row", { name: /^Ada/ })).toHaveText(/1 of 2\s*50%\s*D\[1, 1\]/);
  await expect(teacher.getByRole("row", { name: /^Bob/ })).toContainText(score!.replace(/ right\.$/, ""));
  await expect(teacher.getByRole("listitem").filter({ hasText: "Line 4, Cy" })).toContainText("This link has no answers.");
  await expect(teacher.getByText("Ignored, because no link follows: 1 line.")).toBeVisible();
  await expect(teacher.getByRole("textbox")).toHaveValue(/^Ada: /);
  const loaded = teacher.waitForEvent("download");
  await teacher.getByRole("button", { name: "Download as CSV" }).click();
  expect((await loaded).suggestedFilename()).toBe("scores.csv");
  await teacher.getByRole("row", { name: /^Ada/ }).getByRole("link").click();
  await expect(teacher).toHaveURL(matrix);
  await teacher.context().close();

  const checked = await (await browser.newContext()).newPage();
  await checked.goto("/hand-ins");
  await checked.getByRole("textbox").fill(`Ada ${matrix}\nBob ${lesson}`);
  await checked.getByRole("button", { name: "Show the scores" }).click();
  await expect(checked.getByRole("row", { name: /^Ada/ })).toBeVisible();
  expect((await new AxeBuilder({ page: checked }).analyze()).violations).toEqual([]);
  await checked.setViewportSize({ width: 320, height: 640 });
  expect(await checked.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await checked.context().close();
});
