#!/usr/bin/env python3
"""The update service in time: files that change, break and are mended; what each kind of block does; staleness; stops and reloads
under load.
"""
import gzip
import http.client
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

from update_service import (
    EXAMPLE,
    FAIRWAY,
    JSON,
    Service,
    ask,
    case,
    check,
    check_invariants,
    contains,
    copy_example,
    edges_of,
    equal,
    eventually,
    finish,
    new_risk,
    write,
)


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
            check(
                "the risk is there",
                all(r == ["SlowStorageDrivers"] for (_, to), r in edges_of(second.json())[1].items() if to == "4.7.5"),
                second,
            )
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
        "61: several risks are one group in the files' order": (
            {
                "4.7.5-B.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]0\n{always}".replace("X", "B"),
                "4.7.5-A.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]\n{always}".replace("X", "A"),
            },
            {"4.6.23"},
            {"4.7.0": ["A", "B"], "4.7.3": ["A"], "4.7.4": ["A"]},
        ),
        "65 X: a reason without rules is Always": (
            {"4.7.5-X.yaml": f"to: 4.7.5\nfrom: 4[.]7[.]0\n{reason}"},
            everyone - {"4.7.0"},
            {"4.7.0": ["X"]},
        ),
        "66 X: fixedIn does not switch a block off": ({"4.7.5.yaml": "to: 4.7.5\nfrom: .*\nfixedIn: 4.7.6\n"}, set(), {}),
        "a missing message blocks everyone": (
            {"4.7.5-X.yaml": "to: 4.7.5\nfrom: .*\nurl: https://example.com\nname: X\nmatchingRules:\n- type: Always\n"},
            set(),
            {},
        ),
        "67 X: unconditional wins": (
            {"4.7.5.yaml": "to: 4.7.5\nfrom: 4[.]7[.]0\n", "4.7.5-X.yaml": f"to: 4.7.5\nfrom: 4[.]7[.][03]\n{always}"},
            {"4.6.23", "4.7.4"},
            {"4.7.3": ["X"]},
        ),
        "68 X: two unconditional ones add up": (
            {"4.7.5-a.yaml": "to: 4.7.5\nfrom: 4[.]7[.]0\n", "4.7.5-b.yaml": "to: 4.7.5\nfrom: 4[.]7[.]3\n"},
            {"4.6.23", "4.7.4"},
            {},
        ),
        "69 X: to with another architecture": ({"4.7.5-X.yaml": f"to: 4.7.5+s390x\nfrom: .*\n{always}"}, everyone, {}),
        "78: clusters without a Prometheus are let through": (
            {"4.7.5.yaml": (EXAMPLE / "targeted/blocked-edges/4.7.5.yaml").read_text()},
            everyone,
            {},
        ),
    }
    into = lambda graph: (
        {a for a, b in edges_of(graph)[0] if b == "4.7.5"},
        {a: r for (a, b), r in edges_of(graph)[1].items() if b == "4.7.5"},
    )
    with Service("--graph-data", data, "--releases", releases) as service:
        service.wait_until_ready()
        for title, (files, plain, conditional) in table.items():
            with case(title):
                built = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                for name, text in files.items():
                    write(data / "blocked-edges" / name, text)
                # The last of several refreshes counts; where nothing changes for clients, any.
                eventually(
                    lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > built
                    and into(service.graph().json()) == (plain, conditional),
                    f"{plain} and {conditional}",
                    patience=20,
                )
                equal("it is understood", service.metric("fairway_update_service_refresh_failing"), 0)
                for name in files:
                    (data / "blocked-edges" / name).unlink()
                eventually(lambda: into(service.graph().json()) == (everyone, {}), "as before")
        for version, is_good in {"1.1.0": True, "  1.9.0 \n": True, "2.0.0": False, "abc": False}.items():
            with case(f"48: version {version.strip()}"):
                built = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                write(data / "version", version)
                eventually(
                    lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > built
                    and service.metric("fairway_update_service_refresh_failing") == (0 if is_good else 1),
                    "it is judged",
                )
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
    twice = twice[: twice.index("sha256:") + 7] + "f" * 64 + twice[twice.index('","architecture') :]
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
            check(
                "4.7.0 of the other architecture is there",
                "4.7.0" in {n["version"] for n in service.graph(arch="s390x").json()["nodes"]},
                "",
            )
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
        subprocess.run(
            [
                FAIRWAY,
                "graph",
                "generate",
                str(data),
                "--minors",
                "14",
                "--patches",
                "80",
                "--arch",
                "amd64",
                "--arch",
                "arm64",
                "--arch",
                "s390x",
            ],
            check=True,
            capture_output=True,
        )
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
        files_change(work)
        blocks(work)
        what_is_in_doubt(work)
        stale(work)
        hangup(work)
        graceful_stop(work)
        reloads_under_load(work)
    finish()


if __name__ == "__main__":
    main()
