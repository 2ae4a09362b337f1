#!/usr/bin/env python3
"""Blocks by id against a Prometheus that misbehaves, and clients that do.

Whatever goes wrong, the update is not offered, a counter counts and /readyz?verbose says which query it was. Clients that
invent ids cost neither memory nor queries. FAIRWAY_FLOOD_IDS says how many they invent.
"""
import asyncio
import http.client
import os
import pathlib
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from fake_prometheus import Fake, clusters, recommended, star
from update_service import JSON, Service, case, check, contains, equal, eventually, finish, metric, refused, write

FLOOD_IDS = int(os.environ.get("FAIRWAY_FLOOD_IDS", "20000"))
FLOOD_CONNECTIONS = 200
MIB = 1024 * 1024
FAILED = "fairway_update_service_targeted_failures_total"
QUERIES = "fairway_update_service_targeted_queries_total"


def faults(work):
    names = [
        "fault_500",
        "fault_slow",
        "fault_drip",
        "fault_json",
        "fault_empty",
        "fault_other",
        "fault_error",
        "fault_scalar",
        "fault_matrix",
        "fault_truncated",
        "fault_cut_json",
        "fault_reset",
    ]
    source, _ = star(work, [clusters(f"max by (_id) ({name})") for name in ["good", "also_good", *names]])
    fake = Fake()
    words = {"fault_500": "the disk is full", "fault_error": "the query is too dear", "fault_scalar": "scalar", "fault_matrix": "matrix"}
    try:
        with Service(
            *source, "--prometheus", fake.url, "--prometheus-timeout", "1s", "--failure-lifetime", "1s", "--query-pause", "200ms"
        ) as service:
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
                check(
                    "the others are not",
                    recommended(service, id="yes") == {"4.8.1", "4.8.2", f"4.8.{slow}"},
                    recommended(service, id="yes"),
                )
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
                shown = lambda **p: {
                    e["to"]: g["risks"] for g in service.graph("stable-4.8", **p).json()["conditionalEdges"] for e in g["edges"]
                }
                always = [{"url": "https://example.com/why", "name": "Why", "message": "Because.", "matchingRules": [{"type": "Always"}]}]
                for parameters in ({"id": "no"}, {"id": "unknown"}, {}):
                    equal(f"blocked {parameters}", shown(**parameters), {"4.8.1": always, "4.8.2": always})
                    equal(f"not offered {parameters}", recommended(service, **parameters), set())
                equal("allowed without rules", recommended(service, id="yes"), {"4.8.1"})
                equal(
                    "allowed goes on to the cluster's rules",
                    shown(id="yes"),
                    {"4.8.2": [{**always[0], "matchingRules": [{"type": "PromQL", "promql": {"promql": "up == 1"}}]}]},
                )
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
            with Service(
                *source,
                "--prometheus",
                fake.url,
                "--prometheus-token-file",
                token_file,
                "--allowed-lifetime",
                "500ms",
                "--query-pause",
                "200ms",
                "--failure-lifetime",
                "500ms",
            ) as service:
                service.wait_until_ready()
                equal("allowed", recommended(service, id="yes"), {"4.8.1"})
                write(token_file, "stale-token")
                eventually(lambda: recommended(service, id="yes") == set(), "blocked")
                contains("said", service.status().body.decode(), "status 401: who are you (see --prometheus-token-file)")
                token_file.unlink()
                eventually(
                    lambda: "prometheus-token" in service.status().body.decode() and recommended(service, id="yes") == set(),
                    "no file at all",
                )
                write(token_file, "right-token")
                eventually(lambda: recommended(service, id="yes") == {"4.8.1"}, "allowed again")
                equal("all is well", service.metric("fairway_update_service_targeted_failing_rules"), 0)
        with case("--client-tokens: ids only with a token"):
            clients = work / "client-tokens"
            clients.write_text("# ours\n0123456789abcdef\n")
            write(token_file, "right-token")
            with Service(*source, "--prometheus", fake.url, "--prometheus-token-file", token_file, "--client-tokens", clients) as service:
                service.wait_until_ready()
                for headers in (
                    {},
                    {"Authorization": "Bearer wrong-token-here!"},
                    {"Authorization": "Basic 0123456789abcdef"},
                    {"Authorization": "Bearer "},
                ):
                    answer = service.graph("stable-4.8", id="yes", headers=headers)
                    equal(
                        f"{headers}",
                        (answer.status, answer.json()["kind"], answer.headers.get("WWW-Authenticate")),
                        (401, "unauthorized", "Bearer"),
                    )
                equal("with it", service.graph("stable-4.8", id="yes", headers={"Authorization": "Bearer 0123456789abcdef"}).status, 200)
                equal("without an id", service.graph("stable-4.8").status, 200)
                check(
                    "counted",
                    service.metric("cincinnati_pe_graph_response_errors_total", code="401", kind="unauthorized") == 4,
                    service.metrics(),
                )
            clients.write_text("short\n")
            code, said = refused(
                *source, "--prometheus", fake.url, "--client-tokens", clients, "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0"
            )
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
    subprocess.run(
        [
            "openssl",
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
            "/CN=telemetry",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            folder / "key.pem",
            "-out",
            folder / "ca.pem",
        ],
        check=True,
        capture_output=True,
    )
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
                while not stop.wait(0.02):  # in no hurry: it shall not take the attackers' time
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
            check(
                "queries are bounded by time, not by ids", len(fake.asked) - asked <= most, f"{len(fake.asked) - asked} in {seconds:.1f} s"
            )
            check(
                "the ids that are kept are those that exist", service.metric("fairway_update_service_targeted_ids") == 3, service.metrics()
            )
            print(
                f"       {FLOOD_IDS / seconds:.0f} a second, {len(fake.asked) - asked} queries, {grown / MIB:.1f} MiB more, {len(answers)} answers to the other client"
            )
    finally:
        fake.stop()


def main():
    with tempfile.TemporaryDirectory(prefix="fairway-e2e-") as name:
        work = pathlib.Path(name)
        faults(work)
        stop_while_asked(work)
        oddities(work)
        tokens(work)
        tls(work)
        flood(work)
    finish()


if __name__ == "__main__":
    main()
