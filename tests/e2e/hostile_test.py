"""Hostile clients against the real binary: each gets a 4xx, a 503 or is cut off, everybody else is served meanwhile,
and the server's memory stays within a bound (spec: 1 GB body, 10,000 headers, slow bytes, 10,000-deep JSON, half-open
connections).

FAIRWAY names the binary. All clients attack at the same time; the test waits for the server's answers, never for a
time of its own.
"""
import asyncio
import base64
import json
import os
import pathlib
import resource
import ssl
import subprocess
import sys
import tempfile
import time

MIB = 1024 * 1024
HALF_OPEN = 1500      # TCP connections that say nothing at all
SILENT_AFTER_TLS = 100
STUCK_BODIES = 120    # of 3 MiB each, never finished: more than the server is willing to hold
# All bodies together may take 256 MiB and each connection with TLS about 80 KiB; the sanitizers add a half to that.
# The clients send more than 2 GiB.
ALLOWED_GROWTH = 640 * MIB
PATIENCE = 120        # the server's own deadlines are 60 s at most

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
failures = []
checks = 0


def check(name, condition, found=""):
    global checks
    checks += 1
    if not condition:
        failures.append(f"FAILED: {name}: {found}")


class Server:
    def __init__(self, work):
        self.kubeconfig = work / "kubeconfig"
        self.log = open(work / "server.log", "wb")
        environment = dict(os.environ)
        # The sanitizer keeps freed memory for a while; that is not the server's.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
        self.process = subprocess.Popen(
            [os.environ["FAIRWAY"], "apiserver", "--store", "memory", "--listen", "127.0.0.1:0", "--write-kubeconfig", str(self.kubeconfig)],
            stderr=self.log, env=environment)
        deadline = time.monotonic() + 60
        while not (self.kubeconfig.exists() and self.kubeconfig.stat().st_size):
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the server did not start:\n" + (work / "server.log").read_text())
            time.sleep(0.02)
        import yaml
        config = yaml.safe_load(self.kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.port = int(cluster["server"].split(":")[2].split("/")[0])
        self.context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        self.context.check_hostname = False
        certificate = work / "admin.pem"
        certificate.write_bytes(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
        self.context.load_cert_chain(certificate)

    def memory(self, field):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("no " + field)

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


async def connect(server):
    return await asyncio.open_connection("127.0.0.1", server.port, ssl=server.context, limit=MIB)


async def rest_of(reader):
    """Everything until the server closes, or is silent for longer than any of its deadlines."""
    received = b""
    try:
        while block := await asyncio.wait_for(reader.read(65536), PATIENCE):
            received += block
    except (ConnectionError, ssl.SSLError):
        pass
    return received


def status_of(answer):
    words = answer.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") else 0


async def send(server, *pieces):
    """Sends the pieces as long as the server takes them and gives its answer."""
    reader, writer = await connect(server)
    answer = asyncio.create_task(rest_of(reader))
    try:
        for piece in pieces:
            if answer.done():
                break
            writer.write(piece)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    received = await answer
    writer.close()
    return received


def post(length=None, extra=""):
    framing = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
    return f"POST {CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{framing}\r\n{extra}\r\n".encode()


async def large_body(server):
    answer = await send(server, post(1024 * MIB), *[b"x" * MIB] * 1024)
    check("a body of 1 GiB", status_of(answer) == 413, answer[:200])


async def large_chunked_body(server):
    chunk = b"100000\r\n" + b"x" * MIB + b"\r\n"
    answer = await send(server, post(), *[chunk] * 1024)
    check("1 GiB in chunks", status_of(answer) == 413, answer[:200])


async def many_headers(server):
    headers = "".join(f"X-Header-{i}: {i}\r\n" for i in range(10_000))
    answer = await send(server, post(2, headers), b"{}")
    check("10,000 headers", status_of(answer) == 431, answer[:200])


async def deep(server, name, body, content_type="application/json"):
    head = f"POST {CONFIG_MAPS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    answer = await send(server, head.encode(), body)
    check(name, status_of(answer) == 400, answer[:300])


async def drip(server, name, head, byte):
    """One byte at a time, each as soon as the last was taken and a little time has gone by."""
    reader, writer = await connect(server)
    answer = asyncio.create_task(rest_of(reader))
    writer.write(head)
    while not answer.done():
        try:
            writer.write(byte)
            await writer.drain()
        except (ConnectionError, ssl.SSLError):
            break
        await asyncio.wait([answer], timeout=0.25)
    received = await answer
    check(name, status_of(received) in (0, 408), received[:200])
    writer.close()


async def half_open(server):
    """Connections that never begin: cut off, all of them."""
    opened = await asyncio.gather(*[asyncio.open_connection("127.0.0.1", server.port) for _ in range(HALF_OPEN)])
    ends = await asyncio.gather(*[rest_of(reader) for reader, _ in opened])
    check("half-open connections are cut off", len(ends) == HALF_OPEN)
    for _, writer in opened:
        writer.close()


async def half_sent_request(server):
    """After the handshake, half a request line and then nothing."""
    opened = await asyncio.gather(*[connect(server) for _ in range(SILENT_AFTER_TLS)])
    for _, writer in opened:
        writer.write(b"GET /api HT")
    ends = await asyncio.gather(*[rest_of(reader) for reader, _ in opened])
    check("half-sent requests are cut off", all(status_of(end) in (0, 408) for end in ends), ends[0][:100])
    for _, writer in opened:
        writer.close()


async def stuck_bodies(server):
    """Each within its own limit, together beyond the server's: some are told to come back, none is kept for ever."""
    size = 3 * MIB
    answers = await asyncio.gather(*[send(server, post(size), b"x" * (size - 1)) for _ in range(STUCK_BODIES)])
    statuses = [status_of(answer) for answer in answers]
    check("stuck bodies get a 503 or are cut off", set(statuses) <= {0, 408, 503}, sorted(set(statuses)))
    check("some are told to come back", statuses.count(503) > 0, statuses)
    told = next((answer for answer in answers if status_of(answer) == 503), b"")
    check("and when", b"Retry-After: 1" in told, told[:300])


async def is_served(server):
    reader, writer = await connect(server)
    writer.write(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = await rest_of(reader)
    writer.close()
    return status_of(answer) == 200


async def bystander(server, attack):
    """A well-behaved client, all the while."""
    answered = 0
    while not attack.done():
        if not await is_served(server):
            check("others are served", False, f"after {answered} answers")
            return
        answered += 1
        await asyncio.wait([attack], timeout=0.2)
    check("others are served", answered > 0)


async def main(server):
    check("served before", await is_served(server))
    before = server.memory("VmRSS")
    deep_array = b"[" * 10_000 + b"]" * 10_000
    deep_object = b'{"data":' * 10_000 + b"1" + b"}" * 10_000
    attack = asyncio.gather(
        large_body(server), large_chunked_body(server), many_headers(server),
        deep(server, "an array 10,000 deep", deep_array), deep(server, "an object 10,000 deep", deep_object),
        deep(server, "YAML 10,000 deep", deep_array, "application/yaml"),
        drip(server, "a header byte by byte", b"GET /", b"a"), drip(server, "a body byte by byte", post(MIB), b" "),
        half_open(server), half_sent_request(server), stuck_bodies(server))
    await asyncio.gather(attack, bystander(server, attack))
    growth = server.memory("VmHWM") - before
    check("memory stays bounded", growth < ALLOWED_GROWTH, f"grew by {growth // MIB} MiB")
    check("served afterwards", await is_served(server))
    print(f"memory: {before // MIB} MiB before, at most {growth // MIB} MiB more")


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < HALF_OPEN + 1000:
        print(f"not run: only {hard} open files are allowed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder))
        try:
            asyncio.run(main(server))
        finally:
            code = server.stop()
        check("the server stops cleanly", code == 0, code)
    print("\n".join(failures))
    print(f"{checks - len(failures)} of {checks} checks passed")
    sys.exit(1 if failures else 0)
