#!/usr/bin/env python3
"""The update service as its clients and its administrators see it.

Runs the conformance cases of the protocol (each named in the output) on the example tree, and those that can be asked of
any data on the real data when it is there. Then everything that happens to a service: files change, break and are
mended; sources of every kind; settings; signals; reloads under load.
"""
import gzip
import hashlib
import http.client
import io
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import threading
import zlib

from update_service import (EXAMPLE, FAIRWAY, JSON, REAL, V1, Service, ask, case, check, check_invariants, contains,
                            copy_example, edges_of, equal, eventually, finish, metric, query, refused, write)

EMPTY = b'{"version":1,"nodes":[],"edges":[],"conditionalEdges":[]}'
GRAPH = "/graph?channel=stable-4.7&arch=amd64"
KEPT = ("candidate-4.15", "candidate-4.20", "stable-4.2", "candidate-4.3", "prerelease-4.1", "stable-4.18")
ARCHES = ("amd64", "arm64", "ppc64le", "s390x", "multi")


def problem(name, answer, status, kind, text):
    equal(f"{name}: status", answer.status, status)
    equal(f"{name}: type", answer.type, JSON)
    found = answer.json() if answer.type == JSON else {}
    equal(f"{name}: keys", list(found), ["kind", "value"])
    equal(f"{name}: kind", found.get("kind"), kind)
    contains(f"{name}: value", found.get("value", ""), text)


# --- the protocol ------------------------------------------------------------------------------------------------

def media_types(service):
    with case("1: a graph as application/json"):
        answer = service.get(GRAPH, {"Accept": JSON})
        equal("status and type", (answer.status, answer.type), (200, JSON))
        check_invariants("invariants", answer.json())
        plain, conditional = edges_of(answer.json())
        equal("recommended", plain, {("4.6.22", "4.6.23"), ("4.6.22", "4.7.0"), ("4.6.23", "4.7.0")})
        equal("conditional", conditional, {
            ("4.6.23", "4.7.4"): ["AuthOAuthProxyLeakedConnections", "VSphereHW14CrossNodeNetworkingError", "VSphereNodeNameChanges"],
            ("4.7.0", "4.7.4"): ["VSphereNodeNameChanges"]})
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
        for accept, wanted in {"application/json, text/*;q=0.2": JSON, "application/json; q=0.9": JSON, browser: JSON,
                               f"application/json;q=0.1, {V1}": V1, f"{V1};q=0.5, application/json": JSON}.items():
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


def any_data(service, channel, title):
    """What holds for any data."""
    with case(f"14 {title}: an architecture that does not exist"):
        equal("arrgh64", (service.graph(channel, arch="arrgh64").status, service.graph(channel, arch="arrgh64").body), (200, EMPTY))
    with case(f"15 {title}: amd64 is the default"):
        found = service.graph(channel)
        equal("absent", found.body, service.graph(channel, arch="amd64").body)
        check("and it is not empty", found.json()["nodes"])
    with case(f"16 {title}: a channel that does not exist"):
        equal("does-not-exist", (service.graph("does-not-exist").status, service.graph("does-not-exist").body), (200, EMPTY))
    with case(f"17 {title}: other parameters change nothing"):
        wanted = service.graph(channel).body
        for more in ({"foo": "bar"}, {"id": "8a5ab1ad"}, {"version": "4.7.4"}, {"version": "nonsense", "id": ""}):
            equal(str(more), service.graph(channel, **more).body, wanted)
    with case(f"29 {title}: the same bytes each time"):
        equal("twice", service.graph(channel).body, service.graph(channel).body)
    with case(f"70 {title} X: half an architecture's name finds nothing"):
        for arch in ("64", "4", "amd"):
            equal(arch, service.graph(channel, arch=arch).body, EMPTY)


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
        compressed = eventually(lambda: (a := service.get(GRAPH, {"Accept-Encoding": "gzip"})).headers.get("Content-Encoding") == "gzip" and a, "gzip")
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
        for known in ("gb_graph_final_releases", "gb_graph_last_successful_refresh_timestamp", "gb_graph_upstream_raw_releases",
                      "gb_graph_initial_upstream_scrape_duration", "gb_graph_upstream_errors_total", "gb_graph_upstream_scrapes_total",
                      "gb_graph_upstream_scrapes_duration_count", "gb_build_info", "pe_graph_serve_duration_seconds_count",
                      "pe_graph_incoming_requests_total", "pe_build_info"):
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
        with Service("--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl", "--mandatory-parameters", " foo, bar,,foo",
                     "--path-prefix", "//api/upgrades_info//") as service:
            service.wait_until_ready()
            answer = service.get("/api/upgrades_info/graph?key=value")
            problem("foo and bar", answer, 400, "missing_params", "mandatory client parameters missing: bar, foo")
            check("key is not named", "key" not in answer.json()["value"], answer)
            equal("with both", service.get("/api/upgrades_info/graph?foo=&bar=1&channel=stable-4.7").status, 200)
            problem("the channel is needed all the same", service.get("/api/upgrades_info/graph?foo=&bar=1"), 400, "missing_params", "channel")
            document = service.get("/api/upgrades_info/openapi").json()
            equal("openapi", (document["openapi"], service.get("/api/upgrades_info/v1/openapi").json()), ("3.0.3", document))
            check("every path has the prefix", all(path.startswith("/api/upgrades_info/") for path in document["paths"]), list(document["paths"]))
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
            problem("a wrong channel is the client's fault all the same", service.graph("invalid:channel"), 400, "invalid_params", "channel 'invalid:channel'")
            problem("a wrong type as well", service.get(GRAPH, {"Accept": "text/html"}), 406, "invalid_content_type", "")
            contains("verbose", service.status().body.decode(), "[-]graph: none has been built yet")
            write(data / "version", "1.1.0\n")
            service.wait_until_ready()
            equal("then it is there", service.graph().status, 200)


# --- real data ---------------------------------------------------------------------------------------------------

def real_releases(to):
    """The real releases for every architecture; the data has them for one, so the others are the same ones again."""
    lines = [json.loads(line) for line in (REAL / "releases.jsonl").read_text().splitlines()]
    with open(to, "w") as out:
        for arch in ARCHES:
            for line in lines:
                digest = hashlib.sha256(f"{arch} {line['payload']}".encode()).hexdigest()
                out.write(json.dumps({**line, "architecture": arch, "payload": f"registry.example.com/release@sha256:{digest}"}) + "\n")


def from_regex(graph, to, risk=None):
    """Versions from which an update to this one is conditional, or conditional for this risk."""
    return {a for (a, b), risks in edges_of(graph)[1].items() if b == to and (risk is None or risk in risks)}


def real_data(work):
    if not (REAL / "releases.jsonl").exists():
        print("not run: the cases on real data; there is none at", REAL)
        return
    releases = work / "real.jsonl"
    real_releases(releases)
    with Service("--graph-data", REAL / "graph-data", "--releases", releases, "--builder-listen", "127.0.0.1:0") as service:
        service.wait_until_ready()
        any_data(service, "stable-4.18", "on real data")
        graphs = {}
        with case("62 on real data: every answer for every channel and architecture"):
            channels = [c["name"] for c in service.get("/channels").json()["channels"]]
            check("there are many channels", len(channels) >= 76, len(channels))
            # The same releases for each architecture give the same answers but for payloads, so all are checked and few are kept.
            for channel in channels:
                equal(f"15: {channel} without an architecture, and 17: with more parameters", service.graph(channel).body,
                      service.graph(channel, arch="amd64", id="8a5ab1ad", version="4.7.4", foo="bar").body)
                for arch in ARCHES:
                    graph = service.graph(channel, arch=arch).json()
                    check_invariants(f"{channel} {arch}", graph)
                    if channel in KEPT:
                        graphs[channel, arch] = graph
        with case("47 on real data: no edge crosses architectures"):
            whole = ask(service.builder_port, "/graph").json()
            arch_of = [node["version"].rpartition("+")[2] for node in whole["nodes"]]
            check("there are edges", len(whole["edges"]) > 100_000, len(whole["edges"]))
            check("plain ones", all(arch_of[a] == arch_of[b] for a, b in whole["edges"]), "one does")
            check("conditional ones", all(e["from"].rpartition("+")[2] == e["to"].rpartition("+")[2] for g in whole["conditionalEdges"] for e in g["edges"]), "one does")
        real_blocks(graphs)


def patterns(graph, pattern, must, seldom=None):
    """Each risk of this pattern holds for exactly the edges whose source it matches; the seldom one is among them somewhere."""
    plain, conditional = edges_of(graph)
    seen = set()
    for name in sorted((REAL / "graph-data" / "blocked-edges").glob("*.yaml")):
        text = "\n" + name.read_text()
        if f"\nfrom: {pattern}\n" not in text:
            continue
        to, risk = re.search(r"\nto: (\S+)", text)[1], re.search(r"\nname: (\S+)", text)[1]
        sources = {a for edges in (plain, conditional) for a, b in edges if b == to}
        found = from_regex(graph, to, risk)
        equal(name.name, found, {v for v in sources if must(v)})
        seen |= found
    check(f"{seldom} is matched", seldom is None or seldom in seen, seen)


def real_blocks(graphs):
    member = lambda channel, arch, version: any(node["version"] == version for node in graphs[channel, arch]["nodes"])
    into = lambda channel, arch, to: {a for edges in edges_of(graphs[channel, arch]) for a, b in edges if b == to}
    with case("53 on real data: 4.2.14+amd64 joins on amd64 only"):
        marked = re.findall(r"^- (\S+)[+]amd64$", (REAL / "graph-data" / "channels" / "stable-4.2.yaml").read_text(), re.MULTILINE)
        check("4.2.14 is such a version", "4.2.14" in marked, marked)
        for version in marked:
            equal(f"{version}", [member("stable-4.2", arch, version) for arch in ("amd64", "s390x", "ppc64le")], [True, False, False])
    with case("57 on real data: to 4.2.11-s390x is about s390x only"):
        check("it is there", member("stable-4.2", "s390x", "4.2.11-s390x"), "it is not")
        equal("s390x", into("stable-4.2", "s390x", "4.2.11-s390x"), set())
    with case("58 on real data: to 4.3.29+ppc64le is about ppc64le only"):
        equal("ppc64le", into("candidate-4.3", "ppc64le", "4.3.29"), set())
        check("amd64", member("candidate-4.3", "amd64", "4.3.29") and into("candidate-4.3", "amd64", "4.3.29"), "nothing leads there")
    with case("59 on real data: from is searched, so [3-8] also means 30"):
        patterns(graphs["candidate-4.15", "amd64"], "4[.]14[.][3-8]", must=lambda v: re.search(r"4[.]14[.][3-8]", v))
    with case("60 on real data: what is anchored matches from end to end"):
        patterns(graphs["candidate-4.20", "amd64"], "^4[.]19[.]([0-9]|1[0-7])[+].*$", must=lambda v: re.fullmatch(r"4[.]19[.]([0-9]|1[0-7])", v), seldom="4.19.17")
    with case("61 on real data: several risks on an edge are one group, in the order of the files"):
        files = {}
        for name in sorted((REAL / "graph-data" / "blocked-edges").glob("*.yaml")):
            text = "\n" + name.read_text()
            if "\nname: " in text:
                files.setdefault(text.split("\nto: ")[1].split()[0], []).append(text.split("\nname: ")[1].split()[0])
        groups = [g for graph in graphs.values() for g in graph["conditionalEdges"]]
        check("there are groups with several", any(len(g["risks"]) > 1 for g in groups), "none")
        for group in groups:
            names = [risk["name"] for risk in group["risks"]]
            order = files[group["edges"][0]["to"]]
            check("in order", names == [n for n in order if n in names], names)
    with case("74 on real data: raw metadata adds edges on every architecture"):
        for arch in ARCHES:
            plain, _ = edges_of(graphs["prerelease-4.1", arch])
            for source in ("4.1.0-rc.4", "4.1.0-rc.9"):
                check(f"{arch} {source}", (source, "4.1.0") in plain, plain)


# --- a service in time -------------------------------------------------------------------------------------------

def new_risk(name="SlowStorageDrivers"):
    return f"to: 4.7.5\nfrom: .*\nurl: https://example.com/{name}\nname: {name}\nmessage: It is slow.\nmatchingRules:\n- type: Always\n"


def files_change(work):
    data, releases = copy_example(work / "change")
    with Service("--graph-data", data, "--releases", releases) as service:
        service.wait_until_ready()
        first = service.graph()
        risk = data / "blocked-edges" / "4.7.5-SlowStorageDrivers.yaml"
        with case("a change of graph data is served"):
            write(risk, new_risk())
            eventually(lambda: service.graph().body != first.body, "the change is served")
            second = service.graph()
            check("the risk is there", all(r == ["SlowStorageDrivers"] for (_, to), r in edges_of(second.json())[1].items() if to == "4.7.5"), second)
            check("the tag changed", second.headers["ETag"] != first.headers["ETag"], second.headers["ETag"])
            equal("a client with the old tag gets it", service.graph(headers={"If-None-Match": first.headers["ETag"]}).status, 200)
            untouched = service.graph("stable-4.6").headers["ETag"]
        with case("71 X: a broken file keeps the last good graph, byte for byte"):
            for name, text in {"an expression": "to: 4.7.5\nfrom: '4[.'\n", "YAML": "to: [\n", "a version": "to: four\nfrom: .*\n"}.items():
                write(data / "blocked-edges" / "4.7.5-broken.yaml", text)
                eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, f"the refresh fails over {name}")
                equal(f"{name}: still", service.graph().body, second.body)
                verbose = service.status()
                equal(f"{name}: ready all the same", verbose.status, 200)
                contains(f"{name}: and it says which", verbose.body.decode(), "[-]refresh: ")
                contains(f"{name}: and where", verbose.body.decode(), "blocked-edges/4.7.5-broken.yaml")
                (data / "blocked-edges" / "4.7.5-broken.yaml").unlink()
                eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 0, "it recovers")
            check("counted", service.metric("cincinnati_gb_graph_upstream_errors_total") >= 3, service.metrics())
            check("mended", "[-]" not in service.status().body.decode(), service.status())
        with case("the tree may vanish for a while"):
            shutil.move(data, work / "away")
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            equal("still", service.graph().body, second.body)
            shutil.move(work / "away", data)
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 0, "it recovers")
        with case("releases change, and break"):
            text = releases.read_text()
            write(releases, "".join(line + "\n" for line in text.splitlines() if '"version":"4.7.5"' not in line))
            eventually(lambda: all(n["version"] != "4.7.5" for n in service.graph().json()["nodes"]), "4.7.5 is gone")
            write(releases, "{nonsense\n")
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            contains("the file is named", service.status().body.decode(), "releases.jsonl")
            write(releases, text)
            eventually(lambda: service.graph().body == second.body, "all as before")
        with case("what a change does not touch keeps its tag"):
            equal("stable-4.6", service.graph("stable-4.6").headers["ETag"], untouched)
        with case("a bad graph is not worse than none: the change is taken back"):
            risk.unlink()
            eventually(lambda: service.graph().body == first.body, "as in the beginning")


def blocks(work):
    """What each kind of block does to the updates to 4.7.5, on amd64: recommended sources, and conditional ones with risks."""
    data, releases = copy_example(work / "blocks")
    reason = "url: https://example.com/x\nname: X\nmessage: Something.\n"
    always = reason + "matchingRules:\n- type: Always\n"
    everyone = {"4.6.23", "4.7.0", "4.7.3", "4.7.4"}
    table = {
        "56: to and from block everyone": ({"4.7.5.yaml": "to: 4.7.5\nfrom: .*\n"}, set(), {}),
        "55 X: .yml counts": ({"4.7.5.yml": "to: 4.7.5\nfrom: .*\n"}, set(), {}),
        "59: from is searched": ({"4.7.5.yaml": "to: 4.7.5\nfrom: 4[.]6[.]2\n"}, everyone - {"4.6.23"}, {}),
        "59: with the architecture": ({"4.7.5.yaml": "to: 4.7.5\nfrom: 7[.]4[+]amd64\n"}, everyone - {"4.7.4"}, {}),
        "60: an anchored from is exact": ({"4.7.5.yaml": "to: 4.7.5\nfrom: ^4[.]7[.][03][+].*$\n"}, {"4.6.23", "4.7.4"}, {}),
        "61: several risks are one group in the files' order": ({"4.7.5-B.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]0\n{always}".replace("X", "B"), "4.7.5-A.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]\n{always}".replace("X", "A")},
                                                        {"4.6.23"}, {"4.7.0": ["A", "B"], "4.7.3": ["A"], "4.7.4": ["A"]}),
        "65 X: a reason without rules is Always": ({"4.7.5-X.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]0\n{reason}"}, everyone - {"4.7.0"}, {"4.7.0": ["X"]}),
        "66 X: fixedIn does not switch a block off": ({"4.7.5.yaml": "to: 4.7.5\nfrom: .*\nfixedIn: 4.7.6\n"}, set(), {}),
        "a missing message blocks everyone": ({"4.7.5-X.yaml": "to: 4.7.5\nfrom: .*\nurl: https://example.com\nname: X\nmatchingRules:\n- type: Always\n"}, set(), {}),
        "67 X: unconditional wins": ({"4.7.5.yaml": "to: 4.7.5\nfrom: 4[.]7[.]0\n", "4.7.5-X.yaml": f"to: 4.7.5\nfrom: 4[.]7[.][03]\n{always}"}, {"4.6.23", "4.7.4"}, {"4.7.3": ["X"]}),
        "68 X: two unconditional ones add up": ({"4.7.5-a.yaml": "to: 4.7.5\nfrom: 4[.]7[.]0\n", "4.7.5-b.yaml": "to: 4.7.5\nfrom: 4[.]7[.]3\n"}, {"4.6.23", "4.7.4"}, {}),
        "69 X: to with another architecture": ({"4.7.5-X.yaml": f"to: 4.7.5+s390x\nfrom: .*\n{always}"}, everyone, {}),
        "78: clusters without a Prometheus are let through": ({"4.7.5.yaml": (EXAMPLE / "targeted/blocked-edges/4.7.5.yaml").read_text()}, everyone, {}),
    }
    into = lambda graph: ({a for a, b in edges_of(graph)[0] if b == "4.7.5"}, {a: r for (a, b), r in edges_of(graph)[1].items() if b == "4.7.5"})
    with Service("--graph-data", data, "--releases", releases) as service:
        service.wait_until_ready()
        for title, (files, plain, conditional) in table.items():
            with case(title):
                built = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                for name, text in files.items():
                    write(data / "blocked-edges" / name, text)
                # The last of several refreshes counts; where nothing changes for clients, any.
                eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > built and into(service.graph().json()) == (plain, conditional), f"{plain} and {conditional}", patience=20)
                equal("it is understood", service.metric("fairway_update_service_refresh_failing"), 0)
                for name in files:
                    (data / "blocked-edges" / name).unlink()
                eventually(lambda: into(service.graph().json()) == (everyone, {}), "as before")
        for version, is_good in {"1.1.0": True, "  1.9.0 \n": True, "2.0.0": False, "abc": False}.items():
            with case(f"48: version {version.strip()}"):
                built = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                write(data / "version", version)
                eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > built and service.metric("fairway_update_service_refresh_failing") == (0 if is_good else 1), "it is judged")
                equal("served on", into(service.graph().json()), (everyone, {}))
        with case("54 X: a channel without a dash"):
            write(data / "version", "1.1.0\n")
            write(data / "channels" / "lone.yaml", "name: lone\nversions:\n- 4.7.4\n- 4.7.5\n")
            eventually(lambda: len(service.graph("lone").json()["nodes"]) == 2, "it is served")
            listed = service.graph("lone").json()["nodes"][0]["metadata"]["io.openshift.upgrades.graph.release.channels"]
            check("52: and is sorted in", "lone" in listed.split(","), listed)


def what_is_in_doubt(work):
    data, releases = copy_example(work / "doubt")
    lines = releases.read_text().splitlines()
    twice = next(line for line in lines if '"version":"4.7.0"' in line and '"amd64"' in line).replace("sha256:", "sha256:" + "0" * 8)
    twice = twice[:twice.index("sha256:") + 7] + "f" * 64 + twice[twice.index('","architecture'):]
    write(releases, "\n".join([*lines, twice]) + "\n")
    with case("32, 33, 35 X: what is said twice counts once; an update that closes a cycle is left out"):
        again, _ = copy_example(work / "twice")
        more = [json.loads(line) for line in lines]
        more += [line for line in more if line["release-metadata"]["version"] == "4.7.0"]
        for line in more:
            if line["release-metadata"]["version"] == "4.6.23":
                line["release-metadata"].update({"previous": ["4.6.22", "4.6.22"], "next": ["4.7.0", "4.7.0"]})
            if line["release-metadata"]["version"] == "4.6.22":
                line["release-metadata"]["previous"] = ["4.6.23"]
        write(work / "twice" / "releases.jsonl", "".join(json.dumps(line) + "\n" for line in more))
        with Service("--graph-data", again, "--releases", work / "twice" / "releases.jsonl") as service:
            graph = service.wait_until_ready().graph().json()
            check_invariants("graph", graph)
            equal("4.7.0 is there once", [n["version"] for n in graph["nodes"]].count("4.7.0"), 1)
            plain, _ = edges_of(graph)
            check("4.6.22 to 4.6.23, and not back", ("4.6.22", "4.6.23") in plain and ("4.6.23", "4.6.22") not in plain, plain)
            check("reported", service.metric("fairway_update_service_build_alerts") >= 1, service.metrics())
            contains("and named", service.status().body.decode(), "4.6.22")
    with case("--drop-removed: releases that say so are left out"):
        again, _ = copy_example(work / "removed")
        more = [json.loads(line) for line in lines]
        for line in more:
            if line["release-metadata"]["version"] == "4.7.0":
                line["release-metadata"]["metadata"]["io.openshift.upgrades.graph.release.remove"] = "true"
        write(work / "removed" / "releases.jsonl", "".join(json.dumps(line) + "\n" for line in more))
        for flags, is_there in (([], True), (["--drop-removed"], False)):
            with Service("--graph-data", again, "--releases", work / "removed" / "releases.jsonl", *flags) as service:
                versions = [n["version"] for n in service.wait_until_ready().graph().json()["nodes"]]
                equal(f"{flags}", ("4.7.0" in versions, "4.7.4" in versions), (is_there, True))
    with case("34 X: one version with two digests is left out, and reported"):
        with Service("--graph-data", data, "--releases", releases) as service:
            service.wait_until_ready()
            versions = {node["version"] for node in service.graph().json()["nodes"]}
            check("4.7.0 is left out, the others are there", "4.7.0" not in versions and {"4.6.23", "4.7.4"} <= versions, versions)
            check("4.7.0 of the other architecture is there", "4.7.0" in {n["version"] for n in service.graph(arch="s390x").json()["nodes"]}, "")
            check("reported", service.metric("fairway_update_service_build_alerts") >= 1, service.metrics())
            contains("and named", service.status().body.decode(), "[!]left out: ")
        with Service("--graph-data", data, "--releases", releases, "--conflicts", "refuse") as service:
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "--conflicts refuse refuses")
            equal("not ready", service.status("/readyz").status, 503)


def stale(work):
    with case("a graph that is too old is not ready, and is served on"):
        data, releases = copy_example(work / "stale")
        with Service("--graph-data", data, "--releases", releases, "--stale-after", "1s", "--refresh-interval", "1h") as service:
            service.wait_until_ready()
            answer = eventually(lambda: (a := service.status("/readyz")).status == 503 and a, "not ready any more")
            contains("it says so", answer.body.decode(), "[-]graph: checked ")
            equal("alive", service.status("/livez").status, 200)
            equal("served on", service.graph().status, 200)
            service.reload()
            eventually(lambda: service.status("/readyz").status == 200, "ready after SIGHUP")


def hangup(work):
    with case("SIGHUP reads everything again"):
        data, releases = copy_example(work / "hangup")
        with Service("--graph-data", data, "--releases", releases, "--refresh-interval", "1h") as service:
            service.wait_until_ready()
            before = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
            body = service.graph().body
            service.reload()
            eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > before, "another refresh")
            equal("nothing else", service.graph().body, body)


def pack(tree, to, top=""):
    with tarfile.open(to.with_suffix(".tmp"), "w:gz") as archive:
        for part in ("version", "raw", "channels", "blocked-edges"):
            archive.add(tree / part, arcname=top + part)
    to.with_suffix(".tmp").rename(to)


def archives(work):
    with case("graph data from an archive, with and without a folder in it"):
        data, releases = copy_example(work / "archive")
        packed = work / "archive" / "data.tar.gz"
        pack(data, packed)
        with Service("--graph-data", EXAMPLE, "--releases", releases) as service:
            wanted = service.wait_until_ready().graph().body
        with Service("--graph-data", packed, "--releases", releases) as service:
            service.wait_until_ready()
            equal("the same", service.graph().body, wanted)
            write(data / "blocked-edges" / "4.7.5-SlowStorageDrivers.yaml", new_risk())
            pack(data, packed, "cincinnati-graph-data-4f2c9a1/")
            eventually(lambda: "SlowStorageDrivers" in service.graph().body.decode(), "the new archive is served")
            changed = service.graph().body
            write(packed, packed.read_bytes()[:200])
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "half an archive is refused")
            equal("still", service.graph().body, changed)


def other_shapes(work):
    data, releases = copy_example(work / "shapes")
    with Service("--graph-data", data, "--releases", releases) as service:
        wanted = service.wait_until_ready().graph().body
    with case("releases from a folder, graph data from a plain archive and one with zstd"):
        for i, line in enumerate(releases.read_text().splitlines()):
            write(work / "shapes" / "releases" / f"{i % 3}" / f"{i}.json", line)
        with tarfile.open(work / "shapes" / "data.tar", "w") as archive:
            archive.add(data, arcname=".")
        packed = [work / "shapes" / "data.tar"]
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", packed[0]], check=True)
            packed.append(work / "shapes" / "data.tar.zst")
        for source in packed:
            with Service("--graph-data", source, "--releases", work / "shapes" / "releases") as service:
                equal(source.name, service.wait_until_ready().graph().body, wanted)
    with case("as a ConfigMap is mounted: links to a folder that is exchanged as a whole"):
        mount = work / "shapes" / "mount"
        mount.mkdir()
        shutil.copytree(data, mount / "..2024_1")
        (mount / "..data").symlink_to("..2024_1")
        for part in ("version", "raw", "channels", "blocked-edges"):
            (mount / part).symlink_to(f"..data/{part}")
        with Service("--graph-data", mount, "--releases", releases, "--refresh-interval", "1h") as service:
            equal("served", service.wait_until_ready().graph().body, wanted)
            shutil.copytree(data, mount / "..2024_2")
            write(mount / "..2024_2" / "blocked-edges" / "4.7.5-SlowStorageDrivers.yaml", new_risk())
            (mount / "..fresh").symlink_to("..2024_2")
            (mount / "..fresh").rename(mount / "..data")
            eventually(lambda: "SlowStorageDrivers" in service.graph().body.decode(), "the exchanged folder is served")
    with case("a link to the tree is turned"):
        link = work / "shapes" / "current"
        link.symlink_to("mount/..2024_2")
        with Service("--graph-data", link, "--releases", releases, "--refresh-interval", "1h") as service:
            check("the one", "SlowStorageDrivers" in service.wait_until_ready().graph().body.decode(), service.graph())
            link.with_name("fresh").symlink_to("graph-data")
            link.with_name("fresh").rename(link)
            eventually(lambda: service.graph().body == wanted, "the other")
    if not has_ipv6():
        print("not run: IPv6; this machine has none")
        return
    with case("IPv6"):
        with Service("--graph-data", data, "--releases", releases, "--listen", "[::1]:0", "--status-listen", "127.0.0.1:0", listens=False) as service:
            service.wait_until_ready()
            contains("it says where", service.said[0], "http://[::1]:")
            connection = http.client.HTTPConnection("::1", service.port, timeout=60)
            connection.request("GET", "/graph?channel=candidate-4.7", headers={"Accept": JSON})
            equal("served", connection.getresponse().read(), wanted)
            connection.close()


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
            return True
    except OSError:
        return False


def git(folder, *arguments, date="2024-05-01T12:00:00Z"):
    environment = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
                   "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments],
                          env=environment, check=True, capture_output=True, text=True).stdout.strip()


def git_source(work):
    data, releases = copy_example(work / "git")
    git(data, "init", "-q", "-b", "main")
    git(data, "add", ".")
    git(data, "commit", "-q", "-m", "one")
    first_commit = git(data, "rev-parse", "HEAD")
    with Service("--graph-data", f"git:{data}", "--releases", releases) as service:
        service.wait_until_ready()
        first = service.graph().body
        with case("graph data from Git: a commit is served, a changed file is not"):
            contains("the revision is named", service.status().body.decode(), first_commit[:12])
            write(data / "blocked-edges" / "4.7.5-SlowStorageDrivers.yaml", new_risk())
            scrapes = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
            service.reload()
            eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > scrapes, "a refresh")
            equal("the file alone changes nothing", service.graph().body, first)
            git(data, "add", ".")
            git(data, "commit", "-q", "-m", "two", date="2024-06-01T12:00:00Z")
            eventually(lambda: service.graph().body != first, "the commit is served")
        with case("as-of: the graph of a revision or a date"):
            for revision in (first_commit, first_commit[:8], "HEAD~1", "2024-05-01", "2024-05-15T00:00:00Z"):
                equal(revision, service.get("/as-of?" + query(revision=revision, channel="candidate-4.7")).body, first)
            equal("HEAD", service.get("/as-of?revision=HEAD&channel=candidate-4.7").body, service.graph().body)
            problem("before everything", service.get("/as-of?revision=2001-01-01&channel=candidate-4.7"), 404, "does_not_exist", "2001-01-01")
            problem("unknown", service.get("/as-of?revision=nope&channel=candidate-4.7"), 404, "does_not_exist", "nope")
            problem("no revision", service.get("/as-of?channel=candidate-4.7"), 400, "missing_params", "revision")
            for evil in ("--output=/tmp/x", "-h", "HEAD;ls", "a b", "$(ls)"):
                answer = service.get("/as-of?" + query(revision=evil, channel="candidate-4.7"))
                check(evil, answer.status in (400, 404), answer)
        with case("diff since a revision or a date"):
            for since in (first_commit, "2024-05-15"):
                answer = service.get("/diff?" + query(since=since, channel="candidate-4.7"))
                equal(f"{since}: status", answer.status, 200)
                contains(f"{since}: the risk", answer.body.decode(), "SlowStorageDrivers")
            nothing = service.get("/diff?since=HEAD&channel=candidate-4.7").body.decode()
            check("nothing since HEAD", "SlowStorageDrivers" not in nothing, nothing)
    with case("git:DIR@REV stays at its revision"):
        with Service("--graph-data", f"git:{data}@{first_commit}", "--releases", releases) as service:
            equal("the first one", service.wait_until_ready().graph().body, first)
        code, said = refused("--graph-data", f"git:{data}@", "--releases", releases, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0")
        equal("no revision at all", code, 2)
        contains("no revision: what was expected", said, "git:FOLDER@REVISION")


def settings(work):
    example = ["--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl"]
    with case("--config: settings in a file; flags win"):
        config = work / "config.yaml"
        config.write_text(f"graph-data: {EXAMPLE}\nreleases: {EXAMPLE / 'releases.jsonl'}\nlisten: 127.0.0.1:0\nstatus-listen: 127.0.0.1:0\n"
                          "path-prefix: /from-the-file\nmandatory-parameters: channel, arch\nthreads: 1\ndrop-removed: true\nstale-after: 2h\n")
        with Service("--config", config, "--path-prefix", "/from-the-flag", listens=False) as service:
            service.wait_until_ready()
            equal("the flag wins", service.get("/from-the-flag/graph?channel=stable-4.7&arch=amd64").status, 200)
            equal("the file's is not there", service.get("/from-the-file/graph?channel=stable-4.7&arch=amd64").status, 404)
            problem("the file counts otherwise", service.get("/from-the-flag/graph?channel=stable-4.7"), 400, "missing_params", "arch")
    with case("wrong settings end with 2 and name file and key"):
        for text, parts in {"graph-dat: x\n": ["graph-dat", "did you mean graph-data?"], "stale-after: soon\n": ["stale-after", "soon"],
                            "threads: 0\n": ["threads", "from 1 to"], "listen: nowhere\n": ["listen", "ADDRESS:PORT"],
                            "graph-data: {a: b}\n": ["graph-data", "expected a text"], "- a\n": ["expected keys and values"],
                            "conflicts: explode\n": ["conflicts", "exclude"], "a: [\n": []}.items():
            config = work / "wrong.yaml"
            config.write_text(text)
            code, said = refused("--config", config, *example, "--listen", "127.0.0.1:0") if "listen" not in text and "graph-data" not in text else refused("--config", config)
            equal(f"{text!r}: code", code, 2)
            for part in [str(config), *parts]:
                contains(f"{text!r}: message", said, part)
        equal("no such file", refused("--config", work / "nowhere.yaml")[0], 2)
    with case("addresses: the same twice, and one that is taken"):
        for flags in (["--listen", "127.0.0.1:8099", "--status-listen", "127.0.0.1:8099"],
                      ["--listen", "127.0.0.1:8099", "--builder-listen", "127.0.0.1:8099"]):
            code, said = refused(*example, *flags)
            equal("twice: code", code, 2)
            contains("twice: message", said, "127.0.0.1:8099")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            for threads in ("1", "4"):
                code, said = refused(*example, "--listen", address, "--status-listen", "127.0.0.1:0", "--threads", threads)
                equal("taken: code", code, 1)
                contains("taken: message", said, str(taken.getsockname()[1]))
    with case("a folder for the state that cannot be made ends with 1 and is named"):
        (work / "file").write_text("")
        code, said = refused(*example, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0", "--state", work / "file" / "state")
        equal("code", code, 1)
        contains("message", said, str(work / "file" / "state"))
    with case("what is missing or makes no sense ends with 2"):
        for flags, part in ((["--graph-data", EXAMPLE], "--releases"), (["--mock", *example], "--mock"),
                            ([*example, "--client-tokens", "x"], "--prometheus"), ([*example, "--path-prefix", "a b"], "--path-prefix"),
                            ([*example, "--prometheus", "nonsense"], "--prometheus"), (["--graph-data", "oci:", "--releases", "x"], "--graph-data"),
                            ([*example, "--stale-after", "-1s"], "--stale-after")):
            code, said = refused(*flags)
            equal(f"{flags}: code", code, 2)
            contains(f"{flags}: message", said, part)


def slow_reader(port, target, started, results):
    """Reads the headers and a little, and the rest only when it is told to."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(120)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nAccept: {JSON}\r\n\r\n".encode())
    response = http.client.HTTPResponse(connection)
    response.begin()
    first = response.read(1000)
    started.set()
    results["go"].wait()
    results["body"] = first + response.read()
    connection.close()


def graceful_stop(work):
    with case("SIGTERM lets a download finish, then the service ends with 0"):
        data = work / "large"
        subprocess.run([FAIRWAY, "graph", "generate", str(data), "--minors", "14", "--patches", "80",
                        "--arch", "amd64", "--arch", "arm64", "--arch", "s390x"],
                       check=True, capture_output=True)
        service = Service("--graph-data", data, "--releases", data / "releases.jsonl", "--builder-listen", "127.0.0.1:0")
        service.wait_until_ready()
        wanted = ask(service.builder_port, "/graph").body
        started, results = threading.Event(), {"go": threading.Event()}
        reader = threading.Thread(target=slow_reader, args=(service.builder_port, "/graph", started, results))
        reader.start()
        started.wait(60)
        service.process.send_signal(signal.SIGTERM)
        eventually(lambda: refuses_connections(service.port), "new clients are not accepted")
        results["go"].set()
        reader.join(120)
        check("the download was larger than the sockets' buffers", len(wanted) > 4_000_000, len(wanted))
        check("all of it came", results.get("body") == wanted, len(results.get("body", b"")))
        service.stop(with_signal=None)
    with case("SIGTERM before the first graph, and SIGINT, end with 0 too"):
        for number in (signal.SIGTERM, signal.SIGINT):
            service = Service("--graph-data", "/nonexistent", "--releases", EXAMPLE / "releases.jsonl")
            service.stop(with_signal=number)


def refuses_connections(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            return False
    except ConnectionRefusedError:
        return True


def signatures(work):
    digest = hashlib.sha256(b"release").hexdigest()
    folder = work / "signatures"
    write(folder / "sha256" / digest / "signature-1", b"\x89\x02signed\x00")
    write(work / "secret", "nobody's business")
    with Service("--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl", "--signatures", folder, "--path-prefix", "/api") as service:
        with case("82: signatures"):
            there = service.get(f"/api/signatures/sha256={digest}/signature-1")
            equal("bytes", (there.status, there.body), (200, b"\x89\x02signed\x00"))
            equal("for browsers too", service.get(f"/api/signatures/sha256={digest}/signature-1", {"Origin": "a.example"}).headers.get("Access-Control-Allow-Origin"), "a.example")
            problem("absent", service.get(f"/api/signatures/sha256={digest}/signature-2"), 404, "does_not_exist", f"does not exist: signature sha256={digest}/signature-2")
            for path in (f"md5={digest}/signature-1", "sha256=a=b/signature-1", "sha256=../signature-1", "sha256=../../secret", "sha256/signature-1",
                         f"sha256={digest}/..", f"sha256={digest}/../../secret", f"sha256={digest}/%2e%2e", f"sha256={digest}/", f"sha256={digest}"):
                problem(path, service.get(f"/api/signatures/{path}"), 400, "invalid_params", "invalid client parameters")
            equal("counted", service.metric("metadata_helper_signatures_incoming_requests_total", uri_path="/api/signatures") >= 13, True)


def mock():
    with case("--mock: a channel for each thing that a client must bear"):
        with Service("--mock-delay", "200ms", mock=True) as service:
            said = eventually(lambda: service.said, "it says where")
            contains("where", said[0], "/graph")
            for channel, plain, conditional in (("simple", {("4.10.3", "4.10.4")}, {}), ("channel-head", set(), {}), ("slow", {("4.10.3", "4.10.4")}, {}),
                                                ("risks-always", set(), {("4.10.3", "4.10.4"): ["MockRisk"]}), ("risks-promql", set(), {("4.10.3", "4.10.4"): ["MockRisk"]}),
                                                ("risks-unknown", set(), {("4.10.3", "4.10.4"): ["MockRisk"]})):
                graph = service.graph(channel, version="4.10.3", arch="arm64").json()
                check_invariants(channel, graph)
                equal(channel, edges_of(graph), (plain, conditional))
            versions = [n["version"] for n in service.graph("version-not-found", version="4.10.3").json()["nodes"]]
            check("version-not-found", versions and "4.10.3" not in versions, versions)
            problem("error", service.graph("error"), 500, "failed_upstream_fetch", "failed to fetch upstream graph")
            equal("any other", service.graph("stable-4.10").body, EMPTY)
            rule = service.graph("risks-unknown").json()["conditionalEdges"][0]["risks"][0]["matchingRules"][0]
            equal("64 X: an unknown rule is passed on as it is", rule, {"type": "FromTheFuture", "fromTheFuture": {}})
            equal("63: Always is only its type", service.graph("risks-always").json()["conditionalEdges"][0]["risks"][0]["matchingRules"], [{"type": "Always"}])


def builder(work):
    with case("the builder's port: the whole graph, with what no channel has (31)"):
        data, releases = copy_example(work / "builder")
        with open(releases, "a") as out:
            out.write('{"payload":"registry.example.com/release@sha256:' + "a" * 64 + '","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0","version":"4.7.6","previous":["0.0.0"],"metadata":{}}}\n')
        write(data / "channels" / "candidate-4.7.yaml", (data / "channels" / "candidate-4.7.yaml").read_text() + "- 4.7.6\n")
        with Service("--graph-data", data, "--releases", releases, "--builder-listen", "127.0.0.1:0") as service:
            service.wait_until_ready()
            answer = ask(service.builder_port, "/graph")
            equal("type", (answer.status, answer.type), (200, JSON))
            whole = answer.json()
            equal("no version", list(whole), ["nodes", "edges", "conditionalEdges"])
            abstract = [n for n in whole["nodes"] if "payload" not in n or not n["payload"]]
            equal("31: abstract in the builder's view", [n["version"] for n in abstract], ["0.0.0+amd64"])
            check("31: absent in a client's", "0.0.0" not in service.graph().body.decode(), "")
            check("with architectures", {"4.7.0+amd64", "4.7.0+s390x"} <= {n["version"] for n in whole["nodes"]}, whole["nodes"])
            equal("v1", ask(service.builder_port, "/v1/graph").body, answer.body)
            equal("graph data", ask(service.builder_port, "/graph-data").body, service.get("/graph-data").body)
            equal("nothing else", ask(service.builder_port, "/openapi").status, 404)
            problem("its own type only", ask(service.builder_port, "/graph", {"Accept": V1}), 406, "invalid_content_type", "")


def reloads_under_load(work):
    with case("84: reloads under load: each answer is one of the known ones, whole, and none fails"):
        data, releases = copy_example(work / "load")
        risk = data / "blocked-edges" / "4.7.5-SlowStorageDrivers.yaml"
        with Service("--graph-data", data, "--releases", releases) as service:
            service.wait_until_ready()
            known = {service.graph().body}
            texts = [new_risk(f"Risk{i}") for i in range(4)]
            for text in texts:
                before = service.graph().body
                write(risk, text)
                eventually(lambda: service.graph().body != before, "a change")
                known.add(service.graph().body)
            equal("known bodies", len(known), 5)
            stop, problems, served, seen = threading.Event(), [], [0] * 8, set()
            clients = [threading.Thread(target=load_client, args=(service.port, known, stop, problems, served, seen, i)) for i in range(8)]
            for client in clients:
                client.start()
            scrapes = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
            for text in texts * 4:
                write(risk, text)
                was = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > was, "a reload")
            stop.set()
            for client in clients:
                client.join(60)
            check("no answer was wrong", not problems, problems[:3])
            check("there were reloads", service.metric("cincinnati_gb_graph_upstream_scrapes_total") - scrapes >= 16, "")
            check("every client was served", all(n > 10 for n in served), served)
            check("several graphs were seen", len(seen) >= 3, len(seen))
            print(f"       {sum(served)} answers, {len(seen)} different ones")


def load_client(port, known, stop, problems, served, seen, place):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Accept": JSON, "Accept-Encoding": "gzip"} if place % 2 else {"Accept": JSON}
    try:
        while not stop.is_set():
            connection.request("GET", "/graph?channel=candidate-4.7", headers=headers)
            response = connection.getresponse()
            body = response.read()
            if response.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if response.status != 200 or body not in known:
                problems.append((response.status, body[:300]))
            seen.add(body)
            served[place] += 1
    except Exception as error:  # noqa: BLE001 - a connection that breaks is what this looks for
        problems.append(repr(error))


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        protocol()
        settings_of_the_protocol()
        before_the_first_graph(work)
        files_change(work)
        blocks(work)
        what_is_in_doubt(work)
        stale(work)
        hangup(work)
        archives(work)
        other_shapes(work)
        git_source(work)
        settings(work)
        graceful_stop(work)
        signatures(work)
        mock()
        builder(work)
        reloads_under_load(work)
        real_data(work)
    finish()


if __name__ == "__main__":
    main()
