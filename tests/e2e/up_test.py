#!/usr/bin/env python3
"""`fairway up`: the whole fleet in one process. A rollout over its members, killed on the way; the next start goes on with it."""
import pathlib
import signal
import sys
import tempfile

from up import Up
from update_service import PATIENCE, ROOT, case, check, equal, eventually, finish

MEMBERS = ["member1", "member2", "member3"]


def joined(up):
    shown = up.kubectl("get", "managedclusters", "--no-headers").split()
    for member in MEMBERS:
        check(f"{member} has joined", member in shown, shown)


def killed(up):
    """Once in each batch, and the rollout comes to its end all the same."""
    up.kubectl("apply", "-f", str(ROOT / "api" / "examples" / "rollout" / "notice.yaml"))
    batch = lambda: up.kubectl("get", "cgu", "notice", "-o", "jsonpath={.status.status.currentBatch}")
    eventually(lambda: up.kubectl("get", "cgu", "notice", "-o", "jsonpath={.status.remediationPlan}"), "it is planned")
    up.kill_and_start()
    eventually(lambda: batch() in ("", "2"), "it goes on")
    up.kill_and_start()
    up.kubectl("wait", "--for=condition=Succeeded", "cgu/notice", f"--timeout={PATIENCE}s")
    for member in MEMBERS:
        equal(f"{member} has it", up.kubectl("get", "configmap", "notice", "-o", "jsonpath={.data.text}", context=member), "The fairway is open.")
    rows = up.kubectl("get", "cgu", "notice", "-o", "jsonpath={range .status.clusters[*]}{.name} {.state},{end}")
    equal("one row each", sorted(rows.strip(",").split(",")), [f"{each} complete" for each in MEMBERS])
    eventually(lambda: set(up.kubectl("get", "policies", "-A", "-o", "jsonpath={range .items[*]}{.spec.remediationAction} {end}").split()) ==
               {"inform"}, "every policy informs again")


def stopped(up):
    up.daemon.stop(signal.SIGINT)


def main():
    with tempfile.TemporaryDirectory() as folder, Up(pathlib.Path(folder) / "data", members=len(MEMBERS)) as up:
        for title, part in (("members join", joined), ("kill -9 in the middle of a rollout", killed), ("Ctrl-C", stopped)):
            with case(title):
                part(up)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
