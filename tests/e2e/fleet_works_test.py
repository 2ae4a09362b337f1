#!/usr/bin/env python3
"""Scenarios K24 to K26: rollouts of manifest works, with kubectl. The test says what the clusters' work agents would."""
import json
import sys
import tempfile

from fleet import *
from update_service import case, finish

TEMPLATES = ["ibu-prep", "ibu-upgrade", "ibu-finalize"]
EXPECTED = "openshift-cluster-group-upgrades/expectedValues"
GROUP = "/apis/work.open-cluster-management.io"


def add_template(hub, name, expected=None):
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": {"stage": name}}
    hub.kubectl("apply", "-f", "-", given=json.dumps({
        "apiVersion": "work.open-cluster-management.io/v1alpha1", "kind": "ManifestWorkReplicaSet",
        "metadata": {"name": name, "namespace": "default", **({"annotations": {EXPECTED: json.dumps(expected)}} if expected else {})},
        "spec": {"placementRefs": [{"name": "none"}], "manifestWorkTemplate": {
            "deleteOption": {"propagationPolicy": "Orphan"}, "workload": {"manifests": [manifest]}}}}))


def works(hub):
    """Those of all clusters: "s1 ibu-prep, s4 ibu-prep"."""
    found = [(each["metadata"]["namespace"], each["metadata"]["name"]) for each in hub.get(f"{GROUP}/v1/manifestworks")["items"]]
    return ", ".join(f"{ns.replace('spoke', 's')} {name.removeprefix('default.').removesuffix('-kuttl')}" for ns, name in sorted(found))


def await_works(hub, wanted):
    eventually(lambda: works(hub) == wanted, f"the works are {wanted!r}, found {works(hub)!r}")


def carry_out(hub, short, template, feedback=None):
    """The cluster reports that it has applied the work, and what came of it."""
    ready = [{"type": kind, "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
             for kind in ("Applied", "Available")]
    manifest = {"resourceMeta": {"ordinal": 0}, "conditions": ready + [{**ready[0], "type": "StatusFeedbackSynced"}]}
    if feedback:
        manifest["statusFeedback"] = {"values": [{"name": key, "fieldValue": {"type": "String", "string": value}}
                                                 for key, value in feedback.items()]}
    hub.merge({"status": {"conditions": ready, "resourceStatus": {"manifests": [manifest]}}},
              f"{GROUP}/v1/namespaces/{spoke(short)}/manifestworks/default.{template}-kuttl/status")


def works_rollout(hub, name, templates=TEMPLATES, **more):
    hub.rollout(name, ["s1", "s4", "s6"], [], at_once=2, enable=True, manifestWorkTemplates=templates, **more)


def k24_manifestwork_complete(hub):
    name = "cgu-works"
    for template in TEMPLATES:
        add_template(hub, template, [{"manifestIndex": 0, "name": "isDone", "value": "True"}] if template == "ibu-upgrade" else None)
    works_rollout(hub, name)
    await_works(hub, "s1 ibu-prep, s4 ibu-prep")
    equal("the plan", hub.plan(name), [["s1", "s4"], ["s6"]])
    equal("the message", hub.message(name, "Progressing"), "Rolling out manifestworks")
    equal("indexes", {key: value["manifestWorkIndex"] for key, value in hub.status(name)["status"]["currentBatchRemediationProgress"].items()},
          {"spoke1": 0, "spoke4": 0})
    work = hub.get(f"{GROUP}/v1/namespaces/spoke1/manifestworks/default.ibu-prep-kuttl")
    equal("it is the template's", work["spec"]["workload"]["manifests"][0]["data"], {"stage": "ibu-prep"})
    carry_out(hub, "s1", "ibu-prep")
    await_works(hub, "s1 ibu-upgrade, s4 ibu-prep")
    carry_out(hub, "s1", "ibu-upgrade", {"isDone": "False"})  # applied, and not what is expected
    carry_out(hub, "s4", "ibu-prep")
    await_works(hub, "s1 ibu-upgrade, s4 ibu-upgrade")
    for short in ("s1", "s4"):
        carry_out(hub, short, "ibu-upgrade", {"isDone": "True"})
    await_works(hub, "s1 ibu-finalize, s4 ibu-finalize")
    hub.kill()
    for short in ("s1", "s4"):
        carry_out(hub, short, "ibu-finalize")
    hub.start()
    await_works(hub, "s6 ibu-prep")
    for template in TEMPLATES:
        await_works(hub, f"s6 {template}")
        carry_out(hub, "s6", template, {"isDone": "True"})
    hub.await_condition(name, "Succeeded", "True Completed")
    equal("the message", hub.message(name, "Succeeded"), "All manifestworks rolled out successfully on all clusters")
    equal("rows", hub.table(name), "s1 complete, s4 complete, s6 complete")
    await_works(hub, "")


def k25_manifestwork_template_not_found(hub):
    name = "cgu-missing"
    add_template(hub, "ibu-prep")
    works_rollout(hub, name)
    hub.await_condition(name, "Validated", "False NotAllManifestTemplatesExist")
    equal("the message", hub.message(name, "Validated"), "Missing manifest templates: [ibu-upgrade ibu-finalize]")
    for template in TEMPLATES[1:]:
        add_template(hub, template)
    await_works(hub, "s1 ibu-prep, s4 ibu-prep")  # at once


def k26_manifestwork_timeout(hub):
    name = "cgu-late"
    add_template(hub, "ibu-prep")
    works_rollout(hub, name, ["ibu-prep"])
    await_works(hub, "s1 ibu-prep, s4 ibu-prep")
    hub.change(name, remediationStrategy={"maxConcurrency": 2, "timeout": 0})
    hub.await_condition(name, "Succeeded", "False TimedOut")
    equal("the message", hub.message(name, "Succeeded"), "Manifestwork rollout took too long")
    equal("rows", [(each["name"], each["state"], each["currentManifestWork"]["name"]) for each in hub.status(name)["clusters"]],
          [("spoke1", "timedout", "ibu-prep"), ("spoke4", "timedout", "ibu-prep")])
    await_works(hub, "")


SCENARIOS = [k24_manifestwork_complete, k25_manifestwork_template_not_found, k26_manifestwork_timeout]


def main():
    with tempfile.TemporaryDirectory() as folder:
        api = start_api(folder, [each.__name__.replace("_", "-") for each in SCENARIOS])
        try:
            for scenario in SCENARIOS:
                name = scenario.__name__
                with case(name.replace("_", " ")), Hub(api, name.replace("_", "-"), rows={}) as hub:
                    scenario(hub)
        finally:
            api.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
