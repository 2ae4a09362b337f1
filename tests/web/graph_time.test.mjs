// The Graph page over graph data from Git: the past, and what changed since.
import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, example, openBrowser, openPage, region, run, startConsole, startUpdateService, temporaryFolder, until, violations } from "./graph_lib.mjs";

let browser;
let folder;
let service;
let console;

async function commit(repository, date, summary) {
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  await run("git", ["-C", repository, "add", "."]);
  await run("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", summary], { env });
}

const kBlock = `to: 4.7.0
from: 4[.]6[.].*
url: https://bugs.example.com/1
name: SlowLamps
message: Lamps may take long to light.
matchingRules:
- type: Always
`;

before(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "repository");
  await mkdir(repository);
  for (const part of ["version", "raw", "channels", "blocked-edges"]) {
    await cp(join(example.graphData, part), join(repository, part), { recursive: true });
  }
  await run("git", ["init", "-q", repository]);
  await commit(repository, "2024-05-01T12:00:00Z", "Begin");
  await writeFile(join(repository, "channels/stable-4.7.yaml"), "name: stable-4.7\nversions: [4.6.22, 4.6.23, 4.7.0, 4.7.4, 4.7.5]\n");
  await commit(repository, "2024-06-01T12:00:00Z", "Promote 4.7.5 to stable-4.7");
  await writeFile(join(repository, "blocked-edges/4.7.0-SlowLamps.yaml"), kBlock);
  await commit(repository, "2024-07-01T12:00:00Z", "Block 4.7.0");
  service = await startUpdateService(`git:${repository}`, example.releases);
  console = await startConsole(service.url);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await console?.stop();
  await service?.stop();
  await folder?.remove();
});

test("a slider leads to earlier revisions and tells what changed since", async () => {
  const { page, context, troubles } = await openPage(browser, `${console.url}/#/graph?channel=stable-4.7`);
  try {
    await drawn(page);
    const panel = region(page, "Time");
    const slider = panel.getByRole("slider", { name: "As of" });
    await slider.waitFor();
    assert.match(await slider.getAttribute("aria-valuetext"), /^2024-07-01 12:00:00 UTC: Block 4\.7\.0$/);
    await page.getByText(/^5 releases/).waitFor();
    await slider.focus();
    await page.keyboard.press("Home");
    await panel.getByText(/Begin/).waitFor();
    await page.getByText(/^4 releases, .*as of an earlier time/).waitFor();
    await panel.getByText("Releases that came (1): 4.7.5").waitFor();
    assert.equal(await slider.evaluate((input) => input === document.activeElement), true, "the slider keeps the keyboard");
    await panel.getByText(/updates changed/).click();
    const changed = panel.getByRole("listitem").filter({ hasText: "4.6.23 → 4.7.0" });
    assert.match(await changed.innerText(), /recommended → SlowLamps/);
    assert.match(page.url(), /at=[0-9a-f]{7,}/);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await changed.getByRole("button").click();
    await region(page, "Update").getByText(/As of now:/).waitFor();
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await panel.getByText(/Promote 4\.7\.5/).waitFor();
    await page.getByText(/^5 releases, .*as of an earlier time/).waitFor();
    await panel.getByRole("button", { name: "Now" }).click();
    await until(async () => !/at=/.test(page.url()), "the address tells no revision");
    await panel.getByText(/Block 4\.7\.0/).waitFor();
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
});
