import { defineConfig } from "@playwright/test";

// `cargo xtask test browser` provides the server under test and the browser. To run by hand, start `cargo xtask serve`
// first.
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  reporter: [["list"]],
  forbidOnly: Boolean(process.env.CI),
  // One worker per core of the smallest machine. The server and the page's own workers run between a test's steps.
  workers: 2,
  // Some tests measure time, and a busy machine may exceed a limit once.
  retries: process.env.CI ? 2 : 0,
  timeout: 30_000,
  use: {
    baseURL: process.env.EDITSCOPE_URL ?? "http://127.0.0.1:3000",
    locale: "en-GB",
    // Tests cannot delay requests that a service worker answers. offline.spec.ts tests the service worker.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.EDITSCOPE_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        // A page by plain http from another machine, as in a class. Browsers allow it less than 127.0.0.1.
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
