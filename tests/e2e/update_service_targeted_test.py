#!/usr/bin/env python3
"""Blocks that the update service decides by a cluster's id (clusters.promql), against Debian's Prometheus. Exit code 77 means "not run":
there is no prometheus.
"""
import pathlib
import shutil
import tempfile

from prometheus import Exporter, Prometheus
from update_service import (
    Service,
    case,
    check,
    check_invariants,
    contains,
    copy_example,
    edges_of,
    equal,
    eventually,
    finish,
    not_run,
    write,
)

QUERIES = "fairway_update_service_targeted_queries_total"

# The seed's own example, with its spelling.
OSD = """to: 4.7.5
from: .*
clusters:
  # show unmanaged clusters the edge, but block it from managed clusters
  prometheus: |
    max by (_id) (0*subscription_labels{managed="true"})
    or
    max by (_id) (subscription_labels{managed="false"})
"""

# As real graph data has it: written for one cluster, where series have no such label.
IN_CLUSTER = """to: 4.7.0
from: .*
clusters:
  promql: |
    group by (_id) (cluster_infrastructure_provider{_id="",type!="VSphere"})
    or
    0 * group by (_id) (cluster_infrastructure_provider{_id=""})
"""


def targets(service, **parameters):
    """Where 4.7.0 and 4.6.22 may go: recommended updates to the versions that this test blocks."""
    graph = service.graph(**parameters).json()
    check_invariants(str(parameters), graph)
    return {b for _, b in edges_of(graph)[0]} & {"4.7.0", "4.7.5"}


def with_real_prometheus(work):
    exporter = Exporter([
        'subscription_labels{_id="managed",managed="true"} 1',
        'subscription_labels{_id="unmanaged",managed="false"} 1',
        'subscription_labels{_id="both",managed="true"} 1',
        'subscription_labels{_id="both",managed="false"} 1',
        'subscription_labels{_id="half",managed="false"} 0.5',
        'subscription_labels{_id="zero",managed="false"} 0',
        'cluster_infrastructure_provider{_id="unmanaged",type="AWS"} 1',
        'cluster_infrastructure_provider{_id="managed",type="VSphere"} 1',
    ])
    prometheus = Prometheus(work / "prometheus", exporter)
    try:
        prometheus.wait_for("subscription_labels", {"managed", "unmanaged", "both", "half", "zero"})
        prometheus.wait_for("cluster_infrastructure_provider", {"unmanaged", "managed"})
        data, releases = copy_example(work / "osd")
        write(data / "blocked-edges" / "4.7.5.yaml", OSD)
        write(data / "blocked-edges" / "4.7.0.yaml", IN_CLUSTER)
        source = ["--graph-data", data, "--releases", releases]
        by_id(source, prometheus, exporter)
        lifetimes(source, prometheus, exporter)
        prometheus_goes_away(source, prometheus)
    finally:
        prometheus.stop()
        exporter.stop()


def by_id(source, prometheus, exporter):
    with Service(*source, "--prometheus", f"{prometheus.url}/") as service:
        service.wait_until_ready()
        eventually(lambda: service.metric(QUERIES, result="ok") == 2, "both queries are asked at once, before any client comes")
        with case("76: no id is blocked, and nothing is asked"):
            before, asked = prometheus.queries(), service.metric(QUERIES, result="ok")
            for _ in range(20):
                equal("no id", targets(service), set())
            equal("asked", (prometheus.queries(), service.metric(QUERIES, result="ok")), (before, asked))
            equal("an id that cannot be", [targets(service, id=""), targets(service, id="x" * 3000)], [set(), set()])
        with case("75: 1 allows; 0, 0.5 and nothing do not"):
            check("1", "4.7.5" in targets(service, id="unmanaged"), "not served")
            for name in ("managed", "half", "zero", "nobody"):
                check(name, "4.7.5" not in targets(service, id=name), "served")
        with case("79: the seed's example: managed and unmanaged at once is blocked"):
            check("both", "4.7.5" not in targets(service, id="both"), "served")
            check("unmanaged", "4.7.5" in targets(service, id="unmanaged"), "not served")
        with case("a query that was written for one cluster counts for all"):
            check('_id="" and AWS', "4.7.0" in targets(service, id="unmanaged"), "not served")
            check('_id="" and vSphere', "4.7.0" not in targets(service, id="managed"), "served")
        with case("80: within their lifetimes ids are not asked about again"):
            before = prometheus.queries()
            for name in ("unmanaged", "managed", "nobody", "somebody else") * 10:
                targets(service, id=name)
            equal("asked", prometheus.queries(), before)
            check("counted", service.metric("fairway_update_service_targeted_requests_total") >= 40, service.metrics())
            equal("ids", service.metric("fairway_update_service_targeted_ids"), 6)
        with case("clients with the same verdicts get the same bytes"):
            equal("blocked as without an id", service.graph(id="nobody").body, service.graph().body)
            tag = service.graph(id="unmanaged").headers["ETag"]
            equal("304", service.graph(id="unmanaged", headers={"If-None-Match": tag}).status, 304)
            check("and others get others", tag != service.graph().headers["ETag"], tag)
        contains("healthy", service.status().body.decode(), "[+]targeted blocks: every query answered")


def lifetimes(source, prometheus, exporter):
    with Service(
        *source,
        "--prometheus",
        prometheus.url,
        "--unknown-lifetime",
        "1s",
        "--query-pause",
        "500ms",
        "--allowed-lifetime",
        "1h",
        "--blocked-lifetime",
        "1h",
    ) as service:
        service.wait_until_ready()
        with case("80: an unknown id is asked about again after its own lifetime"):
            check("unknown at first", "4.7.5" not in targets(service, id="newborn"), "served")
            exporter.lines = exporter.lines + [
                'subscription_labels{_id="newborn",managed="false"} 1',
                'cluster_infrastructure_provider{_id="newborn",type="AWS"} 1',
            ]
            prometheus.wait_for("subscription_labels", {"newborn"})
            prometheus.wait_for("cluster_infrastructure_provider", {"newborn"})
            eventually(lambda: targets(service, id="newborn") == {"4.7.0", "4.7.5"}, "the new cluster is found by both queries")
            asked = service.metric(QUERIES, result="ok")
            for _ in range(50):
                check("known now", "4.7.5" in targets(service, id="newborn"), "not served")
            equal("and not asked about again", service.metric(QUERIES, result="ok"), asked)
    with Service(*source, "--prometheus", prometheus.url, "--allowed-lifetime", "1s", "--query-pause", "500ms") as service:
        service.wait_until_ready()
        with case("an allowed id is asked about again after its own lifetime"):
            check("allowed", "4.7.5" in targets(service, id="newborn"), "not served")
            others = [line for line in exporter.lines if '"newborn"' not in line]
            exporter.lines = [*others, 'subscription_labels{_id="newborn",managed="true"} 1']
            eventually(lambda: "4.7.5" not in targets(service, id="newborn"), "what changed is found out")


def prometheus_goes_away(source, prometheus):
    with Service(
        *source,
        "--prometheus",
        prometheus.url,
        "--allowed-lifetime",
        "1s",
        "--query-pause",
        "500ms",
        "--failure-lifetime",
        "1s",
        "--prometheus-timeout",
        "5s",
    ) as service:
        service.wait_until_ready()
        with case("77: Prometheus goes away: blocked, counted, said"):
            check("allowed", "4.7.5" in targets(service, id="unmanaged"), "not served")
            prometheus.stop()
            eventually(lambda: "4.7.5" not in targets(service, id="unmanaged"), "blocked when the answer is too old")
            check("counted", service.metric(QUERIES, result="failed") >= 1, service.metrics())
            check("by rule", service.metric("fairway_update_service_targeted_failing_rules") >= 1, service.metrics())

            def said():
                # An answer may become too old while a client waits for the other query: then only the next client's question fails.
                targets(service, id="unmanaged")
                text = service.status().body.decode()
                return "subscription_labels" in text and text

            text = eventually(said, "it is said which")
            contains("said", text, f"[!]targeted block holds for everyone: while asking Prometheus at {prometheus.url}")
            equal("ready all the same", service.status().status, 200)


def main():
    if not shutil.which("prometheus"):
        not_run("there is no prometheus (apt-get install prometheus)")
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        with_real_prometheus(work)
    finish()


if __name__ == "__main__":
    main()
