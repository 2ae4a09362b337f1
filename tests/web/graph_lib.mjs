// What the tests of the Graph page stand on: the real binary on free ports, a real browser, and a page that is watched.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function binary() {
  const found = [process.env.FAIRWAY, join(root, "build/test/fairway"), join(root, "build/fairway")].find((path) => path && existsSync(path));
  if (!found) throw new Error("expected a binary at build/test/fairway; build it, or name one by FAIRWAY");
  return found;
}

export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "fairway-graph-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let text = "";
    child.stdout.on("data", (data) => (text += data));
    child.stderr.on("data", (data) => (text += data));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(text) : reject(new Error(`${command} ${args.join(" ")} ended with ${code}: ${text}`))));
  });
}

// Starts the binary and waits until it says each of the patterns; `said` has their first groups.
export function start(args, patterns) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary(), args, { stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((done) => child.on("close", done));
    let text = "";
    let errors = "";
    const stop = async () => {
      child.kill("SIGTERM");
      await ended;
    };
    child.stderr.on("data", (data) => (errors = (errors + data).slice(-4000)));
    child.stdout.on("data", (data) => {
      text += data;
      const said = patterns.map((pattern) => pattern.exec(text)?.[1]);
      if (said.every((each) => each !== undefined)) resolve({ said, stop });
    });
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`${args[0]} ended with ${code} before it was ready: ${text}${errors}`)));
  });
}

export async function startUpdateService(graphData, releases, listen = "127.0.0.1:0") {
  const { said, stop } = await start(
    ["update-service", "--graph-data", graphData, "--releases", releases, "--listen", listen, "--status-listen", "127.0.0.1:0"],
    [/listening on (\S+)\/graph/, /status on (\S+)/],
  );
  const [url, status] = said;
  await untilReady(status);
  return { url, stop };
}

export function untilReady(status) {
  return until(async () => (await fetch(`${status}/readyz`).catch(() => undefined))?.ok === true, "the update service is ready");
}

// Without clusters: the graph alone.
export async function startConsole(updateService) {
  const { said, stop } = await start(["console", "--no-clusters", "--update-service", updateService, "--listen", "127.0.0.1:0"], [/console on (\S+?)\/?\n/]);
  return { url: said[0], stop };
}

export const example = { graphData: join(root, "api/examples/graph-data"), releases: join(root, "api/examples/graph-data/releases.jsonl") };

// Asks again until it is so; the runner's own limit ends what never becomes so.
export async function until(isSo, what) {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`expected that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

const kTypes = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

// FAIRWAY_PAGES=web/dist: pages from a folder in place of those in the binary, with the binary's headers.
async function usePagesFrom(context, folder) {
  await context.route(
    (url) => url.pathname === "/" || url.pathname.startsWith("/assets/"),
    async (route) => {
      const name = new URL(route.request().url()).pathname;
      const served = await route.fetch({ url: new URL("/", route.request().url()).href });
      const path = join(resolvePath(root, folder), name === "/" ? "index.html" : name);
      const headers = { ...served.headers(), "content-type": kTypes[extname(path)] ?? "application/octet-stream" };
      delete headers["content-length"];
      delete headers["content-encoding"];
      await route.fulfill({ status: 200, headers, body: await readFile(path) });
    },
  );
}

// "There is no way" is an answer; that it is a 404, the browser tells by itself.
const kAnswers = /status of 404.*\/updates\/path/;

// A page that remembers what must not happen: errors, and anything from another host.
export async function openPage(browser, url, { width = 1400, height = 900, isDark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: isDark ? "dark" : "light" });
  if (process.env.FAIRWAY_PAGES) await usePagesFrom(context, process.env.FAIRWAY_PAGES);
  const page = await context.newPage();
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const said = `${message.type()}: ${message.text()} (${message.location().url})`;
    if (/^(error|warning)/.test(said) && !kAnswers.test(said)) troubles.push(said);
  });
  const { host } = new URL(url);
  page.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith("http") && asked.host !== host) troubles.push(`asked another host: ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, troubles };
}

// Opens a page, runs the check, and expects that nothing went wrong beside it.
export async function visitPage(browser, url, options, check) {
  const { page, context, troubles } = await openPage(browser, url, options);
  try {
    await check(page);
    if (troubles.length > 0) throw new Error(`nothing should go wrong in the browser: ${troubles.join("\n")}`);
  } finally {
    await context.close();
  }
}

// What axe-core finds. The policy of the page allows no foreign script, so the tests bring it in beside the page's own.
export async function violations(page) {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`).join("; ")}`);
}

// For docs/images, when FAIRWAY_SCREENSHOTS=1 asks for them.
export async function picture(page, name) {
  if (process.env.FAIRWAY_SCREENSHOTS !== "1") return;
  await mkdir(join(root, "docs/images"), { recursive: true });
  await page.setViewportSize({ width: 1020, height: 640 });
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator(".graph-frame:not(.graph-moving)").waitFor();
  // No other option: all of them put styles into the page, which its policy forbids.
  await page.screenshot({ path: join(root, "docs/images", `${name}.png`), caret: "initial" });
}

export const drawn = (page) => page.waitForFunction(() => performance.getEntriesByName("fairway:graph-drawn").length > 0);
export const region = (page, name) => page.getByRole("region", { name, exact: true });
export const release = (page, version) => page.locator(".graph-frame").getByRole("button", { name: new RegExp(`^${version.replaceAll(".", "\\.")}(,|$)`) });
