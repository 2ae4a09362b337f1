#!/usr/bin/env python3
"""The proposal's workflow on real agents: four member clusters, two policies, two clusters at a time; and an operator at the CLI.

Every process is the real binary. Both policies ask for a Subscription that is at its latest version, which only the cluster's own operator
can say: the test plays that one, and so decides when a cluster complies.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from agent import Member, configuration, wants
from cluster_version import Daemon
from fleet import CLUSTERS, ROLLOUTS, placements, policies, start_api
from update_service import FAIRWAY, PATIENCE, check, equal, eventually, finish

SPOKES = ["spoke1", "spoke2", "spoke5", "spoke6"]
PTP, SRIOV = "policy1-common-ptp-sub-policy", "policy2-common-sriov-sub-policy"
SUBSCRIPTIONS = {PTP: ("openshift-ptp", "ptp-operator-subscription"),
                 SRIOV: ("openshift-sriov-network-operator", "sriov-network-operator-subscription")}
OPERATORS = "operators.coreos.com/v1alpha1"


def subscription_crd():
    schema = {"type": "object", "properties": {each: {"type": "object", "x-kubernetes-preserve-unknown-fields": True} for each in ("spec", "status")}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "subscriptions.operators.coreos.com"},
            "spec": {"group": "operators.coreos.com", "scope": "Namespaced",
                     "names": {"kind": "Subscription", "plural": "subscriptions", "singular": "subscription"},
                     "versions": [{"name": "v1alpha1", "served": True, "storage": True, "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": schema}}]}}


def subscription_rights(spoke):
    """What the agent may do besides what it may everywhere: the objects that the policies of this fleet are about."""
    return {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "subscriptions"},
         "rules": [{"apiGroups": ["operators.coreos.com"], "resources": ["subscriptions"], "verbs": ["*"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "subscriptions"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "subscriptions"},
         "subjects": [{"kind": "ServiceAccount", "name": "fairway-agent", "namespace": spoke}]}]}


def policy(name):
    ns, subscription = SUBSCRIPTIONS[name]
    definition = {"apiVersion": OPERATORS, "kind": "Subscription", "metadata": {"name": subscription, "namespace": ns},
                  "spec": {"channel": "stable"}, "status": {"state": "AtLatestKnown"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}}
    return {"apiVersion": "policy.open-cluster-management.io/v1", "kind": "Policy", "metadata": {"name": name, "namespace": "default"},
            "spec": {"disabled": False, "remediationAction": "inform", "policy-templates": [{"objectDefinition": configuration(
                name, wants("musthave", namespace), wants("musthave", definition), remediationAction="inform")}]}}


def bind(hub, name):
    """The policy is bound to all clusters, as its owner would do it."""
    hub("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement", "metadata": {"name": name, "namespace": "default"},
         "spec": {"tolerations": [{"key": "cluster.open-cluster-management.io/unreachable", "operator": "Exists"}]}},
        {"apiVersion": "policy.open-cluster-management.io/v1", "kind": "PlacementBinding", "metadata": {"name": name, "namespace": "default"},
         "placementRef": {"apiGroup": "cluster.open-cluster-management.io", "kind": "Placement", "name": name},
         "subjects": [{"apiGroup": "policy.open-cluster-management.io", "kind": "Policy", "name": name}]}]}))


class Fleet:
    def __init__(self, api):
        self.api = api

    def kubectl(self, *arguments, given=None):
        done = subprocess.run(["kubectl", "--context", "hub", *arguments], env=dict(os.environ, KUBECONFIG=str(self.api.kubeconfig)),
                              input=given, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def rollout(self, *arguments, code=0):
        done = subprocess.run([FAIRWAY, "rollout", *arguments, "--kubeconfig", self.api.kubeconfig, "--context", "hub"],
                              capture_output=True, text=True, timeout=PATIENCE)
        equal(f"exit code of rollout {' '.join(arguments)} ({done.stderr.strip()})", done.returncode, code)
        return done.stdout + done.stderr

    def add_spoke(self, name):
        self.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
                                                           "metadata": {"name": name, "labels": {"name": name}},
                                                           "spec": {"hubAcceptsClient": True}}))

    def table(self):
        """kubectl's table of policies, without their age."""
        lines = self.kubectl("get", "policies", "-A").splitlines()
        return [re.split(r"\s{2,}", line.strip())[:4] for line in lines[1:]]

    def expected(self, enforced, compliant):
        """Rows as the proposal prints them: `enforced` clusters, and which (policy, cluster) comply."""
        rows = []
        for name in (PTP, SRIOV):
            whole = all((name, each) in compliant for each in SPOKES)
            rows.append(["default", name, "inform", "Compliant" if whole else "NonCompliant"])
        for spoke in SPOKES:
            for name in (PTP, SRIOV):
                rows.append([spoke, f"default.{name}", "enforce" if (name, spoke) in enforced else "inform",
                             "Compliant" if (name, spoke) in compliant else "NonCompliant"])
        return rows

    def await_table(self, what, enforced, compliant):
        wanted = self.expected(enforced, compliant)
        eventually(lambda: self.table() == wanted, f"{what}: {self.table()} is {wanted}")
        print(f"--- {what}\n{self.kubectl('get', 'policies', '-A')}")

    def install(self, name, spoke):
        """The cluster's operator reports that the subscription is at its latest version."""
        ns, subscription = SUBSCRIPTIONS[name]
        path = f"/apis/{OPERATORS}/namespaces/{ns}/subscriptions"
        eventually(lambda: any(each["metadata"]["name"] == subscription for each in self.api.get(path, spoke)["items"]),
                   f"the agent of {spoke} creates {subscription}")
        self.api.merge({"status": {"state": "AtLatestKnown"}}, f"{path}/{subscription}/status", spoke)

    def status(self):
        return self.api.get(f"{ROLLOUTS}/cgu-1").get("status", {})


def pairs(names, spokes):
    return {(name, spoke) for name in names for spoke in spokes}


ROLLOUT = {"apiVersion": "ran.openshift.io/v1alpha1", "kind": "ClusterGroupUpgrade", "metadata": {"name": "cgu-1", "namespace": "default"},
           "spec": {"managedPolicies": [PTP, SRIOV], "enable": True, "clusters": SPOKES,
                    "remediationStrategy": {"maxConcurrency": 2, "timeout": 240}}}


def first_batch(fleet):
    first = SPOKES[:2]
    fleet.await_table("the first policy is enforced on the first batch", pairs([PTP], first), set())
    for spoke in first:
        fleet.install(PTP, spoke)
    fleet.await_table("as the proposal shows it: the second policy for the first batch", pairs([PTP, SRIOV], first), pairs([PTP], first))
    status = fleet.status()
    equal("plan", status["remediationPlan"], [SPOKES[:2], SPOKES[2:]])
    equal("conditions", [(each["type"], each["status"], each["reason"], each["message"]) for each in status["conditions"]], [
        ("ClustersSelected", "True", "ClusterSelectionCompleted", "All selected clusters are valid"),
        ("Validated", "True", "ValidationCompleted", "Completed validation"),
        ("Progressing", "True", "InProgress", "Remediating non-compliant policies")])
    equal("progress", status["status"]["currentBatchRemediationProgress"], {each: {"policyIndex": 1, "state": "InProgress"} for each in first})
    equal("content", json.loads(status["managedPoliciesContent"][PTP]),
          [{"kind": "Subscription", "name": "ptp-operator-subscription", "apiVersion": OPERATORS, "namespace": "openshift-ptp"}])
    check("no policy is copied", "copiedPolicies" not in status, status)
    equal("placements", len(status["placements"]), 2)
    for binding in status["placementBindings"]:
        made = fleet.api.get(f"{placements(kind='placementbindings')}/{binding}")
        equal("subFilter", made["subFilter"], "restricted")
        equal("override", made["bindingOverrides"], {"remediationAction": "enforce"})


def operator_at_the_cli(fleet):
    """While the first batch is under way."""
    text = fleet.rollout("status", "cgu-1")
    check("status shows batches and clusters", "Rolling, batch 1 of 2" in text and re.search(r"spoke1 +1 +InProgress +" + SRIOV, text), text)
    check("the list", re.search(r"default +cgu-1 +Rolling +1/2 +0/4", fleet.rollout("status", "-A")), fleet.rollout("status", "-A"))
    report = json.loads(fleet.rollout("status", "cgu-1", "-o", "json"))
    equal("batches for programs", [each["state"] for each in report["batches"]], ["InProgress", "Waiting"])
    check("none waits for approval", "no batch" in fleet.rollout("approve", "cgu-1", code=1))
    check("it is not found elsewhere", "fairway rollout status -A" in fleet.rollout("status", "other", code=1))
    check("it has not failed", "has not failed" in fleet.rollout("block", "cgu-1", "--url", "https://example.com/incident", code=1))
    check("it has not ended", "has not ended" in fleet.rollout("rerun", "cgu-1", code=1))

    check("frozen", "nobody is enforced" in fleet.rollout("pause", "cgu-1", "--freeze"))
    fleet.await_table("paused: nobody is enforced", set(), pairs([PTP], SPOKES[:2]))
    check("paused", "Paused: Rollout paused by spec.rolloutControls.paused" in fleet.rollout("status", "cgu-1"), fleet.rollout("status", "cgu-1"))
    check("resumed", "cgu-1 goes on" in fleet.rollout("resume", "cgu-1"))
    fleet.await_table("it goes on where it stopped", pairs([PTP, SRIOV], SPOKES[:2]), pairs([PTP], SPOKES[:2]))


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-fleet-") as folder:
        api = start_api(folder, SPOKES)
        fleet = Fleet(api)
        members, hub, watch = [], None, None
        try:
            for spoke in SPOKES:
                fleet.add_spoke(spoke)
                members.append(Member(api, pathlib.Path(folder), spoke))
                api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", subscription_crd(), spoke)
                members[-1].kubectl("apply", "-f", "-", given=json.dumps(subscription_rights(spoke)))
            hub = Daemon(["controllers", "--only", "fleet,policy,placement", "--kubeconfig", api.kubeconfig, "--context", "hub",
                          "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on (\S+)"})
            for name in (PTP, SRIOV):
                fleet.kubectl("apply", "-f", "-", given=json.dumps(policy(name)))
                bind(fleet.kubectl, name)
            fleet.await_table("before", set(), set())
            file = pathlib.Path(folder) / "cgu.json"
            file.write_text(json.dumps(ROLLOUT))
            plan = fleet.rollout("plan", str(file))
            check("the plan, before anything is there", "would update 4 clusters in 2 batches, at most 2 at a time" in plan and
                  re.search(r"^1 +spoke1 spoke2$", plan, re.M), plan)
            equal("nothing was made by planning", api.get(ROLLOUTS)["items"], [])

            fleet.kubectl("apply", "-f", str(file))
            watch = subprocess.Popen([FAIRWAY, "rollout", "watch", "cgu-1", "--kubeconfig", api.kubeconfig, "--context", "hub"],
                                     stdout=subprocess.PIPE, text=True)
            first_batch(fleet)
            operator_at_the_cli(fleet)
            for spoke in SPOKES[:2]:
                fleet.install(SRIOV, spoke)
            fleet.await_table("the second batch; the first is informed again", pairs([PTP], SPOKES[2:]), pairs([PTP, SRIOV], SPOKES[:2]))
            hub.kill()
            for spoke in SPOKES[2:]:
                fleet.install(PTP, spoke)
            hub = Daemon(["controllers", "--only", "fleet,policy,placement", "--kubeconfig", api.kubeconfig, "--context", "hub",
                          "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on (\S+)"})
            fleet.await_table("the controllers were killed and go on", pairs([PTP, SRIOV], SPOKES[2:]),
                              pairs([PTP, SRIOV], SPOKES[:2]) | pairs([PTP], SPOKES[2:]))
            for spoke in SPOKES[2:]:
                fleet.install(SRIOV, spoke)
            fleet.await_table("after", set(), pairs([PTP, SRIOV], SPOKES))
            shown, _ = watch.communicate(timeout=PATIENCE)
            equal("watch ends well", watch.returncode, 0)
            for wanted in ("Rolling, batch 1 of 2", "Paused, batch 1 of 2", "Rolling, batch 2 of 2", "Succeeded",
                           "[####################] 2/2"):
                check(f"watch has shown {wanted!r}", wanted in shown, shown)
            equal("the rest of the status", [fleet.status().get(each) for each in ("placements", "placementBindings")], [None, None])
            equal("nothing is left behind", [len(api.get(placements(kind=each))["items"]) for each in ("placements", "placementbindings")], [2, 2])
            check("history", re.search(r"^0 +Completed", fleet.rollout("history", "cgu-1"), re.M), fleet.rollout("history", "cgu-1"))
            check("what has ended cannot be paused", "has ended" in fleet.rollout("pause", "cgu-1", code=1))
        finally:
            kind, value, trace = sys.exc_info()
            if watch and watch.poll() is None:
                watch.kill()
            for each in ([hub] if hub else []):
                each.__exit__(kind, value, trace)
            for each in members:
                each.__exit__(kind, value, trace)
            api.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
