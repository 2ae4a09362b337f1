#!/usr/bin/env python3
"""Blocks that the update service decides by a cluster's id (clusters.promql), against Debian's Prometheus and against one
that misbehaves in every way that a test can think of.

Whatever goes wrong, the update is not offered, a counter counts and /readyz?verbose says which query it was. Clients that
invent ids cost neither memory nor queries. FAIRWAY_FLOOD_IDS says how many they invent. Exit code 77 means "not run":
there is no prometheus.
"""
import asyncio
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from update_service import (JSON, Service, case, check, check_invariants, contains, copy_example, edges_of,
                            equal, eventually, finish, metric, not_run, query, refused, write)

FLOOD_IDS = int(os.environ.get("FAIRWAY_FLOOD_IDS", "20000"))
FLOOD_CONNECTIONS = 200
MIB = 1024 * 1024
FAILED = "fairway_update_service_targeted_failures_total"
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


# --- the real Prometheus -----------------------------------------------------------------------------------------

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
            f"  static_configs: [{{targets: ['{exporter.address}']}}]\n")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={self.address}", "--log.level=error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=30) as answer:
            return answer.read().decode()

    def samples(self, text):
        return {r["metric"].get("_id"): r["value"][1] for r in
                json.loads(self.get("/api/v1/query?" + query(query=text)))["data"]["result"]}

    def wait_for(self, text, ids):
        eventually(lambda: ids <= set(self.samples(text)), f"Prometheus has {ids} for {text}")

    def queries(self):
        """How often Prometheus was asked, by its own count; wait_for() asks too."""
        return sum(float(line.rsplit(" ", 1)[1]) for line in self.get("/metrics").splitlines()
                   if line.startswith('prometheus_http_requests_total{') and 'handler="/api/v1/query"' in line)

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
    exporter.lines = ['subscription_labels{_id="managed",managed="true"} 1', 'subscription_labels{_id="unmanaged",managed="false"} 1',
                      'subscription_labels{_id="both",managed="true"} 1', 'subscription_labels{_id="both",managed="false"} 1',
                      'subscription_labels{_id="half",managed="false"} 0.5', 'subscription_labels{_id="zero",managed="false"} 0',
                      'cluster_infrastructure_provider{_id="unmanaged",type="AWS"} 1', 'cluster_infrastructure_provider{_id="managed",type="VSphere"} 1']
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
    with Service(*source, "--prometheus", f"http://{prometheus.address}", "--unknown-lifetime", "1s", "--query-pause", "500ms",
                 "--allowed-lifetime", "1h", "--blocked-lifetime", "1h") as service:
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
    with Service(*source, "--prometheus", f"http://{prometheus.address}", "--allowed-lifetime", "1s", "--query-pause", "500ms",
                 "--failure-lifetime", "1s", "--prometheus-timeout", "5s") as service:
        service.wait_until_ready()
        with case("77: Prometheus goes away: blocked, counted, said"):
            check("allowed", "4.7.5" in targets(service, id="unmanaged"), "not served")
            prometheus.stop()
            eventually(lambda: "4.7.5" not in targets(service, id="unmanaged"), "blocked when the answer is too old")
            check("counted", service.metric(QUERIES, result="failed") >= 1, service.metrics())
            check("by rule", service.metric("fairway_update_service_targeted_failing_rules") >= 1, service.metrics())
            text = service.status().body.decode()
            contains("said", text, "[!]targeted block holds for everyone: while asking Prometheus at http://" + prometheus.address)
            contains("which", text, "subscription_labels")
            equal("ready all the same", service.status().status, 200)


# --- a Prometheus that misbehaves ----------------------------------------------------------------------------------

class Fake:
    """Answers by the metric that is asked for: its name says what goes wrong."""

    def __init__(self, context=None):
        self.asked = []
        self.token = "right-token"
        self.release = threading.Event()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                text = form["query"][0]
                fake.asked.append(text)
                fake.answer(self, text)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass  # clients that go away are part of the game

        self.server = Server(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.server.server_address[1]}"

    def vector(self, values, **more):
        result = [{"metric": {"_id": name} if name else {}, "value": [1700000000, value]} for name, value in values]
        return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}, **more}).encode()

    def answer(self, to, text):
        good = self.vector([("yes", "1"), ("no", "0")])
        bodies = {"good": good, "fault_json": b"<html>it works</html>", "fault_empty": b"", "fault_other": b'{"status":"maybe"}',
                  "fault_error": b'{"status":"error","errorType":"bad_data","error":"the query is too dear"}',
                  "fault_scalar": b'{"status":"success","data":{"resultType":"scalar","result":[1700000000,"1"]}}',
                  "fault_matrix": b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"_id":"yes"},"values":[[1,"1"]]}]}}',
                  "odd_values": self.vector([("yes", "1.5"), ("nan", "NaN"), ("inf", "+Inf"), ("minus", "-1"), ("text", "one")]),
                  "odd_labels": self.vector([(None, "1"), ("", "1")]), "odd_twice": self.vector([("yes", "1"), ("yes", "0")]),
                  "also_good": self.vector([("yes", "1e0")], warnings=["something"])}
        name = re.search(r"\((\w+)\)$", text)[1]
        if "needs_token" in text:
            right = to.headers.get("Authorization") == f"Bearer {self.token}"
            return self.send(to, good if right else b"who are you", 200 if right else 401)
        if "fault_500" in text:
            return self.send(to, b'{"status":"error","error":"the disk is full"}', 500)
        if "fault_slow" in text:
            self.release.wait()
            return self.send(to, good)
        if "fault_drip" in text:
            return self.drip(to, good)
        if "fault_truncated" in text:
            return self.send(to, good[:-10], claimed=len(good))
        if "fault_cut_json" in text:
            return self.send(to, good[:-10])
        if "fault_reset" in text:
            to.close_connection = True
            return to.connection.close()
        return self.send(to, bodies[name])

    def send(self, to, body, status=200, claimed=None):
        to.send_response(status)
        to.send_header("Content-Type", "application/json")
        to.send_header("Content-Length", str(claimed or len(body)))
        to.end_headers()
        to.wfile.write(body)
        if claimed:
            to.close_connection = True

    def drip(self, to, body):
        """A byte now and then: never silent, never done in time."""
        to.send_response(200)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        with contextlib.suppress(OSError):
            for byte in body[:-1]:
                to.wfile.write(bytes([byte]))
                to.wfile.flush()
                if self.release.wait(0.2):
                    break
        to.close_connection = True

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def star(work, blocks):
    """Updates from 4.8.0 to 4.8.1, 4.8.2, …, one for each block."""
    data = work / f"star-{secrets.token_hex(4)}"
    versions = ["4.8.0", *(f"4.8.{i + 1}" for i in range(len(blocks)))]
    lines = [{"payload": f"registry.example.com/release@sha256:{secrets.token_hex(32)}", "architecture": "amd64", "release-metadata": {
        "kind": "cincinnati-metadata-v0", "version": version, "previous": ["4.8.0"] if version != "4.8.0" else [], "metadata": {}}} for version in versions]
    write(data / "releases.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    write(data / "version", "1.1.0\n")
    write(data / "raw" / "metadata.json", "{}")
    write(data / "channels" / "stable-4.8.yaml", "name: stable-4.8\nversions:\n" + "".join(f"- {v}\n" for v in versions))
    for version, block in zip(versions[1:], blocks):
        write(data / "blocked-edges" / f"{version}.yaml", f"to: {version}\nfrom: .*\n{block}")
    return ["--graph-data", data, "--releases", data / "releases.jsonl"], data


def clusters(text):
    return f"clusters:\n  promql: {text}\n"


def recommended(service, **parameters):
    return {b for _, b in edges_of(service.graph("stable-4.8", **parameters).json())[0]}


def faults(work):
    names = ["fault_500", "fault_slow", "fault_drip", "fault_json", "fault_empty", "fault_other", "fault_error", "fault_scalar", "fault_matrix",
             "fault_truncated", "fault_cut_json", "fault_reset"]
    source, _ = star(work, [clusters(f"max by (_id) ({name})") for name in ["good", "also_good", *names]])
    fake = Fake()
    words = {"fault_500": "the disk is full", "fault_error": "the query is too dear", "fault_scalar": "scalar", "fault_matrix": "matrix"}
    try:
        with Service(*source, "--prometheus", fake.url, "--prometheus-timeout", "1s", "--failure-lifetime", "1s", "--query-pause", "200ms") as service:
            service.wait_until_ready()
            offered = recommended(service, id="yes")
            text = service.status().body.decode()
            for place, name in enumerate(["good", "also_good"]):
                with case(f"{name} beside all that fails: served"):
                    check(name, f"4.8.{place + 1}" in offered, offered)
            for place, name in enumerate(names):
                with case(f"77: {name}: blocked, counted, said"):
                    check("blocked", f"4.8.{place + 3}" not in offered, offered)
                    line = next((line for line in text.splitlines() if f"max by (_id) ({name})" in line), "")
                    contains("said", line, "[!]targeted block holds for everyone: ")
                    contains("with the reason", line, words.get(name, fake.url))
            with case("77: failures are counted by reason and by rule"):
                metrics = service.metrics()
                equal("rules", metric(metrics, "fairway_update_service_targeted_failing_rules"), len(names))
                check("queries", metric(metrics, QUERIES, result="failed") >= len(names), metrics)
                total = sum(float(line.rsplit(" ", 1)[1]) for line in metrics.splitlines() if line.startswith(FAILED + "{"))
                equal("reasons", total, metric(metrics, QUERIES, result="failed"))
            with case("what fails is asked again, and recovers"):
                fake.release.set()
                slow = names.index("fault_slow") + 3
                eventually(lambda: f"4.8.{slow}" in recommended(service, id="yes"), "the slow one is back")
                check("the others are not", recommended(service, id="yes") == {"4.8.1", "4.8.2", f"4.8.{slow}"}, recommended(service, id="yes"))
            with case("nothing of it matters without an id"):
                asked = len(fake.asked)
                equal("no id", recommended(service), set())
                equal("asked", len(fake.asked), asked)
    finally:
        fake.stop()


def stop_while_asked(work):
    source, _ = star(work, [clusters("max by (_id) (fault_slow)")])
    fake = Fake()
    try:
        with case("SIGTERM while clients wait for a query: the service does not wait for it"):
            service = Service(*source, "--prometheus", fake.url, "--prometheus-timeout", "1h")
            service.wait_until_ready()
            clients = [socket.create_connection(("127.0.0.1", service.port), timeout=120) for _ in range(5)]
            for client in clients:
                client.sendall(b"GET /graph?channel=stable-4.8&id=yes HTTP/1.1\r\nHost: x\r\n\r\n")
            eventually(lambda: service.metric("fairway_update_service_waiting_requests") == 5, "all wait")
            eventually(lambda: fake.asked, "Prometheus is asked")
            equal("others are served", recommended(service), set())
            service.stop()
            equal("they waited for one query", len(fake.asked), 1)
            check("the query was never answered", not fake.release.is_set(), "it was")
            for client in clients:
                client.close()
    finally:
        fake.stop()


def oddities(work):
    fake = Fake()
    try:
        with case("values and labels that mean nothing allow nobody"):
            source, _ = star(work, [clusters(f"max by (_id) ({name})") for name in ("odd_values", "odd_labels", "odd_twice", "good")])
            with Service(*source, "--prometheus", fake.url) as service:
                service.wait_until_ready()
                equal("only the good one", recommended(service, id="yes"), {"4.8.4"})
                for name in ("nan", "inf", "minus", "text", "", "no"):
                    equal(name, recommended(service, id=name), set())
        with case("77: a query that is no PromQL blocks everyone and is not sent"):
            source, _ = star(work, [clusters("max by (_id"), clusters("max by (_id) (good)")])
            with Service(*source, "--prometheus", fake.url) as service:
                service.wait_until_ready()
                asked = len(fake.asked)
                equal("blocked", recommended(service, id="yes"), {"4.8.2"})
                check("not sent", not any(text == "max by (_id" for text in fake.asked), fake.asked[asked:])
        with case("the reason for a block is shown, with Always"):
            reason = "url: https://example.com/why\nname: Why\nmessage: Because.\n"
            rules = "matchingRules:\n- type: PromQL\n  promql:\n    promql: up == 1\n"
            source, _ = star(work, [reason + clusters("max by (_id) (good)"), reason + rules + clusters("max by (_id) (good)")])
            with Service(*source, "--prometheus", fake.url) as service:
                service.wait_until_ready()
                shown = lambda **p: {e["to"]: g["risks"] for g in service.graph("stable-4.8", **p).json()["conditionalEdges"] for e in g["edges"]}
                always = [{"url": "https://example.com/why", "name": "Why", "message": "Because.", "matchingRules": [{"type": "Always"}]}]
                for parameters in ({"id": "no"}, {"id": "unknown"}, {}):
                    equal(f"blocked {parameters}", shown(**parameters), {"4.8.1": always, "4.8.2": always})
                    equal(f"not offered {parameters}", recommended(service, **parameters), set())
                equal("allowed without rules", recommended(service, id="yes"), {"4.8.1"})
                equal("allowed goes on to the cluster's rules", shown(id="yes"), {"4.8.2": [{**always[0], "matchingRules": [{"type": "PromQL", "promql": {"promql": "up == 1"}}]}]})
        with case("78: without --prometheus the updates are enabled, with a warning"):
            with Service(*source) as service:
                service.wait_until_ready()
                equal("enabled", recommended(service), {"4.8.1"})
                contains("warning", service.logged(), "no Prometheus is configured")
    finally:
        fake.stop()


def tokens(work):
    fake = Fake()
    token_file = work / "prometheus-token"
    token_file.write_text("right-token\n")
    source, _ = star(work, [clusters("max by (_id) (needs_token)")])
    try:
        with case("a token for Prometheus; a wrong one blocks; a new one is read without a restart"):
            with Service(*source, "--prometheus", fake.url, "--prometheus-token-file", token_file, "--allowed-lifetime", "500ms",
                         "--query-pause", "200ms", "--failure-lifetime", "500ms") as service:
                service.wait_until_ready()
                equal("allowed", recommended(service, id="yes"), {"4.8.1"})
                write(token_file, "stale-token")
                eventually(lambda: recommended(service, id="yes") == set(), "blocked")
                contains("said", service.status().body.decode(), "status 401: who are you (see --prometheus-token-file)")
                token_file.unlink()
                eventually(lambda: "prometheus-token" in service.status().body.decode() and recommended(service, id="yes") == set(), "no file at all")
                write(token_file, "right-token")
                eventually(lambda: recommended(service, id="yes") == {"4.8.1"}, "allowed again")
                equal("all is well", service.metric("fairway_update_service_targeted_failing_rules"), 0)
        with case("--client-tokens: ids only with a token"):
            clients = work / "client-tokens"
            clients.write_text("# ours\n0123456789abcdef\n")
            write(token_file, "right-token")
            with Service(*source, "--prometheus", fake.url, "--prometheus-token-file", token_file, "--client-tokens", clients) as service:
                service.wait_until_ready()
                for headers in ({}, {"Authorization": "Bearer wrong-token-here!"}, {"Authorization": "Basic 0123456789abcdef"}, {"Authorization": "Bearer "}):
                    answer = service.graph("stable-4.8", id="yes", headers=headers)
                    equal(f"{headers}", (answer.status, answer.json()["kind"], answer.headers.get("WWW-Authenticate")), (401, "unauthorized", "Bearer"))
                equal("with it", service.graph("stable-4.8", id="yes", headers={"Authorization": "Bearer 0123456789abcdef"}).status, 200)
                equal("without an id", service.graph("stable-4.8").status, 200)
                check("counted", service.metric("cincinnati_pe_graph_response_errors_total", code="401", kind="unauthorized") == 4, service.metrics())
            clients.write_text("short\n")
            code, said = refused(*source, "--prometheus", fake.url, "--client-tokens", clients, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0")
            equal("a token that is too short: code", code, 1)
            contains("a token that is too short: where", said, "line 1")
        with case("--client-rate: too many from one address are told to wait, others are not"):
            with Service(*source, "--prometheus", fake.url, "--prometheus-token-file", token_file, "--client-rate", "5") as service:
                service.wait_until_ready()
                answers = [service.graph("stable-4.8", id="yes") for _ in range(40)]
                limited = [a for a in answers if a.status == 429]
                check("the first ones are served", all(a.status == 200 for a in answers[:10]), [a.status for a in answers])
                check("many are not", len(limited) >= 10, [a.status for a in answers])
                equal("how", (limited[0].json()["kind"], limited[0].headers.get("Retry-After")), ("too_many_requests", "1"))
                equal("another address", from_address("127.0.0.2", service.port, "/graph?channel=stable-4.8&id=yes"), 200)
                equal("without an id", service.graph("stable-4.8").status, 200)
                check("counted", service.metric("fairway_update_service_rate_limited_total") >= len(limited), service.metrics())
    finally:
        fake.stop()


def from_address(address, port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0), timeout=60)
    connection.request("GET", target)
    status = connection.getresponse().status
    connection.close()
    return status


def tls(work):
    if not shutil.which("openssl"):
        print("not run: Prometheus with TLS; there is no openssl")
        return
    folder = work / "tls"
    folder.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=telemetry",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "ca.pem"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    fake = Fake(context)
    source, _ = star(work, [clusters("max by (_id) (good)")])
    try:
        with case("--prometheus-ca: trusted with it, blocked without"):
            with Service(*source, "--prometheus", fake.url, "--prometheus-ca", folder / "ca.pem") as service:
                equal("with it", recommended(service.wait_until_ready(), id="yes"), {"4.8.1"})
            with Service(*source, "--prometheus", fake.url) as service:
                equal("without", recommended(service.wait_until_ready(), id="yes"), set())
                contains("said", service.status().body.decode(), "certificate")
    finally:
        fake.stop()


# --- clients that invent ids --------------------------------------------------------------------------------------

async def invent(port, count, statuses):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(count):
        name = secrets.token_hex(16)
        writer.write(f"GET /graph?channel=stable-4.8&id={name} HTTP/1.1\r\nHost: x\r\nAccept: {JSON}\r\n\r\n".encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(next(line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")))
        body = await reader.readexactly(length)
        key = (int(head.split(b" ")[1]), body)
        statuses[key] = statuses.get(key, 0) + 1
    writer.close()


async def attack(port, ids, statuses, honest):
    stop = threading.Event()
    client = asyncio.get_running_loop().run_in_executor(None, honest, stop)
    each = ids // FLOOD_CONNECTIONS
    await asyncio.gather(*(invent(port, each, statuses) for _ in range(FLOOD_CONNECTIONS)))
    stop.set()
    return await client


def flood(work):
    fake = Fake()
    source, _ = star(work, [clusters("max by (_id) (good)"), clusters("max by (_id) (also_good)")])
    flags = ["--prometheus", fake.url, "--client-rate", "0", "--unknown-lifetime", "500ms", "--query-pause", "500ms"]
    try:
        with case(f"81: {FLOOD_IDS} invented ids from {FLOOD_CONNECTIONS} connections"), Service(*source, *flags) as service:
            service.wait_until_ready()
            blocked, allowed = service.graph("stable-4.8").body, service.graph("stable-4.8", id="yes").body
            answers = []

            def honest(stop):
                while not stop.is_set():
                    answers.append(service.graph("stable-4.8", id="yes"))

            warm = {}
            asyncio.run(attack(service.port, FLOOD_IDS // 4, warm, lambda stop: None))  # what any number of connections needs once
            before, asked, started = service.memory(), len(fake.asked), time.monotonic()
            statuses = {}
            asyncio.run(attack(service.port, FLOOD_IDS, statuses, honest))
            seconds, grown = time.monotonic() - started, service.memory() - before
            equal("every invented id is blocked", {key: n for key, n in statuses.items() if key != (200, blocked)}, {})
            equal("and answered", sum(statuses.values()), FLOOD_IDS // FLOOD_CONNECTIONS * FLOOD_CONNECTIONS)
            check("the other client is served meanwhile", len(answers) >= 5, len(answers))
            equal("and rightly", {(a.status, a.body) for a in answers}, {(200, allowed)})
            check("memory stays", grown < 32 * MIB, f"{grown / MIB:.1f} MiB more")
            most = 2 * (seconds / 0.5 + 2)
            check("queries are bounded by time, not by ids", len(fake.asked) - asked <= most, f"{len(fake.asked) - asked} in {seconds:.1f} s")
            check("the ids that are kept are those that exist", service.metric("fairway_update_service_targeted_ids") == 3, service.metrics())
            print(f"       {FLOOD_IDS / seconds:.0f} a second, {len(fake.asked) - asked} queries, {grown / MIB:.1f} MiB more, {len(answers)} answers to the other client")
    finally:
        fake.stop()


def main():
    if not shutil.which("prometheus"):
        not_run("there is no prometheus (apt-get install prometheus)")
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        with_real_prometheus(work)
        faults(work)
        stop_while_asked(work)
        oddities(work)
        tokens(work)
        tls(work)
        flood(work)
    finish()


if __name__ == "__main__":
    main()
