"""What the tests of the update service share: the real binary on free ports, a plain client, and checks that go on.

FAIRWAY names the binary. Nothing here waits for a time of its own: eventually() asks until it is so, with a limit that
is only there so that a broken service cannot keep a test for ever.
"""
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

FAIRWAY = os.environ["FAIRWAY"]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "api" / "examples" / "graph-data"
REAL = ROOT.parent / "shared" / "data"
PATIENCE = 120
V1 = "application/vnd.redhat.cincinnati.v1+json"
JSON = "application/json"
EMPTY = b'{"version":1,"nodes":[],"edges":[],"conditionalEdges":[]}'

# In memory where possible: what is tested here is behaviour, and a busy disk would only make it slow.
if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"

failures = []
checks = 0
ran = []


def check(name, condition, found=""):
    global checks
    checks += 1
    if not condition:
        failures.append(f"{name}: {found}")
        print(f"FAILED: {name}: {str(found)[:2000]}", flush=True)
    return bool(condition)


def equal(name, found, wanted):
    return check(name, found == wanted, f"expected {short(wanted)}, found {short(found)}")


def contains(name, text, part):
    return check(name, part in text, f"expected it to contain {short(part)}, found {short(text)}")


def short(value):
    text = repr(value)
    return text if len(text) < 1500 else text[:1500] + "…"


@contextlib.contextmanager
def case(title):
    """A part of the test with its name in the output; what it throws fails this part only."""
    started, before = time.monotonic(), len(failures)
    try:
        yield
    except Exception:  # noqa: BLE001 - whatever it was, the other cases shall be seen too
        failures.append(f"{title}: {traceback.format_exc()}")
        print(f"FAILED: {title}: {traceback.format_exc()}", flush=True)
    ran.append(title)
    state = "ok" if len(failures) == before else "FAILED"
    print(f"{state:6} {time.monotonic() - started:6.2f} s  {title}", flush=True)


def finish():
    print(f"{checks} checks in {len(ran)} cases, {len(failures)} failed")
    sys.exit(1 if failures else 0)


def not_run(why):
    print(f"not run: {why}")
    sys.exit(77)


def eventually(condition, what, patience=PATIENCE):
    """The first true value of condition(); fails loudly when there is none within the limit."""
    deadline = time.monotonic() + patience
    last = None
    while time.monotonic() < deadline:
        try:
            last = condition()
            if last:
                return last
        except (OSError, http.client.HTTPException) as error:
            last = error
        time.sleep(0.02)
    raise AssertionError(f"not within {patience} s: {what}; last: {short(last)}")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:600]!r}"

    @property
    def type(self):
        return self.headers.get("Content-Type")

    def json(self):
        body = gzip.decompress(self.body) if self.headers.get("Content-Encoding") == "gzip" else self.body
        return json.loads(body)


def ask(port, target, headers=None, method="GET", patience=PATIENCE, body=None):
    """One request on a connection of its own, with no header but those that are given (and Host)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def metric(text, name, **labels):
    """The value of one series in an exposition; None when it is not there."""
    wanted = {f'{key}="{value}"' for key, value in labels.items()}
    for line in text.splitlines():
        match = re.fullmatch(r"([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)", line)
        if match and match.group(1) == name and wanted <= set(re.findall(r'\w+="[^"]*"', match.group(2) or "")):
            return float(match.group(3))
    return None


def query(**parameters):
    return urllib.parse.urlencode(parameters)


class Service:
    """fairway update-service. Ports are free ones unless flags say otherwise."""

    def __init__(self, *flags, environment=None, listens=True, mock=False, wait=True):
        self.log = tempfile.NamedTemporaryFile(prefix="fairway-service-", suffix=".log")
        arguments = [FAIRWAY, "update-service"]
        if listens:
            arguments += ["--listen", "127.0.0.1:0"] + ([] if mock else ["--status-listen", "127.0.0.1:0"])
        if mock:
            arguments.append("--mock")
        env = dict(os.environ, **(environment or {}))
        # The sanitizer keeps freed memory for a while; that is not the service's.
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
        self.process = subprocess.Popen([*arguments, *map(str, flags)], stdout=subprocess.PIPE, stderr=self.log, env=env)
        self.port = self.status_port = self.builder_port = None
        if wait:
            self.read_addresses(mock)

    def read_addresses(self, mock):
        lines = []
        while True:
            line = self.process.stdout.readline().decode()
            if not line:
                raise AssertionError(f"the service ended with {self.process.wait()} before it listened: {self.logged()}")
            lines.append(line.rstrip("\n"))
            if found := re.match(r"(listening|status|builder) on http://[^ ]*:(\d+)", line):
                setattr(self, {"listening": "port", "status": "status_port", "builder": "builder_port"}[found[1]], int(found[2]))
            wants_builder = "--builder-listen" in self.process.args and not self.builder_port
            if self.port and (mock or self.status_port) and not wants_builder:
                self.said = lines
                return

    def logged(self):
        return pathlib.Path(self.log.name).read_text(errors="replace") if not self.log.closed else self.last_words

    def get(self, target, headers=None, **more):
        return ask(self.port, target, headers, **more)

    def graph(self, channel="candidate-4.7", headers=None, prefix="", **parameters):
        return self.get(f"{prefix}/graph?{query(channel=channel, **parameters)}", {"Accept": JSON, **(headers or {})})

    def status(self, path="/readyz?verbose"):
        return ask(self.status_port, path)

    def metrics(self):
        return self.status("/metrics").body.decode()

    def metric(self, name, **labels):
        return metric(self.metrics(), name, **labels)

    def wait_until_ready(self):
        def is_ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the service ended with {self.process.returncode}: {self.logged()}")
            return self.status("/readyz").status == 200

        eventually(is_ready, "ready")
        return self

    def memory(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("no VmRSS")

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def stop(self, expected=0, with_signal=signal.SIGTERM):
        """Exactly one signal: a second one means "at once" and another exit code. None: somebody has sent it."""
        if with_signal and self.process.poll() is None:
            self.process.send_signal(with_signal)
        code = self.process.wait(PATIENCE)
        self.last_words = self.logged()
        self.process.stdout.close()
        self.log.close()
        if expected is not None:
            check("the service ends well", code == expected, f"exit code {code}: {self.logged()[-3000:]}")
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None and kind is not None:
            print(self.logged()[-3000:])
        self.stop()


def refused(*flags):
    """Starts what must not start: exit code and what it says."""
    done = subprocess.run([FAIRWAY, "update-service", *map(str, flags)], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


def copy_example(to):
    """The example tree as graph data, and its releases beside it."""
    data = to / "graph-data"
    data.mkdir(parents=True)
    for part in ("blocked-edges", "channels", "raw"):
        shutil.copytree(EXAMPLE / part, data / part)
    shutil.copy(EXAMPLE / "version", data / "version")
    shutil.copy(EXAMPLE / "releases.jsonl", to / "releases.jsonl")
    return data, to / "releases.jsonl"


def write(path, text):
    """As an editor does it: nobody ever sees half of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.replace(fresh, path)


def edges_of(graph):
    """(from, to) by version: recommended ones, and conditional ones with the names of their risks."""
    versions = [node["version"] for node in graph["nodes"]]
    plain = {(versions[a], versions[b]) for a, b in graph["edges"]}
    conditional = {
        (edge["from"], edge["to"]): [risk["name"] for risk in group["risks"]]
        for group in graph["conditionalEdges"]
        for edge in group["edges"]
    }
    return plain, conditional


def check_invariants(name, graph):
    """Case 62, and what must be so in any answer. One check for all, as there are many answers."""
    problems = []
    versions = [node["version"] for node in graph["nodes"]]
    if list(graph) != ["version", "nodes", "edges", "conditionalEdges"] or graph["version"] != 1:
        problems.append(f"keys {list(graph)}")
    if len(set(versions)) != len(versions):
        problems.append("a version twice")
    if any("+" in version for version in versions):
        problems.append("an architecture in a version")
    if any(not node.get("payload") for node in graph["nodes"]):
        problems.append("a node without a payload")
    if any(not 0 <= end < len(versions) for edge in graph["edges"] for end in edge):
        problems.append("an edge to nowhere")
        return check(name, False, problems)
    plain = [(versions[a], versions[b]) for a, b in graph["edges"]]
    conditional = [(edge["from"], edge["to"]) for group in graph["conditionalEdges"] for edge in group["edges"]]
    known = set(versions)
    if len(set(plain)) != len(plain) or len(set(conditional)) != len(conditional):
        problems.append("an edge twice")
    if set(plain) & set(conditional):
        problems.append("an edge in both lists")
    if any(end not in known for edge in conditional for end in edge):
        problems.append("a conditional edge to nowhere")
    if any(not group["edges"] or not group["risks"] for group in graph["conditionalEdges"]):
        problems.append("an empty group")
    risks = [json.dumps(group["risks"]) for group in graph["conditionalEdges"]]
    if len(set(risks)) != len(risks):
        problems.append("two groups with the same risks")
    return check(name, not problems, problems)


def problem(name, answer, status, kind, text):
    """An answer that is an error of the protocol."""
    equal(f"{name}: status", answer.status, status)
    equal(f"{name}: type", answer.type, JSON)
    found = answer.json() if answer.type == JSON else {}
    equal(f"{name}: keys", list(found), ["kind", "value"])
    equal(f"{name}: kind", found.get("kind"), kind)
    contains(f"{name}: value", found.get("value", ""), text)


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


def new_risk(name="SlowStorageDrivers"):
    return f"to: 4.7.5\nfrom: .*\nurl: https://example.com/{name}\nname: {name}\nmessage: It is slow.\nmatchingRules:\n- type: Always\n"
