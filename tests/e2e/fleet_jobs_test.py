#!/usr/bin/env python3
"""What a rollout does on its clusters: upgrades of operators (K16), backups and pre-caches (K17 to K23). The clusters' side is the test's, by
ManagedClusterViews and -Actions."""
from fleet import *

VIEWS = "/apis/view.open-cluster-management.io/v1beta1/namespaces/{}/managedclusterviews"
ACTIONS = "/apis/action.open-cluster-management.io/v1beta1/namespaces/{}/managedclusteractions"
NOW = "2026-01-01T00:00:00Z"


class JobHub(Hub):
    """Clusters that answer what the hub asks them."""

    def names(self, short, kind=VIEWS):
        return sorted(each["metadata"]["name"] for each in self.get(kind.format(spoke(short)))["items"])

    def answer(self, short, name, status):
        path = VIEWS.format(spoke(short)) + f"/{name}"
        eventually(lambda: name in self.names(short), f"{short} is asked for {name}, found {self.names(short)}")
        self.merge({"status": status}, path + "/status")

    def say_absent(self, short, name):
        self.answer(short, name, {"conditions": [{"type": "Processing", "status": "False", "reason": "GetResourceFailed",
                                                  "message": "failed to get resource with err: not found", "lastTransitionTime": NOW}]})

    def show_job(self, short, name, **status):
        self.show(short, name, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job", "namespace": "there"}, "status": status})

    def show(self, short, name, shown):
        self.answer(short, name, {"conditions": [{"type": "Processing", "status": "True", "reason": "GetResourceProcessing",
                                                  "message": "Watching resources successfully", "lastTransitionTime": NOW}], "result": shown})

    def states(self, name, job):
        return {each.replace("spoke", "s"): state for each, state in self.status(name).get(job, {}).get("status", {}).items()}

    def await_states(self, name, job, **wanted):
        eventually(lambda: self.states(name, job) == wanted, f"{job}: {wanted}, found {self.states(name, job)}")

    def begin(self, name, job, *clusters):
        """Nothing is left of earlier jobs: they start, and are seen to run."""
        short = {"backup": "backup", "precaching": "precache"}[job]
        for cluster in clusters:
            self.say_absent(cluster, f"{name}-{short}-view-namespace")
        for cluster in clusters:
            self.show_job(cluster, f"{name}-{short}-view-job", active=1)

    def succeed(self, name, job, *clusters):
        short = {"backup": "backup", "precaching": "precache"}[job]
        for cluster in clusters:
            self.show_job(cluster, f"{name}-{short}-view-job", succeeded=1,
                          conditions=[{"type": "Complete", "status": "True", "lastTransitionTime": NOW}])

    def fail(self, name, job, reason, *clusters):
        short = {"backup": "backup", "precaching": "precache"}[job]
        for cluster in clusters:
            self.show_job(cluster, f"{name}-{short}-view-job", failed=1,
                          conditions=[{"type": "Failed", "status": "True", "reason": reason, "lastTransitionTime": NOW}])


FOUR = ["s6", "s2", "s1", "s5"]


def with_software(hub, short, *objects):
    """The root policy asks for these."""
    templates = [{"complianceType": "musthave", "objectDefinition": each} for each in objects]
    root = policy_object(NAMES[short], "default")
    root["spec"]["policy-templates"][0]["objectDefinition"]["spec"]["object-templates"] = templates
    hub.merge({"spec": root["spec"]}, policies("default", NAMES[short]))


def operator_object(kind, name, ns, **rest):
    """What operators are installed by."""
    metadata = {"name": name, "namespace": ns, **rest.pop("metadata", {})}
    return {"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind, "metadata": metadata, **rest}


OPERATORS = {"cluster-logging": "openshift-logging", "local-storage-operator": "openshift-local-storage",
             "ptp-operator-subscription": "openshift-ptp"}


def pending(hub, name, short, plans):
    """Each Subscription of the cluster has an upgrade that waits, for a plan that nobody has approved."""
    for (operator, ns), plan in zip(OPERATORS.items(), plans):
        hub.show(short, f"{name}-default-subscription-{operator}-kuttl", operator_object("Subscription", operator, ns, status={
            "state": "UpgradePending", "installPlanRef": {"kind": "InstallPlan", "name": plan, "namespace": ns},
            "installplan": {"kind": "InstallPlan", "name": plan}}))
    for ns, plan in zip(OPERATORS.values(), plans):
        show_plan(hub, name, short, plan, ns)


def show_plan(hub, name, short, plan, ns, approval="Manual", approved=False, version="1532546"):
    hub.show(short, f"{name}-default-installplan-{plan}-kuttl", operator_object(
        "InstallPlan", plan, ns, metadata={"resourceVersion": version},
        spec={"approval": approval, "approved": approved, "clusterServiceVersionNames": [f"{plan}.v2"]}, status={"phase": "RequiresApproval"}))


def k16_operator_upgrade(hub):
    name = "cgu"
    hub.add_policy("p5", {"s1": "N", "s2": "N", "s5": "N"})
    with_software(hub, "p5", *(operator_object("Subscription", operator, ns, spec={"installPlanApproval": "Manual"})
                               for operator, ns in OPERATORS.items()))
    hub.rollout(name, ["s1", "s2", "s5"], ["p5"], at_once=2)
    await_planned(hub, name)
    equal("the plan", hub.plan(name), [["s1", "s2"], ["s5"]])
    equal("its Subscriptions", [each["name"] for each in json.loads(hub.status(name)["managedPoliciesContent"][NAMES["p5"]])], list(OPERATORS))
    equal("nobody is looked at yet", hub.names("s1"), [])

    hub.enable(name)
    hub.await_progress(name, "1: s1 0, s2 0")
    views = [f"{name}-default-subscription-{operator}-kuttl" for operator in OPERATORS]
    for short in ("s1", "s2"):
        eventually(lambda: hub.names(short) == sorted(views), f"a view for each Subscription, found {hub.names(short)}")
    equal("none of a later batch", hub.names("s5"), [])
    equal("what is looked at", hub.get(VIEWS.format("spoke1") + f"/{views[0]}")["spec"]["scope"]["resource"], "Subscription.operators.coreos.com")

    pending(hub, name, "s1", ["install-aaaa1", "install-aaaa2", "install-aaaa3"])
    pending(hub, name, "s2", ["install-bbbb1", "install-bbbb2", "install-bbbb3"])
    orders = [f"{name}-default-installplan-install-aaaa{i}-kuttl" for i in (1, 2, 3)]
    eventually(lambda: hub.names("s1", ACTIONS) == orders, f"the plans are approved, found {hub.names('s1', ACTIONS)}")
    order = json.loads(hub.kubectl("--namespace=spoke1", "get", f"managedclusteraction/{orders[0]}", "--output=json"))["spec"]
    equal("what the cluster is told", (order["actionType"], order["kube"]["resource"], order["kube"]["namespace"]),
          ("Update", "installplan", "openshift-logging"))
    equal("for the version that was seen", order["kube"]["template"]["metadata"]["resourceVersion"], "1532546")
    equal("and nothing else", order["kube"]["template"]["spec"],
          {"approval": "Manual", "approved": True, "clusterServiceVersionNames": ["install-aaaa1.v2"]})
    show_plan(hub, name, "s1", "install-aaaa1", "openshift-logging", approved=True, version="1532550")
    eventually(lambda: hub.names("s1", ACTIONS) == orders[1:], "an order that was carried out goes")
    show_plan(hub, name, "s2", "install-bbbb1", "openshift-logging", approval="Automatic", version="1532550")
    eventually(lambda: f"{name}-default-installplan-install-bbbb1-kuttl" not in hub.names("s2", ACTIONS), "a plan that needs no consent gets none")

    hub.comply("p5", s1="C")
    hub.await_progress(name, "1: s1 done, s2 0")
    eventually(lambda: hub.names("s1") == [] and hub.names("s1", ACTIONS) == [], "nothing of a cluster that is through stays")
    equal("what s2 has stays", len(hub.names("s2")), 6)

    hub.change(name, remediationStrategy={"timeout": 0})
    hub.await_condition(name, "Succeeded", "False TimedOut")
    equal("the rows", hub.table(name), "s1 complete, s2 timedout p5 NonCompliant")
    eventually(lambda: hub.names("s2") == [] and hub.names("s2", ACTIONS) == [], "nothing is left of a rollout that has ended")


def k16_deleted_while_it_waits(hub):
    name = "cgu-deleted"
    hub.add_policy("p5", {"s1": "N"})
    with_software(hub, "p5", *(operator_object("Subscription", operator, ns) for operator, ns in OPERATORS.items()))
    hub.rollout(name, ["s1"], ["p5"], enable=True)
    hub.await_progress(name, "1: s1 0")
    pending(hub, name, "s1", ["install-aaaa1", "install-aaaa2", "install-aaaa3"])
    eventually(lambda: len(hub.names("s1", ACTIONS)) == 3, "the plans are approved")
    hub.change(name, rolloutControls={"paused": True, "pauseMode": "Freeze"})
    eventually(lambda: hub.names("s1") == [] and hub.names("s1", ACTIONS) == [], "a frozen rollout approves nothing")
    hub.change(name, rolloutControls=None)
    pending(hub, name, "s1", ["install-aaaa1", "install-aaaa2", "install-aaaa3"])
    eventually(lambda: len(hub.names("s1", ACTIONS)) == 3, "it goes on")
    hub.kubectl("delete", f"cgu/{name}", "--timeout=60s")
    eventually(lambda: hub.names("s1") == [] and hub.names("s1", ACTIONS) == [], "views and actions go with it")


def k17_backup_complete(hub):
    name = "cgu-backup"
    hub.comply("p1", s6="N")
    hub.rollout(name, FOUR, ["p1", "p2", "p3", "p4"], at_once=4, enable=True, backup=True)
    hub.await_states(name, "backup", **{each: "PreparingToStart" for each in FOUR})
    hub.await_condition(name, "BackupSuceeded", "False InProgress")
    equal("the message", hub.message(name, "BackupSuceeded"), "Backup in progress for 4 clusters")
    equal("nothing is rolled out", hub.condition(name, "Progressing"), "False NotStarted")
    hub.say_absent("s1", f"{name}-backup-view-namespace")
    eventually(lambda: hub.states(name, "backup")["s1"] == "Starting", "s1 starts")
    eventually(lambda: f"{name}-backup-job-create" in hub.names("s1", ACTIONS), "and is told to")
    hub.begin(name, "backup", "s6", "s2", "s5")
    hub.show_job("s1", f"{name}-backup-view-job", active=1)
    hub.await_states(name, "backup", **{each: "Active" for each in FOUR})
    hub.succeed(name, "backup", *FOUR)
    hub.await_condition(name, "BackupSuceeded", "True BackupCompleted")
    equal("the message", hub.message(name, "BackupSuceeded"), "Backup is completed for all clusters")
    hub.await_condition(name, "Progressing", "True InProgress")
    eventually(lambda: hub.names("s1") == [], "views are gone")
    eventually(lambda: hub.names("s1", ACTIONS) == [f"{name}-backup-ns-delete"], "the cluster is told to tidy up")


def k18_backup_fail(hub):
    """D4: it ends, where it used to wait for ever (case 67)."""
    name = "cgu-backup-fail"
    hub.rollout(name, ["s1", "s4"], ["p1"], at_once=2, enable=True, backup=True)
    hub.begin(name, "backup", "s1", "s4")
    hub.fail(name, "backup", "BackoffLimitExceeded", "s1", "s4")
    hub.await_condition(name, "Succeeded", "False Failed")
    equal("the states", hub.states(name, "backup"), {"s1": "UnrecoverableError", "s4": "UnrecoverableError"})
    equal("the condition", hub.condition(name, "BackupSuceeded"), "False Failed")
    equal("the message", hub.message(name, "Succeeded"), "No clusters available for remediation (Backup failed)")
    eventually(lambda: hub.names("s1") == [] and hub.names("s1", ACTIONS) == [], "nothing is left on the hub")


def k19_backup_partial_complete(hub):
    name = "cgu-backup-partial"
    hub.comply("p1", s6="N")
    hub.rollout(name, FOUR, ["p1", "p2", "p3", "p4"], at_once=4, enable=True, backup=True)
    hub.begin(name, "backup", *FOUR)
    hub.fail(name, "backup", "DeadlineExceeded", "s2")
    hub.succeed(name, "backup", "s6", "s1", "s5")
    hub.await_condition(name, "BackupSuceeded", "True PartiallyDone")
    equal("the message", hub.message(name, "BackupSuceeded"), "Backup failed for 1 clusters")
    equal("the state", hub.states(name, "backup")["s2"], "BackupTimeout")
    eventually(lambda: hub.plan(name) == [["s6", "s1", "s5"]], "the plan is without it")
    hub.comply("p1", s1="C", s6="C")
    hub.comply("p2", s1="C")
    hub.comply("p4", s5="C", s6="C")
    hub.await_condition(name, "Succeeded", "True Completed")


PLATFORM = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
            "spec": {"desiredUpdate": {"image": "quay.io/release@sha256:1"}}}
INDEX = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"name": "redhat", "namespace": "m"},
         "spec": {"image": "registry/index:v1"}}
PACKAGE = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "ptp", "namespace": "ptp"},
           "spec": {"name": "ptp-operator", "channel": "stable"}}


def k20_pre_caching_complete(hub):
    name = "cgu-precache"
    with_software(hub, "p1", PLATFORM)
    with_software(hub, "p2", INDEX, PACKAGE)
    hub.rollout(name, ["s1", "s4"], ["p1", "p2"], at_once=2, preCaching=True)
    hub.await_states(name, "precaching", s1="PreparingToStart", s4="PreparingToStart")
    equal("the spec is valid", hub.condition(name, "PrecacheSpecValid"), "True PrecacheSpecIsWellFormed")
    hub.begin(name, "precaching", "s1", "s4")
    hub.await_states(name, "precaching", s1="Active", s4="Active")
    equal("what is fetched", hub.status(name)["precaching"]["spec"],
          {"platformImage": "quay.io/release@sha256:1", "operatorsIndexes": ["registry/index:v1"],
           "operatorsPackagesAndChannels": ["ptp-operator:stable"]})
    hub.succeed(name, "precaching", "s1", "s4")
    hub.await_condition(name, "PrecachingSuceeded", "True PrecachingCompleted")
    hub.await_condition(name, "Progressing", "False NotEnabled")


def k21_pre_caching_missing_sub_policy(hub):
    name = "cgu-precache-missing"
    with_software(hub, "p2", INDEX)
    with_software(hub, "p3", PACKAGE)
    clusters = ["s1", "s2", "s4", "s6"]
    hub.rollout(name, clusters, ["p2"], at_once=4, preCaching=True)
    hub.await_condition(name, "PrecacheSpecValid", "False PrecacheSpecIncomplete")
    equal("the message", hub.message(name, "PrecacheSpecValid"),
          "Precaching spec is incomplete: inconsistent precaching configuration: olm index provided, but no packages")
    hub.change(name, managedPolicies=[NAMES["p2"], NAMES["p3"], NAMES["p4"]])
    hub.await_condition(name, "PrecacheSpecValid", "True PrecacheSpecIsWellFormed")
    eventually(lambda: hub.message(name, "PrecachingSuceeded") == "Precaching in progress for 4 clusters", "all four are at it")


def k22_pre_caching_partial_complete(hub):
    name = "cgu-precache-partial"
    with_software(hub, "p1", PLATFORM)
    hub.rollout(name, ["s1", "s4"], ["p1"], at_once=2, preCaching=True)
    hub.begin(name, "precaching", "s1", "s4")
    hub.succeed(name, "precaching", "s1")
    hub.fail(name, "precaching", "BackoffLimitExceeded", "s4")
    hub.await_condition(name, "PrecachingSuceeded", "True PartiallyDone")
    equal("the message", hub.message(name, "PrecachingSuceeded"), "Precaching failed for 1 clusters")
    hub.enable(name)
    hub.await_progress(name, "1: s1 0")
    equal("the plan is without it", hub.plan(name), [["s1"]])


def k23_pre_caching_with_configs(hub):
    name = "cgu-precache-config"
    with_software(hub, "p1", PLATFORM)
    hub.rollout(name, ["s1"], ["p1"], preCaching=True, preCachingConfigRef={"name": "config", "namespace": "default"})
    hub.await_condition(name, "PrecacheSpecValid", "False PrecacheSpecIncomplete")
    check("the message names it", "PreCachingConfig default/config" in hub.message(name, "PrecacheSpecValid"),
          hub.message(name, "PrecacheSpecValid"))
    hub.create("/apis/ran.openshift.io/v1alpha1/namespaces/default/precachingconfigs", {
        "apiVersion": "ran.openshift.io/v1alpha1", "kind": "PreCachingConfig", "metadata": {"name": "config", "namespace": "default"},
        "spec": {"overrides": {"platformImage": "quay.io/other@sha256:2"}, "spaceRequired": "40Gi"}})
    hub.await_condition(name, "PrecacheSpecValid", "True PrecacheSpecIsWellFormed")
    eventually(lambda: hub.status(name).get("precaching", {}).get("spec") == {"platformImage": "quay.io/other@sha256:2",
                                                                            "spaceRequired": "40Gi"}, "the overrides are in the spec")
    hub.kubectl("delete", f"cgu/{name}", "--timeout=60s")
    eventually(lambda: hub.names("s1") == [] and hub.names("s1", ACTIONS) == [], "views and actions go with it")


SCENARIOS = [k16_operator_upgrade, k16_deleted_while_it_waits, k17_backup_complete, k18_backup_fail, k19_backup_partial_complete, k20_pre_caching_complete,
             k21_pre_caching_missing_sub_policy, k22_pre_caching_partial_complete, k23_pre_caching_with_configs]


def make_hub(api, context, _):
    return JobHub(api, context)


if __name__ == "__main__":
    run_scenarios(SCENARIOS, make_hub)
