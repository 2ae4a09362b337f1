#!/usr/bin/env python3
"""The update service with releases and graph data from a registry: Debian's docker-registry, filled by skopeo.

Images of both families, indexes, layers with good and bad metadata; TLS, passwords and wrong authorities; a registry that is
not there, comes, goes, and lies. Exit code 77 means "not run": docker-registry or skopeo is missing.
"""
import base64
import gzip
import io
import json
import pathlib
import shutil
import socket
import subprocess
import tarfile
import tempfile

from docker_registry import OCI, Registry, tar_of
from update_service import Service, case, check, check_invariants, contains, edges_of, equal, eventually, failures, finish, not_run, write

METADATA = "release-manifests/release-metadata"
# bcrypt of "swordfish", as htpasswd -B writes it.
PASSWORDS = "tester:$2b$05$abcdefghijklmnopqrstuupWDwJQeCHYIBQy8WvkVB6ImhZ476YYy\n"


# --- images ------------------------------------------------------------------------------------------------------


def metadata(version, previous=(), **more):
    return json.dumps(
        {
            "kind": "cincinnati-metadata-v0",
            "version": version,
            "previous": list(previous),
            "metadata": {"url": f"https://errata.example.com/{version}", **more.pop("metadata", {})},
            **more,
        }
    )


RELEASES = "ocp/release"


def fill(registry):
    push = lambda tag, *layers, **more: registry.push(f"{RELEASES}:{tag}", list(layers), **more)
    push("4.8.0", {METADATA: metadata("4.8.0")})
    push("4.8.1", {METADATA: metadata("4.8.1", ["4.8.0"])}, {"etc/os-release": "NAME=x\n"}, docker=True)
    push("4.8.2", {METADATA: metadata("4.8.99")}, {METADATA: metadata("4.8.2", ["4.8.0", "4.8.1"])})
    push("4.8.3", {METADATA: metadata("4.8.3", ["4.8.1", "4.8.2"])}, {METADATA: '{"kind":'}, docker=True)
    multi = lambda version, previous: [{METADATA: metadata(version, previous, metadata={"release.openshift.io/architecture": "multi"})}]
    registry.push_index(f"{RELEASES}:4.8.0-multi", {arch: multi("4.8.0", []) for arch in ("amd64", "arm64", "ppc64le", "s390x")})
    registry.push_index(
        f"{RELEASES}:4.8.1-multi", {arch: multi("4.8.1", ["4.8.0"]) for arch in ("amd64", "arm64", "ppc64le", "s390x")}, docker=True
    )
    registry.push_index(f"{RELEASES}:4.8.1-arm64", {"arm64": [{METADATA: metadata("4.8.1", ["4.8.0"])}]})
    push("4.8.1-shard", {METADATA: metadata("4.8.4", ["4.8.1"], metadata={"release.openshift.io/architecture": "multi"})})
    push("junk", {"etc/motd": "hello\n"})
    push("other-kind", {METADATA: json.dumps({"kind": "something-else", "version": "4.8.5"})})
    push("copy-of-4.8.2", {METADATA: metadata("4.8.99")}, {METADATA: metadata("4.8.2", ["4.8.0", "4.8.1"])})
    registry.dangling_tag(RELEASES, "sha256-0123456789.sig")
    registry.dangling_tag(RELEASES, "lost")
    fill_graph_data(registry)


def fill_graph_data(registry, versions=("4.8.0", "4.8.1", "4.8.2", "4.8.3", "4.8.4", "4.8.5", "4.8.99", "0.0.0"), top=""):
    tree = {
        "version": "1.1.0\n",
        "raw/metadata.json": "{}",
        "channels/stable-4.8.yaml": "name: stable-4.8\nversions:\n" + "".join(f"- {v}\n" for v in versions),
        "blocked-edges/old.yaml": "to: 4.8.1\nfrom: .*\n",
        "README.md": "not graph data\n",
    }
    # A layer above may take away what one below has.
    above = {"blocked-edges/.wh.old.yaml": "", "blocked-edges/4.8.3.yaml": "to: 4.8.3\nfrom: 4[.]8[.]1\n"}
    registry.push("ocp/graph-data:latest", [{top + name: text for name, text in layer.items()} for layer in (tree, above)])


def versions(service, arch="amd64"):
    return [node["version"] for node in service.graph("stable-4.8", arch=arch).json()["nodes"]]


def bodies(service):
    return {arch: service.graph("stable-4.8", arch=arch).body for arch in ("amd64", "arm64", "multi", "s390x")}


# --- in plain ------------------------------------------------------------------------------------------------------


def plain(work):
    registry = Registry(work / "plain")
    source = ["--graph-data", f"oci:http://{registry.host}/ocp/graph-data:latest", "--releases", f"oci:http://{registry.host}/{RELEASES}"]
    state = work / "state"
    try:
        with Service(*source, "--state", state, "--refresh-interval", "1s") as service:
            with case("no registry at the first start: alive, not ready, and it says where it looked"):
                eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
                equal("live", service.status("/livez").status, 200)
                answer = service.status("/readyz")
                equal("not ready", answer.status, 503)
                contains("where", answer.body.decode(), registry.host)
            with case("the registry comes: ready"):
                registry.start()
                fill(registry)
                eventually(lambda: service.status("/readyz").status == 200 and "4.8.3" in versions(service), "the releases are served")
                # It may have seen the registry half full; from now on it is all there.
                scrapes = service.metric("cincinnati_gb_graph_upstream_scrapes_total")
                eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") > scrapes + 1, "two more refreshes")
                equal("no failure", service.metric("fairway_update_service_refresh_failing"), 0)
            what_is_scraped(service, registry)
            with case("a new release is served without a restart"):
                registry.push(f"{RELEASES}:4.8.5", [{METADATA: metadata("4.8.5", ["4.8.3"])}])
                eventually(lambda: "4.8.5" in versions(service), "4.8.5")
            with case("new graph data is served without a restart"):
                registry.push(
                    "ocp/graph-data:latest",
                    [
                        {
                            "version": "1.1.0\n",
                            "raw/metadata.json": "{}",
                            "channels/stable-4.8.yaml": "name: stable-4.8\nversions:\n- 4.8.0\n- 4.8.1\n",
                        }
                    ],
                )
                eventually(lambda: versions(service) == ["4.8.0", "4.8.1"], "the smaller channel")
                fill_graph_data(registry)
                eventually(lambda: "4.8.5" in versions(service), "the larger channel")
            before = bodies(service)
        kept(source, state, registry, before)
        lies(source, registry)
    finally:
        registry.stop()


def what_is_scraped(service, registry):
    node = lambda version, arch="amd64": next(n for n in service.graph("stable-4.8", arch=arch).json()["nodes"] if n["version"] == version)
    payload = lambda tag: f"{registry.host}/{RELEASES}@{registry.digest(RELEASES, tag)}"
    with case("45 X: OCI images and docker's, in one graph"):
        equal("OCI", node("4.8.0")["payload"], payload("4.8.0"))
        equal("docker", node("4.8.1")["payload"], payload("4.8.1"))
        check(
            "they are of two families",
            {registry.manifest(RELEASES, t)["mediaType"] for t in ("4.8.0", "4.8.1")}
            == {OCI + "manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json"},
            "one",
        )
        check_invariants("graph", service.graph("stable-4.8").json())
        plain_edges, _ = edges_of(service.graph("stable-4.8").json())
        equal("edges", plain_edges, {("4.8.0", "4.8.1"), ("4.8.0", "4.8.2"), ("4.8.1", "4.8.2"), ("4.8.2", "4.8.3")})
    with case("36: a list of four is multi, and named by its own digest"):
        equal("multi", versions(service, "multi"), ["4.8.0", "4.8.1"])
        for tag, version in (("4.8.0-multi", "4.8.0"), ("4.8.1-multi", "4.8.1")):
            equal(tag, node(version, "multi")["payload"], payload(tag))
            check("it is a list", "manifests" in registry.manifest(RELEASES, tag), tag)
        equal(
            "its architecture is for clients to see", node("4.8.0", "multi")["metadata"].get("release.openshift.io/architecture"), "multi"
        )
        equal("nothing on s390x", versions(service, "s390x"), [])
    with case("37: a list of one is that architecture"):
        equal("arm64", versions(service, "arm64"), ["4.8.1"])
        equal("payload", node("4.8.1", "arm64")["payload"], payload("4.8.1-arm64"))
    with case("38: a shard of a multi release is dropped"):
        check("4.8.4", "4.8.4" not in versions(service), versions(service))
    with case("39: tags that cannot be read are passed over, signatures silently"):
        equal("refreshes succeed", service.metric("fairway_update_service_refresh_failing"), 0)
        contains("said", service.logged(), "tag=lost")
        check("not said", ".sig" not in service.logged(), "the .sig is in the log")
    with case("40: the upper layer wins, a lower one is found"):
        check("4.8.2 and 4.8.1", {"4.8.1", "4.8.2"} <= set(versions(service)) and "4.8.99" not in versions(service), versions(service))
    with case("41: broken above, good below"):
        check("4.8.3", "4.8.3" in versions(service), versions(service))
    with case("42, 43: images without metadata, or of another kind, are no releases, and remembered"):
        check("4.8.5", "4.8.5" not in versions(service), versions(service))
        state = next(pathlib.Path(service.process.args[i + 1]) for i, a in enumerate(service.process.args) if a == "--state")
        lines = {line["digest"]: line for line in map(json.loads, (state / "images.jsonl").read_text().splitlines())}
        for tag in ("junk", "other-kind"):
            equal(tag, lines.get(registry.digest(RELEASES, tag)), {"digest": registry.digest(RELEASES, tag)})
    with case("44 X: two tags of one image are one node, and there is no 0.0.0"):
        equal("one digest", registry.digest(RELEASES, "4.8.2"), registry.digest(RELEASES, "copy-of-4.8.2"))
        equal("one node", versions(service).count("4.8.2"), 1)
        check("no placeholder", "0.0.0" not in versions(service), versions(service))
    with case("graph data from an image: what an upper layer took away is gone"):
        archive = service.get("/graph-data")
        with tarfile.open(fileobj=io.BytesIO(archive.body)) as tree:
            names = {member.name for member in tree if member.isfile()}
        equal("files", names, {"version", "raw/metadata.json", "channels/stable-4.8.yaml", "blocked-edges/4.8.3.yaml"})
        contains("which", service.status().body.decode(), registry.digest("ocp/graph-data", "latest"))


def kept(source, state, registry, before):
    with case("--state: a restart without the registry serves the same bytes"):
        registry.stop()
        with Service(*source, "--state", state, "--refresh-interval", "1h") as service:
            service.wait_until_ready()
            equal("bytes", bodies(service), before)
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            equal("ready all the same", service.status("/readyz").status, 200)
            equal("bytes, still", bodies(service), before)
            contains("said", service.status().body.decode(), "[-]refresh: ")
            registry.start()
            service.reload()
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 0, "it recovers")
            equal("bytes, again", bodies(service), before)
    with case("--state: what was torn on disk is read from the registry again"):
        (state / "images.jsonl").write_text((state / "images.jsonl").read_text()[:500] + "\n{nonsense\n")
        (state / "releases.jsonl").write_text("{nonsense")
        with Service(*source, "--state", state, "--refresh-interval", "1h") as service:
            service.wait_until_ready()
            equal("bytes", bodies(service), before)
    with case("without --state nothing is kept"):
        registry.stop()
        with Service(*source, "--refresh-interval", "1h") as service:
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            equal("not ready", service.status("/readyz").status, 503)
        registry.start()


def lies(source, registry):
    with Service(*source, "--refresh-interval", "1h") as service:
        service.wait_until_ready()
        before = bodies(service)
        registry.push(f"{RELEASES}:4.8.6", [{METADATA: metadata("4.8.6", ["4.8.5"])}])
        fill_graph_data(registry, versions=("4.8.0", "4.8.1", "4.8.2", "4.8.3", "4.8.5", "4.8.6"))
        layer = registry.blob_file(registry.manifest(RELEASES, "4.8.6")["layers"][0]["digest"])
        good = layer.read_bytes()
        damaged = bytearray(good)
        damaged[len(good) // 2] ^= 0xFF
        failures = service.metric("cincinnati_gb_graph_upstream_errors_total")
        for name, bad in {
            "cut short": good[: len(good) // 2],
            "with another byte": bytes(damaged),
            "empty": b"",
            "of something else": gzip.compress(tar_of({METADATA: metadata("4.8.66")})),
        }.items():
            with case(f"a layer {name}: the refresh fails, the graph stays"):
                layer.write_bytes(bad)
                service.reload()
                failures += 1
                eventually(lambda: service.metric("cincinnati_gb_graph_upstream_errors_total") >= failures, "the refresh fails")
                equal("bytes", bodies(service), before)
                contains("said", service.status().body.decode(), "[-]refresh: ")
        with case("the layer is mended: the release is served"):
            layer.write_bytes(good)
            service.reload()
            eventually(lambda: "4.8.6" in versions(service), "4.8.6")
            equal("no failure", service.metric("fairway_update_service_refresh_failing"), 0)
        with case("the registry goes away: the graph stays"):
            before = bodies(service)
            registry.stop()
            service.reload()
            eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
            equal("bytes", bodies(service), before)
            contains("where", service.status().body.decode(), registry.host)


def silence(work):
    with case("a registry that takes connections and says nothing: alive, not ready, and SIGTERM ends it"):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            host = f"127.0.0.1:{silent.getsockname()[1]}"
            service = Service("--graph-data", f"oci:http://{host}/ocp/graph-data", "--releases", f"oci:http://{host}/{RELEASES}")
            eventually(lambda: service.metric("cincinnati_gb_graph_upstream_scrapes_total") == 1, "it asks")
            connection, _ = silent.accept()
            equal("live", service.status("/livez").status, 200)
            equal("not ready", service.status("/readyz").status, 503)
            service.stop()
            connection.close()


# --- with TLS and passwords ----------------------------------------------------------------------------------------


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def authority(folder, name):
    openssl(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
        "-subj",
        f"/CN={name}",
        "-keyout",
        folder / f"{name}.key",
        "-out",
        folder / f"{name}.pem",
    )
    return folder / f"{name}.pem"


def issue(folder, ca):
    openssl(
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=registry",
        "-keyout",
        folder / "server.key",
        "-out",
        folder / "server.csr",
    )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl(
        "x509",
        "-req",
        "-in",
        folder / "server.csr",
        "-CA",
        ca,
        "-CAkey",
        ca.with_suffix(".key"),
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        folder / "names",
        "-out",
        folder / "server.pem",
    )


def credentials(**entries):
    encode = lambda text: {"auth": base64.b64encode(text.encode()).decode()}
    return json.dumps({"auths": {name: encode(text) for name, text in entries.items()}})


def secured(work):
    certificates = work / "certificates"
    certificates.mkdir()
    ca, other = authority(certificates, "ours"), authority(certificates, "another")
    issue(certificates, ca)
    (certificates / "htpasswd").write_text(PASSWORDS)
    registry = Registry(
        work / "secured",
        f"  tls: {{certificate: {certificates / 'server.pem'}, key: {certificates / 'server.key'}}}\n"
        f"auth: {{htpasswd: {{realm: ours, path: {certificates / 'htpasswd'}}}}}\n",
    )
    registry.copy_flags = ["--dest-tls-verify=false", "--dest-creds", "tester:swordfish"]
    registry.needs_skopeo = True
    source = [
        "--graph-data",
        f"oci:{registry.host}/ocp/graph-data:latest",
        "--releases",
        f"oci:{registry.host}/{RELEASES}",
        "--refresh-interval",
        "1s",
    ]
    try:
        registry.start()
        registry.push(f"{RELEASES}:4.8.0", [{METADATA: metadata("4.8.0")}])
        registry.push(f"{RELEASES}:4.8.1", [{METADATA: metadata("4.8.1", ["4.8.0"])}])
        fill_graph_data(registry)
        passwords = work / "config.json"
        with case("46: with the authority and a password; the longest path counts"):
            passwords.write_text(
                credentials(
                    **{
                        registry.host: "tester:wrong",
                        f"{registry.host}/{RELEASES}": "tester:swordfish",
                        f"{registry.host}/ocp": "tester:swordfish",
                    }
                )
            )
            with Service(*source, "--registry-ca", ca, "--registry-credentials", passwords) as service:
                service.wait_until_ready()
                equal("releases", versions(service), ["4.8.0", "4.8.1"])
                contains("payloads have no scheme", service.graph("stable-4.8").body.decode(), f'"{registry.host}/{RELEASES}@sha256:')
        with case("46: the wrong way round, it fails"):
            passwords.write_text(credentials(**{registry.host: "tester:swordfish", f"{registry.host}/{RELEASES}": "tester:wrong"}))
            expect_failure(source, ["--registry-ca", ca, "--registry-credentials", passwords], [registry.host])
        passwords.write_text(credentials(**{registry.host: "tester:swordfish"}))
        with case("another authority: the message names host and flag"):
            expect_failure(
                source, ["--registry-ca", other, "--registry-credentials", passwords], [registry.host, "--registry-ca", "certificate"]
            )
        with case("no authority at all: the same"):
            expect_failure(source, ["--registry-credentials", passwords], [registry.host, "--registry-ca", "certificate"])
        with case("no credentials: the message says so"):
            expect_failure(source, ["--registry-ca", ca], [registry.host, "there is none for", "to the credentials"])
        with case("a file that is not there, or wrong, is named"):
            expect_failure(source, ["--registry-ca", ca, "--registry-credentials", work / "nowhere.json"], ["nowhere.json"])
            (work / "wrong.json").write_text("{")
            expect_failure(source, ["--registry-ca", ca, "--registry-credentials", work / "wrong.json"], ["wrong.json"])
            (work / "wrong.pem").write_text("no certificate\n")
            expect_failure(source, ["--registry-ca", work / "wrong.pem", "--registry-credentials", passwords], ["wrong.pem"])
        with case("authority and password are mended without a restart"):
            trusted = work / "trusted.pem"
            shutil.copy(other, trusted)
            passwords.write_text(credentials(**{registry.host: "tester:wrong"}))
            with Service(*source, "--registry-ca", trusted, "--registry-credentials", passwords) as service:
                eventually(lambda: "certificate" in service.status().body.decode(), "the certificate is refused")
                write(trusted, ca.read_text())
                eventually(lambda: "certificate" not in service.status().body.decode(), "the password is refused")
                equal("not ready", service.status("/readyz").status, 503)
                write(passwords, credentials(**{registry.host: "tester:swordfish"}))
                service.wait_until_ready()
                equal("releases", versions(service), ["4.8.0", "4.8.1"])
        with case("no secret in what is said"):
            passwords.write_text(credentials(**{registry.host: "tester:correct-horse"}))
            with Service(*source, "--registry-ca", ca, "--registry-credentials", passwords) as service:
                eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
                said = service.status().body.decode() + service.logged() + service.graph("stable-4.8").body.decode()
                check("nowhere", "correct-horse" not in said and base64.b64encode(b"tester:correct-horse").decode() not in said, said)
    finally:
        registry.stop()


def expect_failure(source, flags, parts):
    with Service(*source, *flags) as service:
        eventually(lambda: service.metric("fairway_update_service_refresh_failing") == 1, "the refresh fails")
        answer = service.status("/readyz?verbose")
        equal("not ready", answer.status, 503)
        for part in parts:
            contains("message", answer.body.decode(), part)


def main():
    for program in ("docker-registry", "skopeo", "openssl"):
        if not shutil.which(program):
            not_run(f"there is no {program} (apt-get install docker-registry skopeo openssl)")
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        silence(work)
        plain(work)
        secured(work)
    finish()


if __name__ == "__main__":
    main()
