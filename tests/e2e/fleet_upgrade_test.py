#!/usr/bin/env python3
"""The update story joined: a policy that sets ClusterVersion's desiredUpdate is rolled over ten members in batches.

Each member has its agent and its cluster-version operator, which takes the signed release from a registry and applies it. The first release
cannot be applied: its canary fails, and nobody else is touched. The second one goes through.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import seed_story
from agent import Member, configuration, wants
from cluster_version import Controllers, Daemon, Signer, payload_files
from docker_registry import Registry
from fleet import ROLLOUTS, start_api
from update_service import PATIENCE, Service, case, check, equal, eventually, finish, not_run

for program in ("docker-registry", "gpg", "gpgv"):
    if not shutil.which(program):
        not_run(f"there is no {program}")

MEMBERS = [f"member{number}" for number in range(1, 11)]
CANARY = "member3"
AT_ONCE = 3
GROUP = "policy.open-cluster-management.io"


def release_policy(version, image):
    """What a member should run, and have finished updating to."""
    definition = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
                  "spec": {"channel": "stable-4.6", "upstream": seed_story.UPSTREAM, "desiredUpdate": {"version": version, "image": image}},
                  "status": {"history": [{"version": version, "state": "Completed"}]}}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Policy", "metadata": {"name": "release", "namespace": "default"},
            "spec": {"disabled": False, "remediationAction": "inform", "policy-templates": [{"objectDefinition": configuration(
                "release", wants("musthave", definition), remediationAction="inform")}]}}


BINDING = [
    {"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement", "metadata": {"name": "all", "namespace": "default"}, "spec": {}},
    {"apiVersion": f"{GROUP}/v1", "kind": "PlacementBinding", "metadata": {"name": "release", "namespace": "default"},
     "placementRef": {"apiGroup": "cluster.open-cluster-management.io", "kind": "Placement", "name": "all"},
     "subjects": [{"apiGroup": GROUP, "kind": "Policy", "name": "release"}]}]

RIGHTS = [
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "releases"},
     "rules": [{"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get", "list", "watch", "update", "patch"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "releases"},
     "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "releases"}}]


class Fleet:
    def __init__(self, api, folder, flags):
        self.api = api
        self.running = []
        for name in MEMBERS:
            self.apply([{"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster", "metadata": {"name": name},
                         "spec": {"hubAcceptsClient": True}}])
            api.create_cluster_version("stable-4.6", seed_story.IMAGES["4.6.23"], upstream=seed_story.UPSTREAM, cluster=name)
            self.running.append(Member(api, folder, name))
            subject = {"kind": "ServiceAccount", "name": "fairway-agent", "namespace": name}
            self.apply([RIGHTS[0], {**RIGHTS[1], "subjects": [subject]}], context=name)
            self.running.append(Controllers(api, *flags, context=name))
        self.running.append(Daemon(["controllers", "--only", "fleet,policy,placement", "--kubeconfig", api.kubeconfig, "--context", "hub",
                                    "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on (\S+)"}))

    def apply(self, objects, context="hub"):
        done = subprocess.run(["kubectl", "--context", context, "apply", "-f", "-"], capture_output=True, text=True, timeout=PATIENCE,
                              input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}),
                              env=dict(os.environ, KUBECONFIG=str(self.api.kubeconfig)))
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def roll_out(self, name, timeout):
        self.apply([{"apiVersion": "ran.openshift.io/v1alpha1", "kind": "ClusterGroupUpgrade", "metadata": {"name": name, "namespace": "default"},
                     "spec": {"clusters": MEMBERS, "managedPolicies": ["release"],
                              "remediationStrategy": {"maxConcurrency": AT_ONCE, "timeout": timeout, "canaries": [CANARY]}}}])

    def status(self, name):
        return self.api.get(f"{ROLLOUTS}/{name}").get("status", {})

    def ended(self, name):
        return next((each for each in self.status(name).get("conditions", []) if each["type"] == "Succeeded"), None)

    def enforced(self):
        found = self.api.get(f"/apis/{GROUP}/v1/policies")["items"]
        return [each["metadata"]["namespace"] for each in found if each["metadata"]["namespace"] != "default" and
                each["spec"]["remediationAction"] == "enforce"]

    def bound(self):
        return len(self.api.get(f"/apis/{GROUP}/v1/policies")["items"]) == len(MEMBERS) + 1

    def running_release(self, member):
        entry = self.api.get(cluster=member)["status"]["history"][0]
        return entry["version"], entry["state"]

    def desired(self, member):
        return self.api.get(cluster=member)["spec"].get("desiredUpdate")

    def stop(self):
        kind, value, trace = sys.exc_info()
        for each in reversed(self.running):
            each.__exit__(kind, value, trace)


def failing_canary(fleet, image):
    fleet.apply([release_policy("4.6.42", image), *BINDING])
    eventually(fleet.bound, "the policy is on every member")
    fleet.roll_out("bad-release", timeout=1)  # a minute over five batches: twelve seconds for the canary
    ended = eventually(lambda: fleet.ended("bad-release"), "the rollout ends")
    equal("it failed on its canary", (ended["status"], ended["reason"], ended["message"]),
          ("False", "TimedOut", "Policy remediation took too long on canary clusters"))
    equal("rows", [(each["name"], each["state"]) for each in fleet.status("bad-release")["clusters"]], [(CANARY, "timedout")])
    eventually(lambda: fleet.enforced() == [], "nobody is enforced any more")
    equal("the canary was asked to update", (fleet.desired(CANARY) or {}).get("version"), "4.6.42")
    for member in MEMBERS:
        if member != CANARY:
            equal(f"{member} was never touched", (fleet.desired(member), fleet.running_release(member)), (None, ("4.6.23", "Completed")))


def good_release(fleet, image):
    fleet.apply([release_policy("4.6.43", image)])
    fleet.roll_out("good-release", timeout=60)
    most, batches = 0, []

    def look():
        nonlocal most
        most = max(most, len(fleet.enforced()))
        batch = fleet.status("good-release").get("status", {}).get("currentBatch")
        if batch and batch not in batches:
            batches.append(batch)
        return fleet.ended("good-release")

    ended = eventually(look, "the rollout ends", patience=2 * PATIENCE)
    equal("it succeeded", (ended["status"], ended["reason"]), ("True", "Completed"))
    equal("the plan", fleet.status("good-release")["remediationPlan"], [
        [CANARY], ["member1", "member2", "member4"], ["member5", "member6", "member7"], ["member8", "member9", "member10"]])
    check("never more than asked for", most <= AT_ONCE, most)
    check("batch after batch", batches == sorted(batches), batches)
    for member in MEMBERS:
        equal(f"{member} has updated", fleet.running_release(member), ("4.6.43", "Completed"))
        equal(f"{member} has applied it", fleet.api.get("/api/v1/namespaces/default/configmaps/etcd", member)["data"], {"release": "4.6.43"})
    eventually(lambda: fleet.enforced() == [], "every policy informs again")


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="fairway-fleet-upgrade-"))
    registry = Registry(work / "registry").start()
    signer = Signer(work / "signer")
    broken = {**payload_files("4.6.42"), "release-manifests/0000_11_nothing.yaml": "apiVersion: nowhere.example.com/v1\nkind: Nothing\nmetadata: {name: a}\n"}
    images = {}
    for version, files in (("4.6.42", broken), ("4.6.43", payload_files("4.6.43"))):
        digest = registry.push(f"ocp-release:{version}", [files])
        signer.sign(digest)
        images[version] = f"{registry.host}/ocp-release@{digest}"
    data, releases = seed_story.write_graph_data(work, images)
    api = start_api(work, MEMBERS)
    fleet = None
    try:
        with Service("--graph-data", data, "--releases", releases) as updates:
            updates.wait_until_ready()
            fleet = Fleet(api, work, ["--plain-registry", registry.host, "--signature-store", signer.store, "--signature-keyring", signer.keyring,
                                      "--update-service", f"http://127.0.0.1:{updates.port}/graph"])
            with case("a release that cannot be applied stops at its canary"):
                failing_canary(fleet, images["4.6.42"])
            with case("the next one reaches all ten, three at a time"):
                good_release(fleet, images["4.6.43"])
    finally:
        if fleet:
            fleet.stop()
        api.stop()
        registry.stop()
        signer.stop()
    shutil.rmtree(work, ignore_errors=True)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
