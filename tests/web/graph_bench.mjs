// How long the Graph page takes with 270 releases and at least 20,000 updates: until it is drawn, and until it answers.
//
// The goal is 2 s from the address to an answered click. Ends with 1 beyond it. `node graph_bench.mjs [RUNS]`; the service
// and the console are those of the binary that FAIRWAY names: use one that was built for release.
import { join } from "node:path";
import { binary, drawn, openBrowser, openPage, run, startConsole, startUpdateService, temporaryFolder } from "./graph_lib.mjs";

const kGoalMillis = 2_000;
const kChannel = "candidate-4.2";
const runs = Number(process.argv[2] ?? 5);

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const millis = (value) => `${Math.round(value)} ms`;

// The frames of a pan that goes on for a second, in milliseconds each.
function panFrames(page) {
  return page.evaluate(async () => {
    const frame = document.querySelector(".graph-frame");
    const frames = [];
    let before = await new Promise(requestAnimationFrame);
    for (let i = 0; i < 60; ++i) {
      frame.dispatchEvent(new WheelEvent("wheel", { deltaY: i < 30 ? -24 : 24, bubbles: true, cancelable: true }));
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
    }
    return frames;
  });
}

// A click on a release until its updates are told, with nothing folded: all links are drawn.
function answer(page) {
  return page.evaluate(async () => {
    const items = document.querySelectorAll(".graph-item:not(.graph-run)");
    const began = performance.now();
    items[Math.floor(items.length / 2)].click();
    while (!document.querySelector(".graph-lists")) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return { took: performance.now() - began, since: performance.now() };
  });
}

async function measure(browser, url, query) {
  const { page, context } = await openPage(browser, `${url}/#/graph?channel=${kChannel}${query}`);
  await drawn(page);
  const rendered = await page.evaluate(() => performance.getEntriesByName("fairway:graph-drawn")[0].startTime);
  const { took, since } = await answer(page);
  const frames = await panFrames(page);
  const said = await page.getByText(/releases, .* updates/).innerText();
  await context.close();
  return { rendered, interactive: since, click: took, frame: middle(frames), worst: Math.max(...frames), said };
}

const folder = await temporaryFolder();
const data = join(folder.path, "made-up");
await run(binary(), ["graph", "generate", data, "--minors", "2", "--patches", "133", "--risks", "60", "--arch", "amd64"]);
const service = await startUpdateService(data, join(data, "releases.jsonl"));
const console_ = await startConsole(service.url);
const browser = await openBrowser();
let isWithin = true;
try {
  for (const [name, query] of [["folded", ""], ["unfolded", "&fold=off"]]) {
    const all = [];
    for (let i = 0; i < runs; ++i) all.push(await measure(browser, console_.url, query));
    const of = (key) => middle(all.map((each) => each[key]));
    console.log(`${name}: ${all[0].said}`);
    console.log(`  drawn after ${millis(of("rendered"))}, a click answered after ${millis(of("interactive"))} (the click alone ${millis(of("click"))})`);
    console.log(`  panning: ${of("frame").toFixed(1)} ms a frame, ${millis(of("worst"))} the worst`);
    isWithin &&= of("interactive") <= kGoalMillis;
  }
} finally {
  await browser.close();
  await console_.stop();
  await service.stop();
  await folder.remove();
}
console.log(isWithin ? `within the goal of ${kGoalMillis} ms` : `beyond the goal of ${kGoalMillis} ms`);
process.exitCode = isWithin ? 0 : 1;
