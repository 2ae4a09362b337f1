#!/usr/bin/env python3
"""The seed's eight steps with kubectl on every platform, each with its simulated cloud; then what only consent completes.

Cases 1 to 18, 72 to 76, 93 and 107 of the specification.
"""
import pathlib
import sys
import tempfile

from ingress import *
from update_service import case, finish

NAME = "custom"
QUICK = ("--provision-delay", "50ms", "--deprovision-delay", "50ms", "--mutate-delay", "50ms", "--min-ready", "0s")


def is_marked(cluster, platform, scope, uid):
    found = cluster.service(NAME)
    return found is not None and found["metadata"]["uid"] == uid and annotation(found, platform.key) == platform.value(scope)


def eight_steps(cluster, platform):
    cluster.create(NAME, "External", platform.parameters)                                             # 1
    before = cluster.await_published(NAME)
    uid = before["metadata"]["uid"]
    equal("2: annotated External", annotation(before, platform.key), platform.external)
    cluster.await_condition(NAME, "Progressing", "False")
    available = cluster.condition(NAME, "Available")
    cluster.set_scope(NAME, "Internal")                                                               # 3
    if platform.is_mutable:
        eventually(lambda: is_marked(cluster, platform, "Internal", uid), "5: annotated Internal")
        cluster.await_condition(NAME, "Progressing", "False")
        check("5: the address is another one", address(cluster.service(NAME)) != address(before))
        cluster.set_scope(NAME, "External")                                                           # 6
    else:
        pending = cluster.await_condition(NAME, "Progressing", "True", "ScopeChanged")                # 4
        equal("4: the text of the seed (case 93)", pending["message"][: len(seed_text(NAME, "External", "Internal"))],
              seed_text(NAME, "External", "Internal"))
        equal("4: the Service is as it was", cluster.service(NAME)["metadata"]["annotations"], before["metadata"]["annotations"])
        equal("4: and so is its address", address(cluster.service(NAME)), address(before))
        cluster.paste(commands_of(pending["message"])[1])                                             # 6, as case 18 says
    cluster.await_condition(NAME, "Progressing", "False")                                             # 7
    eventually(lambda: is_marked(cluster, platform, "External", uid), "8: annotated External")
    cluster.await_condition(NAME, "Progressing", "False")
    equal("8: the same Service throughout", cluster.service(NAME)["metadata"]["uid"], uid)
    equal("8: available throughout", cluster.condition(NAME, "Available"), available)
    if platform.title == "AWS NLB":
        equal("the type is untouched", annotation(cluster.service(NAME), "service.beta.kubernetes.io/aws-load-balancer-type"), "nlb")


def completed_by_the_user(cluster, platform):
    """Cases 11 to 15 and 17: the command of the message, pasted."""
    before = cluster.service(NAME)
    cluster.set_scope(NAME, "Internal")
    pending = cluster.await_condition(NAME, "Progressing", "True", "ScopeChanged")
    cluster.paste(commands_of(pending["message"])[0])
    after = cluster.await_published(NAME, other_than=before["metadata"]["uid"])
    cluster.await_condition(NAME, "Progressing", "False")
    equal("annotated Internal", annotation(after, platform.key), platform.internal)
    check("another address", address(after) != address(before), address(after))


def completed_by_permission(cluster, platform):
    """Cases 72 and 75: patch, then annotate; the way back, to External."""
    before = cluster.service(NAME)
    cluster.set_scope(NAME, "External")
    cluster.kubectl("-n", OPERATOR, "annotate", f"ingresscontrollers/{NAME}", AUTO_DELETE + "=")
    after = cluster.await_published(NAME, other_than=before["metadata"]["uid"])
    cluster.await_condition(NAME, "Progressing", "False")
    equal("annotated External", annotation(after, platform.key), platform.external)
    def told():
        text = cluster.kubectl("-n", OPERATOR, "get", "events", "-o", "jsonpath={.items[*].reason}")
        return {"LoadBalancerServiceDeleted", "LoadBalancerServiceCreated", "ScopeChangeCompleted"} <= set(text.split())
    eventually(told, "events tell of it")


def permission_changes_nothing_in_place(cluster, platform):
    """Case 76."""
    uid = cluster.service(NAME)["metadata"]["uid"]
    cluster.kubectl("-n", OPERATOR, "annotate", f"ingresscontrollers/{NAME}", AUTO_DELETE + "=")
    cluster.set_scope(NAME, "Internal")
    eventually(lambda: is_marked(cluster, platform, "Internal", uid), "annotated Internal")
    cluster.await_condition(NAME, "Progressing", "False")
    equal("the same Service", cluster.service(NAME)["metadata"]["uid"], uid)


def removed(cluster):
    cluster.kubectl("-n", OPERATOR, "delete", f"ingresscontrollers/{NAME}", "--wait=true")
    eventually(lambda: cluster.service(NAME) is None, "nothing is left")


def without_scope(cluster):
    """Cases 9 and 10."""
    cluster.create(NAME, "External")
    before = cluster.await_published(NAME)
    cluster.set_scope(NAME, "Internal")
    unsupported = cluster.await_condition(NAME, "ScopeSupported", "False", "PlatformHasNoScope")
    check("no advice to delete", "delete" not in unsupported["message"] and "`" not in unsupported["message"], unsupported)
    equal("no endless progress", cluster.condition(NAME, "Progressing")["status"], "False")
    equal("the Service was not written", cluster.service(NAME)["metadata"].get("annotations"), before["metadata"].get("annotations"))
    equal("nor replaced", cluster.service(NAME)["metadata"]["uid"], before["metadata"]["uid"])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        api = start_api(folder, len(PLATFORMS) + len(WITHOUT_SCOPE))
        try:
            run_all(api, folder)
        finally:
            api.stop()
    return finish()


def run_all(api, folder):
    used = 0
    for platform in PLATFORMS + [Platform(name) for name in WITHOUT_SCOPE]:
        with case(f"{platform.title}: the seed's eight steps"):
            used += 1
            with Cluster(api, folder, platform.name, *QUICK, context=f"member{used}") as cluster:
                if platform.key is None:
                    without_scope(cluster)
                    continue
                eight_steps(cluster, platform)
                if platform.is_mutable:
                    permission_changes_nothing_in_place(cluster, platform)
                else:
                    completed_by_the_user(cluster, platform)
                    completed_by_permission(cluster, platform)
                removed(cluster)


if __name__ == "__main__":
    sys.exit(main())
