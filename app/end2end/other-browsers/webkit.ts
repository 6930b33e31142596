// WebKit, as WebKitGTK's MiniBrowser on a screen that nobody sees, by WebDriver over HTTP (https://w3c.github.io/webdriver).
import { createServer, type AddressInfo } from "node:net";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expression, sleep, start, stop, type Driver } from "./driver";

/** What a driver calls the reference to an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Collects the page's complaints from then on; a session that is driven shows no console. */
function listen() {
  const page = window as unknown as { complaints?: string[] };
  if (page.complaints) return;
  const complaints: string[] = (page.complaints = []);
  addEventListener("error", ({ message }) => complaints.push(`error: ${message}`));
  addEventListener("unhandledrejection", ({ reason }) => complaints.push(`error: ${reason}`));
  for (const level of ["error", "warn"] as const) {
    const before = console[level];
    console[level] = (...said: unknown[]) => {
      complaints.push(`${level}: ${said.join(" ")}`);
      before(...said);
    };
  }
}

/** Starts a screen, the driver and with it the browser. */
export async function webkit(): Promise<Driver> {
  const screen = await start("Xvfb", ["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], {}, /^(\d+)\n/);
  const env = { DISPLAY: `:${screen.said[1]}`, NO_AT_BRIDGE: "1", GDK_BACKEND: "x11" };
  const binary = miniBrowser();
  let service: Service | undefined;
  let session = "";
  let complaints: string[] = [];

  const ask = async <T>(method: string, path: string, body?: object, ms = 30_000): Promise<T> => {
    const address = `${service!.address}/session${session && `/${session}`}${path}`;
    const response = await fetch(address, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(ms) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}, ${value.message}`);
    return value;
  };
  const end = async () => {
    if (session) await ask("DELETE", "").catch(() => {});
    session = "";
    await service?.stop();
    service = undefined;
  };
  /** With a driver of its own, since now and then (2 of 26 in version 2.50) one never hears of the browser that it has started. */
  const begin = async () => {
    await end();
    service = await Service.start(env);
    const options = { "webkitgtk:browserOptions": { binary, args: ["--automation"] } };
    ({ sessionId: session } = await ask<{ sessionId: string }>("POST", "", { capabilities: { alwaysMatch: options } }, 10_000));
  };
  const collect = async () => {
    const page = () => (window as unknown as { complaints?: string[] }).complaints?.splice(0) ?? [];
    complaints.push(...(await driver.evaluate(page)));
  };

  const driver: Driver = {
    // The buttons beside its address bar need as much.
    narrowest: 447,
    async begin() {
      await begin().catch(begin).catch(begin);
      complaints = [];
      await driver.resize(1440, 900);
    },
    async navigate(address) {
      await collect();
      await ask("POST", "/url", { url: address });
      await driver.evaluate(listen);
    },
    async leave() {
      await driver.navigate("about:blank");
    },
    async evaluate(code, ...args) {
      const script = `const done = arguments[1]; (${expression(code)})(arguments[0]).then((json) => done([json]), (error) => done([null, String(error)]))`;
      const [json, error] = await ask<[string, string?]>("POST", "/execute/async", { script, args: [JSON.stringify(args)] });
      if (error) throw new Error(error);
      return JSON.parse(json);
    },
    async act(actions) {
      await ask("POST", "/actions", { actions });
    },
    async choose(selector, path) {
      const element = await ask<Record<string, string>>("POST", "/element", { using: "css selector", value: selector });
      await ask("POST", `/element/${element[ELEMENT]}/value`, { text: path });
    },
    async resize(width, height) {
      await ask("POST", "/window/rect", { x: 0, y: 0, width: Math.max(width, driver.narrowest), height });
      // The page hears of it later.
      for (let tries = 0; tries < 50; tries++) {
        if ((await driver.evaluate(() => innerWidth)) === Math.max(width, driver.narrowest)) return;
        await sleep(50);
      }
      throw new Error(`the window does not become ${width} wide`);
    },
    async complaints() {
      await collect();
      return complaints;
    },
    async said(address) {
      // Of a session that is driven or private it does not write down what its console says.
      const args = ["--enable-write-console-messages-to-stdout=true", address];
      const home = mkdtempSync(join(tmpdir(), "editscope-webkit-"));
      const own = { HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home };
      const browser = spawn(binary, args, { env: { ...process.env, ...env, ...own }, stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      browser.stderr.on("data", (piece) => (said += piece));
      await sleep(5_000);
      // What its processes have said is written when they end, the last of them after it.
      const silent = new Promise((resolve) => browser.stderr.once("close", resolve));
      await stop(browser);
      await Promise.race([silent, sleep(10_000)]);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      return said.split("\n").filter((line) => /CONSOLE (\w+ )*(ERROR|WARN)/.test(line));
    },
    async close() {
      await end();
      await stop(screen.child);
    },
  };
  return driver;
}

/** A driver that has been started. */
class Service {
  private constructor(
    readonly address: string,
    private child: ChildProcess,
  ) {}

  static async start(env: object): Promise<Service> {
    const port = await freePort();
    const child = spawn("WebKitWebDriver", [`--port=${port}`], { env: { ...process.env, ...env }, stdio: "ignore" });
    const service = new Service(`http://127.0.0.1:${port}`, child);
    for (let tries = 0; tries < 100; tries++) {
      if (await fetch(`${service.address}/status`).then((response) => response.ok, () => false)) return service;
      await sleep(50);
    }
    await service.stop();
    throw new Error("WebKitWebDriver does not answer");
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}

/** Where the package of the driver has put the browser. */
function miniBrowser(): string {
  const libraries = ["/usr/lib", "/usr/libexec", ...readdirSync("/usr/lib").map((folder) => join("/usr/lib", folder))];
  const places = libraries.flatMap((folder) => ["webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"].map((name) => join(folder, name, "MiniBrowser")));
  const place = process.env.EDITSCOPE_MINIBROWSER ?? places.find((path) => existsSync(path));
  if (!place) throw new Error("WebKit's MiniBrowser is not where Debian's webkit2gtk-driver has it; name it in EDITSCOPE_MINIBROWSER");
  return place;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
