// Rollouts: lanes that move without a reload, what fails, and what an operator decides.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { letTimeOfClusterRunOut, letTimeRunOut, readRollout, startRollout } from "./fixtures.mjs";
import { Fairway, heading, openBrowser, picture, root, until, violations, visit } from "./lib.mjs";

let browser;
let fairway;
before(async () => {
  [browser, fairway] = await Promise.all([openBrowser(), Fairway.start({ clusters: 3 })]);
});
after(async () => {
  await browser?.close();
  await fairway?.stop();
});

const members = { clusterLabelSelectors: [{ matchExpressions: [{ key: "name", operator: "Exists" }] }] };
const lane = (page, number) => page.getByRole("list", { name: "Batches" }).getByRole("listitem").filter({ has: page.getByRole("heading", { name: new RegExp(`^Batch ${number}\\b`) }) });
const chip = (page, cluster, state) => page.locator(`[data-cluster="${cluster}"][data-state="${state}"]`);
const button = (page, name) => page.getByRole("button", { name, exact: typeof name === "string" });

test("a rollout that is applied with kubectl shows, and its lanes fill without a reload", () =>
  visit(browser, fairway, "/rollouts", async (page) => {
    await page.getByText("There are no rollouts").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.evaluate(() => (window.isSamePage = true));
    await fairway.kubectl("apply", "-f", join(root, "api/examples/rollout/notice.yaml"));
    await page.getByRole("link", { name: "notice" }).click();
    await heading(page, "notice").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1", "a new page begins at its heading");
    await lane(page, 1).getByText("canary").waitFor();
    await chip(page, "member3", "Complete").waitFor();
    await chip(page, "member1", "Complete").waitFor();
    await chip(page, "member2", "Complete").waitFor();
    await page.getByText("Succeeded", { exact: true }).first().waitFor();
    await page.getByText("3 of 3 clusters done").waitFor();
    assert.equal(await button(page, /Pause/).count(), 0, "what has ended cannot be paused");
    assert.equal(await page.evaluate(() => window.isSamePage), true, "nobody reloaded the page");
    assert.deepEqual(await violations(page), []);
  }));

test("batches are approved one by one, in the user's name", () =>
  visit(browser, fairway, "/rollouts/default/approved", async (page) => {
    await page.getByText('There is no rollout "approved"').waitFor();
    await startRollout(fairway, "approved", { spec: { ...members, remediationStrategy: { maxConcurrency: 2, canaries: ["member1"] }, rolloutControls: { approvals: { mode: "PerBatch" } } } });
    await button(page, "Approve batch 1…").click();
    await page.getByRole("group", { name: "Approve batch 1?" }).getByText("It starts on: member1.").waitFor();
    await button(page, "Cancel").click();
    assert.equal((await readRollout(fairway, "approved")).status.rollout.approvals, undefined, "a question that is cancelled does nothing");
    await button(page, "Approve batch 1…").click();
    await button(page, "Approve").click();
    await page.getByText("Batch 1 of approved is approved.").waitFor();
    await chip(page, "member1", "Complete").waitFor();
    await button(page, "Approve batch 2…").waitFor();
    assert.equal(await chip(page, "member2", "Waiting").count(), 1, "the next batch waits");
    await lane(page, 1).getByText("approved by admin").waitFor();
    await lane(page, 2).getByText("Waits for approval").waitFor();
    await picture(page, "console-rollout");
    assert.deepEqual(await violations(page), []);
    await button(page, "Approve batch 2…").click();
    await button(page, "Approve").click();
    await page.getByText("3 of 3 clusters done").waitFor();
    const { approvals } = (await readRollout(fairway, "approved")).status.rollout;
    assert.deepEqual(approvals.map(({ batch, approvedBy }) => ({ batch, approvedBy })), [{ batch: 1, approvedBy: "admin" }, { batch: 2, approvedBy: "admin" }]);
  }));

test("a rollout is paused and resumed from the keyboard, and counts its time", () =>
  visit(browser, fairway, "/rollouts/default/stuck", async (page) => {
    await startRollout(fairway, "stuck", { namespace: "nowhere", spec: { ...members, remediationStrategy: { maxConcurrency: 1, timeout: 5 } } });
    await chip(page, "member1", "InProgress").waitFor();
    await lane(page, 1).getByText(/^(\d+m )?\d+s left$/).first().waitFor();
    const before = await lane(page, 1).locator("time").last().textContent();
    await until(async () => (await lane(page, 1).locator("time").last().textContent()) !== before, "the time that is left goes down");

    await button(page, "Pause…").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Pause stuck?" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Tab"); // Cancel
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Finish the batch that is open");
    await page.keyboard.press("Enter");
    await page.getByText("stuck is paused: the batch that is open is finished").waitFor();
    await page.getByText("Paused", { exact: true }).first().waitFor();
    const paused = await readRollout(fairway, "stuck");
    assert.equal(paused.spec.rolloutControls.paused, true);
    assert.equal(paused.spec.rolloutControls.pauseMode, "Drain");
    assert.equal(await page.getByText(/ left$/).count(), 0, "no time counts while it stands still");

    await button(page, "Resume…").click();
    await page.getByRole("heading", { name: "Let stuck go on?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Let stuck go on?" }).waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Resume…", "the focus is back where the question came from");
    await button(page, "Resume…").click();
    await button(page, "Resume").click();
    await page.getByText("Rolling", { exact: true }).first().waitFor();
    assert.equal((await readRollout(fairway, "stuck")).spec.rolloutControls.paused, false);

    await button(page, "Pause…").click();
    await button(page, "Stop enforcing at once").click();
    await page.getByText("stuck is paused: nobody is enforced any more").waitFor();
    assert.equal((await readRollout(fairway, "stuck")).spec.rolloutControls.pauseMode, "Freeze");
  }));

test("what fails says where it stood and what the policy says", () =>
  visit(browser, fairway, "/rollouts/default/broken", async (page) => {
    await startRollout(fairway, "broken", { namespace: "nowhere", spec: { clusters: ["member2"], remediationStrategy: { maxConcurrency: 1 } } });
    await chip(page, "member2", "InProgress").waitFor();
    await letTimeRunOut(fairway, "broken");
    const failed = chip(page, "member2", "TimedOut");
    await failed.waitFor();
    await failed.getByText("at broken").waitFor();
    await failed.getByText(/nowhere/).waitFor();
    await page.getByText("Failed", { exact: true }).first().waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test("too many failures hold a rollout, and resuming it acknowledges them", () =>
  visit(browser, fairway, "/rollouts/default/threshold", async (page) => {
    const controls = { clusterTimeout: 30, failureThreshold: { count: 1, action: "Pause" } };
    await startRollout(fairway, "threshold", {
      namespace: "nowhere",
      spec: { clusters: ["member1", "member2"], batchTimeoutAction: "Continue", remediationStrategy: { maxConcurrency: 1 }, rolloutControls: controls },
    });
    await chip(page, "member1", "InProgress").getByText(/ left$/).waitFor();
    await letTimeOfClusterRunOut(fairway, "threshold", "member1");
    await chip(page, "member1", "TimedOut").waitFor();
    const gate = page.getByRole("table", { name: "What can hold this rollout" });
    await gate.getByText("1 of 2 failed").waitFor();
    await button(page, "Resume…").click();
    await page.getByText("1 of 2 clusters failed: they count as looked at, further ones count anew.").waitFor();
    await button(page, "Resume").click();
    await chip(page, "member2", "InProgress").waitFor();
    await gate.getByText("0 of 2 failed").waitFor();
    assert.equal((await readRollout(fairway, "threshold")).metadata.annotations["rollout/acknowledged-failures"], "1");
    assert.deepEqual(await violations(page), []);
  }));

test("before it starts there is the plan, and what holds it counts down", () =>
  visit(browser, fairway, "/rollouts/default/later", async (page) => {
    const remediationStrategy = { maxConcurrency: 2, canaries: ["member2"], timeout: 30 };
    await startRollout(fairway, "later", { namespace: "nowhere", spec: { ...members, remediationStrategy, rolloutControls: { startAfter: "2099-01-01T00:00:00Z" } } });
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    await page.getByText("3 clusters in 2 batches, at most 2 at a time, within 30 minutes").waitFor();
    await lane(page, 1).getByText("canary").waitFor();
    assert.equal(await page.locator('[data-state="Waiting"]').count(), 3);
    await page.getByRole("row", { name: /Start after/ }).getByText(/\d+d left/).waitFor();
    assert.deepEqual(await violations(page), []);
  }));

test("on a phone and in the dark the lanes stay readable", () =>
  visit(
    browser,
    fairway,
    "/rollouts/default/broken",
    async (page) => {
      await chip(page, "member2", "TimedOut").waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing is wider than the screen");
      assert.deepEqual(await violations(page), []);
      await page.goto(`${fairway.url}/#/rollouts`);
      await page.getByRole("link", { name: "broken" }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
      assert.deepEqual(await violations(page), []);
    },
    { width: 360, height: 740, isDark: true },
  ));
