#!/usr/bin/env python3
"""The update service on real graph data, for every channel and architecture: the conformance cases that can be asked of any data.
Exit code 77 means "not run": the data is not beside the project.
"""
import hashlib
import json
import pathlib
import re
import tempfile

from update_service import REAL, Service, any_data, ask, case, check, check_invariants, edges_of, equal, finish, not_run

KEPT = ("candidate-4.15", "candidate-4.20", "stable-4.2", "candidate-4.3", "prerelease-4.1", "stable-4.18")
ARCHES = ("amd64", "arm64", "ppc64le", "s390x", "multi")


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
                equal(
                    f"15: {channel} without an architecture, and 17: with more parameters",
                    service.graph(channel).body,
                    service.graph(channel, arch="amd64", id="8a5ab1ad", version="4.7.4", foo="bar").body,
                )
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
            check(
                "conditional ones",
                all(e["from"].rpartition("+")[2] == e["to"].rpartition("+")[2] for g in whole["conditionalEdges"] for e in g["edges"]),
                "one does",
            )
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
        patterns(
            graphs["candidate-4.20", "amd64"],
            "^4[.]19[.]([0-9]|1[0-7])[+].*$",
            must=lambda v: re.fullmatch(r"4[.]19[.]([0-9]|1[0-7])", v),
            seldom="4.19.17",
        )
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


def main():
    if not (REAL / "releases.jsonl").exists():
        not_run(f"there is no real data at {REAL}")
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        real_data(pathlib.Path(name))
    finish()


if __name__ == "__main__":
    main()
