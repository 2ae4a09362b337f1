// What the tests of the console stand on: `fairway up` on free ports with a folder of its own, a real browser, and a page
// that is watched for what must not happen.
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary, openBrowser, openPage, root, run, temporaryFolder, until, violations as violationsNow } from "./graph_lib.mjs";

export { openBrowser, root, run, until };

export const kAdmin = "a-token-of-the-administrator";
const kTokens = `${kAdmin},admin,admin,system:masters\n`;

// Fairway with its console. It can be killed and started again at the same addresses, with the same data.
export class Fairway {
  static async start({ clusters = 3, tokens = kTokens } = {}) {
    const folder = await temporaryFolder();
    const fairway = new Fairway(folder, clusters);
    await fairway.setTokens(tokens);
    await fairway.launch();
    return fairway;
  }

  constructor(folder, clusters) {
    this.folder = folder;
    this.clusters = clusters;
    this.listen = "127.0.0.1:0";
    this.consoleListen = "127.0.0.1:0";
  }

  get data() {
    return join(this.folder.path, "data");
  }

  get kubeconfig() {
    return join(this.data, "kubeconfig");
  }

  // token,user,uid,groups; the server reads them when it starts.
  async setTokens(text) {
    await mkdir(this.data, { recursive: true });
    await writeFile(join(this.data, "tokens"), text);
  }

  async launch() {
    const args = ["up", "--data", this.data, "--clusters", String(this.clusters), "--listen", this.listen, "--console-listen", this.consoleListen];
    const child = spawn(binary(), args, { stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    this.ended = new Promise((done) => child.on("close", done));
    const said = await new Promise((resolve, reject) => {
      let text = "";
      let errors = "";
      child.stderr.on("data", (piece) => (errors = (errors + piece).slice(-4000)));
      child.stdout.on("data", (piece) => {
        text += piece;
        if (text.includes("Ctrl-C stops it")) resolve(text);
      });
      child.on("error", reject);
      child.on("close", (code) => reject(new Error(`fairway up ended with ${code}: ${text}${errors}`)));
    });
    const found = (pattern) => {
      const match = pattern.exec(said);
      if (!match) throw new Error(`expected ${pattern} in what fairway up says: ${said}`);
      return match[1];
    };
    this.address = found(/console\s+(\S+)/);
    this.updates = found(/update service\s+(\S+)\/graph/);
    this.url = new URL(this.address).origin;
    this.listen = new URL(found(/API server\s+(\S+)/)).host;
    this.consoleListen = new URL(this.url).host;
  }

  // As a power cut does it.
  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async stop() {
    this.child?.kill("SIGTERM");
    await this.ended;
    await this.folder.remove();
  }

  kubectl(...args) {
    return run("kubectl", ["--kubeconfig", this.kubeconfig, ...args]);
  }

  // A request to a cluster's API by way of the console, as the pages make it.
  async ask(cluster, path, { method = "GET", body, type = "application/json", token = kAdmin } = {}) {
    const response = await fetch(`${this.url}/clusters/${cluster}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": type } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  // Makes an object, or what differs from it, so; its status too.
  async put(cluster, collection, object) {
    const path = `${collection}/${object.metadata.name}`;
    const { status, ...rest } = object;
    await this.ask(cluster, `${path}?fieldManager=tests&force=true`, { method: "PATCH", body: rest, type: "application/apply-patch+yaml" });
    if (status) await this.ask(cluster, `${path}/status`, { method: "PATCH", body: { status }, type: "application/merge-patch+json" });
  }
}

// Opens a page at a route, signed in, runs the check, and expects that nothing went wrong beside it. `meant`: what the
// browser may complain about, because the test provokes it.
export async function visit(browser, fairway, route, check, { token = kAdmin, meant = [], width = 1200, height = 800, ...options } = {}) {
  const hash = token ? `#token=${encodeURIComponent(token)}&to=${encodeURIComponent(route)}` : `#${route}`;
  const { page, context, troubles } = await openPage(browser, `${fairway.url}/${hash}`, { width, height, ...options });
  try {
    await check(page, context);
    const unmeant = troubles.filter((each) => !meant.some((pattern) => pattern.test(each)));
    if (unmeant.length > 0) throw new Error(`nothing should go wrong in the browser: ${unmeant.join("\n")}`);
  } finally {
    await context.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}

// What axe-core finds, in light and in dark.
export async function violations(page) {
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const [first, second] = isDark ? ["dark", "light"] : ["light", "dark"];
  const found = [];
  for (const colorScheme of [second, first]) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violationsNow(page)).map((each) => `${colorScheme}: ${each}`));
  }
  return found;
}

// Refusals that a test provokes: browsers note each on their console.
export const refusals = (...codes) => codes.map((code) => new RegExp(`Failed to load resource.*${code}`));
export const lostConnections = [/Failed to load resource: net::ERR_/, /Failed to load resource.*50[234]/];

export const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true });
export const row = (page, name) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });

// For docs/images, when FAIRWAY_SCREENSHOTS=1 asks for it.
export async function picture(page, name) {
  if (process.env.FAIRWAY_SCREENSHOTS !== "1") return;
  await mkdir(join(root, "docs/images"), { recursive: true });
  await page.screenshot({ path: join(root, "docs/images", `${name}.png`), animations: "disabled" });
}
