import config from "./playwright.config";

// Measurements on a quiet machine, by hand: `npx playwright test --config playwright.measure.ts`. They print figures and judge little.
export default { ...config, testDir: "measure", workers: 1, retries: 0, timeout: 240_000 };
