#!/usr/bin/env python3
"""What goes wrong around the operator: an update service that is down, slow or talks nonsense, a Prometheus that does, an API
server that restarts, an operator that is killed after every single action of an update; and versions that do not match."""
import http.client
import json
import pathlib
import shutil
import tempfile
import threading
import urllib.parse

import seed_story
from cluster_version import (CLUSTER_ID, OBJECT, ApiServer, Controllers, Signer, Web, condition, conditional, payload_files,
                             recommended, upgrade)
from docker_registry import Registry
from update_service import PATIENCE, Service, case, check, contains, equal, eventually, finish, metric, not_run

for program in ("docker-registry", "gpg", "gpgv"):
    if not shutil.which(program):
        not_run(f"there is no {program}")

QUICK = ["--update-service-period", "200ms", "--promql-between", "50ms", "--promql-same", "100ms"]
OLD = seed_story.IMAGES["4.6.23"]


def risk(name="Proxy", query="proxy", **more):
    return {"url": "https://bugs.example/1", "name": name, "message": "Proxies leak.",
            "matchingRules": [{"type": "PromQL", "promql": {"promql": query}}], **more}


def graph(conditional_edges=None, edges=((0, 1),), **more):
    nodes = [{"version": "4.6.23", "payload": OLD}, {"version": "4.6.43", "payload": seed_story.IMAGES["4.6.43"]},
             {"version": "4.7.4", "payload": seed_story.IMAGES["4.7.4"]}]
    groups = [{"edges": [{"from": "4.6.23", "to": "4.7.4"}], "risks": [risk()]}] if conditional_edges is None else conditional_edges
    return json.dumps({"nodes": nodes, "edges": edges, "conditionalEdges": groups, **more})


def answer_of(result, status=200, kind="vector"):
    return status, json.dumps({"status": "success", "data": {"resultType": kind, "result": result}})


def sample(value, **labels):
    return {"metric": labels, "value": [0, value]}


def retrieved(api):
    found = condition(api.get(), "RetrievedUpdates")
    return found.get("status"), found.get("reason", ""), found.get("message", "")


def versions(api):
    status = api.get()["status"]
    return ([one["version"] for one in status["availableUpdates"] or []],
            [one["release"]["version"] for one in status.get("conditionalUpdates", [])])


def verdict(api):
    update = conditional(api.get(), "4.7.4")
    return condition(update, "Recommended") if update else {}


def update_service_faults(api, service, prometheus):
    service.answer, prometheus.answer = (lambda path: (200, graph())), (lambda path: answer_of([sample("0")]))
    with Controllers(api, *QUICK, "--update-service", service.url + "/graph", "--prometheus", prometheus.url,
                     "--update-service-timeout", "2s"):
        with case("everything in order"):
            eventually(lambda: versions(api) == (["4.7.4", "4.6.43"], ["4.7.4"]), "both updates are recommended")
            query = urllib.parse.urlsplit(service.paths[-1]).query
            equal("1 the request", query, f"arch=amd64&channel=stable-4.7&id={CLUSTER_ID}&version=4.6.23")

        for title, answered, reason, text in (
            ("8 down", (503, ""), "ResponseFailed", "unexpected HTTP status: 503 Service Unavailable"),
            ("12 cut off", (200, "{"), "ResponseInvalid", "unexpected end of JSON input"),
            ("13 an edge of three", (200, graph(edges=[[0, 1, 2]])), "ResponseInvalid", "expected 2 fields, found 3"),
            ("14 an index that is too high", (200, graph(edges=[[0, 9]])), "ResponseInvalid", "edge [0,9] references a node outside 0..2"),
            ("16 a version that is none", (200, '{"nodes":[{"version":"4.6"}]}'), "ResponseInvalid", "No Major.Minor.Patch elements found"),
            ("garbage", (200, "\x00\x01<html>"), "ResponseInvalid", ""),
        ):
            with case(title):
                service.answer = lambda path, answered=answered: answered
                status, found, message = eventually(lambda: (state := retrieved(api))[1] == reason and text in state[2] and state, title)
                equal("status", status, "False")
                contains("message", message, "Unable to retrieve available updates: ")
                equal("the updates stay", versions(api), (["4.7.4", "4.6.43"], ["4.7.4"]))

        with case("slow: the deadline ends it, and the updates stay"):
            release = threading.Event()
            service.answer = lambda path: (release.wait(PATIENCE), (200, graph()))[1]
            eventually(lambda: retrieved(api)[1] == "RemoteFailed", "the deadline")
            equal("the updates stay", versions(api), (["4.7.4", "4.6.43"], ["4.7.4"]))
            release.set()

        with case("11 a version that is not there clears"):
            service.answer = lambda path: (200, '{"nodes":[{"version":"4.6.24","payload":"x"}]}')
            eventually(lambda: retrieved(api)[1] == "VersionNotFound", "not found")
            equal("lists", versions(api), ([], []))

        with case("24, 25, 27 bad targets cost only themselves"):
            def edge(to):
                return [{"from": "4.6.23", "to": to}]
            nodes = [{"version": "4.6.23", "payload": OLD}] + [{"version": f"4.7.{i}", "payload": f"r@sha256:{i}"} for i in range(6)]
            groups = [{"edges": edge("4.7.0"), "risks": []}, {"edges": edge("4.7.1"), "risks": [risk(url="")]},
                      {"edges": edge("4.7.2"), "risks": [risk(matchingRules=[{"type": "Platform"}])]},
                      {"edges": edge("4.7.3"), "risks": [risk(matchingRules=[])]},
                      {"edges": edge("4.7.4"), "risks": [risk(name="bad name!", matchingRules=[{"type": "Always"}])]},
                      {"edges": edge("4.7.5"), "risks": [risk()]}]
            service.answer = lambda path: (200, json.dumps({"nodes": nodes, "edges": [[0, 1], [0, 2]], "conditionalEdges": groups}))
            eventually(lambda: versions(api) == (["4.7.5"], ["4.7.5", "4.7.4", "4.7.3", "4.7.2"]), "the good ones are there")
            found = api.get()
            equal("verdicts", [recommended(found, f"4.7.{i}") for i in (2, 3, 4)],
                  [("Unknown", "EvaluationFailed"), ("False", "Proxy"), ("False", "ExposedToRisks")])
            equal("27 not evaluated", condition(conditional(found, "4.7.2"), "Evaluating")["reason"], "UnrecognizedMatchingRules")

        with case("version skew: an update service that knows nothing of conditional edges"):
            document = json.loads(graph())
            del document["conditionalEdges"]
            service.answer = lambda path: (200, json.dumps(document))
            eventually(lambda: versions(api) == (["4.6.43"], []), "only the plain update")
            code, out, _ = upgrade(api, "--include-not-recommended")
            equal("the command", code, 0)
            contains("and says so", out, "No updates which are not recommended based on your cluster configuration are available.")
        service.answer = lambda path: (200, graph())
        eventually(lambda: versions(api)[1] == ["4.7.4"], "in order again")


def prometheus_faults(api, service, prometheus):
    service.answer = lambda path: (200, graph())
    prometheus.answer = lambda path: answer_of([sample("1")])
    with Controllers(api, *QUICK, "--update-service", service.url + "/graph", "--prometheus", prometheus.url,
                     "--prometheus-timeout", "1s"):
        with case("32 the risk applies"):
            eventually(lambda: verdict(api).get("reason") == "Proxy", "exposed")
            equal("it is not recommended", versions(api)[0], ["4.6.43"])
        for title, answered, text in (
            ("34 nothing", answer_of([]), "invalid PromQL result length must be one, but is 0"),
            ("35 two series", answer_of([sample("1", a="1"), sample("1", a="2")]), "invalid PromQL result length must be one, but is 2"),
            ("36 two", answer_of([sample("2")]), "invalid PromQL result (must be 0 or 1): 2"),
            ("36 NaN", answer_of([sample("NaN")]), "invalid PromQL result (must be 0 or 1): NaN"),
            ("37 a scalar", answer_of([0, "1"], kind="scalar"), "invalid PromQL result type is scalar, not vector"),
            ("a string", answer_of([0, "1"], kind="string"), "invalid PromQL result type is string, not vector"),
            ("38 forbidden", (403, ""), "client_error: client error: 403"),
            ("38 a bad query", (400, '{"status":"error","errorType":"bad_data","error":"parse error"}'), "bad_data: parse error"),
            ("38 a gateway", (502, "<html>"), "server_error: server error: 502"),
            ("no JSON", (200, "<html>"), "executing PromQL query: bad_response: "),
        ):
            with case(title):
                prometheus.answer = lambda path, answered=answered: answered
                found = eventually(lambda: text in (state := verdict(api)).get("message", "") and state, title)
                equal("verdict", (found["status"], found["reason"]), ("Unknown", "PromQLError"))
                equal("never recommended", versions(api)[0], ["4.6.43"])
        with case("a query that is too large is never sent"):
            service.answer = lambda path: (200, graph([{"edges": [{"from": "4.6.23", "to": "4.7.4"}],
                                                        "risks": [risk(query=" or ".join(["too_large"] * 1000))]}]))
            found = eventually(lambda: "query not sent: 1:1: refused by the limit on text: " in (state := verdict(api)).get("message", "") and state, "refused")
            equal("verdict", (found["status"], found["reason"]), ("Unknown", "PromQLError"))
            check("nobody was asked", not any("too_large" in path for path in prometheus.paths))
            service.answer = lambda path: (200, graph())
        with case("58 slow: the deadline ends it"):
            release = threading.Event()
            prometheus.answer = lambda path: (release.wait(PATIENCE), answer_of([sample("0")]))[1]
            eventually(lambda: "context deadline exceeded" in verdict(api).get("message", ""), "the deadline")
            release.set()
        with case("33 and back"):
            prometheus.answer = lambda path: answer_of([sample("0")])
            eventually(lambda: versions(api)[0] == ["4.7.4", "4.6.43"], "recommended")
        with case("a Prometheus that is gone"):
            prometheus.stop()
            eventually(lambda: verdict(api).get("status") == "Unknown", "unknown")
            contains("why", verdict(api)["message"], "executing PromQL query: Get ")
            equal("never recommended", versions(api)[0], ["4.6.43"])


def api_server_restarts(api, service):
    with case("the API server is killed and comes back"):
        service.answer = lambda path: (200, graph(conditional_edges=[]))
        with Controllers(api, *QUICK, "--update-service", service.url + "/graph") as operator:
            eventually(lambda: versions(api) == (["4.6.43"], []), "one update")
            api.kill()
            service.answer = lambda path: (200, graph(conditional_edges=[], edges=[[0, 1], [0, 2]]))
            api.start()
            eventually(lambda: versions(api) == (["4.7.4", "4.6.43"], []), "what happened meanwhile")
            check("the operator still runs", operator.process.poll() is None)


def unknown_fields(api, service):
    with case("version skew: what others wrote into the object stays"):
        api.merge({"metadata": {"annotations": {"example.com/kept": "yes"}},
                   "spec": {"capabilities": {"baselineCapabilitySet": "v4.11"}, "overrides": []}})
        service.answer = lambda path: (200, graph(conditional_edges=[]))
        with Controllers(api, *QUICK, "--update-service", service.url + "/graph"):
            eventually(lambda: versions(api)[0] == ["4.6.43"], "updates")
            code, out, err = upgrade(api, "channel", "fast-4.7", "--allow-explicit-channel")
            equal("the command", code, 0)
            eventually(lambda: condition(api.get(), "RetrievedUpdates").get("status") == "True", "the new channel")
        found = api.get()
        equal("annotation", found["metadata"]["annotations"].get("example.com/kept"), "yes")
        equal("capabilities", found["spec"].get("capabilities"), {"baselineCapabilitySet": "v4.11"})
        api.merge({"spec": {"channel": "stable-4.7"}})


def server_that_forgets(api, service):
    """An older definition, without the fields that tell risks one by one: what is written is not what is stored."""
    definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterversions.config.openshift.io"
    status = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties"
    kept = api.get(definition)["spec"]
    service.answer = lambda path: (200, graph())
    with case("a server that does not store all of the status is not written to for ever"):
        api.send("PATCH", definition, [{"op": "remove", "path": status + "/conditionalUpdateRisks"}], "application/json-patch+json")
        with Controllers(api, *QUICK, "--accept-risks", "--update-service", service.url + "/graph", "--scrape", "/dev/null") as operator:
            eventually(lambda: verdict(api).get("reason") == "PromQLError", "a verdict")
            check("the field is not stored", "conditionalUpdateRisks" not in api.get()["status"])

            def count(name, **labels):
                return metric(operator.metrics(), "fairway_cluster_version_" + name, **labels) or 0

            written, fetched = count("status_writes_total", outcome="written"), count("fetches_total", reason="")
            eventually(lambda: count("fetches_total", reason="") >= fetched + 5, "five more looks")
            check("hardly any writes", count("status_writes_total", outcome="written") <= written + 1,
                  (written, count("status_writes_total", outcome="written")))
        api.merge({"spec": kept}, definition)


def changes_of(api, names, since):
    """How often each of the ConfigMaps was changed: the events of a watch that begins before the update."""
    connection = http.client.HTTPSConnection("127.0.0.1", api.port, timeout=PATIENCE, context=api.tls)
    connection.request("GET", f"/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&resourceVersion={since}")
    events = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    connection.close()
    return {name: [event["type"] for event in events if event["object"]["metadata"].get("name") == name] for name in names}


def is_updated(api):
    found = api.get()
    return (found["status"]["history"][0]["version"] == "4.6.43"
            and condition(found, "Progressing").get("message") == "Cluster version is 4.6.43" and found)


def kill_after(api, operator, count):
    """Kills the operator when it has told of that many actions; False when it was done with its work before."""
    def actions():
        return operator.logged().count(" action=")

    eventually(lambda: actions() >= count or is_updated(api), f"{count} actions, or the end")
    if actions() < count:
        return False
    operator.kill()
    return True


def killed_everywhere(api, service, registry, signer):
    names = ("etcd", "apiserver", "network", "console")
    digest = registry.push("release:4.6.43", [payload_files("4.6.43", names)])
    signer.sign(digest)
    image = f"{registry.host}/release@{digest}"
    nodes = [{"version": "4.6.23", "payload": OLD}, {"version": "4.6.43", "payload": image}]
    service.answer = lambda path: (200, json.dumps({"nodes": nodes, "edges": [[0, 1]]}))
    flags = ["--update-service", service.url + "/graph", "--plain-registry", registry.host, "--signature-store", signer.store,
             "--signature-keyring", signer.keyring]
    entry = {"state": "Completed", "startedTime": "2021-08-01T00:00:00Z", "completionTime": "2021-08-01T01:00:00Z",
             "version": "4.6.23", "image": OLD, "verified": True}
    for count in range(1, 40):
        with case(f"killed after {count} actions: the update is finished, and nothing is done twice"):
            api.merge({"spec": {"desiredUpdate": None}})
            api.merge({"status": {"desired": {"version": "4.6.23", "image": OLD, "url": None, "channels": None}, "history": [entry],
                                  "conditions": [], "availableUpdates": []}}, OBJECT + "/status")
            since = api.get("/api/v1/namespaces/default/configmaps")["metadata"]["resourceVersion"]
            api.merge({"spec": {"desiredUpdate": {"version": "4.6.43", "image": image}}})
            was_killed = kill_after(api, first := Controllers(api, *flags), count)
            if was_killed:
                first = Controllers(api, *flags)
            done = eventually(lambda: is_updated(api), "done")
            first.stop()
            equal("history", [(one["version"], one["state"]) for one in done["status"]["history"]],
                  [("4.6.43", "Completed"), ("4.6.23", "Completed")])
            check("verified", done["status"]["history"][0]["verified"] is True)
            changes = changes_of(api, names, since)
            for name in names:
                check(f"{name} changed once", len(changes[name]) == 1, changes)
        for name in names:
            api.send("DELETE", f"/api/v1/namespaces/default/configmaps/{name}")
        if not was_killed:
            check("it was killed at many places", count > 8, count)
            return
    check("an end", False, "the operator never came to the end of its work")


def graph_data_versions(api, work):
    """Graph data of the schema before conditional risks, and of today's, through the real update service."""
    with case("version skew: graph data 1.0.0 and 1.1.0"):
        for schema in ("1.0.0", "1.1.0"):
            data, releases = seed_story.write_graph_data(work / schema, version=schema)
            with Service("--graph-data", data, "--releases", releases) as updates:
                updates.wait_until_ready()
                api.merge({"spec": {"channel": "stable-4.6"}})
                with Controllers(api, *QUICK, "--update-service", f"http://127.0.0.1:{updates.port}/graph"):
                    eventually(lambda: "4.6.43" in versions(api)[0], "updates")
                    check(f"{schema}: 4.7.4 is not recommended while nobody can tell", "4.7.4" not in versions(api)[0])


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="fairway-cluster-version-"))
    registry = Registry(work / "registry").start()
    signer = Signer(work / "signer")
    service, prometheus = Web(lambda path: (200, graph())), Web(lambda path: answer_of([]))
    api = ApiServer(work / "api")
    api.create_cluster_version("stable-4.7", OLD)
    try:
        update_service_faults(api, service, prometheus)
        prometheus_faults(api, service, prometheus)
        api_server_restarts(api, service)
        unknown_fields(api, service)
        server_that_forgets(api, service)
        graph_data_versions(api, work)
        killed_everywhere(api, service, registry, signer)
    finally:
        api.stop()
        service.stop()
        registry.stop()
        signer.stop()
    shutil.rmtree(work, ignore_errors=True)
    finish()


main()
