"""What the tests of fleet rollouts share: a hub on the real API server, its policies as the reference's scenarios have them, kubectl.

A scenario has a logical cluster of its own as its hub, with managed clusters spoke1 to spoke6 and policies p0 to p5. Compliance is what
the test writes: into the root policies' status where `fleet` runs alone, into the children's where all three controllers run.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cluster_version import ApiServer, Daemon
from update_service import PATIENCE, case, check, equal, eventually, finish, not_run

NAMES = {
    "p0": "policy0-common-config-policy", "p1": "policy1-common-cluster-version-policy", "p2": "policy2-common-pao-sub-policy",
    "p3": "policy3-common-ptp-sub-policy", "p4": "policy4-common-sriov-sub-policy", "p5": "policy5-common-subscriptions-policy",
}
SHORT = {name: short for short, name in NAMES.items()}
# As in the reference's fixture.
ROWS = {
    "p0": {"s1": "N", "s2": "N", "s4": "N", "s6": "C"}, "p1": {"s1": "N", "s4": "N", "s6": "C"},
    "p2": {"s1": "N", "s2": "N", "s4": "N", "s6": "C"}, "p3": {"s2": "N", "s4": "N"}, "p4": {"s4": "N", "s5": "N", "s6": "N"},
}
WORDS = {"C": "Compliant", "N": "NonCompliant", "P": "Pending", "": None}
POLICY = "policy.open-cluster-management.io"
ROOT_LABEL = f"{POLICY}/root-policy"
CLUSTERS = "/apis/cluster.open-cluster-management.io/v1/managedclusters"
ROLLOUTS = "/apis/ran.openshift.io/v1alpha1/namespaces/default/clustergroupupgrades"


def spoke(short):
    return "spoke" + short[1:] if re.fullmatch(r"s\d", short) else short


def policies(ns, name=""):
    return f"/apis/{POLICY}/v1/namespaces/{ns}/policies" + (f"/{name}" if name else "")


def placements(ns="default", kind="placements"):
    group = {"placements": "cluster.open-cluster-management.io/v1beta1", "placementrules": "apps.open-cluster-management.io/v1",
             "placementbindings": f"{POLICY}/v1"}[kind]
    return f"/apis/{group}/namespaces/{ns}/{kind}"


def policy_object(name, ns, has_status=False, **spec):
    definition = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": {"a": "b"}}
    if has_status:
        definition["status"] = {"phase": "Ready"}
    template = {"objectDefinition": {
        "apiVersion": f"{POLICY}/v1", "kind": "ConfigurationPolicy", "metadata": {"name": name},
        "spec": {"remediationAction": "inform", "severity": "low",
                 "object-templates": [{"complianceType": "musthave", "objectDefinition": definition}]}}}
    return {"apiVersion": f"{POLICY}/v1", "kind": "Policy", "metadata": {"name": name, "namespace": ns},
            "spec": {"disabled": False, "remediationAction": "inform", "policy-templates": [template], **spec}}


class Hub:
    """A logical cluster with the fixture; `controllers` run against it."""

    def __init__(self, api, context, controllers="fleet", flags=(), rows=ROWS):
        self.api, self.context, self.controllers, self.flags = api, context, controllers, flags
        self.rows = {}
        self.daemon = None
        for i in range(1, 7):
            self.add_cluster(f"spoke{i}")
        for short, given in rows.items():
            self.add_policy(short, given)
        self.start()

    # What is there

    def add_cluster(self, name, labels=None):
        self.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.create(CLUSTERS, {"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
                               "metadata": {"name": name, "labels": labels or {}}, "spec": {"hubAcceptsClient": True}})

    def add_policy(self, short, rows, ns="default", **spec):
        """A root with its rows and a child for each, as the policy framework would have made them."""
        name = NAMES[short]
        self.create(policies(ns), policy_object(name, ns, **spec))
        self.rows[ns, short] = {}
        self.add_children(short, rows, ns, **spec)

    def add_children(self, short, rows, ns="default", **spec):
        name = f"{ns}.{NAMES[short]}"
        for cluster in rows:
            child = policy_object(name, spoke(cluster), **spec)
            child["metadata"]["labels"] = {ROOT_LABEL: name}
            self.create(policies(spoke(cluster)), child)
        self.comply(short, ns, **rows)

    def comply(self, short, ns="default", **rows):
        """Writes rows into the root's status: s1="C". Others stay; None takes a row away."""
        known = self.rows[ns, short]
        known.update(rows)
        status = []
        for cluster, word in sorted(known.items()):
            if word is not None:
                status.append({"clustername": spoke(cluster), "clusternamespace": spoke(cluster), **(
                    {"compliant": WORDS[word]} if WORDS[word] else {})})
        self.merge({"status": {"status": status}}, policies(ns, NAMES[short]) + "/status")

    # Clients

    def create(self, path, body):
        return self.api.create(path, body, self.context)

    def merge(self, patch, path):
        return self.api.merge(patch, path, self.context)

    def get(self, path):
        return self.api.get(path, self.context)

    def delete(self, path):
        return self.api.send("DELETE", path, cluster=self.context)

    def kubectl(self, *arguments, given=None, succeeds=True):
        done = subprocess.run(["kubectl", "--context", self.context, *arguments],
                              env=dict(os.environ, KUBECONFIG=str(self.api.kubeconfig)), input=given, capture_output=True, text=True,
                              timeout=PATIENCE)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    # Rollouts

    def rollout(self, name, clusters, chosen, at_once=1, enable=False, annotations=None, strategy=None, **spec):
        """What a user applies: rollout("x", ["s1"], ["p1"], …)."""
        self.kubectl("apply", "-f", "-", given=json.dumps(
            {"apiVersion": "ran.openshift.io/v1alpha1", "kind": "ClusterGroupUpgrade", "metadata": {
                "name": name, "namespace": "default", "annotations": {"cluster-group-upgrades-operator/name-suffix": "kuttl",
                                                                      **(annotations or {})}},
             "spec": {"enable": enable, "clusters": [spoke(each) for each in clusters], "managedPolicies": [NAMES[each] for each in chosen],
                      "remediationStrategy": {"maxConcurrency": at_once, **(strategy or {})}, **spec}}))

    def change(self, name, **spec):
        self.kubectl("patch", f"cgu/{name}", "--type=merge", "--patch", json.dumps({"spec": spec}))

    def enable(self, name):
        self.change(name, enable=True)

    def status(self, name):
        return self.get(f"{ROLLOUTS}/{name}").get("status", {})

    def condition(self, name, kind):
        """"True Completed"; "" where there is none."""
        found = [each for each in self.status(name).get("conditions", []) if each["type"] == kind]
        return f"{found[0]['status']} {found[0]['reason']}" if found else ""

    def message(self, name, kind):
        return next((each["message"] for each in self.status(name).get("conditions", []) if each["type"] == kind), "")

    def await_condition(self, name, kind, wanted):
        eventually(lambda: self.condition(name, kind) == wanted, f"{name}: {kind} is {wanted}, found {self.condition(name, kind)!r}")

    def await_progress(self, name, wanted):
        """"2: s4 0" in words: the batch, and each cluster with its index."""
        eventually(lambda: self.progress(name) == wanted, f"{name} is at {wanted!r}, found {self.progress(name)!r}")

    def progress(self, name):
        at = self.status(name).get("status", {})
        clusters = []
        for cluster, each in sorted(at.get("currentBatchRemediationProgress", {}).items()):
            state = "done" if each["state"] == "Completed" else each.get("policyIndex", each["state"])
            clusters.append(f"{cluster.replace('spoke', 's')} {state}")
        return f"{at['currentBatch']}: {', '.join(clusters)}" if at.get("currentBatch") else ""

    def plan(self, name):
        return [[each.replace("spoke", "s") for each in batch] for batch in self.status(name).get("remediationPlan", [])]

    def table(self, name):
        """Rows of status.clusters: "s1 complete, s4 timedout p1 NonCompliant"."""
        texts = []
        for row in self.status(name).get("clusters", []):
            at = row.get("currentPolicy")
            texts.append(f"{row['name'].replace('spoke', 's')} {row['state']}" + (f" {SHORT[at['name']]} {at['status']}" if at else ""))
        return ", ".join(texts)

    def chosen(self, name):
        return [SHORT[each["name"]] for each in self.status(name).get("managedPoliciesForUpgrade", [])]

    def labels(self, short):
        return self.get(f"{CLUSTERS}/{spoke(short)}")["metadata"].get("labels", {})

    def placed(self, name, short, ns="default"):
        """Whom the placement of a policy names."""
        found = self.get(f"{placements(ns)}/{name}-{NAMES[short]}-placement-kuttl")
        required = found["spec"]["predicates"][0]["requiredClusterSelector"]["labelSelector"]["matchExpressions"][0]
        return [each.replace("spoke", "s") for each in required.get("values", [])]

    def owned(self, kind="placements", ns="default"):
        return sorted(each["metadata"]["name"] for each in self.get(placements(ns, kind))["items"])

    def events(self, name):
        found = self.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        return [each for each in sorted(found, key=lambda each: each["eventTime"]) if each["regarding"]["name"] == name]

    # The process

    def start(self):
        self.daemon = Daemon(["controllers", "--only", self.controllers, "--kubeconfig", self.api.kubeconfig, "--context", self.context,
                              "--metrics-listen", "127.0.0.1:0", *self.flags], {"status": r"^status on (\S+)"})

    def kill(self):
        self.daemon.kill()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.daemon.__exit__(kind, value, trace)


def is_selected_and_valid(hub, name):
    return hub.condition(name, "ClustersSelected") == "True ClusterSelectionCompleted" and \
        hub.condition(name, "Validated") == "True ValidationCompleted"


def await_planned(hub, name, progressing="False NotEnabled"):
    hub.await_condition(name, "Progressing", progressing)
    check(f"{name} is selected and valid", is_selected_and_valid(hub, name), hub.status(name).get("conditions"))


def start_api(folder, hubs):
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    return ApiServer(pathlib.Path(folder) / "data", hubs)


def run_scenarios(scenarios, make_hub):
    """Each on a hub of its own, some hubs on one server; names of scenarios as arguments choose among them."""
    chosen = [each for each in scenarios if not sys.argv[1:] or each.__name__ in sys.argv[1:]]
    for first in range(0, len(chosen), 6):
        some = chosen[first:first + 6]
        with tempfile.TemporaryDirectory() as folder:
            api = start_api(folder, [each.__name__.replace("_", "-") for each in some])
            try:
                for scenario in some:
                    with case(scenario.__name__.replace("_", " ")), make_hub(api, scenario.__name__.replace("_", "-"), scenario) as hub:
                        scenario(hub)
                        hub.daemon.stop()
            finally:
                api.stop()
    return finish()
