#!/usr/bin/env python3
"""Where the update service may have its graph data and releases from: archives, folders of files, links that are turned, Git and its past.
"""
import http.client
import pathlib
import shutil
import socket
import subprocess
import tarfile
import tempfile

from update_service import (
    EXAMPLE,
    JSON,
    Service,
    case,
    check,
    contains,
    copy_example,
    equal,
    eventually,
    finish,
    new_risk,
    problem,
    query,
    refused,
    write,
)


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
        with Service(
            "--graph-data", data, "--releases", releases, "--listen", "[::1]:0", "--status-listen", "127.0.0.1:0", listens=False
        ) as service:
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
    environment = {
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
    }
    return subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


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
        with case("revisions: the past of the graph data, the newest first"):
            listed = service.get("/revisions").json()["revisions"]
            commits = git(data, "log", "--first-parent", "--format=%H").split()
            equal("commits", [each["id"] for each in listed], commits)
            equal("summaries", [each["summary"] for each in listed], git(data, "log", "--first-parent", "--format=%s").splitlines())
        with case("as-of: the graph of a revision or a date"):
            for revision in (first_commit, first_commit[:8], "HEAD~1", "2024-05-01", "2024-05-15T00:00:00Z"):
                equal(revision, service.get("/as-of?" + query(revision=revision, channel="candidate-4.7")).body, first)
            equal("HEAD", service.get("/as-of?revision=HEAD&channel=candidate-4.7").body, service.graph().body)
            problem(
                "before everything", service.get("/as-of?revision=2001-01-01&channel=candidate-4.7"), 404, "does_not_exist", "2001-01-01"
            )
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
        code, said = refused(
            "--graph-data", f"git:{data}@", "--releases", releases, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0"
        )
        equal("no revision at all", code, 2)
        contains("no revision: what was expected", said, "git:FOLDER@REVISION")


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        archives(work)
        other_shapes(work)
        git_source(work)
    finish()


if __name__ == "__main__":
    main()
