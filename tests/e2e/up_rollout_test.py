#!/usr/bin/env python3
"""An update over the members of `fairway up` as api/examples/rollout has it: the canary refuses, its risks are accepted, all follow."""
import pathlib
import sys
import tempfile

from cluster_version import condition, recommended
from up import Up
from update_service import PATIENCE, ROOT, case, contains, equal, eventually, finish

EXAMPLES = ROOT / "api" / "examples" / "rollout"
CANARY, OTHERS = "member1", ["member2", "member4", "member5", "member6"]


def rollout(up):
    return up.get("cgu", "upgrade")


def ended(up):
    found = condition(rollout(up), "Succeeded")
    return found and (found["status"], found["reason"])


def refused(up):
    eventually(lambda: recommended(up.version(CANARY), "4.7.4")[0] == "False", "the canary has found its risks")
    up.kubectl("apply", "-f", str(EXAMPLES / "upgrade.yaml"))
    eventually(lambda: ended(up), "the rollout ends")
    equal("it failed", ended(up), ("False", "TimedOut"))
    equal("the canary was alone and first", rollout(up)["status"]["remediationPlan"], [[CANARY], OTHERS[:2], OTHERS[2:]])
    invalid = condition(up.version(CANARY), "Invalid")
    contains("the canary says why", invalid.get("message", ""), "when image is empty the update must be an available update")
    equal("it did nothing", up.history(CANARY), ["4.6.23 Completed"])
    for member in OTHERS + ["member3"]:
        equal(f"{member} was never asked", up.version(member)["spec"].get("desiredUpdate"), None)


def accepted(up):
    up.kubectl("apply", "-f", str(EXAMPLES / "upgrade-accepted.yaml"))
    code, out, _ = up.fairway("rollout", "rerun", "upgrade")
    equal("it runs again", (code, out), (0, "upgrade runs again, as run 1\n"))
    eventually(lambda: rollout(up)["status"].get("status", {}).get("currentBatch"), "the first batch is open")
    up.kill_and_start()
    eventually(lambda: ended(up) == ("True", "Completed"), "it succeeds", patience=2 * PATIENCE)
    for member in [CANARY] + OTHERS:
        equal(f"{member} has updated", up.history(member), ["4.7.4 Completed", "4.6.23 Completed"])
    equal("member3 was left out", up.history("member3"), ["4.6.23 Completed"])
    contains("the canary's risks are on record", up.version(CANARY)["status"]["history"][0].get("acceptedRisks", ""), "VSphereNodeNameChanges")


def main():
    with tempfile.TemporaryDirectory() as folder, Up(pathlib.Path(folder) / "data") as up:
        for title, part in (("the canary refuses what is not recommended for it", refused),
                            ("its risks accepted, all follow, over a kill -9", accepted)):
            with case(title):
                part(up)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
