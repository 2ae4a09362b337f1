#!/usr/bin/env python3
"""The reference's end-to-end scenarios K1 to K15 with kubectl: rollouts on a hub whose policies comply when the test says so.

`fleet` runs alone here, by the API's objects: nobody resolves the placements, and compliance is written into the root policies.
"""
import datetime
import json

from fleet import *

DONE = "All clusters are compliant with all the managed policies"
LABELS = {"beforeEnable": {"addClusterLabels": {"ztp-running": ""}, "removeClusterLabels": ["ztp-done"]},
          "afterCompletion": {"addClusterLabels": {"ztp-done": ""}, "removeClusterLabels": ["ztp-running"], "deleteObjects": True}}


def ago(seconds):
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def k1_crds(hub):
    found = json.loads(hub.kubectl("get", "crd", "clustergroupupgrades.ran.openshift.io", "-o", "json"))
    equal("group", found["spec"]["group"], "ran.openshift.io")
    names = found["spec"]["names"]
    equal("names", [names[key] for key in ("kind", "listKind", "plural", "singular", "shortNames")],
          ["ClusterGroupUpgrade", "ClusterGroupUpgradeList", "clustergroupupgrades", "clustergroupupgrade", ["cgu"]])


def k2_adjust_max_concurrency(hub):
    name = "cgu-adjust-max-conc"
    hub.rollout(name, ["s1"], ["p1", "p2"], at_once=3)
    await_planned(hub, name)
    equal("concurrency", hub.status(name)["computedMaxConcurrency"], 1)
    equal("the plan", hub.plan(name), [["s1"]])
    names = [f"{name}-{NAMES[each]}-placement-kuttl" for each in ("p1", "p2")]
    equal("placements in the status", hub.status(name)["placements"], names)
    equal("bindings in the status", hub.status(name)["placementBindings"], names)
    equal("placements", hub.owned(), names)
    equal("bindings", hub.owned("placementbindings"), names)
    placement = hub.get(f"{placements()}/{names[0]}")
    equal("labels", placement["metadata"]["labels"], {
        "app": "openshift-cluster-group-upgrades", "openshift-cluster-group-upgrades/clusterGroupUpgrade": name,
        "openshift-cluster-group-upgrades/clusterGroupUpgradeNamespace": "default",
        "openshift-cluster-group-upgrades/forPolicy": NAMES["p1"], "velero.io/exclude-from-backup": "true"})
    equal("nobody is named", hub.placed(name, "p1"), [])


def k3_upgrade_complete(hub):
    name = "cgu-upgrade-complete"
    hub.rollout(name, ["s1", "s4", "s6"], ["p1", "p2"], actions=LABELS)
    await_planned(hub, name)
    equal("the plan", hub.plan(name), [["s1"], ["s4"]])
    equal("nothing has begun", hub.status(name)["status"], {})
    binding = hub.get(f"{placements(kind='placementbindings')}/{name}-{NAMES['p1']}-placement-kuttl")
    equal("the binding", [binding["subFilter"], binding["bindingOverrides"], binding["subjects"][0]["name"]],
          ["restricted", {"remediationAction": "enforce"}, NAMES["p1"]])
    hub.enable(name)
    hub.await_progress(name, "1: s1 0")
    equal("who complies is complete", hub.table(name), "s6 complete")
    eventually(lambda: "ztp-done" in hub.labels("s6"), "s6 is labelled")
    equal("those of the plan are running", ["ztp-running" in hub.labels(each) for each in ("s1", "s4", "s6")], [True, True, False])
    eventually(lambda: hub.placed(name, "p1") == ["s1"], "s1 is enforced for p1")
    equal("and not for p2", hub.placed(name, "p2"), [])
    hub.comply("p1", s1="C")
    hub.await_progress(name, "1: s1 1")
    eventually(lambda: hub.placed(name, "p2") == ["s1"], "then for p2")
    equal("and still for p1", hub.placed(name, "p1"), ["s1"])
    hub.comply("p2", s1="C")
    hub.await_progress(name, "2: s4 0")
    equal("rows", hub.table(name), "s6 complete, s1 complete")
    eventually(lambda: hub.placed(name, "p1") == ["s4"] and hub.placed(name, "p2") == [], "only the batch's cluster is enforced")
    equal("s1 is labelled", sorted(hub.labels("s1")), ["ztp-done"])
    hub.comply("p1", s4="C")
    hub.comply("p2", s4="C")
    hub.kubectl("wait", "--for=condition=Succeeded", f"cgu/{name}", "--timeout=60s")
    equal("Progressing", hub.condition(name, "Progressing"), "False Completed")
    equal("the message", hub.message(name, "Succeeded"), DONE)
    eventually(lambda: hub.status(name)["status"].get("completedAt"), "it is closed")
    status = hub.status(name)
    equal("what was made is gone from the status", [key in status for key in ("placements", "placementBindings", "safeResourceNames")],
          [False, False, False])
    equal("and from the server", [hub.owned(), hub.owned("placementbindings")], [[], []])
    columns = hub.kubectl("get", "cgu", name).splitlines()[1].split()
    equal("kubectl shows the state", [columns[0], columns[2]], [name, "Completed"])
    events_of_k3(hub, name)


def events_of_k3(hub, name):
    wanted = [
        f"New ClusterGroupUpgrade found: {name}", f"ClusterGroupUpgrade {name} started remediating policies",
        f"ClusterGroupUpgrade {name}: batch index 1 upgrade started", f"ClusterGroupUpgrade {name}: cluster spoke1 upgrade started",
        f"ClusterGroupUpgrade {name}: cluster spoke1 upgrade finished successfully",
        f"ClusterGroupUpgrade {name}: all clusters in the batch index 1 are compliant with managed policies",
        f"ClusterGroupUpgrade {name}: batch index 2 upgrade started", f"ClusterGroupUpgrade {name}: cluster spoke4 upgrade started",
        f"ClusterGroupUpgrade {name}: cluster spoke4 upgrade finished successfully",
        f"ClusterGroupUpgrade {name}: all clusters in the batch index 2 are compliant with managed policies",
        f"ClusterGroupUpgrade {name} succeeded remediating policies"]
    eventually(lambda: len(hub.events(name)) >= len(wanted), "all events are told")
    found = hub.events(name)
    equal("each once", sorted(each["note"] for each in found), sorted(wanted))
    started = next(each for each in found if each["action"] == "RemediationStarted")
    prefix = "cgu.openshift.io/"
    equal("counts", [started["metadata"]["annotations"][prefix + key] for key in
                     ("event-type", "total-batches-count", "total-clusters-count")], ["global", "2", "2"])
    cluster = next(each for each in found if each["action"] == "RemediationInClusterStarted")
    equal("the cluster is related", [cluster["related"]["kind"], cluster["related"]["name"], cluster["reportingController"]],
          ["ManagedCluster", "spoke1", "ClusterGroupUpgrade"])


def k4_upgrade_batch_timeout(hub):
    name = "cgu-upgrade-batch-timeout"
    hub.rollout(name, ["s1", "s4", "s6"], ["p1", "p2"], enable=True, actions=LABELS)
    hub.await_progress(name, "1: s1 0")
    hub.comply("p1", s1="C")
    hub.comply("p2", s1="C")
    hub.await_progress(name, "2: s4 0")
    hub.change(name, remediationStrategy={"timeout": 0})
    hub.await_condition(name, "Succeeded", "False TimedOut")
    equal("Progressing", hub.condition(name, "Progressing"), "False TimedOut")
    equal("the message", hub.message(name, "Succeeded"), "Policy remediation took too long")
    equal("rows", hub.table(name), "s6 complete, s1 complete, s4 timedout p1 NonCompliant")
    check("s4 keeps its label", "ztp-running" in hub.labels("s4"), hub.labels("s4"))
    eventually(lambda: hub.owned() == [], "nobody is enforced any more")


def k5_upgrade_partial_batch_timeout(hub):
    name = "cgu-partial"
    hub.rollout(name, ["s1", "s4"], ["p1", "p0"], at_once=2, enable=True)
    hub.await_progress(name, "1: s1 0, s4 0")
    equal("the plan", hub.plan(name), [["s1", "s4"]])
    hub.comply("p1", s1="C")
    hub.await_progress(name, "1: s1 1, s4 0")
    hub.comply("p0", s1="C")
    hub.await_progress(name, "1: s1 done, s4 0")
    hub.change(name, remediationStrategy={"timeout": 0})
    hub.await_condition(name, "Succeeded", "False TimedOut")
    equal("rows", hub.table(name), "s1 complete, s4 timedout p1 NonCompliant")


def k6_timeout_not_block_next_batch(hub):
    name = "cgu-not-block"
    hub.rollout(name, ["s1", "s4"], ["p1", "p2"], enable=True)
    hub.await_progress(name, "1: s1 0")
    hub.comply("p1", s4="C")
    hub.comply("p2", s4="C")
    hub.change(name, remediationStrategy={"timeout": 1, "maxConcurrency": 0})
    # Time is what the status says: nobody has to wait for it.
    hub.merge({"status": {"status": {"startedAt": ago(35), "currentBatchStartedAt": ago(35)}}}, f"{ROLLOUTS}/{name}/status")
    eventually(lambda: hub.table(name) == "s1 timedout p1 NonCompliant, s4 complete", "s1 is late and s4 complete")
    equal("it still goes on", hub.condition(name, "Progressing"), "True InProgress")
    equal("s1 is still enforced (D5)", hub.placed(name, "p1"), ["s1"])
    hub.merge({"status": {"status": {"startedAt": ago(61)}}}, f"{ROLLOUTS}/{name}/status")
    hub.await_condition(name, "Succeeded", "False TimedOut")
    equal("rows are as they were", hub.table(name), "s1 timedout p1 NonCompliant, s4 complete")


def k7_upgrade_starts_complete(hub):
    name = "cgu-starts-complete"
    hub.comply("p1", s1="C")
    hub.comply("p2", s1="C")
    hub.rollout(name, ["s1"], ["p1", "p2"], preCaching=True)
    await_planned(hub, name)
    equal("nothing is left to do", hub.status(name)["managedPoliciesCompliantBeforeUpgrade"], [NAMES["p1"], NAMES["p2"]])
    equal("no plan, no pre-cache", [hub.plan(name), "precaching" in hub.status(name)], [[], False])
    hub.enable(name)
    hub.await_condition(name, "Succeeded", "True Completed")
    equal("the message", hub.message(name, "Succeeded"), "All clusters already compliant with the specified managed policies")
    equal("rows", hub.table(name), "s1 complete")


def k8_skip_compliant_policies(hub):
    name = "cgu-skip"
    hub.comply("p1", s6="N")
    hub.comply("p2", s1="C", s2="C", s4="C", s5="C", s6="C")
    hub.rollout(name, ["s6", "s2", "s1", "s5"], ["p1", "p2", "p3", "p4"], at_once=4, enable=True)
    hub.await_progress(name, "1: s1 0, s2 1, s5 2, s6 0")
    equal("policies", hub.chosen(name), ["p1", "p3", "p4"])
    equal("in the listed order", hub.plan(name), [["s6", "s2", "s1", "s5"]])


def k9_do_not_skip_policies_with_status(hub):
    name = "cgu-with-status"
    hub.comply("p1", s6="N")
    hub.delete(policies("default", NAMES["p2"]))
    hub.create(policies("default"), policy_object(NAMES["p2"], "default", has_status=True))
    hub.comply("p2", s1="C", s2="C", s4="C", s5="C", s6="C")
    hub.rollout(name, ["s6", "s2", "s1", "s5"], ["p1", "p2", "p3", "p4"], at_once=4, enable=True)
    hub.await_progress(name, "1: s1 0, s2 2, s5 3, s6 0")
    equal("policies", hub.chosen(name), ["p1", "p2", "p3", "p4"])


def k10_policy_has_missing_cluster_status(hub):
    name = "cgu-missing-status"
    hub.comply("p1", s1="", s4="")
    hub.comply("p2", s1="", s2="", s4="")
    hub.rollout(name, ["s1", "s2", "s3", "s4"], ["p1", "p2"], at_once=2)
    await_planned(hub, name)
    equal("the plan", hub.plan(name), [["s1", "s2"], ["s4"]])
    hub.enable(name)
    hub.await_progress(name, "1: s1 0, s2 1")


def k11_cluster_selector(hub):
    name = "cgu-selector"
    hub.merge({"metadata": {"labels": {"group": "selected"}}}, f"{CLUSTERS}/spoke4")
    hub.rollout(name, ["s1", "s2", "s5", "s6"], ["p1", "p2", "p3", "p4"], at_once=2,
                clusterLabelSelectors=[{"matchLabels": {"group": "selected"}}])
    await_planned(hub, name)
    equal("explicit ones first", hub.plan(name), [["s1", "s2"], ["s5", "s6"], ["s4"]])
    hub.kubectl("label", "managedcluster", "spoke4", "group-")
    eventually(lambda: hub.plan(name) == [["s1", "s2"], ["s5", "s6"]], "a label that goes takes the cluster out at once")


def k12_blocking_mechanisms(hub):
    hub.comply("p1", s1="C")
    hub.add_children("p1", {"s2": "C", "s3": "N"})
    finish_label = {"afterCompletion": {"addClusterLabels": {"finish": "true"}}}
    blocked_by = lambda name: [{"name": name, "namespace": "default"}]
    hub.rollout("cgu-a", ["s1", "s2", "s3"], ["p1"], enable=True, blockingCRs=blocked_by("cgu-c"), actions=finish_label,
                strategy={"canaries": ["spoke1"]})
    hub.await_condition("cgu-a", "Progressing", "False MissingBlockingCR")
    equal("the message", hub.message("cgu-a", "Progressing"), "Missing blocking CRs: [cgu-c]")
    hub.rollout("cgu-b", ["s3"], ["p1"], enable=True, blockingCRs=blocked_by("cgu-a"))
    hub.rollout("cgu-c", ["s5", "s6"], ["p2", "p4"], at_once=2, enable=True)
    hub.await_progress("cgu-c", "1: s5 1, s6 1")
    hub.await_condition("cgu-a", "Progressing", "False IncompleteBlockingCR")
    hub.await_condition("cgu-b", "Progressing", "False IncompleteBlockingCR")
    equal("a waits for c", hub.message("cgu-a", "Progressing"), "Blocking CRs that are not completed: [cgu-c]")
    equal("b waits for a", hub.message("cgu-b", "Progressing"), "Blocking CRs that are not completed: [cgu-a]")
    equal("the canary complies already", hub.plan("cgu-a"), [["s3"]])
    hub.comply("p4", s5="C", s6="C")
    hub.await_condition("cgu-c", "Succeeded", "True Completed")
    hub.await_progress("cgu-a", "1: s3 0")
    eventually(lambda: all("finish" in hub.labels(each) for each in ("s1", "s2")), "those that comply are labelled")
    hub.comply("p1", s3="C")
    hub.await_condition("cgu-a", "Succeeded", "True Completed")
    eventually(lambda: "finish" in hub.labels("s3"), "and then s3")
    hub.await_condition("cgu-b", "Succeeded", "True Completed")


def k13_dependency_order(hub):
    name = "cgu-order"
    hub.merge({"spec": {"dependencies": [{"apiVersion": f"{POLICY}/v1", "kind": "Policy", "name": NAMES["p1"],
                                          "namespace": "default", "compliance": "Compliant"}]}}, policies("default", NAMES["p0"]))
    hub.rollout(name, ["s1"], ["p0", "p1"])
    hub.await_condition(name, "Validated", "False UnresolvableDenpendency")
    equal("the message", hub.message(name, "Validated"),
          f"Managed Policy {NAMES['p0']} depends on {NAMES['p1']}, which is to be remediated later")
    hub.change(name, managedPolicies=[NAMES["p1"], NAMES["p0"]])
    await_planned(hub, name)


def k14_duplicated_managed_policy_name(hub):
    name = "cgu-duplicate"
    for ns in ("aaa", "bbb"):
        hub.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    hub.delete(policies("default", NAMES["p2"]))
    for cluster in ROWS["p2"]:
        hub.delete(policies(spoke(cluster), f"default.{NAMES['p2']}"))
    for short, ns in (("p2", "aaa"), ("p2", "bbb"), ("p3", "aaa"), ("p3", "bbb")):
        hub.add_policy(short, ROWS[short], ns)
    hub.rollout(name, ["s1", "s2", "s4", "s6"], ["p1", "p2", "p3", "p4"], at_once=2)
    hub.await_condition(name, "Validated", "False AmbiguousManagedPoliciesNames")
    found = json.dumps({NAMES["p2"]: ["aaa", "bbb"], NAMES["p3"]: ["aaa", "bbb", "default"]}, separators=(",", ":"))
    text = f"Managed policy name should be unique, but was found in multiple namespaces: {found} "
    equal("the message", hub.message(name, "Validated"), text)
    hub.enable(name)
    eventually(lambda: hub.get(f"{ROLLOUTS}/{name}")["spec"]["enable"], "it is enabled")
    equal("which changes nothing", hub.message(name, "Validated"), text)
    for short, ns in (("p2", "bbb"), ("p3", "aaa"), ("p3", "bbb")):
        hub.kubectl("-n", ns, "delete", "policy", NAMES[short])
        for cluster in ROWS[short]:
            hub.delete(policies(spoke(cluster), f"{ns}.{NAMES[short]}"))
    hub.await_progress(name, "1: s1 0, s2 1")
    equal("policies", hub.chosen(name), ["p1", "p2", "p3", "p4"])
    equal("the plan", hub.plan(name), [["s1", "s2"], ["s4", "s6"]])
    equal("the placement is beside its policy", hub.owned(ns="aaa"), [f"{name}-{NAMES['p2']}-placement-kuttl"])


def k15_soaking(hub):
    name = "cgu-soak"
    hub.kubectl("annotate", "policy", NAMES["p1"], "ran.openshift.io/soak-seconds=5")
    hub.rollout(name, ["s1"], ["p1"], enable=True)
    hub.await_progress(name, "1: s1 0")
    hub.comply("p1", s1="C")
    eventually(lambda: "firstCompliantAt" in json.dumps(hub.status(name)), "the soak has begun")
    equal("it is not over", hub.progress(name), "1: s1 0")
    hub.await_condition(name, "Succeeded", "True Completed")
    status = hub.status(name)
    ended = next(each for each in status["conditions"] if each["type"] == "Succeeded")["lastTransitionTime"]
    begun = status["status"]["startedAt"]
    read = lambda text: datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    check("it lasted", (read(ended) - read(begun)).total_seconds() >= 5, (begun, ended))


def a_missing_cluster_that_comes(hub):
    """Cases 6 and 12: what was missing wakes the rollout when it is there."""
    name = "cgu-missing"
    hub.rollout(name, ["s1", "elsewhere"], ["p1"])
    hub.await_condition(name, "ClustersSelected", "False ClusterNotFound")
    equal("the message", hub.message(name, "ClustersSelected"), "Unable to select clusters: cluster elsewhere is not a ManagedCluster")
    hub.add_cluster("elsewhere")
    hub.await_condition(name, "ClustersSelected", "True ClusterSelectionCompleted")
    hub.change(name, clusters=["spoke1"], managedPolicies=[NAMES["p1"], NAMES["p5"]])
    hub.await_condition(name, "Validated", "False NotAllManagedPoliciesExist")
    equal("the message", hub.message(name, "Validated"), f"Missing managed policies: [{NAMES['p5']}] ")
    hub.add_policy("p5", {"s1": "N"})
    await_planned(hub, name)


def deleted_in_the_middle(hub):
    """Case 61."""
    name = "cgu-deleted"
    hub.rollout(name, ["s1"], ["p1"], enable=True)
    hub.await_progress(name, "1: s1 0")
    eventually(lambda: hub.placed(name, "p1") == ["s1"], "s1 is enforced")
    hub.kubectl("delete", f"cgu/{name}", "--timeout=60s")
    equal("nothing is left", [hub.owned(), hub.owned("placementbindings")], [[], []])


def by_placement_rules(hub):
    """Case 66, the seed's own way."""
    name = "cgu-rules"
    hub.rollout(name, ["s1"], ["p1"])
    await_planned(hub, name)
    rule = f"{name}-{NAMES['p1']}-placement-kuttl"
    equal("in the status", [hub.status(name).get("placementRules"), hub.status(name).get("placements")], [[rule], None])
    path = placements(kind="placementrules") + f"/{rule}"
    equal("idle", hub.get(path)["spec"], {"clusterReplicas": 0})
    hub.enable(name)
    eventually(lambda: hub.get(path)["spec"] == {"clusters": [{"name": "spoke1"}]}, "s1 is named")
    hub.comply("p1", s1="C")
    hub.await_condition(name, "Succeeded", "True Completed")
    eventually(lambda: hub.owned("placementrules") == [], "and goes")


SCENARIOS = [
    k1_crds, k2_adjust_max_concurrency, k3_upgrade_complete, k4_upgrade_batch_timeout, k5_upgrade_partial_batch_timeout,
    k6_timeout_not_block_next_batch, k7_upgrade_starts_complete, k8_skip_compliant_policies, k9_do_not_skip_policies_with_status,
    k10_policy_has_missing_cluster_status, k11_cluster_selector, k12_blocking_mechanisms, k13_dependency_order,
    k14_duplicated_managed_policy_name, k15_soaking, a_missing_cluster_that_comes, deleted_in_the_middle, by_placement_rules,
]


def make_hub(api, context, scenario):
    return Hub(api, context, flags=("--placement-kind", "PlacementRule") if scenario is by_placement_rules else ())


if __name__ == "__main__":
    run_scenarios(SCENARIOS, make_hub)
