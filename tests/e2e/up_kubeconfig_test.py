#!/usr/bin/env python3
"""`fairway up --kubeconfig`: the hub's controllers, the update service and the console beside somebody else's API server."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

from cluster_version import Daemon
from update_service import FAIRWAY, PATIENCE, case, check, contains, equal, eventually, finish, not_run

FLEET = """
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: far, labels: {name: far}}
spec: {hubAcceptsClient: true}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: all, namespace: default}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {name: far}}}}]}
"""


def main():
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        kubeconfig = folder / "kubeconfig"
        with Daemon(["apiserver", "--store", "memory", "--cluster=far", "--listen", "127.0.0.1:0", "--write-kubeconfig", kubeconfig],
                    {"url": r"(https://\S+)"}):
            kubectl = lambda *words, stdin=None: subprocess.run(["kubectl", "--kubeconfig", str(kubeconfig), *words], input=stdin, text=True,
                                                               capture_output=True, timeout=PATIENCE, check=True).stdout
            up = Daemon(["up", "--kubeconfig", kubeconfig, "--data", folder / "data", "--listen", "127.0.0.1:0"],
                        {"console": r"console +(\S+)", "updates": r"update service +(\S+)", "end": r"(Ctrl-C stops it)"})
            with case("the hub is looked after"):
                kubectl("apply", "-f", "-", stdin=FLEET)
                eventually(lambda: kubectl("get", "placementdecisions", "-o", "jsonpath={.items[*].status.decisions[*].clusterName}") == "far", "a decision")
            with case("the console shows its contexts, and has no token to give"):
                check("the address", "#token" not in up.found["console"], up.found)
                shown = json.load(urllib.request.urlopen(up.found["console"] + "console.json"))
                equal("clusters", [(each["name"], each["isHub"]) for each in shown["clusters"]], [("hub", True), ("far", False)])
            with case("the update service answers"):
                contains("the graph", urllib.request.urlopen(up.found["updates"] + "?channel=stable-4.7").read().decode(), "4.7.4")
            with case("nothing was put into the clusters"):
                equal("no ClusterVersion", kubectl("--context", "far", "get", "clusterversions", "-o", "name"), "")
            with case("Ctrl-C stops it, and nothing else"):
                up.stop(signal.SIGINT)
                contains("the server is there", kubectl("get", "managedclusters", "-o", "name"), "far")
            with case("what cannot be meant is refused"):
                done = subprocess.run([FAIRWAY, "up", "--kubeconfig", str(kubeconfig), "--clusters", "3"], capture_output=True, text=True, timeout=PATIENCE)
                equal("exit code", done.returncode, 2)
                contains("why", done.stderr, "--clusters")
                gone = subprocess.run([FAIRWAY, "up", "--kubeconfig", str(folder / "none"), "--data", str(folder / "other")], capture_output=True, text=True,
                                      timeout=PATIENCE, env=dict(os.environ))
                check("a kubeconfig that is not there", gone.returncode == 1 and "none" in gone.stderr, gone.stderr)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
