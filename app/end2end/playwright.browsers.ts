import config from "./playwright.config";

// Tests in Firefox and WebKit as packaged by a distribution, run by `cargo xtask test browsers`. Playwright is the test
// runner only; other drivers control the browsers.
export default {
  ...config,
  testDir: "other-browsers",
  // A driver loses its browser now and then. A test that passes on a retry is listed as flaky.
  retries: 2,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  projects: [{ name: "Firefox" }, { name: "WebKit" }],
  use: { baseURL: config.use?.baseURL },
};
