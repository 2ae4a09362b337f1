#!/usr/bin/env python3
"""`fairway up`: the whole fleet in one process. A rollout over its members, killed on the way; the next start goes on with it."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from cluster_version import Daemon
from update_service import PATIENCE, ROOT, case, check, equal, eventually, finish, not_run

MEMBERS = ["member1", "member2", "member3"]


class Up:
    def __init__(self, folder):
        self.folder = folder
        self.start()

    def start(self):
        self.daemon = Daemon(["up", "--data", self.folder, "--clusters", len(MEMBERS), "--listen", "127.0.0.1:0"], {"end": r"(Ctrl-C stops it)"})

    def kubectl(self, *arguments, context="hub", succeeds=True):
        done = subprocess.run(["kubectl", "--context", context, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env=dict(os.environ, KUBECONFIG=str(self.folder / "kubeconfig")))
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout


def joined(up):
    shown = up.kubectl("get", "managedclusters", "--no-headers").split()
    for member in MEMBERS:
        check(f"{member} has joined", member in shown, shown)


def killed(up):
    """Once in each batch, and the rollout comes to its end all the same."""
    up.kubectl("apply", "-f", str(ROOT / "api" / "examples" / "rollout" / "notice.yaml"))
    batch = lambda: up.kubectl("get", "cgu", "notice", "-o", "jsonpath={.status.status.currentBatch}")
    eventually(lambda: up.kubectl("get", "cgu", "notice", "-o", "jsonpath={.status.remediationPlan}"), "it is planned")
    up.daemon.kill()
    up.start()
    eventually(lambda: batch() in ("", "2"), "it goes on")
    up.daemon.kill()
    up.start()
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
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    with tempfile.TemporaryDirectory() as folder:
        up = Up(pathlib.Path(folder) / "data")
        try:
            for title, part in (("members join", joined), ("kill -9 in the middle of a rollout", killed), ("Ctrl-C", stopped)):
                with case(title):
                    part(up)
        finally:
            if up.daemon.process.poll() is None:
                up.daemon.kill()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
