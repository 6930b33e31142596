import config from "./playwright.config";

// Measurements by hand on a quiet machine: `npx playwright test --config playwright.measure.ts`. They print figures and
// check little.
export default { ...config, testDir: "measure", workers: 1, retries: 0, timeout: 240_000 };
