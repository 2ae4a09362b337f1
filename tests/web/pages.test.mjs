// Clusters, ingress, devices and what-if, with the operators of `fairway up` behind them: each page and its states.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Fairway, heading, openBrowser, picture, root, row, run, until, violations, visit } from "./lib.mjs";

let browser;
let fairway;
before(async () => {
  [browser, fairway] = await Promise.all([openBrowser(), Fairway.start({ clusters: 3 })]);
});
after(async () => {
  await browser?.close();
  await fairway?.stop();
});

const open = (route, check, options) => visit(browser, fairway, route, check, options);
const button = (page, name) => page.getByRole("button", { name });

const kIngressPath = "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default";
const wish = (scope) => ({ spec: { endpointPublishingStrategy: { type: "LoadBalancerService", loadBalancer: { scope } } } });

test("all clusters are listed with what they run and could run, and can be filtered", () =>
  open("/clusters", async (page) => {
    await row(page, "member1").getByText("1 recommended, newest 4.7.0; 1 not").waitFor();
    await row(page, "member2").getByText("2 recommended, newest 4.7.4").waitFor();
    await row(page, "member3").getByText("1 recommended, newest 4.7.0; 1 unknown").waitFor();
    await row(page, "hub").getByText("no ClusterVersion").waitFor();
    await row(page, "member1").getByText("Available").waitFor();
    assert.deepEqual(await violations(page), []);
    await picture(page, "console-clusters");
    await page.getByLabel("Filter").fill("member2");
    await page.getByText("1 of 4 clusters").waitFor();
    assert.equal(await page.getByRole("rowheader").count(), 1);
    await page.getByLabel("Filter").fill("nobody");
    await page.getByText("No cluster has that").waitFor();
  }));

test("a cluster tells why an update is not for it, down to the values of the query", () =>
  open("/clusters/member1", async (page) => {
    const update = row(page, "4.7.4");
    await update.getByText("Not recommended").waitFor();
    await update.getByText("MultipleReasons").waitFor();
    await row(page, "4.7.0").getByText("Recommended", { exact: true }).waitFor();
    await update.getByText("How to ask for it").click();
    await update.getByText("fairway upgrade --context member1 --to 4.7.4 --allow-not-recommended").waitFor();
    await button(page, "Why here? (AuthOAuthProxyLeakedConnections)").click();
    const risk = page.locator('[data-risk="AuthOAuthProxyLeakedConnections"]');
    await risk.getByText("applies here").waitFor();
    await risk.getByText('cluster_proxy_enabled{type="https"}').first().waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test("a link to a risk opens its evaluation, and the focus is there", () =>
  open("/clusters/member2?risk=AuthOAuthProxyLeakedConnections", async (page) => {
    const risk = page.locator('[data-risk="AuthOAuthProxyLeakedConnections"]');
    await risk.getByText("does not apply here").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "AuthOAuthProxyLeakedConnections");
    await picture(page, "console-why-here");
    assert.deepEqual(await violations(page), []);
  }));

test("a cluster whose metrics cannot be read says so instead of guessing", () =>
  open("/clusters/member3", async (page) => {
    await row(page, "4.7.4").getByText("Unknown", { exact: true }).waitFor();
    await page.getByText("The metrics of this cluster cannot be read here").first().waitFor();
    assert.equal(await button(page, /Why here/).count(), 0);
  }));

test("a block that is not merged tells which clusters it would touch", () =>
  open("/what-if", async (page) => {
    assert.equal(await button(page, "What would it touch?").isDisabled(), true);
    await button(page, "Load an example").click();
    assert.deepEqual(await violations(page), []);
    await button(page, "What would it touch?").click();
    await page.getByRole("heading", { name: /against 4\.7\.0/ }).waitFor();
    await row(page, "member1").getByText("applies here").waitFor();
    await row(page, "member1").getByText("not recommended").waitFor();
    await row(page, "member3").getByText("cannot be told").waitFor();
    await page.getByText("2 touched, 2 of them lose a recommended update; 1 untouched").waitFor();
    assert.equal(await row(page, "member2").count(), 0, "what it does not touch is only counted");
    await picture(page, "console-what-if");
    assert.deepEqual(await violations(page), []);
    await page.getByLabel("A block").fill("to: 4.7.0\nfrom: '['\n");
    await button(page, "What would it touch?").click();
    await page.getByRole("alert").getByText("This block cannot be judged").waitFor();
    assert.deepEqual(await violations(page), []);
  }, { meant: [/Failed to load resource.*400/] }));

test("an update that is asked for shows as it goes, and its accepted risks stay on record", () =>
  open("/clusters/member1", async (page) => {
    await row(page, "4.7.4").waitFor();
    const { status } = await fairway.ask("member1", "/apis/config.openshift.io/v1/clusterversions/version");
    const { version, image } = status.conditionalUpdates.find((each) => each.release.version === "4.7.4").release;
    await fairway.ask("member1", "/apis/config.openshift.io/v1/clusterversions/version", {
      method: "PATCH",
      type: "application/merge-patch+json",
      body: { spec: { desiredUpdate: { version, image } } },
    });
    const history = page.getByRole("table", { name: "Updates of the past, newest first" });
    await history.getByRole("rowheader", { name: "4.7.4" }).waitFor();
    await history.getByText(/Updating from 4\.6\.23 to 4\.7\.4|not recommended/).first().waitFor();
    await page.getByText("Cluster version is 4.7.4").waitFor();
    await picture(page, "console-cluster");
    assert.deepEqual(await violations(page), []);
  }));

test("a cluster that nobody knows is said to be so", () =>
  open("/clusters/atlantis", async (page) => {
    await page.getByText('The console knows no cluster "atlantis"').waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test("the hub has no version, which is no error", () =>
  open("/clusters/hub", async (page) => {
    await page.getByText("This cluster has no ClusterVersion").waitFor();
  }));

test("a wish for another scope waits with its cost and the two commands, and can be made or taken back", () =>
  open("/ingress", async (page, context) => {
    await page.getByText("3 controllers, 0 with a change under way").waitFor();
    const member2 = page.getByRole("row").filter({ has: page.getByRole("link", { name: "member2" }) });
    await member2.getByText("External").waitFor();
    assert.deepEqual(await violations(page), []);
    await fairway.ask("member2", kIngressPath, { method: "PATCH", body: wish("Internal"), type: "application/merge-patch+json" });
    const change = page.getByRole("article").filter({ has: page.getByRole("heading", { name: "default on member2: External to Internal" }) });
    await change.getByText("It waits for you").waitFor();
    await change.getByText("What it costs:").waitFor();
    await change.getByText("oc -n openshift-ingress delete svc/router-default", { exact: true }).waitFor();
    await member2.getByText("wanted: Internal").waitFor();
    await picture(page, "console-ingress");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy the command: Take the wish back").click();
    await change.getByText("Copied.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^oc -n openshift-ingress-operator patch ingresscontrollers\/default --type=merge --patch='\{.*"scope":"External".*\}'$/);
    assert.deepEqual(await violations(page), []);
    // What was copied is what takes it back.
    const [, patch] = /--patch='(.*)'$/.exec(copied);
    await fairway.ask("member2", kIngressPath, { method: "PATCH", body: JSON.parse(patch), type: "application/merge-patch+json" });
    await page.getByText("3 controllers, 0 with a change under way").waitFor();
    await change.waitFor({ state: "detached" });
  }));

test("a device tells its boots, backups and what the next boot does", () =>
  open("/devices", async (page) => {
    await page.getByText("No device has reported").waitFor();
    assert.deepEqual(await violations(page), []);
    await run(process.env.FAIRWAY ?? join(root, "build/test/fairway"), [
      "device", "simulate", join(fairway.folder.path, "device"), "--report", "pier-7", "--kubeconfig", fairway.kubeconfig,
    ]);
    await page.getByRole("link", { name: "pier-7" }).click();
    await heading(page, "pier-7").waitFor();
    const backups = page.getByRole("table", { name: "Backups of the data" });
    await backups.getByText("latest", { exact: true }).waitFor();
    const boots = page.getByRole("list", { name: "Boots, newest first" });
    await boots.getByText("red", { exact: true }).first().waitFor();
    await boots.getByText("green", { exact: true }).first().waitFor();
    await until(async () => (await boots.getByRole("heading", { level: 3 }).count()) > 1, "there is more than one boot");
    await picture(page, "console-device");
    assert.deepEqual(await violations(page), []);
  }));

test("an address that is none says so", () =>
  open("/nowhere/at/all/really", async (page) => {
    await heading(page, "No such page").waitFor();
    assert.deepEqual(await violations(page), []);
  }));

for (const [isDark, mode] of [[false, "light"], [true, "dark"]]) {
  test(`on a phone, in ${mode}, every page fits and has no violations`, () =>
    open(
      "/clusters",
      async (page) => {
        const pages = { clusters: "Clusters", "clusters/member2": "member2", rollouts: "Rollouts", ingress: "Ingress", devices: "Devices", "what-if": "What if" };
        for (const [route, title] of Object.entries(pages)) {
          await page.evaluate((hash) => (location.hash = hash), `#/${route}`);
          await heading(page, title).waitFor();
          await page.getByText(/^Loading/).waitFor({ state: "detached" });
          const wider = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest("pre, .tree")).map((each) => each.outerHTML.slice(0, 120)));
          assert.deepEqual(wider, [], `${route} fits`);
          assert.deepEqual(await violations(page), [], route);
        }
        await page.evaluate(() => (location.hash = "#/clusters/member2"));
        await row(page, "4.7.4").waitFor();
        await picture(page, `console-phone-${mode}`);
      },
      { width: 360, height: 740, isDark },
    ));
}

test("the keyboard reaches the content by the skip link, and pages by the navigation", () =>
  open("/clusters", async (page) => {
    await row(page, "member1").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
    assert.match(page.url(), /#\/clusters$/, "the skip link leaves the route alone");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "filter");
    const rollouts = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Rollouts" });
    await rollouts.focus();
    await page.keyboard.press("Enter");
    await heading(page, "Rollouts").waitFor();
    assert.equal(await rollouts.getAttribute("aria-current"), "page");
    for (const role of ["banner", "main", "contentinfo"]) assert.equal(await page.getByRole(role).count(), 1, role);
  }));
