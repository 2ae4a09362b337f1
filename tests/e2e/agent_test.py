#!/usr/bin/env python3
"""The agent with kubectl, hub and member in one API server: cases 90 to 104 of the specification, then kill -9 and outages.

The agent has the rights of deploy/agent, by its own tokens, throughout.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from agent import *
from update_service import case, check, equal, finish, not_run


def found(text):
    return f"Compliant; notification - {text}"


def violated(text):
    return f"NonCompliant; violation - {text}"


def inform_then_enforce(member):
    """Cases 90, 91 and 101."""
    member.policy("foo", configuration("foo", wants("musthave", namespace("foo"))))
    member.await_message("foo", violated("namespaces [foo] not found"))
    equal("the hub says so", member.child("foo")["status"]["compliant"], "NonCompliant")
    equal("nothing was made", member.get("namespace", "foo"), None)
    member.enforce("foo")
    member.await_message("foo", found("namespaces [foo] found as specified"))
    check("it is there", member.get("namespace", "foo") is not None)
    history = member.messages("foo")
    check("what was done is told", found("namespaces [foo] was created successfully") in history, history)
    related = member.configuration_status("foo")["relatedObjects"][0]
    equal("who made it is told", related["properties"]["createdByPolicy"], True)
    equal("and which", related["properties"]["uid"], member.get("namespace", "foo")["metadata"]["uid"])
    member.kubectl("delete", "namespace", "foo", "--wait=false")
    member.await_message("foo", found("namespaces [foo] found as specified"))
    eventually(lambda: (member.get("namespace", "foo") or {}).get("metadata", {}).get("uid") != related["properties"]["uid"]
               and member.get("namespace", "foo"), "drift is undone")
    member.drop("foo")
    check("what it made stays", member.get("namespace", "foo") is not None)


def only_what_is_named(member):
    """Case 92."""
    member.apply(config_map("settings", "default", {"a": "x", "b": "y"}))
    definition = config_map("settings", "default", {"a": "x"})
    member.policy("settings", configuration("settings", wants("musthave", definition)))
    member.await_message("settings", found("configmaps [settings] found as specified in namespace default"))
    member.policy("settings", configuration("settings", wants("mustonlyhave", definition)))
    member.await_message("settings", violated("configmaps [settings] found but not as specified in namespace default"))
    equal("inform changes nothing", member.get("configmap", "settings", "default")["data"], {"a": "x", "b": "y"})
    member.enforce("settings")
    member.await_message("settings", found("configmaps [settings] found as specified in namespace default"))
    equal("the rest is gone", member.get("configmap", "settings", "default")["data"], {"a": "x"})
    member.drop("settings")


def deployment(*containers):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": list(containers)}}}}


def lists_and_quantities(member):
    """Cases 93, 94 and 95."""
    member.apply(deployment({"name": "side", "image": "side:1"},
                            {"name": "web", "image": "web:1", "resources": {"limits": {"cpu": "1"}}}))
    wanted = deployment({"name": "web", "resources": {"limits": {"cpu": "1000m"}}}, {"name": "side", "image": "side:1"})
    member.policy("web", configuration("web", wants("musthave", wanted)))
    member.await_message("web", found("deployments [web] found as specified in namespace default"))
    wanted = deployment({"name": "web", "image": "web:2"})
    member.policy("web", configuration("web", wants("musthave", wanted)), action="enforce")
    member.await_message("web", found("deployments [web] found as specified in namespace default"))
    containers = member.get("deployment", "web", "default")["spec"]["template"]["spec"]["containers"]
    equal("in their order", [(each["name"], each["image"]) for each in containers], [("side", "side:1"), ("web", "web:2")])
    equal("what else the item had", containers[1]["resources"]["limits"], {"cpu": "1"})
    member.drop("web")


def unwanted(member):
    """Case 96."""
    member.apply(config_map("old", "default", {"a": "x"}))
    member.policy("old", configuration("old", wants("mustnothave", config_map("old", "default"))))
    member.await_message("old", violated("configmaps [old] found in namespace default"))
    check("inform deletes nothing", member.get("configmap", "old", "default") is not None)
    member.enforce("old")
    member.await_message("old", found("configmaps [old] missing as expected in namespace default"))
    equal("it is gone", member.get("configmap", "old", "default"), None)
    member.drop("old")


def namespaces(member):
    """Cases 97, 98 and 99."""
    member.policy("where", configuration("where", wants("musthave", config_map("here"))))
    eventually(lambda: "has no namespace specified" in (member.messages("where") or [""])[0], "no namespace is a violation")
    details = member.configuration_status("where")["compliancyDetails"][0]
    equal("its reason", details["conditions"][0]["reason"], "K8s missing namespace")
    member.apply(namespace("shop-a"), namespace("shop-b"), namespace("shop-public"), config_map("here", "shop-a"))
    selector = {"include": ["shop-*"], "exclude": ["shop-public"]}
    member.policy("where", configuration("where", wants("musthave", config_map("here")), namespaceSelector=selector))
    member.await_message("where", violated("configmaps [here] not found in namespace shop-b; configmaps [here] found as specified "
                                           "in namespace shop-a"))
    member.enforce("where")
    member.await_message("where", found("configmaps [here] found as specified in namespaces: shop-a, shop-b"))
    member.apply(namespace("shop-c"))
    member.await_message("where", found("configmaps [here] found as specified in namespaces: shop-a, shop-b, shop-c"))
    equal("not where it is excluded", member.get("configmap", "here", "shop-public"), None)
    member.drop("where")


def never_again(member):
    """Case 100."""
    member.apply(config_map("once", "default"))
    member.policy("once", configuration("once", wants("musthave", config_map("once", "default")),
                                        evaluationInterval={"compliant": "never"}))
    member.await_message("once", found("configmaps [once] found as specified in namespace default"))
    before = member.configuration_status("once")
    member.kubectl("-n", "default", "delete", "configmap", "once")
    # Another policy about the same object has heard of the change: so this one could have.
    member.policy("witness", configuration("witness", wants("musthave", config_map("once", "default"))))
    member.await_message("witness", violated("configmaps [once] not found in namespace default"))
    equal("not looked at again", member.configuration_status("once"), before)
    member.policy("once", configuration("once", wants("musthave", config_map("once", "default")), severity="high",
                                        evaluationInterval={"compliant": "never"}))
    member.await_message("once", violated("configmaps [once] not found in namespace default"))
    member.drop("once")
    member.drop("witness")


def status_sections(member):
    """Case 102."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "job", "namespace": "default"},
           "spec": {"containers": [{"name": "job", "image": "job:1"}]}}
    member.apply(pod)
    wanted = {**pod, "status": {"phase": "Succeeded"}}
    member.policy("job", configuration("job", wants("musthave", wanted)), action="enforce")
    member.await_message("job", violated("pods [job] found but not as specified in namespace default"))
    check("the status was not written", member.get("pod", "job", "default").get("status", {}).get("phase") != "Succeeded")
    member.api.merge({"status": {"phase": "Succeeded"}}, "/api/v1/namespaces/default/pods/job/status", member.name)
    member.await_message("job", found("pods [job] found as specified in namespace default"))
    member.drop("job")


def secrets(member):
    """Case 103."""
    def wanted(value):
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": "default"}, "stringData": {"k": value}}
    member.apply(wanted("value"))
    member.policy("key", configuration("key", wants("musthave", wanted("value"))))
    member.await_message("key", found("secrets [key] found as specified in namespace default"))
    member.policy("key", configuration("key", wants("musthave", wanted("another"))))
    member.await_message("key", violated("secrets [key] found but not as specified in namespace default"))
    diff = member.configuration_status("key")["relatedObjects"][0]["properties"]["diff"]
    check("no diff of a secret", diff.startswith("# This diff may contain sensitive data"), diff)
    member.drop("key")


def immutable(member):
    """Case 104."""
    frozen = {**config_map("frozen", "default", {"a": "old"}), "immutable": True}
    member.apply(frozen)
    wanted = config_map("frozen", "default", {"a": "new"})
    uid = member.get("configmap", "frozen", "default")["metadata"]["uid"]
    member.policy("frozen", configuration("frozen", wants("musthave", wanted)), action="enforce")
    eventually(lambda: "cannot be updated, reason: `" in (member.messages("frozen") or [""])[0], "the refusal is told")
    reason = member.configuration_status("frozen")["compliancyDetails"][0]["conditions"][0]["reason"]
    equal("its reason", reason, "K8s update template error")
    equal("the object is the same", member.get("configmap", "frozen", "default")["metadata"]["uid"], uid)
    member.policy("frozen", configuration("frozen", wants("musthave", wanted, recreateOption="IfRequired")), action="enforce")
    member.await_message("frozen", found("configmaps [frozen] found as specified in namespace default"))
    after = member.get("configmap", "frozen", "default")
    check("it is another object", after["metadata"]["uid"] != uid)
    equal("as it is wanted", after["data"], {"a": "new"})
    member.drop("frozen")


def templates(member):
    """5.8: what is looked up is followed; raw templates; the object's namespace."""
    member.apply(config_map("source", "default", {"color": "red"}))
    looked_up = config_map("made", "default", {"color": '{{ fromConfigMap "default" "source" "color" | upper }}'})
    member.policy("templates", configuration("templates", wants("musthave", looked_up)), action="enforce")
    member.await_message("templates", found("configmaps [made] found as specified in namespace default"))
    equal("as it was looked up", member.get("configmap", "made", "default")["data"], {"color": "RED"})
    member.apply(config_map("source", "default", {"color": "blue"}))
    eventually(lambda: member.get("configmap", "made", "default")["data"] == {"color": "BLUE"}, "a change of the source is followed")
    raw = """
{{- range (lookup "v1" "ConfigMap" "default" "" "kind=seed").items }}
- complianceType: musthave
  objectDefinition:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: of-{{ .metadata.name }}, namespace: default}
    data: {size: {{ len .data | quote }}}
{{- end }}
"""
    policy = configuration("templates")
    policy["spec"] = {"object-templates-raw": raw}
    seed = config_map("a", "default", {"x": "1", "z": "2"})
    seed["metadata"]["labels"] = {"kind": "seed"}
    member.apply(seed)
    member.policy("templates", policy, action="enforce")
    member.await_message("templates", found("configmaps [of-a] found as specified in namespace default"))
    equal("from the list", member.get("configmap", "of-a", "default")["data"], {"size": "2"})
    policy["spec"] = {"object-templates-raw": "{{ nonsense }}"}
    member.policy("templates", policy, action="enforce")
    eventually(lambda: "there is no function" in (member.messages("templates") or [""])[0], "an error is told")
    member.drop("templates")


def dependencies(member):
    first = {"apiVersion": GROUP, "kind": "Policy", "name": "fleet.first", "namespace": "", "compliance": "Compliant"}
    member.policy("second", configuration("second", wants("musthave", config_map("second", "default"))), action="enforce",
                  dependencies=[first])
    member.await_message("second", "Pending; Dependencies were not satisfied: 1 is still pending (Policy fleet.first)")
    equal("nothing is done yet", member.get("configmap", "second", "default"), None)
    member.policy("first", configuration("first", wants("musthave", config_map("first", "default"))), action="enforce")
    member.await_message("second", found("configmaps [second] found as specified in namespace default"))
    member.drop("second")
    member.drop("first")


def faulty(member):
    """A template that the cluster does not take, and its correction."""
    member.policy("odd", configuration("odd", wants("mustbe", config_map("odd", "default"))))
    eventually(lambda: (member.messages("odd") or [""])[0].startswith("NonCompliant; template-error; "), "the refusal is told")
    check("in the server's words", "complianceType" in member.messages("odd")[0], member.messages("odd"))
    equal("nothing was made of it", member.get("configurationpolicies", "odd", member.name), None)
    member.policy("odd", configuration("odd", wants("mustnothave", config_map("odd", "default"))))
    member.await_message("odd", found("configmaps [odd] missing as expected in namespace default"))
    member.drop("odd")


def pruning(member):
    member.apply(config_map("theirs", "default"))
    member.policy("pruned", configuration("pruned", wants("musthave", config_map("ours", "default")),
                                          wants("musthave", config_map("theirs", "default")),
                                          pruneObjectBehavior="DeleteIfCreated"), action="enforce")
    member.await_message("pruned", "Compliant; notification - configmaps [ours] found as specified in namespace default; "
                                   "notification - configmaps [theirs] found as specified in namespace default")
    member.drop("pruned")
    equal("what it made is gone", member.get("configmap", "ours", "default"), None)
    check("what was there is left", member.get("configmap", "theirs", "default") is not None)


def kinds_come_and_go(member):
    widget = {"apiVersion": "example.test/v1", "kind": "Gadget", "metadata": {"name": "g", "namespace": "default"}}
    member.policy("gadget", configuration("gadget", wants("musthave", widget)))
    eventually(lambda: "couldn't find mapping resource with kind Gadget" in (member.messages("gadget") or [""])[0], "no such kind")
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    member.apply({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                  "metadata": {"name": "gadgets.example.test"},
                  "spec": {"group": "example.test", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
                           "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}})
    eventually(lambda: "gadgets cannot be read" in (member.messages("gadget") or [""])[0], "a kind without the right to read it is told")
    member.drop("gadget")


def metric(member, name):
    """The sum of its series."""
    with urllib.request.urlopen(f"http://127.0.0.1:{member.agent.found['status']}/metrics", timeout=PATIENCE) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def others_change(member):
    """What a policy is not about costs nothing, however often it changes."""
    member.policy("one", configuration("one", wants("musthave", config_map("mine", "default"))))
    member.await_message("one", violated("configmaps [mine] not found in namespace default"))
    before = metric(member, "fairway_agent_evaluations_total")
    member.apply(*(config_map(f"other-{i}", "default") for i in range(100)))
    member.apply(config_map("mine", "default"))
    member.await_message("one", found("configmaps [mine] found as specified in namespace default"))
    looks = metric(member, "fairway_agent_evaluations_total") - before
    check("one look for the change, and one for the own write", 1 <= looks <= 3, looks)
    member.drop("one")


def watched_kinds(member):
    def count():
        return metric(member, "fairway_agent_watched_kinds")
    eventually(lambda: count() == 0, "without policies nothing is watched")
    member.policy("one", configuration("one", wants("musthave", config_map("x", "default")), wants("musthave", config_map("z", "default"))))
    eventually(lambda: count() == 1, "one watch for a kind")
    member.drop("one")
    eventually(lambda: count() == 0, "which ends with its last policy")


def rights(member):
    def may(file, *question):
        done = subprocess.run(["kubectl", "--kubeconfig", file, "auth", "can-i", *question], capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout.strip()
    policies = "policies.policy.open-cluster-management.io"
    equal("its policies", may(member.hub_file, "list", policies, "-n", member.name), "yes")
    equal("not those of others", may(member.hub_file, "list", policies, "-n", "member2"), "no")
    equal("nor to change them", may(member.hub_file, "update", policies, "-n", member.name), "no")
    equal("no secrets of the hub", may(member.hub_file, "get", "secrets", "-n", member.name), "no")
    equal("but the key of protected values", may(member.hub_file, "get", "secrets/policy-encryption-key", "-n", member.name), "yes")
    equal("which it may not change", may(member.hub_file, "update", "secrets/policy-encryption-key", "-n", member.name), "no")
    equal("nor look for", may(member.hub_file, "list", "secrets", "-n", member.name), "no")
    equal("nor that of others", may(member.hub_file, "get", "secrets/policy-encryption-key", "-n", "member2"), "no")
    equal("no nodes of the cluster", may(member.cluster_file, "list", "nodes"), "no")


def killed(member):
    """kill -9 between inform and enforce, and in the middle of an enforcement."""
    member.policy("after", configuration("after", wants("musthave", config_map("after", "default"))))
    member.await_message("after", violated("configmaps [after] not found in namespace default"))
    member.kill()
    member.enforce("after")
    member.start()
    member.await_message("after", found("configmaps [after] found as specified in namespace default"))
    for i in range(5):
        member.kubectl("-n", "default", "delete", "configmap", "after", "--ignore-not-found")
        member.kill()
        member.start()
        eventually(lambda: member.get("configmap", "after", "default"), f"kill {i}: it is made")
    member.await_message("after", found("configmaps [after] found as specified in namespace default"))
    # While it is away the policy goes: its ConfigurationPolicy goes when it is back.
    member.kill()
    member.kubectl("-n", member.name, "delete", "policies.policy.open-cluster-management.io", "fleet.after", context="hub")
    member.start()
    eventually(lambda: member.get("configurationpolicies", "after", member.name) is None, "nothing is left of it")


def without_hub(member):
    """The hub cannot be reached from the start: what the cluster has been told already stands."""
    member.policy("kept", configuration("kept", wants("musthave", config_map("kept", "default"))), action="enforce")
    member.await_message("kept", found("configmaps [kept] found as specified in namespace default"))
    member.kill()
    reachable = member.hub_file
    away = json.loads(reachable.read_text())
    away["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    member.hub_file = member.folder / "away.kubeconfig"
    member.hub_file.write_text(json.dumps(away))
    member.start()
    member.kubectl("-n", "default", "delete", "configmap", "kept")
    eventually(lambda: member.get("configmap", "kept", "default"), "it is made again")
    check("its policy is not given up", member.get("configurationpolicies", "kept", member.name) is not None)
    member.kill()
    member.hub_file = reachable
    member.start()
    member.drop("kept")


def outage(api, member):
    """Hub and cluster vanish and come back; the agent stays."""
    member.policy("still", configuration("still", wants("musthave", config_map("still", "default"))), action="enforce")
    member.await_message("still", found("configmaps [still] found as specified in namespace default"))
    api.kill()
    api.start()
    member.kubectl("-n", "default", "delete", "configmap", "still")
    eventually(lambda: member.get("configmap", "still", "default"), "it goes on")
    check("the agent never ended", member.agent.process.poll() is None)
    member.drop("still")


class ProtectingHub:
    """The hub's propagator, and a policy of it that is bound to one cluster."""

    def __init__(self, member):
        self.member = member
        self.apply({"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster", "metadata": {"name": member.name},
                    "spec": {"hubAcceptsClient": True}},
                   namespace("fleet"), config_map("settings", "fleet", {"password": "opensesame"}))
        self.controllers = Daemon(["controllers", "--only", "policy,placement", "--kubeconfig", member.api.kubeconfig, "--context", "hub",
                                   "--metrics-listen", "127.0.0.1:0"], {"status": r"^status on http://\S+:(\d+)"})

    def apply(self, *objects):
        self.member.kubectl("apply", "-f", "-", context="hub", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def bind(self, name, *templates):
        placement = {"apiGroup": "cluster.open-cluster-management.io", "kind": "Placement", "name": name}
        group = "policy.open-cluster-management.io"
        self.apply({"apiVersion": GROUP, "kind": "Policy", "metadata": {"name": name, "namespace": "fleet"},
                    "spec": {"disabled": False, "remediationAction": "enforce",
                             "policy-templates": [{"objectDefinition": configuration(name, *templates)}]}},
                   {"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
                    "metadata": {"name": name, "namespace": "fleet"}, "spec": {}},
                   {"apiVersion": GROUP, "kind": "PlacementBinding", "metadata": {"name": name, "namespace": "fleet"},
                    "placementRef": placement, "subjects": [{"apiGroup": group, "kind": "Policy", "name": name}]})

    def secret(self):
        text = self.member.kubectl("-n", self.member.name, "get", "secret", "policy-encryption-key", "-o", "json", context="hub")
        return json.loads(text)

    def set_keys(self, **data):
        self.member.kubectl("-n", self.member.name, "patch", "secret", "policy-encryption-key", "--type=merge", "-p",
                            json.dumps({"data": data}), context="hub")

    def write_anew(self, name, mark):
        self.member.kubectl("-n", "fleet", "annotate", "--overwrite", "policies.policy.open-cluster-management.io", name,
                            f"policy.open-cluster-management.io/trigger-update={mark}", context="hub")


def protected_values(api, folder):
    """5.8, protect: a value goes from the hub to the cluster, and nobody between them reads it."""
    with Member(api, folder, "member2") as member:
        hub = ProtectingHub(member)
        with hub.controllers:
            value = '{{hub fromConfigMap "fleet" "settings" "password" | protect hub}}'
            made = config_map("made", "default", {"plain": value, "upper": '{{ "' + value + '" | upper }}', "object": value + "{{ .ObjectName }}"})
            hub.bind("safe", wants("musthave", made, recordDiff="InStatus"))
            member.await_message("safe", found("configmaps [made] found as specified in namespace default"))
            equal("the cluster has it", member.get("configmap", "made", "default")["data"],
                  {"plain": "opensesame", "upper": "OPENSESAME", "object": "opensesamemade"})
            child = member.child("safe")
            check("the child has an initialization vector", child["metadata"]["annotations"]["policy.open-cluster-management.io/encryption-iv"])
            check("the Secret says when", hub.secret()["metadata"]["annotations"]["policy.open-cluster-management.io/last-rotated"])

            def hides(what):
                shown = json.dumps([member.child("safe"), member.get("configurationpolicies", "safe", member.name)])
                events = member.kubectl("get", "events", "-A", "-o", "json") + member.kubectl("get", "events", "-A", "-o", "json", context="hub")
                for text in (shown, events, member.agent.logged(), hub.controllers.logged()):
                    check(f"{what}: nobody is shown the value", "opensesame" not in text.lower() and "oldsesame" not in text.lower())
            check("which is encrypted", "$ocm_encrypted:" in json.dumps(child["spec"]))
            hides("as made")

            member.kubectl("-n", "default", "patch", "configmap", "made", "--type=merge", "-p", '{"data":{"plain":"oldsesame"}}')
            eventually(lambda: member.get("configmap", "made", "default")["data"]["plain"] == "opensesame", "a change is undone")
            hides("as undone")

            hub.write_anew("safe", "1")
            hub.apply(config_map("settings", "fleet", {"password": "opensesame", "other": "1"}))
            member.kubectl("-n", "fleet", "label", "policies.policy.open-cluster-management.io", "safe", "seen=yes", context="hub")
            eventually(lambda: member.child("safe")["metadata"]["labels"].get("seen") == "yes", "the child is written again")
            equal("with the same texts", member.child("safe")["spec"], child["spec"])
            equal("which is no new generation", member.child("safe")["metadata"]["generation"], child["metadata"]["generation"])

            old = hub.secret()["data"]["key"]
            hub.set_keys(key=base64.b64encode(b"n" * 32).decode(), previousKey=old)
            member.kill()
            member.start()
            member.kubectl("-n", "default", "delete", "configmap", "made")
            eventually(lambda: member.get("configmap", "made", "default"), "the previous key still reads it")
            hub.write_anew("safe", "2")
            eventually(lambda: member.child("safe")["spec"] != child["spec"], "the hub encrypts with the new key")
            hub.set_keys(previousKey=None)
            member.kubectl("-n", "default", "delete", "configmap", "made")
            eventually(lambda: member.get("configmap", "made", "default"), "and the cluster reads it with that")

            hub.set_keys(key=base64.b64encode(b"x" * 32).decode())
            member.kill()
            member.start()
            eventually(lambda: re.search(r"data\.\w+: (line 1, column \d+: )?the value was encrypted with neither key nor previousKey",
                                         (member.messages("safe") or [""])[0]), "a key that does not fit is told, with the place")
            hides("as told")


def main():
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        api = ApiServer(folder / "data", ["member1", "member2"])
        try:
            with Member(api, folder, "member1") as member:
                for title, part in (
                    ("cases 90, 91, 101: inform, then enforce", inform_then_enforce), ("case 92: mustonlyhave", only_what_is_named),
                    ("cases 93 to 95: lists and quantities", lists_and_quantities), ("case 96: mustnothave", unwanted),
                    ("cases 97 to 99: namespaces", namespaces), ("case 100: never", never_again),
                    ("case 102: status sections", status_sections), ("case 103: secrets", secrets),
                    ("case 104: immutable fields", immutable), ("templates", templates), ("dependencies", dependencies),
                    ("templates that are refused", faulty), ("pruning", pruning),
                    ("kinds that come later", kinds_come_and_go), ("watches", watched_kinds),
                    ("changes of other objects", others_change), ("rights", rights), ("kill -9", killed),
                    ("no hub at the start", without_hub),
                ):
                    with case(title):
                        part(member)
                with case("protected values"):
                    protected_values(api, folder)
                with case("an outage of hub and cluster"):
                    outage(api, member)
        finally:
            api.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
