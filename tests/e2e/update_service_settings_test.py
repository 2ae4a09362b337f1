#!/usr/bin/env python3
"""Settings of the update service, and its parts beside the graph: signatures, the builder's port, the mock.
"""
import hashlib
import pathlib
import socket
import tempfile

from update_service import (
    EMPTY,
    EXAMPLE,
    JSON,
    Service,
    V1,
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
    problem,
    refused,
    write,
)


def settings(work):
    example = ["--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl"]
    with case("--config: settings in a file; flags win"):
        config = work / "config.yaml"
        config.write_text(
            f"graph-data: {EXAMPLE}\nreleases: {EXAMPLE / 'releases.jsonl'}\nlisten: 127.0.0.1:0\nstatus-listen: 127.0.0.1:0\n"
            "path-prefix: /from-the-file\nmandatory-parameters: channel, arch\nthreads: 1\ndrop-removed: true\nstale-after: 2h\n"
        )
        with Service("--config", config, "--path-prefix", "/from-the-flag", listens=False) as service:
            service.wait_until_ready()
            equal("the flag wins", service.get("/from-the-flag/graph?channel=stable-4.7&arch=amd64").status, 200)
            equal("the file's is not there", service.get("/from-the-file/graph?channel=stable-4.7&arch=amd64").status, 404)
            problem("the file counts otherwise", service.get("/from-the-flag/graph?channel=stable-4.7"), 400, "missing_params", "arch")
    with case("wrong settings end with 2 and name file and key"):
        for text, parts in {
            "graph-dat: x\n": ["graph-dat", "did you mean graph-data?"],
            "stale-after: soon\n": ["stale-after", "soon"],
            "threads: 0\n": ["threads", "from 1 to"],
            "listen: nowhere\n": ["listen", "ADDRESS:PORT"],
            "graph-data: {a: b}\n": ["graph-data", "expected a text"],
            "- a\n": ["expected keys and values"],
            "conflicts: explode\n": ["conflicts", "exclude"],
            "a: [\n": [],
        }.items():
            config = work / "wrong.yaml"
            config.write_text(text)
            code, said = (
                refused("--config", config, *example, "--listen", "127.0.0.1:0")
                if "listen" not in text and "graph-data" not in text
                else refused("--config", config)
            )
            equal(f"{text!r}: code", code, 2)
            for part in [str(config), *parts]:
                contains(f"{text!r}: message", said, part)
        equal("no such file", refused("--config", work / "nowhere.yaml")[0], 2)
    with case("addresses: the same twice, and one that is taken"):
        for flags in (
            ["--listen", "127.0.0.1:8099", "--status-listen", "127.0.0.1:8099"],
            ["--listen", "127.0.0.1:8099", "--builder-listen", "127.0.0.1:8099"],
        ):
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
        for flags, part in (
            (["--graph-data", EXAMPLE], "--releases"),
            (["--mock", *example], "--mock"),
            ([*example, "--client-tokens", "x"], "--prometheus"),
            ([*example, "--path-prefix", "a b"], "--path-prefix"),
            ([*example, "--prometheus", "nonsense"], "--prometheus"),
            (["--graph-data", "oci:", "--releases", "x"], "--graph-data"),
            ([*example, "--stale-after", "-1s"], "--stale-after"),
        ):
            code, said = refused(*flags)
            equal(f"{flags}: code", code, 2)
            contains(f"{flags}: message", said, part)


def signatures(work):
    digest = hashlib.sha256(b"release").hexdigest()
    folder = work / "signatures"
    write(folder / "sha256" / digest / "signature-1", b"\x89\x02signed\x00")
    write(work / "secret", "nobody's business")
    with Service(
        "--graph-data", EXAMPLE, "--releases", EXAMPLE / "releases.jsonl", "--signatures", folder, "--path-prefix", "/api"
    ) as service:
        with case("82: signatures"):
            there = service.get(f"/api/signatures/sha256={digest}/signature-1")
            equal("bytes", (there.status, there.body), (200, b"\x89\x02signed\x00"))
            equal(
                "for browsers too",
                service.get(f"/api/signatures/sha256={digest}/signature-1", {"Origin": "a.example"}).headers.get(
                    "Access-Control-Allow-Origin"
                ),
                "a.example",
            )
            problem(
                "absent",
                service.get(f"/api/signatures/sha256={digest}/signature-2"),
                404,
                "does_not_exist",
                f"does not exist: signature sha256={digest}/signature-2",
            )
            for path in (
                f"md5={digest}/signature-1",
                "sha256=a=b/signature-1",
                "sha256=../signature-1",
                "sha256=../../secret",
                "sha256/signature-1",
                f"sha256={digest}/..",
                f"sha256={digest}/../../secret",
                f"sha256={digest}/%2e%2e",
                f"sha256={digest}/",
                f"sha256={digest}",
            ):
                problem(path, service.get(f"/api/signatures/{path}"), 400, "invalid_params", "invalid client parameters")
            equal("counted", service.metric("metadata_helper_signatures_incoming_requests_total", uri_path="/api/signatures") >= 13, True)


def mock():
    with case("--mock: a channel for each thing that a client must bear"):
        with Service("--mock-delay", "200ms", mock=True) as service:
            said = eventually(lambda: service.said, "it says where")
            contains("where", said[0], "/graph")
            for channel, plain, conditional in (
                ("simple", {("4.10.3", "4.10.4")}, {}),
                ("channel-head", set(), {}),
                ("slow", {("4.10.3", "4.10.4")}, {}),
                ("risks-always", set(), {("4.10.3", "4.10.4"): ["MockRisk"]}),
                ("risks-promql", set(), {("4.10.3", "4.10.4"): ["MockRisk"]}),
                ("risks-unknown", set(), {("4.10.3", "4.10.4"): ["MockRisk"]}),
            ):
                graph = service.graph(channel, version="4.10.3", arch="arm64").json()
                check_invariants(channel, graph)
                equal(channel, edges_of(graph), (plain, conditional))
            versions = [n["version"] for n in service.graph("version-not-found", version="4.10.3").json()["nodes"]]
            check("version-not-found", versions and "4.10.3" not in versions, versions)
            problem("error", service.graph("error"), 500, "failed_upstream_fetch", "failed to fetch upstream graph")
            equal("any other", service.graph("stable-4.10").body, EMPTY)
            rule = service.graph("risks-unknown").json()["conditionalEdges"][0]["risks"][0]["matchingRules"][0]
            equal("64 X: an unknown rule is passed on as it is", rule, {"type": "FromTheFuture", "fromTheFuture": {}})
            equal(
                "63: Always is only its type",
                service.graph("risks-always").json()["conditionalEdges"][0]["risks"][0]["matchingRules"],
                [{"type": "Always"}],
            )


def builder(work):
    with case("the builder's port: the whole graph, with what no channel has (31)"):
        data, releases = copy_example(work / "builder")
        with open(releases, "a") as out:
            out.write(
                '{"payload":"registry.example.com/release@sha256:'
                + "a" * 64
                + '","architecture":"amd64","release-metadata":{"kind":"cincinnati-metadata-v0","version":"4.7.6","previous":["0.0.0"],"metadata":{}}}\n'
            )
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


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        settings(work)
        signatures(work)
        mock()
        builder(work)
    finish()


if __name__ == "__main__":
    main()
