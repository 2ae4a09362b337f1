#!/usr/bin/env python3
"""The member clusters of `fairway up`: risks differ from one to the other, updates are carried out, ingress asks for consent.

All of it is killed on the way, and the next start goes on: nothing is made twice, and what the user changed stays.
"""
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile

from cluster_version import condition, conditional, recommended
from ingress import commands_of
from up import Up
from update_service import FAIRWAY, case, check, contains, equal, eventually, finish

RISKS = ["AuthOAuthProxyLeakedConnections", "VSphereHW14CrossNodeNetworkingError", "VSphereNodeNameChanges"]
INGRESS = "openshift-ingress-operator"
SCOPE = '{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"%s"}}}}'


def await_verdict(up, member, *wanted):
    eventually(lambda: recommended(up.version(member), "4.7.4") == wanted, f"4.7.4 on {member} is {wanted}")


def risks_differ(up):
    await_verdict(up, "member1", "False", "MultipleReasons")
    for member in ("member2", "member4", "member5", "member6"):
        await_verdict(up, member, "True", "NotExposedToRisks")
    await_verdict(up, "member3", "Unknown", "PromQLError")
    code, out, _ = up.fairway("upgrade", "--include-not-recommended", context="member1")
    equal("exit code", code, 0)
    contains("member1 is told", out, "Supported but not recommended updates:\n\n  Version: 4.7.4\n")
    contains("and why", out, "Recommended: False\n  Reason: MultipleReasons\n")
    for part in ("vSphere Virtual Hardware Version 14", "may lose node names", "clusters with a Proxy configured"):
        contains("each of its risks", out, part)
    equal("they are three", sorted(each["name"] for each in conditional(up.version("member1"), "4.7.4")["risks"]), RISKS)
    _, out, _ = up.fairway("upgrade", context="member2")
    contains("member2 has it among the recommended", out, "Recommended updates:\n\n  VERSION\tIMAGE\n  4.7.4\t")
    _, out, _ = up.fairway("upgrade", "--include-not-recommended", context="member3")
    contains("member3 is told that nobody can tell", out, "Recommended: Unknown\n  Reason: PromQLError\n")
    contains("and what to do about it", out, f"metrics could not be read: {up.folder}/members/member3/metrics.prom")


def metrics_are_the_users(up):
    """A file that is changed counts at the next evaluation; one that is not there yet, too."""
    file = up.folder / "members" / "member4" / "metrics.prom"
    born = file.read_text()
    file.write_text(born.replace('cluster_proxy_enabled{type="http"} 0', 'cluster_proxy_enabled{type="http"} 1'))
    await_verdict(up, "member4", "False", RISKS[0])
    file.write_text(born)
    await_verdict(up, "member4", "True", "NotExposedToRisks")
    (file.parent.parent / "member3" / "metrics.prom").write_text(born)
    await_verdict(up, "member3", "True", "NotExposedToRisks")


def graph_is_the_users(up):
    """A block that is lifted in DATA/graph-data reaches the members."""
    for file in (up.folder / "graph-data" / "blocked-edges").glob("4.7.4-VSphere*"):
        file.unlink()
    await_verdict(up, "member1", "False", RISKS[0])


def updated_and_killed(up):
    """kill -9 when the release is accepted and half applied."""
    code, out, err = up.fairway("upgrade", "--to", "4.7.4", context="member2")
    equal("asked for", (code, out), (0, "Requested update to 4.7.4\n"))
    eventually(lambda: up.history("member2")[0] == "4.7.4 Partial", "it has begun")
    up.kill_and_start()
    equal("it is not done yet, and not begun again", up.history("member2")[1:], ["4.6.23 Completed"])
    up.await_history("member2", "4.7.4 Completed", "4.6.23 Completed")
    check("the release was verified by its signature", up.version("member2")["status"]["history"][0]["verified"])
    equal("it was applied", up.get("configmap", "release", "-n", "harbour-lights", context="member2")["data"], {"version": "4.7.4"})
    pods = up.get("pods", "-n", "harbour-lights", context="member2")["items"]
    equal("its pods run, each once", [each["spec"]["containers"][0]["image"] for each in pods], ["registry.example.com/beacon:4.7.4"] * 2)


def not_recommended(up):
    code, _, err = up.fairway("upgrade", "--to", "4.7.4", context="member1")
    equal("refused", code, 3)
    contains("with the flag that accepts it", err, "--allow-not-recommended")
    code, _, _ = up.fairway("upgrade", "--to", "4.7.4", "--allow-not-recommended", context="member1")
    equal("accepted", code, 0)
    up.await_history("member1", "4.7.4 Completed", "4.6.23 Completed")
    contains("on record", up.version("member1")["status"]["history"][0]["acceptedRisks"], RISKS[0])


def unsigned(up):
    """What nobody has signed is not applied: the image of a release whose signature is gone."""
    digest = next(each["release"]["image"] for each in up.version("member5")["status"]["conditionalUpdates"]).split("@")[1]
    signature = up.folder / "releases" / "signatures" / digest.replace(":", "=") / "signature-1"
    kept = signature.read_bytes()
    signature.unlink()
    up.fairway("upgrade", "--to", "4.7.4", context="member5")
    eventually(lambda: condition(up.version("member5"), "ReleaseAccepted").get("reason") == "RetrievePayload" and
               condition(up.version("member5"), "ReleaseAccepted")["status"] == "False", "it is refused")
    contains("why", condition(up.version("member5"), "ReleaseAccepted")["message"], "there is no signature")
    equal("nothing happened", up.history("member5"), ["4.6.23 Completed"])
    signature.write_bytes(kept)
    up.await_history("member5", "4.7.4 Completed", "4.6.23 Completed")


def progressing(up):
    found = up.get("ingresscontroller", "default", "-n", INGRESS, context="member2")
    return condition(found, "Progressing")


def service(up):
    return up.get("service", "router-default", "-n", "openshift-ingress", context="member2")


def wish(up, scope):
    up.kubectl("-n", INGRESS, "patch", "ingresscontrollers/default", "--type=merge", f"--patch={SCOPE % scope}", context="member2")
    eventually(lambda: progressing(up).get("reason") == "ScopeChanged", "the change waits")


def paste(up, command):
    """A command of the message, as it stands but for the context: oc is kubectl by another name."""
    up.kubectl(*shlex.split(command)[1:], context="member2")


def consent(up):
    """member2 is on AWS, where a load balancer cannot change its scope."""
    eventually(lambda: up.fairway("ingress", "status", context="member2")[1].splitlines()[1].split()[-2:] == ["True", "False"],
               "the default ingress is published")
    before = service(up)["metadata"]["uid"]
    wish(up, "Internal")
    _, out, _ = up.fairway("ingress", "status", context="member2")
    contains("the pending change", out, 'scope was changed from "External" to "Internal"')
    equal("nothing happened", service(up)["metadata"]["uid"], before)
    delete, revert = commands_of(progressing(up)["message"])
    paste(up, revert)
    eventually(lambda: progressing(up).get("status") == "False", "it was taken back")
    equal("nothing had happened", service(up)["metadata"]["uid"], before)
    wish(up, "Internal")
    paste(up, delete)
    eventually(lambda: progressing(up).get("status") == "False", "it was made")
    found = eventually(lambda: service(up)["status"].get("loadBalancer", {}).get("ingress"), "a new load balancer")
    check("an internal one", found[0]["hostname"].startswith("internal-"), found)
    check("of another Service", service(up)["metadata"]["uid"] != before)


def kept(up):
    """What the user changed is as it was after another start; nothing is there twice."""
    up.kubectl("patch", "clusterversion", "version", "--type=merge", '--patch={"spec":{"channel":"fast-4.7"}}', context="member6")
    up.kubectl("delete", "proxy", "cluster", context="member1")
    up.kubectl("label", "managedcluster", "member6", "platform=Wood", "--overwrite")
    before = {member: up.history(member) for member in ("member1", "member2", "member5")}
    up.kill_and_start()
    equal("a channel", up.version("member6")["spec"]["channel"], "fast-4.7")
    eventually(lambda: condition(up.version("member6"), "RetrievedUpdates").get("status") == "True", "asked at this start's address")
    equal("what is gone", up.kubectl("get", "proxies", "-o", "name", context="member1"), "")
    equal("a label", up.get("managedcluster", "member6")["metadata"]["labels"]["platform"], "Wood")
    for member, history in before.items():
        equal(f"the history of {member}", up.history(member), history)
    check("metrics", 'type="VSphere"' in (up.folder / "members" / "member1" / "metrics.prom").read_text())
    equal("members", sorted(each["metadata"]["name"] for each in up.get("managedclusters")["items"]), [f"member{i}" for i in range(1, 7)])


def stopped(up):
    up.daemon.stop(signal.SIGINT)


def killed_while_starting(folder):
    """At every file that a first start leaves behind; the start after all of these finds its way."""
    for trace in ("graph-data", "releases", "members/member1", "members/member6"):
        begun = subprocess.Popen([FAIRWAY, "up", "--data", folder, "--listen", "127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # What is there only for a moment may not be seen: then it is killed when the start is over.
            eventually(lambda: (folder / trace).exists() or (folder / "members" / "member6").exists(), f"{trace} is there")
        finally:
            begun.kill()
            begun.wait()


def born(up):
    for number in range(1, 7):
        member = f"member{number}"
        equal(f"{member} runs one release", up.history(member), ["4.6.23 Completed"])
        equal(f"{member} has joined", condition(up.get("managedcluster", member), "ManagedClusterJoined").get("status"), "True")
        check(f"{member} knows its platform", up.get("infrastructure", "cluster", context=member)["status"]["platformStatus"]["type"])
    equal("what has metrics", sorted(each.parent.name for each in up.folder.glob("members/*/metrics.prom")),
          ["member1", "member2", "member4", "member5", "member6"])


def main():
    parts = (("what is there after all that", born), ("risks differ from member to member", risks_differ), ("metrics are the user's", metrics_are_the_users),
             ("the graph is the user's", graph_is_the_users), ("kill -9 in the middle of an update", updated_and_killed),
             ("an update that is not recommended", not_recommended), ("a release without a signature", unsigned),
             ("a change of scope asks for consent", consent), ("what the user changed stays", kept), ("Ctrl-C", stopped))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "data"
        with case("kill -9 while it starts"):
            killed_while_starting(folder)
        with Up(folder) as up:
            for title, part in parts:
                with case(title):
                    part(up)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
