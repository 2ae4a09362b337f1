"""What the tests of the cluster-version operator share: an API server, the operator, metrics, signatures.

Everything is the real thing on free ports of the loopback; what the tests bring themselves are the release payloads and
the metrics of a made-up cluster.
"""
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading

from update_service import FAIRWAY, PATIENCE, check, eventually

CLUSTER_ID = "5f0b3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11"
QUAY = "quay.io/openshift-release-dev/ocp-release@sha256:"
OBJECT = "/apis/config.openshift.io/v1/clusterversions/version"
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden" / "cluster_version"


class Daemon:
    """One of our servers: ready when it has said the awaited lines."""

    def __init__(self, arguments, awaited, environment=None):
        self.log = tempfile.NamedTemporaryFile(prefix="fairway-", suffix=".log")
        self.process = subprocess.Popen(
            [FAIRWAY, *map(str, arguments)], stdout=subprocess.PIPE, stderr=self.log, env=dict(os.environ, **(environment or {}))
        )
        self.found = {}
        while len(self.found) < len(awaited):
            line = self.process.stdout.readline().decode()
            if not line:
                raise AssertionError(f"ended with {self.process.wait()} before it was ready: {self.logged()}")
            for name, pattern in awaited.items():
                if match := re.search(pattern, line):
                    self.found[name] = match[1]

    def logged(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def stop(self, with_signal=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        code = self.process.wait(PATIENCE)
        if with_signal != signal.SIGKILL:
            check("it ends well", code == 0, f"exit code {code}: {self.logged()[-3000:]}")
        self.process.stdout.close()
        self.log.close()

    def kill(self):
        self.stop(signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print(self.logged()[-4000:])
        if self.process.poll() is None:
            self.stop()


class ApiServer:
    """fairway apiserver with a hub and members, and a plain client with the administrator's certificate."""

    def __init__(self, folder, members=("member1",)):
        self.folder = folder
        self.members = members
        self.kubeconfig = folder / "kubeconfig"
        self.port = 0
        self.daemon = None
        self.start()

    def start(self):
        self.kubeconfig.unlink(missing_ok=True)
        log = open(self.folder.parent / f"{self.folder.name}.log", "ab")
        self.daemon = subprocess.Popen(
            [FAIRWAY, "apiserver", "--data", self.folder, *(f"--cluster={name}" for name in self.members), "--listen", f"127.0.0.1:{self.port}",
             "--write-kubeconfig", self.kubeconfig],
            stdout=log, stderr=log,
        )
        log.close()
        eventually(self.kubeconfig.exists, "the API server is up")
        self.port = int(re.search(r"https://127\.0\.0\.1:(\d+)", self.kubeconfig.read_text())[1])
        self.tls = ssl.create_default_context(cafile=self.folder / "pki" / "ca.crt")
        self.tls.load_cert_chain(self.folder / "pki" / "admin.crt", self.folder / "pki" / "admin.key")

    def kill(self):
        self.daemon.kill()
        self.daemon.wait(PATIENCE)

    def stop(self):
        if self.daemon.poll() is None:
            self.daemon.terminate()
            self.daemon.wait(PATIENCE)

    def send(self, method, path, body=None, content_type="application/json", cluster=""):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=self.tls)
        try:
            where = f"/clusters/{cluster}{path}" if cluster else path
            connection.request(method, where, json.dumps(body) if body is not None else None, {"Content-Type": content_type})
            answer = connection.getresponse()
            found = json.loads(answer.read() or b"{}")
            if answer.status >= 300:
                raise AssertionError(f"{method} {where}: {answer.status} {found.get('message')}")
            return found
        finally:
            connection.close()

    def get(self, path=OBJECT, cluster=""):
        return self.send("GET", path, cluster=cluster)

    def merge(self, patch, path=OBJECT, cluster=""):
        return self.send("PATCH", path, patch, "application/merge-patch+json", cluster)

    def create(self, path, body, cluster=""):
        return self.send("POST", path, body, cluster=cluster)

    def create_cluster_version(self, channel, image, version="4.6.23", upstream="", cluster="", spec=None):
        """A cluster that has run this version for a while, whose administrators have nothing left to acknowledge."""
        self.create(
            "/apis/config.openshift.io/v1/clusterversions",
            {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
             "spec": {"clusterID": CLUSTER_ID, "channel": channel, "upstream": upstream, **(spec or {})}},
            cluster,
        )
        entry = {"state": "Completed", "startedTime": "2021-08-01T00:00:00Z", "completionTime": "2021-08-01T01:00:00Z",
                 "version": version, "image": image, "verified": True}
        self.merge({"status": {"desired": {"version": version, "image": image}, "history": [entry], "observedGeneration": 1,
                               "versionHash": "", "availableUpdates": []}}, OBJECT + "/status", cluster)
        self.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-config-managed"}}, cluster)
        self.create("/api/v1/namespaces/openshift-config-managed/configmaps",
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "admin-gates"}}, cluster)


def condition(of, kind):
    """A condition of the object, of a conditional update, or of anything with conditions."""
    holder = of.get("status", of)
    return next((found for found in holder.get("conditions", []) if found["type"] == kind), {})


def conditional(of, version):
    return next((found for found in of["status"].get("conditionalUpdates", []) if found["release"]["version"] == version), None)


def recommended(of, version):
    """(status, reason) of a conditional update; nothing when it is not there."""
    update = conditional(of, version)
    found = condition(update, "Recommended") if update else {}
    return found.get("status"), found.get("reason")


class Controllers(Daemon):
    """fairway controllers --only cluster-version."""

    def __init__(self, api, *flags, context="hub"):
        super().__init__(
            ["controllers", "--only", "cluster-version", "--kubeconfig", api.kubeconfig, "--context", context,
             "--metrics-listen", "127.0.0.1:0", *flags],
            {"metrics": r"status on http://[^ ]*:(\d+)"},
        )

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.found["metrics"]), timeout=PATIENCE)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text


def upgrade(api, *arguments, context="hub"):
    """fairway upgrade: exit code, stdout, stderr."""
    done = subprocess.run([FAIRWAY, "upgrade", "--kubeconfig", api.kubeconfig, "--context", context, *arguments],
                          capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


class Web(threading.Thread):
    """A server of the test's own: `answer(path)` gives (status, text)."""

    def __init__(self, answer):
        super().__init__(daemon=True)
        web = self
        self.answer = answer
        self.paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                web.paths.append(self.path)
                status, text = web.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(text.encode())))
                with contextlib.suppress(OSError):  # who asked may not have waited
                    self.end_headers()
                    self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def run(self):
        self.server.serve_forever(poll_interval=0.05)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Signer:
    """A key of its own, and a store of signatures in the layout that clusters ask for."""

    def __init__(self, folder):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="gpg-"))  # the path of its sockets must be short
        self.store = folder / "signatures"
        self.keyring = folder / "keyring.gpg"
        folder.mkdir(parents=True, exist_ok=True)
        self.gpg("--quick-generate-key", "--passphrase", "", "Release Signing <release@example.com>", "rsa2048", "sign", "never")
        self.keyring.write_bytes(self.gpg("--export"))

    def gpg(self, *arguments, given=b""):
        done = subprocess.run(["gpg", "--homedir", self.home, "--batch", "--pinentry-mode", "loopback", *arguments],
                              input=given, capture_output=True, check=True)
        return done.stdout

    def sign(self, digest, name="release"):
        text = json.dumps({"critical": {"image": {"docker-manifest-digest": digest}, "type": "atomic container signature",
                                        "identity": {"docker-reference": name}}, "optional": {}})
        folder = self.store / digest.replace(":", "=")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "signature-1").write_bytes(self.gpg("--passphrase", "", "--sign", given=text.encode()))

    def stop(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=False)
        shutil.rmtree(self.home, ignore_errors=True)


def config_map(name, release):
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\ndata: {{release: {release}}}\n"


def payload_files(version, names=("etcd", "apiserver", "network", "console"), previous=("4.6.23",)):
    metadata = {"kind": "cincinnati-metadata-v0", "version": version, "previous": list(previous), "metadata": {}}
    files = {"release-manifests/release-metadata": json.dumps(metadata)}
    for place, name in enumerate(names):
        files[f"release-manifests/0000_{place + 10}_{name}.yaml"] = config_map(name, version)
    return files


def golden(name, text):
    """Compares with a file; FAIRWAY_WRITE_GOLDEN=1 writes it."""
    path = GOLDEN / name
    if os.environ.get("FAIRWAY_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    wanted = path.read_text() if path.exists() else ""
    check(f"golden {name}", text == wanted, f"expected:\n{wanted}\nfound:\n{text}")
