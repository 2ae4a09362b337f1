// The Graph page without clusters: browsing, keyboard, search, explanations, paths, and what goes wrong.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { drawn, example, openBrowser, openPage, region, release, start, startConsole, startUpdateService, until, untilReady, violations, visitPage } from "./graph_lib.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

const visit = (url, options, check) => visitPage(browser, url, options, check);
const transform = (page) => page.locator(".graph-world").evaluate((element) => element.style.transform);
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.id);

describe("the example's graph", () => {
  let service;
  let console;
  before(async () => {
    service = await startUpdateService(example.graphData, example.releases);
    console = await startConsole(service.url);
  });
  after(async () => {
    await console?.stop();
    await service?.stop();
  });
  const open = (query, check, options) => visit(`${console.url}/#/graph?${query}`, options, async (page) => {
    await drawn(page);
    await check(page);
  });

  test("shows the newest stable channel, and others when they are picked", () =>
    visit(`${console.url}/`, {}, async (page) => {
      await drawn(page);
      assert.equal(await page.getByLabel("Channel", { exact: true }).inputValue(), "stable-4.7");
      await page.getByText("4 releases, 5 updates").waitFor();
      assert.equal(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").count(), 1, "without clusters there is only the graph");
      await page.getByLabel("Channel", { exact: true }).selectOption("candidate-4.7");
      await page.getByText("6 releases, 10 updates").waitFor();
      await page.getByLabel("Architecture").selectOption("s390x");
      await page.getByText("6 releases, 10 updates").waitFor();
      assert.match(page.url(), /channel=candidate-4.7&arch=s390x/);
      await page.goBack();
      await until(async () => (await page.getByLabel("Architecture").inputValue()) === "amd64", "going back picks what was there before");
      assert.deepEqual(await violations(page), []);
    }));

  test("works from the keyboard alone", () =>
    open("channel=candidate-4.7&fold=off", async (page) => {
      await page.getByLabel("Fold runs of releases").focus();
      await page.keyboard.press("Tab");
      assert.match(await focused(page), /^4\.7\.5/, "one release is in the tab order: the newest");
      await page.keyboard.press("ArrowUp");
      assert.match(await focused(page), /^4\.7\.4/);
      await page.keyboard.press("Home");
      assert.match(await focused(page), /^4\.7\.0/);
      await page.keyboard.press("ArrowLeft");
      assert.match(await focused(page), /^4\.6\.22/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Updates from 4.6.23 (3)" }).waitFor();
      assert.match(await focused(page), /^4\.6\.23/, "the focus of the keyboard stays");
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: /^Updates from/ }).waitFor({ state: "detached" });
      await page.keyboard.press("/");
      assert.equal(await focused(page), "graph-search");
      await page.keyboard.type("4.7");
      await page.getByRole("listbox", { name: "Hits" }).getByRole("option").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Updates from 4.7.4 (1)" }).waitFor();
      assert.match(page.url(), /focus=4\.7\.4/);
    }));

  test("tells the updates of the focus in a table, with their risks", () =>
    open("channel=candidate-4.7&focus=4.6.23", async (page) => {
      const table = page.getByRole("table", { name: "Updates from 4.6.23" });
      const row = table.getByRole("row", { name: /4\.7\.4/ });
      assert.match(await row.innerText(), /conditional: has risks/);
      assert.match(await row.innerText(), /AuthOAuthProxyLeakedConnections, VSphereHW14CrossNodeNetworkingError, VSphereNodeNameChanges/);
      assert.match(await release(page, "4.7.4").getAttribute("aria-label"), /an update to it: conditional: has risks/);
      await row.getByRole("button", { name: /^Details/ }).click();
      const panel = region(page, "Update");
      await panel.getByText("The update from 4.6.23 to 4.7.4 is recommended to clusters that these risks do not apply to.").waitFor();
      await panel.getByText(/the authentication operator may keep many oauth-server connections open/).first().waitFor();
      assert.equal(await panel.getByRole("link", { name: /show_bug.cgi\?id=1941840/ }).getAttribute("href"), "https://bugzilla.redhat.com/show_bug.cgi?id=1941840#c33");
      await panel.getByText("Query that decides").first().click();
      await panel.getByText('group(cluster_proxy_enabled{type=~"https?"} == 1)').waitFor();
      await panel.getByText(/^Which files say so/).click();
      await panel.getByText("blocked-edges/4.7.4-AuthOAuthProxyLeakedConnections.yaml").first().waitFor();
      assert.deepEqual(await violations(page), []);
      await table.getByRole("button", { name: "4.7.5", exact: true }).click();
      await page.getByRole("heading", { name: /^Updates to 4\.7\.5/ }).waitFor();
    }));

  test("explains an update that is not there", () =>
    open("channel=candidate-4.7&focus=4.6.23", async (page) => {
      await page.getByLabel("Explain the update to").fill("4.7.3");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      const panel = region(page, "Update");
      await panel.getByText("The update from 4.6.23 to 4.7.3 is recommended to no cluster.").waitFor();
      await panel.getByText("not in this graph").waitFor();
      assert.match(await panel.innerText(), /blocked-edges\/4\.7\.3\.yaml: blocks it for every cluster/);
      await panel.getByRole("button", { name: /^Clear/ }).click();
      await panel.waitFor({ state: "detached" });
    }));

  test("tells a release: payload, channels, erratum", () =>
    open("channel=stable-4.7&focus=4.7.4", async (page) => {
      const panel = region(page, "Release");
      assert.match(await panel.innerText(), /registry\.example\.com\/release@sha256:/);
      assert.match(await panel.innerText(), /candidate-4\.7, fast-4\.7, stable-4\.7/);
      assert.match(await panel.getByRole("link").getAttribute("href"), /^https:\/\/errata\.example\.com\//);
    }));

  test("finds a risk and tells where it is", () =>
    open("channel=candidate-4.7", async (page) => {
      await page.getByLabel("Search (/)").fill("nodename");
      await page.getByRole("option", { name: /VSphereNodeNameChanges/ }).click();
      const panel = region(page, "Risk");
      await panel.getByText("On 3 updates, to 1 release: 4.7.4.").waitFor();
      await page.getByLabel("Search (/)").fill("no such thing");
      await page.getByText("Nothing found").waitFor({ state: "attached" });
    }));

  test("finds a way, with fewest hops or risks, and with accepted risks", () =>
    open("channel=candidate-4.7", async (page) => {
      const panel = region(page, "Find a way");
      await release(page, "4.6.23").click();
      assert.equal(await panel.getByLabel("From").inputValue(), "4.6.23", "from the focus");
      await panel.getByLabel("From").fill("");
      assert.equal(await panel.getByLabel("To").inputValue(), "4.6.23", "what is typed is kept, even nothing");
      await panel.getByLabel("From").fill("4.6.23");
      await panel.getByLabel("To").fill("4.7.4");
      await panel.getByRole("button", { name: "Find" }).click();
      await panel.getByText(/^1 update, 3 risks left/).waitFor();
      assert.match(await release(page, "4.7.4").getAttribute("aria-label"), /on the way/);
      await panel.getByLabel("Fewest").selectOption("risks");
      await panel.getByText("2 updates, 1 risk left: VSphereNodeNameChanges.").waitFor();
      await panel.getByLabel("No update with a risk that is not accepted").check();
      await panel.getByText("No way was found").waitFor();
      await panel.getByRole("checkbox", { name: "VSphereNodeNameChanges" }).check();
      await panel.getByText("2 updates, no risk is left.").waitFor();
      await panel.getByText("accepted: VSphereNodeNameChanges").waitFor();
      assert.deepEqual(await violations(page), []);
      await panel.getByRole("button", { name: "4.7.0 → 4.7.4" }).click();
      await region(page, "Update").waitFor();
      await panel.getByRole("button", { name: /^Clear/ }).click();
      await until(async () => !/on the way/.test(await release(page, "4.7.0").getAttribute("aria-label")), "the way is gone from the graph");
    }));

  test("an update can be picked on the canvas", () =>
    open("channel=stable-4.7&focus=4.7.4&fold=off", async (page) => {
      // Between the columns, in the middle of the link from 4.6.23.
      const from = await release(page, "4.6.23").boundingBox();
      const to = await release(page, "4.7.4").boundingBox();
      await page.mouse.click((from.x + from.width + to.x) / 2, (from.y + to.y + from.height) / 2);
      await region(page, "Update").getByRole("heading", { name: "4.6.23 → 4.7.4" }).waitFor();
    }));

  test("an update that is pointed at is named", () =>
    open("channel=stable-4.7&fold=off", async (page) => {
      const from = await release(page, "4.6.23").boundingBox();
      const to = await release(page, "4.7.0").boundingBox();
      await page.mouse.move((from.x + from.width + to.x) / 2, (from.y + to.y + from.height) / 2);
      await page.getByText("4.6.23 → 4.7.0").waitFor();
      assert.match(await page.locator(".graph-tip").innerText(), /→ recommended to every cluster/);
      await page.mouse.move(from.x + 10, from.y + 10);
      await page.locator(".graph-tip").waitFor({ state: "detached" });
    }));

  test("two fingers zoom", () =>
    open("channel=candidate-4.7&fold=off", async (page) => {
      const frame = await page.locator(".graph-frame").boundingBox();
      const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
      const cdp = await page.context().newCDPSession(page);
      const touch = (type, reach) =>
        cdp.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x - reach, y, id: 1 }, { x: x + reach, y, id: 2 }] });
      const scaleOf = async () => Number(/scale\(([^)]*)\)/.exec(await transform(page))[1]);
      const was = await scaleOf();
      await touch("touchStart", 40);
      for (const reach of [50, 60, 70, 80]) await touch("touchMove", reach);
      await touch("touchEnd", 0);
      await until(async () => (await scaleOf()) > 1.5 * was, "it is nearer");
    }, { width: 375, height: 720 }));

  test("pans and zooms by pointer, wheel and keys", () =>
    open("channel=candidate-4.7&fold=off", async (page) => {
      const box = await page.locator(".graph-frame").boundingBox();
      const moved = async (act, what) => {
        const was = await transform(page);
        await act();
        await until(async () => (await transform(page)) !== was, what);
      };
      const [x, y] = [box.x + box.width / 2, box.y + box.height - 60];
      await page.mouse.move(x, y);
      await moved(async () => {
        await page.mouse.down();
        await page.mouse.move(x + 60, y - 80, { steps: 4 });
        await page.mouse.up();
      }, "dragging pans");
      assert.equal(await region(page, "Update").count(), 0, "the end of a drag picks nothing");
      await release(page, "4.7.5").press("Enter");
      await region(page, "Release").waitFor(); // and does not swallow what comes after it
      await page.keyboard.press("Escape");
      await page.mouse.move(x, y);
      await moved(() => page.mouse.wheel(0, 60), "the wheel pans");
      await page.keyboard.down("Control");
      await moved(() => page.mouse.wheel(0, -120), "Ctrl and the wheel zoom");
      await page.keyboard.up("Control");
      await moved(() => page.getByRole("button", { name: "Zoom out" }).click(), "the button zooms");
      await release(page, "4.7.5").focus();
      await moved(() => page.keyboard.press("+"), "the key zooms");
      await moved(() => page.keyboard.press("Shift+ArrowLeft"), "Shift and an arrow pan");
      await moved(() => page.getByRole("button", { name: "Fit" }).click(), "the button fits");
    }));

  test("follows the system from light to dark", () =>
    open("channel=candidate-4.7&focus=4.7.0", async (page) => {
      const colour = () => page.locator(".graph-links").evaluate((canvas) => canvas.toDataURL());
      const light = await colour();
      await page.emulateMedia({ colorScheme: "dark" });
      await until(async () => (await colour()) !== light, "the links have other colours");
    }));

  test("is usable on a phone, and in the dark", () =>
    open("channel=candidate-4.7&focus=4.6.23&update=4.6.23~4.7.4", async (page) => {
      await region(page, "Update").waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
      assert.deepEqual(await violations(page), []);
    }, { width: 375, height: 720, isDark: true }));

  test("a channel without releases says so", () =>
    visit(`${console.url}/#/graph?channel=stable-9.9`, {}, async (page) => {
      await page.getByText("stable-9.9 has no releases for amd64").waitFor();
      assert.deepEqual(await violations(page), []);
    }));
});

test("the update service serves the page by itself", async () => {
  const { said, stop } = await start(
    ["update-service", "--graph-data", example.graphData, "--releases", example.releases, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0", "--console-listen", "127.0.0.1:0"],
    [/console on (\S+?)\/?\n/, /status on (\S+)/],
  );
  try {
    await untilReady(said[1]);
    await visit(`${said[0]}/`, {}, async (page) => {
      await page.getByText("4 releases, 5 updates").waitFor();
      await drawn(page);
    });
  } finally {
    await stop();
  }
});

test("a server that goes away is said, and found again when it is back", async () => {
  let service = await startUpdateService(example.graphData, example.releases);
  const console = await startConsole(service.url);
  const { page, context } = await openPage(browser, `${console.url}/#/graph?channel=stable-4.7`);
  try {
    await drawn(page);
    await service.stop();
    await page.getByLabel("Channel", { exact: true }).selectOption("fast-4.7");
    await page.getByText("Cannot read the graph").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Cannot read the graph").waitFor();
    service = await startUpdateService(example.graphData, example.releases, new URL(service.url).host);
    await page.getByText("5 releases, ").waitFor();
  } finally {
    await context.close();
    await console.stop();
    await service.stop();
  }
});
