import { defineConfig } from "@playwright/test";

// The server under test and the browser come from `cargo xtask test browser`; by hand, start `cargo xtask serve` first.
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  reporter: [["list"]],
  forbidOnly: Boolean(process.env.CI),
  // One for each core of the smallest machine: the server and the page's own workers have room between a test's steps.
  workers: 2,
  // Some journeys look at the clock, and a busy machine may be late once.
  retries: process.env.CI ? 2 : 0,
  timeout: 30_000,
  use: {
    baseURL: process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000",
    locale: "en-GB",
    // Requests that a service worker answers are none that a test can hold up; offline.spec.ts is about that one.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        // A page by plain http from another machine, as in a class: a browser trusts it less than 127.0.0.1.
        "--host-resolver-rules=MAP classroom.example 127.0.0.1",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
