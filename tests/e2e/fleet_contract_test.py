#!/usr/bin/env python3
"""Rollouts by API objects alone: definitions come from kubectl, no propagator and no placement controller of ours runs, and what they would
write is written by the test. So `--only fleet` works where Open Cluster Management does the rest.

Without arguments it runs on an embedded server whose own definitions were taken away. With --named it runs on the server that
CONTRACT_KUBECONFIG names: definitions that it lacks are added for the time of the test, and everything made is removed again. No propagator may
run there: it would take back the compliance that the test writes.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

from cluster_version import ApiServer, Daemon
from update_service import PATIENCE, case, check, equal, eventually, finish, not_run

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICY = "policy.open-cluster-management.io"
CLUSTER = "cluster.open-cluster-management.io"
DEFINITIONS = [f"{CLUSTER}_managedclusters", f"{CLUSTER}_placements", f"{POLICY}_policies", f"{POLICY}_placementbindings",
               "view.open-cluster-management.io_managedclusterviews", "action.open-cluster-management.io_managedclusteractions",
               "ran.openshift.io_clustergroupupgrades"]
ROLLOUTS = "clustergroupupgrades.ran.openshift.io"
SUFFIX = {"cluster-group-upgrades-operator/name-suffix": "contract"}


class Server:
    """Reached by kubectl only. Names are the test's own; what it made goes with it."""

    def __init__(self, kubeconfig):
        self.kubeconfig = str(kubeconfig)
        self.run = f"fairway-{uuid.uuid4().hex[:8]}"
        self.made = {"customresourcedefinition": [], "managedcluster": [], "namespace": []}
        self.clusters = [f"{self.run}-a", f"{self.run}-b"]

    def kubectl(self, *arguments, given=None, succeeds=True):
        done = subprocess.run(["kubectl", *arguments], env=dict(os.environ, KUBECONFIG=self.kubeconfig), input=given, capture_output=True,
                              text=True, timeout=PATIENCE)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout if done.returncode == 0 else ""

    def get(self, kind, name="", ns=""):
        text = self.kubectl("get", kind, *([name] if name else []), f"--namespace={ns or self.run}", "--output=json", "--ignore-not-found", succeeds=False)
        return json.loads(text) if text else {}

    def names(self, kind, ns=""):
        return sorted(each["metadata"]["name"] for each in self.get(kind, ns=ns).get("items", []))

    def apply(self, body):
        self.kubectl("apply", "-f", "-", given=json.dumps(body))

    def define(self):
        """Those that are missing; an installation's own are left as they are."""
        for each in DEFINITIONS:
            name = f"{each.split('_')[1]}.{each.split('_')[0]}"
            if not self.get("customresourcedefinition", name):
                self.kubectl("apply", "-f", str(ROOT / "api" / "crds" / f"{each}.yaml"))
                self.made["customresourcedefinition"].append(name)
            self.kubectl("wait", f"customresourcedefinition/{name}", "--for=condition=Established", f"--timeout={PATIENCE}s")

    def tidy_up(self):
        # Nobody may be left who would answer the finalizers.
        for name in self.names(ROLLOUTS):
            self.kubectl("patch", ROLLOUTS, name, f"--namespace={self.run}", "--type=merge", "--patch", '{"metadata":{"finalizers":null}}')
        for kind in ("namespace", "managedcluster", "customresourcedefinition"):
            if self.made[kind]:
                self.kubectl("delete", kind, *self.made[kind], "--ignore-not-found", f"--timeout={PATIENCE - 10}s")

    # What others would write

    def add_fleet(self):
        for name in [self.run, *self.clusters]:
            self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            self.made["namespace"].append(name)
        for name in self.clusters:
            self.apply({"apiVersion": f"{CLUSTER}/v1", "kind": "ManagedCluster", "metadata": {"name": name, "labels": {"name": name}},
                        "spec": {"hubAcceptsClient": False}})
            self.made["managedcluster"].append(name)

    def add_policy(self, name, definition):
        for ns, full, labels in [(self.run, name, {})] + [(each, f"{self.run}.{name}", {f"{POLICY}/root-policy": f"{self.run}.{name}"})
                                                          for each in self.clusters]:
            self.apply({"apiVersion": f"{POLICY}/v1", "kind": "Policy", "metadata": {"name": full, "namespace": ns, "labels": labels}, "spec": {
                "disabled": False, "remediationAction": "inform", "policy-templates": [{"objectDefinition": {
                    "apiVersion": f"{POLICY}/v1", "kind": "ConfigurationPolicy", "metadata": {"name": name}, "spec": {
                        "remediationAction": "inform", "severity": "low",
                        "object-templates": [{"complianceType": "musthave", "objectDefinition": definition}]}}}]}})

    def comply(self, name, *compliant):
        rows = [{"clustername": each, "clusternamespace": each, "compliant": "Compliant" if each in compliant else "NonCompliant"}
                for each in self.clusters]
        self.kubectl("patch", "policies." + POLICY, name, f"--namespace={self.run}", "--subresource=status", "--type=merge", "--patch",
                     json.dumps({"status": {"status": rows}}))

    # The rollout

    def roll(self, name, **spec):
        self.apply({"apiVersion": "ran.openshift.io/v1alpha1", "kind": "ClusterGroupUpgrade", "metadata": {
            "name": name, "namespace": self.run, "annotations": SUFFIX}, "spec": {
            "clusters": self.clusters, "managedPolicies": ["config", "operator"], "remediationStrategy": {"maxConcurrency": 1}, **spec}})

    def status(self, name):
        return self.get(ROLLOUTS, name).get("status", {})

    def condition(self, name, kind):
        return next((f"{each['status']} {each['reason']}" for each in self.status(name).get("conditions", []) if each["type"] == kind), "")

    def await_condition(self, name, kind, wanted):
        eventually(lambda: self.condition(name, kind) == wanted, f"{name}: {kind} is {wanted}, found {self.status(name).get('conditions')}")

    def placed(self, rollout, policy):
        found = self.get("placements." + CLUSTER, f"{rollout}-{policy}-placement-contract")
        if not found:
            return None
        expression = found["spec"]["predicates"][0]["requiredClusterSelector"]["labelSelector"]["matchExpressions"][0]
        return [each[-1] for each in expression.get("values", [])]

    def await_placed(self, rollout, policy, *wanted):
        eventually(lambda: self.placed(rollout, policy) == list(wanted), f"{policy} is enforced on {wanted}, found {self.placed(rollout, policy)}")


def rolls_batch_by_batch(server):
    a, b = server.clusters
    server.roll("first", enable=False, actions={"afterCompletion": {"addClusterLabels": {"contract-done": ""}}})
    server.await_condition("first", "Progressing", "False NotEnabled")
    equal("the plan", server.status("first")["remediationPlan"], [[a], [b]])
    binding = server.get("placementbindings." + POLICY, "first-config-placement-contract")
    equal("the binding only turns what is bound", (binding["subFilter"], binding["bindingOverrides"]), ("restricted", {"remediationAction": "enforce"}))
    equal("nobody is enforced", server.placed("first", "config"), [])

    server.kubectl("patch", ROLLOUTS, "first", f"--namespace={server.run}", "--type=merge",
                   "--patch", '{"spec":{"enable":true}}')
    server.await_placed("first", "config", "a")
    equal("not yet", server.placed("first", "operator"), [])
    server.comply("config", a)
    server.await_placed("first", "operator", "a")
    view = "first-" + server.run + "-subscription-radar-contract"
    eventually(lambda: server.names("managedclusterviews", a) == [view], f"its operator is looked at, found {server.names('managedclusterviews', a)}")
    server.comply("operator", a)
    server.await_placed("first", "config", "b")
    eventually(lambda: server.names("managedclusterviews", a) == [], "and no longer")
    server.comply("config", a, b)
    server.comply("operator", a, b)
    server.kubectl("wait", f"{ROLLOUTS}/first", f"--namespace={server.run}", "--for=condition=Succeeded",
                   f"--timeout={PATIENCE}s")
    equal("the rows", [(each["name"], each["state"]) for each in server.status("first")["clusters"]], [(a, "complete"), (b, "complete")])
    eventually(lambda: server.names("placements." + CLUSTER) == [] and server.names("placementbindings." + POLICY) == [], "its objects are gone")
    for each in server.clusters:
        check(f"{each} is marked", "contract-done" in server.get("managedcluster", each)["metadata"].get("labels", {}))
    notes = [each["note"] for each in server.get("events.events.k8s.io").get("items", []) if each["regarding"]["name"] == "first"]
    check("events tell of it", "ClusterGroupUpgrade first succeeded remediating policies" in notes, notes)


def touches_nothing_of_others(server):
    for ns, prefix in [(server.run, "")] + [(each, f"{server.run}.") for each in server.clusters]:
        for policy in ("config", "operator"):
            found = server.get("policies." + POLICY, prefix + policy, ns)
            equal(f"{ns}/{prefix + policy} is as it was", (found["spec"]["remediationAction"], found["metadata"]["generation"]), ("inform", 1))


def goes_without_a_trace(server):
    server.comply("config")
    server.roll("second")
    server.await_placed("second", "config", "a")
    server.kubectl("delete", ROLLOUTS, "second", f"--namespace={server.run}", f"--timeout={PATIENCE}s")
    equal("its placements", server.names("placements." + CLUSTER), [])
    equal("its bindings", server.names("placementbindings." + POLICY), [])


def run_on(kubeconfig):
    server = Server(kubeconfig)
    try:
        with case("definitions come from kubectl"):
            server.define()
        server.add_fleet()
        server.add_policy("config", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}, "data": {"a": "b"}})
        server.add_policy("operator", {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
                                       "metadata": {"name": "radar", "namespace": "radar"}})
        for each in ("config", "operator"):
            server.comply(each)
        with Daemon(["controllers", "--only", "fleet", "--kubeconfig", server.kubeconfig, "--metrics-listen", "127.0.0.1:0"],
                    {"status": r"^status on (\S+)"}) as controllers:
            for each in (rolls_batch_by_batch, touches_nothing_of_others, goes_without_a_trace):
                with case(each.__name__.replace("_", " ")):
                    each(server)
            controllers.stop()
    finally:
        server.tidy_up()
    return finish()


def main():
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    version = json.loads(subprocess.run(["kubectl", "version", "--client", "--output=json"], capture_output=True, text=True).stdout)
    if int(version["clientVersion"]["minor"].rstrip("+")) < 24:
        not_run("kubectl is older than 1.24 and has no --subresource")
    if "--named" in sys.argv[1:]:
        named = os.environ.get("CONTRACT_KUBECONFIG")
        if not named:
            not_run("CONTRACT_KUBECONFIG names no kubeconfig")
        return run_on(named)
    with tempfile.TemporaryDirectory() as folder:
        api = ApiServer(pathlib.Path(folder) / "data", [])
        try:
            Server(api.kubeconfig).kubectl("delete", "customresourcedefinitions", "--all", "--wait=true")
            return run_on(api.kubeconfig)
        finally:
            api.stop()


if __name__ == "__main__":
    sys.exit(main())
