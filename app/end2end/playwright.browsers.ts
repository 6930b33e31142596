import config from "./playwright.config";

// Firefox and WebKit as a distribution has them; `cargo xtask test browsers` runs it. Playwright is the runner and drives neither.
export default {
  ...config,
  testDir: "other-browsers",
  // A driver loses its browser now and then; what passes the second time is listed as flaky.
  retries: 2,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  projects: [{ name: "Firefox" }, { name: "WebKit" }],
  use: { baseURL: config.use?.baseURL },
};
