#!/usr/bin/env python3
"""spec.rolloutControls on the real controller, and the words that an operator has for it: `fairway rollout`."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from fleet import *
from update_service import FAIRWAY, ROOT, case, contains, finish


def rollout_command(hub, *arguments, code=0):
    done = subprocess.run([FAIRWAY, "rollout", *arguments, "--kubeconfig", hub.api.kubeconfig, "--context", hub.context],
                          capture_output=True, text=True, timeout=PATIENCE)
    equal(f"exit code of rollout {' '.join(map(str, arguments))} ({done.stderr.strip()})", done.returncode, code)
    return done.stdout + done.stderr


def await_message(hub, name, wanted):
    eventually(lambda: wanted in hub.message(name, "Progressing"), f"{wanted!r}, found {hub.message(name, 'Progressing')!r}")


def approvals(hub):
    """Case 112, by the CLI and by the annotation."""
    hub.rollout("careful", ["s1", "s4"], ["p1"], enable=True, rolloutControls={"approvals": {"mode": "PerBatch"}})
    await_message(hub, "careful", "Rollout paused by approvals, batch 1 waits for one")
    contains("status says how", rollout_command(hub, "status", "careful"), "batch 1 waits: fairway rollout approve careful -n default")
    contains("approved", rollout_command(hub, "approve", "careful"), "batch 1 of careful is approved")
    hub.await_progress("careful", "1: s1 0")
    given = hub.status("careful")["rollout"]["approvals"]
    equal("who agreed is on record", [(each["batch"], bool(each["approvedBy"]), bool(each["approvedAt"])) for each in given], [(1, True, True)])
    contains("nothing waits", rollout_command(hub, "approve", "careful", code=1), "no batch of \"careful\" waits for approval")
    hub.comply("p1", s1="C")
    await_message(hub, "careful", "batch 2 waits")
    eventually(lambda: hub.placed("careful", "p1") == [], "between two batches nobody is enforced")
    hub.kubectl("annotate", "cgu/careful", "rollout/approved-batches=2")
    hub.await_progress("careful", "2: s4 0")
    hub.comply("p1", s4="C")
    hub.await_condition("careful", "Succeeded", "True Completed")


def failures(hub):
    """Case 110: too many failures pause; somebody looks and lets it go on; then what is left is run again."""
    spec = {"failureThreshold": {"count": 1}, "clusterTimeout": 1}
    hub.rollout("broken", ["s1", "s4"], ["p1"], enable=True, rolloutControls=spec)
    hub.await_progress("broken", "1: s1 0")
    # As if its minute were over.
    hub.merge({"status": {"rollout": {"clusterStartedAt": {"spoke1": "2020-01-01T00:00:00Z"}}}}, f"{ROLLOUTS}/broken/status")
    await_message(hub, "broken", "Rollout paused by failureThreshold, 1 of 2 clusters failed")
    equal("rows", hub.table("broken"), "s1 timedout p1 NonCompliant")
    resumed = rollout_command(hub, "resume", "broken")
    contains("acknowledged", resumed, "1 failed clusters are acknowledged")
    contains("goes on", resumed, "broken goes on")
    hub.await_progress("broken", "2: s4 0")
    hub.comply("p1", s4="C")
    hub.change("broken", remediationStrategy={"maxConcurrency": 1, "timeout": 0})
    hub.await_condition("broken", "Succeeded", "False TimedOut")
    contains("history", rollout_command(hub, "history", "broken"), "TimedOut")
    contains("no release is rolled out", rollout_command(hub, "block", "broken", "--url", "https://example.com/incident", code=1), "a block can only be written against a release")
    hub.change("broken", remediationStrategy={"maxConcurrency": 1, "timeout": 60})
    contains("again", rollout_command(hub, "rerun", "broken"), "broken runs again, as run 1")
    hub.await_progress("broken", "1: s1 0")
    equal("only what is left of it", hub.plan("broken"), [["s1"]])
    hub.comply("p1", s1="C")
    hub.await_condition("broken", "Succeeded", "True Completed")
    equal("history", len(json.loads(rollout_command(hub, "history", "broken", "-o", "json"))), 2)


def rollbacks(hub):
    hub.add_policy("p5", {"s1": "N", "s4": "N"})
    hub.rollout("forth", ["s1", "s4"], ["p1"], at_once=2, enable=True, rolloutControls={"rollback": {"managedPolicies": [NAMES["p5"]]}})
    hub.await_progress("forth", "1: s1 0, s4 0")
    hub.comply("p1", s1="C", s4="C")
    hub.await_condition("forth", "Succeeded", "True Completed")
    contains("taken back", rollout_command(hub, "rollback", "forth"), "forth is taken back now by forth-rollback")
    hub.await_progress("forth-rollback", "1: s1 0, s4 0")
    owner = hub.get(f"{ROLLOUTS}/forth-rollback")["metadata"]["ownerReferences"][0]
    equal("it belongs to the rollout", (owner["kind"], owner["name"]), ("ClusterGroupUpgrade", "forth"))


def learned_blocks(hub):
    """A canary fails with a release; what it teaches becomes a block that the graph's own lint accepts."""
    definition = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
                  "spec": {"channel": "stable-4.7", "upstream": "https://updates.example.com/graph",
                           "desiredUpdate": {"version": "4.7.4", "image": "quay.example.com/release@sha256:" + "a" * 64}}}
    policy = policy_object(NAMES["p1"], "default")
    policy["spec"]["policy-templates"][0]["objectDefinition"]["spec"]["object-templates"][0]["objectDefinition"] = definition
    hub.kubectl("apply", "-f", "-", given=json.dumps(policy))
    hub.rollout("release", ["s1", "s4"], ["p1"], enable=True, strategy={"canaries": ["spoke1"]})
    hub.await_progress("release", "1: s1 0")
    hub.change("release", remediationStrategy={"maxConcurrency": 1, "canaries": ["spoke1"], "timeout": 0})
    hub.await_condition("release", "Succeeded", "False TimedOut")
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "graph-data"
        subprocess.run(["cp", "-r", ROOT / "api" / "examples" / "graph-data", data], check=True)
        contains("written", rollout_command(hub, "block", "release", "--graph-data", data, "--url", "https://example.com/incident"),
                 "4.7.4-FailedInRolloutRelease.yaml")
        text = (data / "blocked-edges" / "4.7.4-FailedInRolloutRelease.yaml").read_text()
        contains("the release", text, "to: 4.7.4")
        contains("who failed", text, "Clusters that did not become compliant: spoke1.")
        lint = subprocess.run([FAIRWAY, "graph", "lint", data], capture_output=True, text=True, timeout=PATIENCE)
        check("the lint finds nothing wrong with it", "FailedInRolloutRelease" not in lint.stdout + lint.stderr, lint.stdout + lint.stderr)
        shown = subprocess.run([FAIRWAY, "graph", "explain", data, "4.6.23", "4.7.4"], capture_output=True, text=True,
                               timeout=PATIENCE)
        check("the graph tells it", "FailedInRolloutRelease" in shown.stdout, shown.stdout + shown.stderr)


def plans(hub):
    """What would be, before it is: of a file, from stdin, and of one that cannot be."""
    manifest = {"apiVersion": "ran.openshift.io/v1alpha1", "kind": "ClusterGroupUpgrade", "metadata": {"name": "idea"},
                "spec": {"clusters": ["spoke1", "spoke2", "spoke4", "spoke6"], "managedPolicies": [NAMES["p2"]],
                         "remediationStrategy": {"maxConcurrency": 1}, "rolloutControls": {"batchSizes": [1, "100%"], "maxConcurrency": "50%"}}}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "idea.json"
        file.write_text(json.dumps(manifest))
        found = json.loads(rollout_command(hub, "plan", file, "-o", "json"))
        equal("batches", found["batches"], [["spoke1"], ["spoke2", "spoke4"]])
        equal("who needs nothing", found["compliant"], ["spoke6"])
        manifest["spec"]["managedPolicies"].append("nowhere")
        file.write_text(json.dumps(manifest))
        contains("it says why not", rollout_command(hub, "plan", file, code=1), "idea cannot be rolled out: Missing managed policies: [nowhere]")
        file.write_text("kind: ConfigMap\n")
        contains("another kind", rollout_command(hub, "plan", file, code=1), "expected a ClusterGroupUpgrade")
    equal("nothing was made", hub.get(ROLLOUTS)["items"], [])


SCENARIOS = [plans, approvals, failures, rollbacks, learned_blocks]


def main():
    with tempfile.TemporaryDirectory() as folder:
        api = start_api(folder, [each.__name__.replace("_", "-") for each in SCENARIOS])
        try:
            for scenario in SCENARIOS:
                name = scenario.__name__.replace("_", "-")
                with case(name), Hub(api, name) as hub:
                    scenario(hub)
        finally:
            api.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
