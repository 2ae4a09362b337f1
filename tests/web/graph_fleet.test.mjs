// The Graph page with clusters: updates coloured by what they evaluated, as it changes. Of the members of `fairway up`, the
// first stands behind a proxy on vSphere, the second on AWS, and the third has no metrics.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, picture, region, release } from "./graph_lib.mjs";
import { Fairway, openBrowser, until, violations, visit } from "./lib.mjs";

const kVersion = "/apis/config.openshift.io/v1/clusterversions/version";

let browser;
let fairway;
before(async () => {
  fairway = await Fairway.start({ clusters: 3 });
  browser = await openBrowser();
  const verdicts = async () => {
    const objects = await Promise.all([1, 2, 3].map((n) => fairway.ask(`member${n}`, kVersion).catch(() => undefined)));
    return objects.map((object) => {
      const update = object?.status?.conditionalUpdates?.find((each) => each.release.version === "4.7.4");
      const found = update?.conditions?.find((each) => each.type === "Recommended");
      return found && found.reason !== "EvaluationPending" ? found.status : "";
    });
  };
  await until(async () => (await verdicts()).join() === "False,True,Unknown", "every member has evaluated 4.7.4");
});
after(async () => {
  await browser?.close();
  await fairway?.stop();
});

const told = async (page, version) => (await release(page, version).getAttribute("aria-label")) ?? "";

test("the fleet's verdicts colour updates, and are told for each cluster", () =>
  visit(browser, fairway, "/graph", async (page) => {
    await drawn(page);
    assert.equal(await page.getByLabel("Channel", { exact: true }).inputValue(), "stable-4.7", "the channel that the clusters are in");
    assert.equal(await page.getByLabel("Coloured by").inputValue(), "fleet");
    await until(async () => /3 clusters here/.test(await told(page, "4.6.23")), "the clusters are where they are");
    await release(page, "4.6.23").click();
    await until(async () => /recommended for 1, not for 1, unknown for 1/.test(await told(page, "4.7.4")), "the verdicts are counted");
    assert.match(await told(page, "4.7.0"), /evaluated: recommended, recommended for 3/);
    assert.match(await release(page, "4.7.4").innerText(), /1✓ 1✕ 1\?/);
    const row = page.getByRole("table", { name: "Updates from 4.6.23" }).getByRole("row", { name: /4\.7\.4/ });
    assert.match(await row.innerText(), /✕ recommended for 1, not for 1, unknown for 1/);
    assert.deepEqual(await violations(page), []);
    await picture(page, "console-graph");
    await row.getByRole("button", { name: /^Details/ }).click();
    const said = region(page, "Update").getByRole("list", { name: "What clusters evaluated", exact: true }).getByRole("listitem");
    assert.match(await said.filter({ hasText: "member1" }).innerText(), /✕ not recommended\s+MultipleReasons/);
    assert.match(await said.filter({ hasText: "member2" }).innerText(), /✓ recommended\s+NotExposedToRisks/);
    assert.match(await said.filter({ hasText: "member3" }).innerText(), /\? cannot tell/);
    const why = region(page, "Update").getByRole("link", { name: "Why here for AuthOAuthProxyLeakedConnections on member1" });
    assert.deepEqual(await violations(page), []);
    await why.click();
    await page.getByRole("heading", { level: 1, name: /member1/ }).waitFor();
    assert.match(page.url(), /#\/clusters\/member1\?risk=AuthOAuthProxyLeakedConnections$/);
  }));

test("one cluster's verdicts reach beyond the next update, and help to find a way", () =>
  visit(browser, fairway, "/graph?channel=candidate-4.7&cluster=member1&focus=4.6.23", async (page) => {
    await drawn(page);
    await until(async () => /an update to it: evaluated: not recommended/.test(await told(page, "4.7.4")), "its own verdict is shown");
    // It has never been at 4.7.0, but it has evaluated the risk of going on from there.
    await release(page, "4.7.0").click();
    await until(async () => /an update to it: evaluated: not recommended/.test(await told(page, "4.7.4")), "the verdict on the risk is used");
    await page.getByRole("table", { name: "Updates from 4.7.0" }).getByRole("button", { name: "Details of 4.7.0 to 4.7.4" }).click();
    await region(page, "Update").getByText("by its verdicts on these risks").waitFor();
    const finder = region(page, "Find a way");
    assert.equal(await finder.getByLabel("From").inputValue(), "4.6.23", "from where the cluster is");
    await finder.getByLabel("To").fill("4.7.4");
    await finder.getByRole("button", { name: "Find" }).click();
    await finder.getByLabel("VSphereNodeNameChanges (applies here)").waitFor();
    await page.getByLabel("Coloured by").selectOption("cluster:member2");
    await finder.getByRole("button", { name: "Accept what does not apply to member2" }).click();
    await finder.getByText("1 update, no risk is left.").waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test("a cluster that moves is seen to move", () =>
  visit(browser, fairway, "/graph?by=fleet", async (page) => {
    await drawn(page);
    await until(async () => /3 clusters here/.test(await told(page, "4.6.23")), "all are at 4.6.23");
    await fairway.ask("member2", kVersion, { method: "PATCH", body: { spec: { desiredUpdate: { version: "4.7.0" } } }, type: "application/merge-patch+json" });
    await until(async () => /1 cluster here/.test(await told(page, "4.7.0")), "member2 is at 4.7.0");
    assert.match(await told(page, "4.6.23"), /2 clusters here/);
    await page.getByLabel("Channel", { exact: true }).selectOption("stable-4.6");
    await page.getByText("Not in this channel: member2 (4.7.0)").waitFor();
  }));
