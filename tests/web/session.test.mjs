// Who is at the page and whether it is live: signing in, a token that expires, rights, and a server that goes and comes back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readRollout, startRollout } from "./fixtures.mjs";
import { Fairway, heading, kAdmin, lostConnections, openBrowser, picture, refusals, row, until, violations, visit } from "./lib.mjs";

const kWatcher = "a-token-of-somebody-who-watches";
const kStranger = "a-token-of-a-stranger";
const kOthers = `${kWatcher},watcher,watcher,watchers\n${kStranger},stranger,stranger,strangers\n`;

let browser;
let fairway;
before(async () => {
  [browser, fairway] = await Promise.all([openBrowser(), Fairway.start({ clusters: 2, tokens: `${kAdmin},admin,admin,system:masters\n${kOthers}` })]);
  const group = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "watchers" };
  const kind = "rbac.authorization.k8s.io/v1";
  await fairway.put("hub", `/apis/${kind}/clusterroles`, {
    apiVersion: kind,
    kind: "ClusterRole",
    metadata: { name: "watch-rollouts" },
    rules: [{ apiGroups: ["ran.openshift.io"], resources: ["clustergroupupgrades"], verbs: ["get", "list", "watch"] }],
  });
  await fairway.put("hub", `/apis/${kind}/namespaces/default/rolebindings`, {
    apiVersion: kind,
    kind: "RoleBinding",
    metadata: { name: "watch-rollouts", namespace: "default" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "watch-rollouts" },
    subjects: [group],
  });
  await startRollout(fairway, "stuck", { namespace: "nowhere", spec: { clusters: ["member1"], remediationStrategy: { maxConcurrency: 1 } } });
});
after(async () => {
  await browser?.close();
  await fairway?.stop();
});

const button = (page, name) => page.getByRole("button", { name });
const connection = (page, words) => page.getByRole("banner").getByRole("status").filter({ hasText: words });

test("without a token there is the sign-in page, and it leads on to what was asked for", () =>
  visit(
    browser,
    fairway,
    "/rollouts",
    async (page) => {
      await heading(page, "Sign in").waitFor();
      await picture(page, "console-sign-in");
      assert.deepEqual(await violations(page), []);
      await page.getByLabel("Token").fill("not-a-token");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("That did not work").waitFor();
      assert.deepEqual(await violations(page), []);
      await page.getByLabel("Token").fill(kAdmin);
      await button(page, "Sign in").click();
      await heading(page, "Rollouts").waitFor();
      await page.getByRole("link", { name: "stuck" }).waitFor();
      await button(page, "Sign out").click();
      await heading(page, "Sign in").waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.length), 0, "nothing is left behind");
    },
    { token: "", meant: refusals(401) },
  ));

test("a token in the address is taken out of it, and is kept for the tab alone", () =>
  visit(browser, fairway, "/clusters", async (page, context) => {
    await row(page, "member1").waitFor();
    assert.equal(new URL(page.url()).hash, "#/clusters");
    await page.reload();
    await row(page, "member1").waitFor();
    await page.evaluate((token) => (location.hash = `#token=${token}&to=/rollouts`), kAdmin);
    await heading(page, "Rollouts").waitFor();
    assert.equal(new URL(page.url()).hash, "#/rollouts", "also in a tab that is here already");
    const other = await context.newPage();
    await other.goto(`${fairway.url}/#/clusters`);
    await heading(other, "Sign in").waitFor();
    assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
  }));

test("who may only look, in one namespace, is told so when they steer, and nothing changes", () =>
  visit(
    browser,
    fairway,
    "/rollouts",
    async (page) => {
      await page.getByRole("alert").getByText("Cannot read rollouts").waitFor();
      await page.getByLabel("Namespace").fill("default");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "stuck" }).click();
      await button(page, "Pause…").click();
      await button(page, "Finish the batch that is open").click();
      await page.getByRole("alert").getByText(/Your token may not do this/).waitFor();
      assert.equal((await readRollout(fairway, "stuck")).spec.rolloutControls, undefined);
      assert.deepEqual(await violations(page), []);
    },
    { token: kWatcher, meant: refusals(403) },
  ));

test("who may see nothing sees the pages, and that they may not", () =>
  visit(
    browser,
    fairway,
    "/rollouts",
    async (page) => {
      await page.getByRole("alert").getByText("Cannot read rollouts").waitFor();
      assert.deepEqual(await violations(page), []);
      await page.evaluate(() => (location.hash = "#/clusters"));
      await row(page, "member1").getByText("you may not see it").waitFor();
      assert.deepEqual(await violations(page), []);
    },
    { token: kStranger, meant: refusals(403) },
  ));

test("the page stays through a server that is killed and started again, and goes on live", () =>
  visit(
    browser,
    fairway,
    "/rollouts",
    async (page) => {
      await page.getByRole("link", { name: "stuck" }).waitFor();
      await connection(page, "Live").waitFor();
      await page.evaluate(() => (window.isSamePage = true));
      await fairway.kill();
      await connection(page, "Reconnecting…").waitFor();
      await page.getByText("The connection is lost; this may be out of date.").waitFor();
      await page.getByRole("link", { name: "stuck" }).waitFor();
      assert.deepEqual(await violations(page), []);
      await fairway.launch();
      await connection(page, "Live").waitFor({ timeout: 60_000 });
      await startRollout(fairway, "after", { spec: { clusters: ["member1"], remediationStrategy: { maxConcurrency: 1 } } });
      await row(page, "after").getByText("Succeeded").waitFor();
      assert.equal(await page.evaluate(() => window.isSamePage), true, "nobody reloaded the page");
    },
    { meant: lostConnections },
  ));

test("a token that expires leads to the sign-in page, and from there back", () =>
  visit(
    browser,
    fairway,
    "/rollouts/default/stuck",
    async (page) => {
      await heading(page, "stuck").waitFor();
      await fairway.kill();
      await fairway.setTokens(`the-next-token,admin,admin,system:masters\n${kOthers}`);
      await fairway.launch();
      await page.getByRole("alert").getByText("Your token has expired").waitFor({ timeout: 60_000 });
      assert.deepEqual(await violations(page), []);
      await page.getByLabel("Token").fill("the-next-token");
      await page.keyboard.press("Enter");
      await heading(page, "stuck").waitFor();
      await button(page, "Pause…").waitFor();
    },
    { meant: [...lostConnections, ...refusals(401)] },
  ));

test("two tabs with many watches leave room for the rest", () =>
  visit(
    browser,
    fairway,
    "/clusters",
    async (page, context) => {
      await row(page, "member1").getByText("4.6.23").waitFor();
      const others = [];
      for (const route of ["clusters", "ingress", "clusters"]) {
        const other = await context.newPage();
        await other.goto(`${fairway.url}/#token=the-next-token&to=/${route}`);
        others.push(other);
      }
      for (const other of others) await other.getByRole("link", { name: "member1" }).first().waitFor();
      const count = await page.evaluate(async () => (await navigator.locks.query()).held.length);
      assert.ok(count <= 4, `expected at most 4 streams of all tabs, found ${count}`);
      await until(async () => (await others[0].evaluate(async () => (await fetch("/console.json")).status)) === 200, "other requests are answered");
    },
    { token: "the-next-token" },
  ));
