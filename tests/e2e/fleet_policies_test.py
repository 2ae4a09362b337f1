#!/usr/bin/env python3
"""Placements, policies and rollouts together: `fleet,policy,placement` on one hub, compliance written into the children as agents do.

Selective enforcement as kubectl shows it, the roll-up, what is foreign, and a rollout whose controllers are killed under way.
"""
from fleet import *

ALL = "fleet,policy,placement"
DECISIONS = "/apis/cluster.open-cluster-management.io/v1beta1/namespaces/default/placementdecisions"


class WholeHub(Hub):
    """Policies are bound to clusters by label; their children are the propagator's."""

    def __init__(self, api, context, flags=()):
        self.said = {}
        super().__init__(api, context, ALL, flags, rows={})

    def bind(self, short, clusters, **spec):
        """A root policy, with a placement that names clusters and a binding without a filter."""
        name = NAMES[short]
        self.create(policies("default"), policy_object(name, "default", **spec))
        self.place(f"bind-{short}", clusters)
        self.create(placements(kind="placementbindings"), {
            "apiVersion": f"{POLICY}/v1", "kind": "PlacementBinding", "metadata": {"name": f"bind-{short}", "namespace": "default"},
            "placementRef": {"apiGroup": "cluster.open-cluster-management.io", "kind": "Placement", "name": f"bind-{short}"},
            "subjects": [{"apiGroup": POLICY, "kind": "Policy", "name": name}]})

    def place(self, name, clusters):
        selector = {"matchExpressions": [{"key": "name", "operator": "In", "values": [spoke(each) for each in clusters]}]}
        spec = {"predicates": [{"requiredClusterSelector": {"labelSelector": selector}}]}
        path = placements()
        try:
            self.create(path, {"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
                               "metadata": {"name": name, "namespace": "default"}, "spec": spec})
        except AssertionError:
            self.merge({"spec": spec}, f"{path}/{name}")

    def report(self, short, **rows):
        """What the clusters' agents say: into the children's status."""
        self.said.setdefault(short, {}).update(rows)
        for cluster, word in rows.items():
            path = policies(spoke(cluster), f"default.{NAMES[short]}")
            generation = self.get(path)["metadata"]["generation"]
            self.merge({"status": {"compliant": WORDS[word], "observedGeneration": generation}}, path + "/status")

    def look_again(self, short):
        """Agents look whenever their policy is another: they say again what they said."""
        self.report(short, **{cluster: word for cluster, word in self.said.get(short, {}).items() if cluster in self.children(short)})

    def children(self, short):
        """{"s1": "enforce"}, as the children say."""
        found = self.get(f"/apis/{POLICY}/v1/policies?labelSelector={ROOT_LABEL}%3Ddefault.{NAMES[short]}")["items"]
        return {each["metadata"]["namespace"].replace("spoke", "s"): each["spec"]["remediationAction"] for each in found}

    def await_children(self, short, **wanted):
        eventually(lambda: self.children(short) == wanted, f"{short}: {wanted}, found {self.children(short)}")
        self.look_again(short)

    def rolled_up(self, short):
        status = self.get(policies("default", NAMES[short])).get("status", {})
        rows = {each["clustername"].replace("spoke", "s"): each.get("compliant", "") for each in status.get("status", [])}
        return status.get("compliant", ""), rows


def placements_choose(hub):
    hub.place("by-name", ["s1", "s3", "elsewhere"])
    path = f"{DECISIONS}/by-name-decision-1"
    def decided():
        found = hub.api.send("GET", DECISIONS, cluster=hub.context)["items"]
        mine = [each for each in found if each["metadata"]["labels"]["cluster.open-cluster-management.io/placement"] == "by-name"]
        return sorted(row["clusterName"] for each in mine for row in each.get("status", {}).get("decisions", []))
    eventually(lambda: decided() == ["spoke1", "spoke3"], "clusters without a label `name` answer to their own (D14)")
    equal("and the placement says so", hub.kubectl("get", "placement", "by-name", "-o", "jsonpath={.status.conditions[?(@.type=="
                                                   "\"PlacementSatisfied\")].reason} {.status.numberOfSelectedClusters}"),
          "AllDecisionsScheduled 2")
    hub.add_cluster("elsewhere")
    eventually(lambda: decided() == ["elsewhere", "spoke1", "spoke3"], "one that comes is chosen")
    hub.place("by-name", [])
    eventually(lambda: decided() == [], "naming nobody selects nobody")
    hub.kubectl("delete", "placement", "by-name")
    def is_gone():
        found = hub.kubectl("get", "placementdecision", "by-name-decision-1", "--ignore-not-found")
        return found == ""
    eventually(is_gone, f"{path} goes with it")


def policies_are_carried_and_rolled_up(hub):
    hub.bind("p0", ["s1", "s2", "s3"])
    hub.await_children("p0", s1="inform", s2="inform", s3="inform")
    eventually(lambda: hub.rolled_up("p0") == ("", {"s1": "", "s2": "", "s3": ""}), "rows for all that are bound")
    hub.report("p0", s1="C", s2="C", s3="P")
    eventually(lambda: hub.rolled_up("p0") == ("Pending", {"s1": "Compliant", "s2": "Compliant", "s3": "Pending"}), "the roll-up")
    columns = hub.kubectl("get", "policy", NAMES["p0"]).splitlines()[1].split()
    equal("as kubectl shows it", columns[1:3], ["inform", "Pending"])
    hub.kubectl("-n", "spoke1", "patch", "policy", f"default.{NAMES['p0']}", "--type=merge", "--patch",
                '{"spec":{"remediationAction":"enforce"}}')
    hub.await_children("p0", s1="inform", s2="inform", s3="inform")
    equal("a child edited by hand is restored, its status kept (case 79)",
          hub.get(policies("spoke1", f"default.{NAMES['p0']}"))["status"]["compliant"], "Compliant")
    hub.create(policies("spoke2"), policy_object("foreign", "spoke2"))
    eventually(lambda: "foreign" not in hub.kubectl("-n", "spoke2", "get", "policies", "-o", "name"), "what is foreign goes")
    hub.place("bind-p0", ["s1"])
    hub.await_children("p0", s1="inform")
    eventually(lambda: hub.rolled_up("p0")[1] == {"s1": "Compliant"}, "rows are exactly those that are bound (D15)")
    hub.kubectl("patch", "policy", NAMES["p0"], "--type=merge", "--patch", '{"spec":{"disabled":true}}')
    hub.await_children("p0")
    eventually(lambda: hub.rolled_up("p0") == ("", {}), "a disabled policy is nowhere (case 76)")
    hub.kubectl("patch", "policy", NAMES["p0"], "--type=merge", "--patch", '{"spec":{"disabled":false}}')
    hub.await_children("p0", s1="inform")
    hub.kubectl("delete", "policy", NAMES["p0"])
    hub.await_children("p0")


def selective_enforcement(hub):
    """The seed's workflow: four clusters, two policies, two at a time; children turn for a batch, and back."""
    four = ["s1", "s2", "s4", "s5"]
    for short in ("p1", "p2"):
        hub.bind(short, four)
        hub.await_children(short, **{each: "inform" for each in four})
        hub.report(short, **{each: "N" for each in four})
    hub.rollout("cgu", four, ["p1", "p2"], at_once=2, enable=True)
    hub.await_children("p1", s1="enforce", s2="enforce", s4="inform", s5="inform")
    equal("the next policy waits", hub.children("p2"), {each: "inform" for each in four})
    hub.report("p1", s1="C", s2="C")
    hub.await_children("p2", s1="enforce", s2="enforce", s4="inform", s5="inform")
    equal("and the first stays enforced", hub.children("p1"), {"s1": "enforce", "s2": "enforce", "s4": "inform", "s5": "inform"})
    hub.report("p2", s1="C", s2="C")
    hub.await_children("p1", s1="inform", s2="inform", s4="enforce", s5="enforce")
    hub.await_children("p2", **{each: "inform" for each in four})
    equal("the first batch is complete", hub.table("cgu"), "s1 complete, s2 complete")
    hub.report("p1", s4="C", s5="C")
    hub.await_children("p2", s1="inform", s2="inform", s4="enforce", s5="enforce")
    hub.report("p2", s4="C", s5="C")
    hub.kubectl("wait", "--for=condition=Succeeded", "cgu/cgu", "--timeout=60s")
    for short in ("p1", "p2"):
        hub.await_children(short, **{each: "inform" for each in four})
    equal("only what users made is left", hub.owned(), ["bind-p1", "bind-p2"])


def killed_under_way(hub):
    """kill -9 of the controllers at every step: the same batches, each cluster once, nobody enforced who should not be."""
    four = ["s1", "s2", "s4", "s5"]
    hub.bind("p1", four)
    hub.await_children("p1", **{each: "inform" for each in four})
    hub.report("p1", **{each: "N" for each in four})
    hub.rollout("cgu", four, ["p1"], at_once=1, enable=True)
    hub.kill()
    hub.start()
    for number, cluster in enumerate(four, start=1):
        wanted = {each: "enforce" if each == cluster else "inform" for each in four}
        hub.await_children("p1", **wanted)
        hub.kill()
        equal("nothing moves while nobody is there", hub.progress("cgu"), f"{number}: {cluster} 0")
        hub.report("p1", **{cluster: "C"})
        equal("nor does the root", hub.rolled_up("p1")[1][cluster], "NonCompliant")
        hub.start()
    hub.await_condition("cgu", "Succeeded", "True Completed")
    equal("each cluster once", hub.table("cgu"), "s1 complete, s2 complete, s4 complete, s5 complete")
    hub.await_children("p1", **{each: "inform" for each in four})
    eventually(lambda: hub.owned() == ["bind-p1"], "nothing is left")


def bound_sets_only(hub):
    """--cluster-sets bound: a rollout in a namespace without a ManagedClusterSetBinding says what is missing."""
    hub.create("/apis/cluster.open-cluster-management.io/v1beta2/managedclustersets",
               {"apiVersion": "cluster.open-cluster-management.io/v1beta2", "kind": "ManagedClusterSet", "metadata": {"name": "default"},
                "spec": {"clusterSelector": {"selectorType": "LabelSelector", "labelSelector": {}}}})
    # Rules know nothing of sets.
    hub.create(placements(kind="placementrules"), {"apiVersion": "apps.open-cluster-management.io/v1", "kind": "PlacementRule", "metadata": {
        "name": "rule", "namespace": "default"}, "spec": {"clusters": [{"name": "spoke1"}]}})
    hub.create(policies("default"), policy_object(NAMES["p1"], "default"))
    hub.create(placements(kind="placementbindings"), {
        "apiVersion": f"{POLICY}/v1", "kind": "PlacementBinding", "metadata": {"name": "by-rule", "namespace": "default"},
        "placementRef": {"apiGroup": "apps.open-cluster-management.io", "kind": "PlacementRule", "name": "rule"},
        "subjects": [{"apiGroup": POLICY, "kind": "Policy", "name": NAMES["p1"]}]})
    hub.await_children("p1", s1="inform")
    hub.report("p1", s1="N")
    hub.rollout("cgu", ["s1"], ["p1"], enable=True)
    hub.await_condition("cgu", "Progressing", "True WaitingForPlacement")
    check("the message names what to do", "Create a ManagedClusterSetBinding" in hub.message("cgu", "Progressing"),
          hub.message("cgu", "Progressing"))
    equal("nobody is enforced", hub.children("p1"), {"s1": "inform"})
    hub.create("/apis/cluster.open-cluster-management.io/v1beta2/namespaces/default/managedclustersetbindings",
               {"apiVersion": "cluster.open-cluster-management.io/v1beta2", "kind": "ManagedClusterSetBinding",
                "metadata": {"name": "default", "namespace": "default"}, "spec": {"clusterSet": "default"}})
    hub.await_children("p1", s1="enforce")
    hub.await_condition("cgu", "Progressing", "True InProgress")
    hub.report("p1", s1="C")
    hub.await_condition("cgu", "Succeeded", "True Completed")


def hub_templates_are_resolved(hub):
    """Each cluster gets its own text; what was looked up is followed."""
    maps = "/api/v1/namespaces/default/configmaps"
    hub.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}, "data": {"key": "one"}})
    hub.bind("p3", ["s1", "s2"])
    hub.await_children("p3", s1="inform", s2="inform")
    root = hub.get(policies("default", NAMES["p3"]))["spec"]
    definition = root["policy-templates"][0]["objectDefinition"]["spec"]["object-templates"][0]["objectDefinition"]
    definition["data"] = {"a": '{{hub .ManagedClusterName hub}} {{hub fromConfigMap "default" "settings" "key" hub}}'}
    hub.merge({"spec": root}, policies("default", NAMES["p3"]))
    def text(cluster):
        child = hub.get(policies(spoke(cluster), f"default.{NAMES['p3']}"))
        found = child["spec"]["policy-templates"][0]["objectDefinition"]["spec"]["object-templates"][0]["objectDefinition"]
        return found["data"]["a"]
    eventually(lambda: [text("s1"), text("s2")] == ["spoke1 one", "spoke2 one"], "each has its own")
    hub.merge({"data": {"key": "two"}}, f"{maps}/settings")
    eventually(lambda: [text("s1"), text("s2")] == ["spoke1 two", "spoke2 two"], "and follows what it was made of")


SCENARIOS = [placements_choose, hub_templates_are_resolved, policies_are_carried_and_rolled_up, selective_enforcement, killed_under_way, bound_sets_only]


def make_hub(api, context, scenario):
    return WholeHub(api, context, ("--cluster-sets", "bound") if scenario is bound_sets_only else ())


if __name__ == "__main__":
    run_scenarios(SCENARIOS, make_hub)
