#!/usr/bin/env python3
"""The simulated cloud as a process: killed at any moment, it goes on with the same load balancers at the same addresses.

The real binary on a real API server, Services made by a plain client, traffic by plain sockets.
"""
import json
import os
import pathlib
import random
import socket
import sys
import tempfile
import urllib.request

from cluster_version import ApiServer, Daemon
from update_service import case, check, equal, eventually, finish

SERVICES = "/api/v1/namespaces/default/services"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
KEY = "service.beta.kubernetes.io/azure-load-balancer-internal"
RECORD = "cloud.fairway.dev/load-balancer"
CLEANUP = "service.kubernetes.io/load-balancer-cleanup"
# Other tests play clouds on the same addresses at the same time.
OFFSET = 10_000 + os.getpid() % 20_000
OUTSIDE, INSIDE = "127.0.0.1", "127.77.200.1"


class Cloud:
    def __init__(self, api):
        self.api = api
        self.start()

    def start(self):
        self.daemon = Daemon(
            ["cloud", "--platform", "Azure", "--kubeconfig", self.api.kubeconfig, "--listen", "127.0.0.1:0", "--port-offset", OFFSET,
             "--play-nodes", "--play-nodes-for", "app=web", "--provision-delay", "300ms", "--deprovision-delay", "300ms",
             "--mutate-delay", "300ms"], {"admin": r"^admin on (\S+)"})

    def restart(self):
        self.daemon.kill()
        self.start()

    def balancers(self):
        with urllib.request.urlopen(self.daemon.found["admin"] + "/loadbalancers", timeout=60) as answer:
            return {row["name"]: row for row in json.load(answer)["items"]}

    def faults(self, **change):
        request = urllib.request.Request(self.daemon.found["admin"] + "/faults", json.dumps(change).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def create(api, name):
    api.create(SERVICES, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {
        "type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]}})


def set_scope(api, name, scope):
    api.merge({"metadata": {"annotations": {KEY: "true" if scope == "Internal" else None}}}, f"{SERVICES}/{name}")


def services(api):
    return {each["metadata"]["name"]: each for each in api.get(SERVICES)["items"] if each["spec"]["type"] == "LoadBalancer"}


def address(service):
    entries = service["status"].get("loadBalancer", {}).get("ingress") or [{}]
    return entries[0].get("ip", "")


def answered(at, source):
    """The pod's answer to a client from there; None when it is not served."""
    try:
        with socket.create_connection((at, 80 + OFFSET), timeout=30, source_address=(source, 0)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
            text = b""
            while block := connection.recv(4096):
                text += block
            return json.loads(text.split(b"\r\n\r\n", 1)[1]) if text else None
    except OSError:
        return None


def run_pods(api):
    container = {"name": "web", "image": "web", "ports": [{"name": "http", "containerPort": 80}]}
    api.create(DEPLOYMENTS, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"app": "web"}},
                             "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                                      "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}})
    eventually(lambda: api.get(DEPLOYMENTS + "/web").get("status", {}).get("availableReplicas") == 2, "two pods are available")


def as_wanted(api, wanted):
    """Each of the wanted is published in the range of its scope, and nothing else is there."""
    found = services(api)
    if set(found) != set(wanted):
        return False
    return all(address(found[name]).startswith("127.77." if scope == "Internal" else "127.203.") and
               "operation" not in json.loads(found[name]["metadata"]["annotations"][RECORD]) for name, scope in wanted.items())


def killed_at_any_moment(api, cloud, seed):
    """Users go on creating, toggling and deleting while the cloud is killed and started again."""
    draw = random.Random(seed)
    wanted = {}
    for step in range(24):
        deed = draw.choice(["create", "toggle", "toggle", "delete", "kill", "kill"])
        name = f"s{draw.randrange(5)}"
        if deed == "create" and name not in wanted and name not in services(api):
            create(api, name)
            wanted[name] = "External"
        elif deed == "toggle" and name in wanted:
            wanted[name] = "External" if wanted[name] == "Internal" else "Internal"
            set_scope(api, name, wanted[name])
        elif deed == "delete" and wanted.pop(name, None):
            api.send("DELETE", f"{SERVICES}/{name}")
        elif deed == "kill":
            cloud.restart()
    eventually(lambda: as_wanted(api, wanted), f"seed {seed}: all is as wanted in the end: {wanted}")
    found = services(api)
    equal(f"seed {seed}: no two have the same address", len({address(each) for each in found.values()}), len(found))
    for name, scope in wanted.items():
        eventually(lambda: answered(address(found[name]), INSIDE), f"seed {seed}: {name} is served inside")
        equal(f"seed {seed}: {name} is served outside when it is external", answered(address(found[name]), OUTSIDE) is not None,
              scope == "External")
    # And the address of one that rests stays, over any number of deaths.
    cloud.restart()
    after = services(api)
    equal(f"seed {seed}: nothing was written", {name: each["metadata"]["resourceVersion"] for name, each in after.items()},
          {name: each["metadata"]["resourceVersion"] for name, each in found.items()})
    for name in wanted:
        eventually(lambda: answered(address(found[name]), INSIDE), f"seed {seed}: {name} is served again at its address")
    for name in wanted:
        api.send("DELETE", f"{SERVICES}/{name}")
    eventually(lambda: not services(api), f"seed {seed}: all are gone")
    eventually(lambda: not cloud.balancers(), f"seed {seed}: and so are their load balancers")


def killed_while_deleting(api, cloud):
    create(api, "going")
    eventually(lambda: as_wanted(api, {"going": "External"}), "it is published")
    cloud.faults(stuckDeletes=True)
    api.send("DELETE", f"{SERVICES}/going")
    eventually(lambda: cloud.balancers().get("going", {}).get("state") == "Deleting", "it is being deleted")
    check("the finalizer holds it", CLEANUP in services(api)["going"]["metadata"]["finalizers"])
    cloud.restart()
    eventually(lambda: not services(api), "a new cloud, which is not stuck, completes it")


def main():
    with tempfile.TemporaryDirectory() as name:
        api = ApiServer(pathlib.Path(name) / "data")
        try:
            cloud = Cloud(api)
            try:
                run_pods(api)
                for seed in range(3):
                    with case(f"killed at any moment, seed {seed}"):
                        killed_at_any_moment(api, cloud, seed)
                with case("killed while it deletes"):
                    killed_while_deleting(api, cloud)
            finally:
                cloud.daemon.stop()
        finally:
            api.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
