#!/usr/bin/env python3
"""Blocks that the update service decides by a cluster's id (clusters.promql), against Debian's Prometheus. Exit code 77 means "not run":
there is no prometheus.
"""
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import urllib.request

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
    query,
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


class Exporter:
    """What the clusters of a fleet have sent: one text for all, which a test may change."""

    def __init__(self):
        self.lines = []
        exporter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = ("\n".join(exporter.lines) + "\n").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Prometheus:
    def __init__(self, folder, exporter):
        folder.mkdir()
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: fleet\n"
            f"  static_configs: [{{targets: ['{exporter.address}']}}]\n"
        )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={self.address}",
                "--log.level=error",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=30) as answer:
            return answer.read().decode()

    def samples(self, text):
        return {r["metric"].get("_id"): r["value"][1] for r in json.loads(self.get("/api/v1/query?" + query(query=text)))["data"]["result"]}

    def wait_for(self, text, ids):
        eventually(lambda: ids <= set(self.samples(text)), f"Prometheus has {ids} for {text}")

    def queries(self):
        """How often Prometheus was asked, by its own count; wait_for() asks too."""
        return sum(
            float(line.rsplit(" ", 1)[1])
            for line in self.get("/metrics").splitlines()
            if line.startswith("prometheus_http_requests_total{") and 'handler="/api/v1/query"' in line
        )

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def targets(service, **parameters):
    """Where 4.7.0 and 4.6.22 may go: recommended updates to the versions that this test blocks."""
    graph = service.graph(**parameters).json()
    check_invariants(str(parameters), graph)
    return {b for _, b in edges_of(graph)[0]} & {"4.7.0", "4.7.5"}


def with_real_prometheus(work):
    exporter = Exporter()
    exporter.lines = [
        'subscription_labels{_id="managed",managed="true"} 1',
        'subscription_labels{_id="unmanaged",managed="false"} 1',
        'subscription_labels{_id="both",managed="true"} 1',
        'subscription_labels{_id="both",managed="false"} 1',
        'subscription_labels{_id="half",managed="false"} 0.5',
        'subscription_labels{_id="zero",managed="false"} 0',
        'cluster_infrastructure_provider{_id="unmanaged",type="AWS"} 1',
        'cluster_infrastructure_provider{_id="managed",type="VSphere"} 1',
    ]
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
    with Service(*source, "--prometheus", f"http://{prometheus.address}/") as service:
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
        f"http://{prometheus.address}",
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
            exporter.lines.append('subscription_labels{_id="newborn",managed="false"} 1')
            exporter.lines.append('cluster_infrastructure_provider{_id="newborn",type="AWS"} 1')
            prometheus.wait_for("subscription_labels", {"newborn"})
            eventually(lambda: "4.7.5" in targets(service, id="newborn"), "the new cluster is found")
            asked = service.metric(QUERIES, result="ok")
            for _ in range(50):
                check("known now", "4.7.5" in targets(service, id="newborn"), "not served")
            equal("and not asked about again", service.metric(QUERIES, result="ok"), asked)
    with Service(*source, "--prometheus", f"http://{prometheus.address}", "--allowed-lifetime", "1s", "--query-pause", "500ms") as service:
        service.wait_until_ready()
        with case("an allowed id is asked about again after its own lifetime"):
            check("allowed", "4.7.5" in targets(service, id="newborn"), "not served")
            exporter.lines = [line for line in exporter.lines if '"newborn"' not in line]
            exporter.lines.append('subscription_labels{_id="newborn",managed="true"} 1')
            eventually(lambda: "4.7.5" not in targets(service, id="newborn"), "what changed is found out")


def prometheus_goes_away(source, prometheus):
    with Service(
        *source,
        "--prometheus",
        f"http://{prometheus.address}",
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
            # The answer may be too old before the next question has failed.
            text = eventually(lambda: (found := service.status().body.decode()) and "subscription_labels" in found and found, "it is said which")
            contains("said", text, "[!]targeted block holds for everyone: while asking Prometheus at http://" + prometheus.address)
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
