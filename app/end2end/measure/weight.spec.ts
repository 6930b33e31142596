// What a first visitor downloads: requests, and bytes of their answers as they travel.
import { expect, test, type Request } from "@playwright/test";
import { answer } from "../tests/page";

const ADDRESSES = {
  "a first view": "/",
  "the first answer": "/#a=kitten&b=sitting",
  "the first matrix": "/#a=kitten&b=sitting&view=matrix",
  "the first search": "/approximate-search#a=abc&b=xxabcxx&k=1",
};

for (const [what, address] of Object.entries(ADDRESSES)) {
  test(what, async ({ page }) => {
    const done: Request[] = [];
    page.on("requestfinished", (request) => done.push(request));
    await page.goto(address);
    if (address.includes("#")) await expect(answer(page)).not.toHaveText("");
    await page.waitForLoadState("networkidle");
    const sizes = await Promise.all(done.map(async (request) => (await request.sizes()).responseBodySize));
    const bytes = sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
    console.log(`${what}: ${done.length} requests, ${(bytes / 1000).toFixed(0)} kB`);
  });
}
