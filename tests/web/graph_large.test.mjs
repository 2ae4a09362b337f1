// The Graph page with more releases than can be read at once: folding, and 20,000 updates.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { binary, drawn, openBrowser, picture, release, root, run, startConsole, startUpdateService, temporaryFolder, until, violations, visitPage } from "./graph_lib.mjs";

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = await temporaryFolder();
});
after(async () => {
  await browser?.close();
  await folder?.remove();
});

const visit = (url, options, check) => visitPage(browser, url, options, check);

describe("a graph that is worth folding", () => {
  let service;
  let console;
  before(async () => {
    const data = join(folder.path, "made-up");
    await run(binary(), ["graph", "generate", data, "--minors", "3", "--patches", "12", "--risks", "6", "--arch", "amd64"]);
    service = await startUpdateService(data, join(data, "releases.jsonl"));
    console = await startConsole(service.url);
  });
  after(async () => {
    await console?.stop();
    await service?.stop();
  });

  test("runs fold, unfold by a key, and give way to the focus", () =>
    visit(`${console.url}/#/graph?channel=candidate-4.3`, {}, async (page) => {
      await drawn(page);
      const items = page.locator(".graph-frame .graph-item");
      const runs = page.locator(".graph-frame").getByRole("button", { name: /releases, folded/ });
      const foldedCount = await items.count();
      assert.ok((await runs.count()) > 0);
      const first = runs.first();
      const size = Number(/(\d+) releases, folded/.exec(await first.getAttribute("aria-label"))[1]);
      await first.focus();
      await page.keyboard.press("Enter");
      await until(async () => (await items.count()) === foldedCount + size - 1, "the run is unfolded");
      await page.getByRole("button", { name: "Fold 1 run again" }).click();
      await until(async () => (await items.count()) === foldedCount, "the run is folded again");
      // A version inside of a run: searching for it unfolds it.
      const label = await runs.last().getAttribute("aria-label");
      const [, stream, from] = /^(\d+\.\d+)\.(\d+) /.exec(label);
      const inside = `${stream}.${Number(from) + 1}`;
      await page.getByLabel("Search (/)").fill(inside);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: new RegExp(`^Updates from ${inside.replaceAll(".", "\\.")} `) }).waitFor();
      assert.equal(await release(page, inside).getAttribute("aria-pressed"), "true");
      await page.keyboard.press("Escape"); // the text of the search
      await page.keyboard.press("Escape"); // the focus
      await page.getByLabel("Fold runs of releases").uncheck();
      await until(async () => (await items.count()) === 28, "everything is unfolded");
      assert.deepEqual(await violations(page), []);
    }));
});

describe("270 releases and more than 20,000 updates", () => {
  let service;
  let console;
  before(async () => {
    const data = join(folder.path, "large");
    await run(binary(), ["graph", "generate", data, "--minors", "2", "--patches", "133", "--risks", "60", "--arch", "amd64"]);
    service = await startUpdateService(data, join(data, "releases.jsonl"));
    console = await startConsole(service.url);
  });
  after(async () => {
    await console?.stop();
    await service?.stop();
  });
  const items = (page) => page.locator(".graph-frame .graph-item");

  test("are folded to what can be read", () =>
    visit(`${console.url}/#/graph?channel=candidate-4.2`, {}, async (page) => {
      await drawn(page);
      await page.getByText(/^270 releases, (2|3)\d,\d{3} updates, \d+ runs folded/).waitFor();
      assert.ok((await items(page).count()) < 130, "most of them are in runs");
      await until(async () => items(page).last().evaluate(isInFrame), "the newest is in view");
      await page.setViewportSize({ width: 1020, height: 640 });
      await until(async () => items(page).last().evaluate(isInFrame), "it stays there in a smaller window");
      await picture(page, "console-graph-large");
      await page.getByLabel("Search (/)").fill("4.2.40");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /^Updates to 4\.2\.40/ }).waitFor();
      await until(async () => release(page, "4.2.40").evaluate(isInFrame), "the focus is in view");
      assert.deepEqual(await violations(page), []);
    }));

  test("can all be seen, and picked among", () =>
    visit(`${console.url}/#/graph?channel=candidate-4.2&fold=off`, {}, async (page) => {
      await drawn(page);
      assert.equal(await items(page).count(), 270);
      await page.getByRole("button", { name: "Fit" }).click();
      await until(async () => items(page).first().evaluate(isInFrame), "the oldest is in view");
      assert.ok(await items(page).last().evaluate(isInFrame), "and so is the newest");
      const { x, y } = await items(page).nth(100).boundingBox();
      await page.mouse.click(x + 2, y + 2);
      await page.getByRole("heading", { name: /^Updates from / }).waitFor();
      await until(async () => page.locator(".graph-focus").evaluate((item) => item.getBoundingClientRect().height > 15), "the view is near enough to read it");
    }));
});

function isInFrame(item) {
  const box = item.getBoundingClientRect();
  const frame = item.closest(".graph-frame").getBoundingClientRect();
  return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}

test("real graph data can be walked through", async (context) => {
  const real = join(root, "../shared/data");
  if (!existsSync(real)) return context.skip("there is no ../shared/data");
  const service = await startUpdateService(join(real, "graph-data"), join(real, "releases.jsonl"));
  const console = await startConsole(service.url);
  try {
    await visit(`${console.url}/#/graph?channel=candidate-4.14`, {}, async (page) => {
      await page.getByText(/^270 releases, 14,395 updates, \d+ runs folded/).waitFor();
      const { channels } = await (await fetch(`${service.url}/channels`)).json();
      for (const name of ["eus-4.12", "prerelease-4.1", "stable-4.20"]) {
        const count = channels.find((each) => each.name === name).releases.amd64;
        await page.getByLabel("Channel", { exact: true }).selectOption(name);
        await page.getByText(new RegExp(`^${count} releases`)).waitFor();
        await page.locator(".graph-frame .graph-item:not(.graph-run)").last().press("Enter");
        await page.getByRole("heading", { name: /^Updates to / }).waitFor();
        assert.deepEqual(await violations(page), [], name);
      }
    });
  } finally {
    await console.stop();
    await service.stop();
  }
  return undefined;
});
