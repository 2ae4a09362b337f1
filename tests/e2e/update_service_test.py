#!/usr/bin/env python3
"""The update service as its clients see it: the protocol's conformance cases, each named in the output, on the example tree.
"""
import gzip
import io
import json
import pathlib
import shutil
import socket
import subprocess
import tarfile
import tempfile
import zlib

from update_service import (
    EXAMPLE,
    JSON,
    Service,
    V1,
    any_data,
    case,
    check,
    check_invariants,
    contains,
    copy_example,
    edges_of,
    equal,
    eventually,
    finish,
    metric,
    problem,
    query,
    write,
)

GRAPH = "/graph?channel=stable-4.7&arch=amd64"


def media_types(service):
    with case("1: a graph as application/json"):
        answer = service.get(GRAPH, {"Accept": JSON})
        equal("status and type", (answer.status, answer.type), (200, JSON))
        check_invariants("invariants", answer.json())
        plain, conditional = edges_of(answer.json())
        equal("recommended", plain, {("4.6.22", "4.6.23"), ("4.6.22", "4.7.0"), ("4.6.23", "4.7.0")})
        equal(
            "conditional",
            conditional,
            {
                ("4.6.23", "4.7.4"): ["AuthOAuthProxyLeakedConnections", "VSphereHW14CrossNodeNetworkingError", "VSphereNodeNameChanges"],
                ("4.7.0", "4.7.4"): ["VSphereNodeNameChanges"],
            },
        )
    with case("2: wildcards give application/json"):
        for accept in ("*/*", "application/*", "*"):
            answer = service.get(GRAPH, {"Accept": accept})
            equal(accept, (answer.status, answer.type), (200, JSON))
    with case("3, 4: the protocol's own type, asked for or by default"):
        for headers in ({"Accept": V1}, {}):
            answer = service.get(GRAPH, headers)
            equal(str(headers), (answer.status, answer.type), (200, V1))
    with case("5: a type that is not served"):
        for accept in ("app/anything-really", "text/html", "application/json;q=0", "nonsense"):
            problem(accept, service.get(GRAPH, {"Accept": accept}), 406, "invalid_content_type", "invalid Content-Type requested")
    with case("6 X: Accept is read as RFC 9110 says"):
        browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        for accept, wanted in {
            "application/json, text/*;q=0.2": JSON,
            "application/json; q=0.9": JSON,
            browser: JSON,
            f"application/json;q=0.1, {V1}": V1,
            f"{V1};q=0.5, application/json": JSON,
        }.items():
            answer = service.get(GRAPH, {"Accept": accept})
            equal(accept, (answer.status, answer.type), (200, wanted))


def parameters(service):
    with case("7: the channel is mandatory"):
        answer = service.get("/graph", {"Accept": JSON})
        problem("no channel", answer, 400, "missing_params", "mandatory client parameters missing: channel")
    with case("9, 10: channels that cannot be"):
        for channel in ("invalid:channel", "invalid_channel", "invalid=channel", "Stable-4.7", "", "a b", "ä"):
            answer = service.graph(channel)
            problem(channel, answer, 400, "invalid_params", f"channel '{channel}' does not match regex")
    with case("11: + is a blank"):
        problem("fast-4+7", service.get("/graph?channel=fast-4+7"), 400, "invalid_params", "channel 'fast-4 7'")
    with case("12: escapes are read"):
        equal("fast-4%2E7", service.get("/graph?channel=fast-4%2E7").body, service.get("/graph?channel=fast-4.7").body)
        check("and it is not empty", service.get("/graph?channel=fast-4%2E7").json()["nodes"])
        equal("the last one counts", service.get("/graph?channel=nope&channel=fast-4.7").body, service.get("/graph?channel=fast-4.7").body)
    with case("13: architectures that cannot be"):
        for arch in ("AMD64", "x86_64", ""):
            problem(arch, service.graph("stable-4.7", arch=arch), 400, "invalid_params", f"arch '{arch}' does not match regex")


def paths_and_methods(service):
    with case("18: /v1/graph is /graph"):
        equal("bodies", service.get("/v1/graph?channel=stable-4.7").body, service.get("/graph?channel=stable-4.7").body)
    with case("19: other paths do not exist"):
        for path in ("/nope", "/", "/graphs", "/graph/", "/v2/graph", "/livez", "/metrics"):
            equal(path, (service.get(path).status, service.get(path).body), (404, b""))
    with case("20: POST is not allowed; HEAD has the headers only (X)"):
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            answer = service.get(GRAPH, method=method)
            equal(method, (answer.status, answer.headers.get("Allow")), (405, "GET, HEAD"))
        get, head = service.get(GRAPH), service.get(GRAPH, method="HEAD")
        equal("HEAD", (head.status, head.body, head.type), (200, b"", get.type))
        for name in ("Content-Length", "ETag"):
            equal(f"HEAD {name}", head.headers.get(name), get.headers.get(name))
        equal("HEAD of an error", (service.get("/graph", method="HEAD").status, service.get("/graph", method="HEAD").body), (400, b""))


def browsers_and_caches(service):
    with case("21: any origin may read"):
        for target in (GRAPH, "/graph", "/nope"):
            answer = service.get(target, {"Origin": "example.com"})
            equal(f"{target}: origin", answer.headers.get("Access-Control-Allow-Origin"), "example.com")
        contains("Vary", service.get(GRAPH, {"Origin": "example.com"}).headers.get("Vary", ""), "Origin")
        preflight = service.get(GRAPH, {"Origin": "example.com", "Access-Control-Request-Method": "GET"}, method="OPTIONS")
        equal("preflight", (preflight.status, preflight.headers.get("Access-Control-Allow-Origin")), (200, "example.com"))
        contains("preflight methods", preflight.headers.get("Access-Control-Allow-Methods", ""), "GET")
    with case("22 X: gzip decodes to the same bytes"):
        wanted = service.get(GRAPH).body
        compressed = eventually(
            lambda: (a := service.get(GRAPH, {"Accept-Encoding": "gzip"})).headers.get("Content-Encoding") == "gzip" and a, "gzip"
        )
        equal("decoded", gzip.decompress(compressed.body), wanted)
        check("and it is smaller", len(compressed.body) < len(wanted), len(compressed.body))
        for refuses in ("identity", "gzip;q=0", "br"):
            answer = service.get(GRAPH, {"Accept-Encoding": refuses})
            equal(refuses, (answer.headers.get("Content-Encoding"), answer.body), (None, wanted))
        if shutil.which("zstd"):
            packed = service.get(GRAPH, {"Accept-Encoding": "zstd, gzip"})
            equal("zstd is preferred", packed.headers.get("Content-Encoding"), "zstd")
            equal("zstd decoded", subprocess.run(["zstd", "-dc"], input=packed.body, capture_output=True, check=True).stdout, wanted)
    with case("23 X: what a client has is not sent again"):
        tags = set()
        for headers in ({}, {"Accept": JSON}, {"Accept-Encoding": "gzip"}):
            answer = service.get(GRAPH, headers)
            tag = answer.headers["ETag"]
            tags.add(tag)
            for match in (tag, f'"other", {tag}', "*", f"W/{tag}"):
                again = service.get(GRAPH, {**headers, "If-None-Match": match})
                equal(f"{headers} {match}", (again.status, again.body, again.headers.get("ETag")), (304, b"", tag))
            equal("another tag", service.get(GRAPH, {**headers, "If-None-Match": '"other"'}).status, 200)
        check("forms that differ have tags that differ", len(tags) >= 2, tags)
        other = service.get("/graph?channel=fast-4.7").headers["ETag"]
        check("bodies that differ have tags that differ", other not in tags, other)


def oddities(service):
    with case("28 X: bytes that are no ASCII do no harm"):
        for header in (b"X-Odd: \xff\xfe\x80", b"User-Agent: M\xc3\xbcller", b"Origin: \xff", b"Accept: \xff/\xff"):
            with socket.create_connection(("127.0.0.1", service.port), timeout=60) as raw:
                raw.sendall(b"GET /graph?channel=stable-4.7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header + b"\r\n\r\n")
                status = raw.makefile("rb").readline()
            check(str(header), status.split(b" ")[1] in (b"200", b"400", b"406"), status)
        equal("it lives", service.get(GRAPH).status, 200)
    with case("30: the names of the reference's metrics, and errors by code and kind"):
        before = service.metrics()
        service.get(GRAPH, {"Accept": "app/anything-really"})
        after = service.metrics()
        name = "cincinnati_pe_graph_response_errors_total"
        labels = {"code": "406", "kind": "invalid_content_type"}
        equal("counted", metric(after, name, **labels), metric(before, name, **labels) + 1)
        for known in (
            "gb_graph_final_releases",
            "gb_graph_last_successful_refresh_timestamp",
            "gb_graph_upstream_raw_releases",
            "gb_graph_initial_upstream_scrape_duration",
            "gb_graph_upstream_errors_total",
            "gb_graph_upstream_scrapes_total",
            "gb_graph_upstream_scrapes_duration_count",
            "gb_build_info",
            "pe_graph_serve_duration_seconds_count",
            "pe_graph_incoming_requests_total",
            "pe_build_info",
        ):
            check(known, metric(after, "cincinnati_" + known) is not None, "it is not there")
        check("requests are counted", metric(after, "cincinnati_pe_graph_incoming_requests_total", uri_path="/graph") > 50, after)
        for le in ("0.005", "0.01", "0.025", "0.05", "0.075", "0.1", "0.25", "0.5", "0.75", "1", "5", "+Inf"):
            check(f"bucket {le}", metric(after, "cincinnati_pe_graph_serve_duration_seconds_bucket", le=le) is not None, "it is not there")
        equal("no series for paths that do not exist", metric(after, "cincinnati_pe_graph_incoming_requests_total", uri_path="/nope"), None)
    with case("health under the names of each of the reference's parts"):
        for path in ("/livez", "/liveness", "/readyz", "/readiness"):
            equal(path, (service.status(path).status, service.status(path).body), (200, b"ok\n"))
        equal("other paths", service.status("/graph").status, 404)
        contains("verbose", service.status().body.decode(), "[+]releases: 12 from ")


def tools(service):
    with case("channels, explain, path, diff"):
        channels = {c["name"]: c["releases"] for c in service.get("/channels").json()["channels"]}
        equal("stable-4.7", channels.get("stable-4.7"), {"amd64": 4, "s390x": 4})
        explained = service.get("/explain?" + query(**{"from": "4.6.23", "to": "4.7.3"})).json()
        contains("explain names the file", json.dumps(explained), "blocked-edges/4.7.3.yaml")
        way = service.get("/path?" + query(**{"from": "4.6.23", "to": "4.7.4", "fewest": "risks"})).json()
        contains("path goes through 4.7.0", json.dumps(way), "4.7.0")
        contains("diff of two channels", json.dumps(service.get("/diff?channel=fast-4.7&with=stable-4.7").json()), "4.7.3")
        problem("no from", service.get("/explain?to=4.7.3"), 400, "missing_params", "from")
        problem("an unknown channel", service.get("/diff?channel=fast-4.8&with=stable-4.7"), 404, "does_not_exist", "did you mean")
        equal("no revisions without Git", service.get("/revisions").json(), {"revisions": []})
        problem("as-of without Git", service.get("/as-of?revision=HEAD&channel=fast-4.7"), 400, "invalid_params", "Git")
        problem("html", service.get("/channels", {"Accept": "text/html"}), 406, "invalid_content_type", "invalid Content-Type")
    with case("graph data as an archive"):
        answer = service.get("/graph-data")
        equal("type", (answer.status, answer.type), (200, "application/gzip"))
        with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
            names = {member.name for member in archive if member.isfile()}
            equal("a file", archive.extractfile("channels/stable-4.7.yaml").read(), (EXAMPLE / "channels" / "stable-4.7.yaml").read_bytes())
        check("all of it", {"version", "raw/metadata.json", "blocked-edges/4.7.3.yaml"} <= names, names)
        strict = zlib.decompressobj(wbits=31)
        strict.decompress(answer.body)
        equal("one compressed stream and nothing after it", (strict.eof, strict.unused_data), (True, b""))
        again = service.get("/graph-data", {"If-None-Match": answer.headers["ETag"]})
        equal("what a client has is not sent again", (again.status, again.body), (304, b""))


def protocol():
    with Service("--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl") as service:
        service.wait_until_ready()
        media_types(service)
        parameters(service)
        any_data(service, "candidate-4.7", "on the example")
        paths_and_methods(service)
        browsers_and_caches(service)
        tools(service)
        oddities(service)


def settings_of_the_protocol():
    with case("8, 25: mandatory parameters, and the description of the API"):
        with Service(
            "--graph-data",
            EXAMPLE,
            "--releases",
            EXAMPLE / "releases.jsonl",
            "--mandatory-parameters",
            " foo, bar,,foo",
            "--path-prefix",
            "//api/upgrades_info//",
        ) as service:
            service.wait_until_ready()
            answer = service.get("/api/upgrades_info/graph?key=value")
            problem("foo and bar", answer, 400, "missing_params", "mandatory client parameters missing: bar, foo")
            check("key is not named", "key" not in answer.json()["value"], answer)
            equal("with both", service.get("/api/upgrades_info/graph?foo=&bar=1&channel=stable-4.7").status, 200)
            problem(
                "the channel is needed all the same", service.get("/api/upgrades_info/graph?foo=&bar=1"), 400, "missing_params", "channel"
            )
            document = service.get("/api/upgrades_info/openapi").json()
            equal("openapi", (document["openapi"], service.get("/api/upgrades_info/v1/openapi").json()), ("3.0.3", document))
            check(
                "every path has the prefix",
                all(path.startswith("/api/upgrades_info/") for path in document["paths"]),
                list(document["paths"]),
            )
            required = {p["name"] for p in document["paths"]["/api/upgrades_info/graph"]["get"]["parameters"] if p.get("required")}
            equal("required", required, {"foo", "bar"})
    with case("24: prefixes are put right; without one it is /graph (X)"):
        for prefix, path in {"//api/upgrades_info//": "/api/upgrades_info", "a/b": "/a/b", "/": "", "": ""}.items():
            with Service("--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl", "--path-prefix", prefix) as service:
                service.wait_until_ready()
                contains("it says where", service.said[0], f"{path}/graph")
                equal(f"{prefix!r}", service.get(f"{path}/graph?channel=stable-4.7").status, 200)
                if path:
                    equal(f"{prefix!r} only there", service.get("/graph?channel=stable-4.7").status, 404)


def before_the_first_graph(work):
    with case("26, 27 X: alive, not ready, and frank before the first graph"):
        data, releases = copy_example(work / "late")
        write(data / "version", "2.0.0\n")
        with Service("--graph-data", data, "--releases", releases) as service:
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            equal("live", service.status("/livez").status, 200)
            equal("not ready", service.status("/readyz").status, 503)
            problem("graph", service.graph(), 500, "failed_upstream_fetch", "failed to fetch upstream graph: ")
            contains("and it says why", service.graph().json()["value"], "2.0.0")
            problem("graph data", service.get("/graph-data"), 500, "file_open_err", "failed to open file: ")
            problem(
                "a wrong channel is the client's fault all the same",
                service.graph("invalid:channel"),
                400,
                "invalid_params",
                "channel 'invalid:channel'",
            )
            problem("a wrong type as well", service.get(GRAPH, {"Accept": "text/html"}), 406, "invalid_content_type", "")
            contains("verbose", service.status().body.decode(), "[-]graph: none has been built yet")
            write(data / "version", "1.1.0\n")
            service.wait_until_ready()
            equal("then it is there", service.graph().status, 200)


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        protocol()
        settings_of_the_protocol()
        before_the_first_graph(work)
    finish()


if __name__ == "__main__":
    main()
