"""A Prometheus that misbehaves in every way that a test can think of, and graph data that asks it."""
import contextlib
import http.server
import json
import re
import secrets
import threading
import urllib.parse

from update_service import edges_of, write


class Fake:
    """Answers by the metric that is asked for: its name says what goes wrong."""

    def __init__(self, context=None):
        self.asked = []
        self.token = "right-token"
        self.release = threading.Event()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                text = form["query"][0]
                fake.asked.append(text)
                fake.answer(self, text)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass  # clients that go away are part of the game

        self.server = Server(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.server.server_address[1]}"

    def vector(self, values, **more):
        result = [{"metric": {"_id": name} if name else {}, "value": [1700000000, value]} for name, value in values]
        return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}, **more}).encode()

    def answer(self, to, text):
        good = self.vector([("yes", "1"), ("no", "0")])
        bodies = {
            "good": good,
            "fault_json": b"<html>it works</html>",
            "fault_empty": b"",
            "fault_other": b'{"status":"maybe"}',
            "fault_error": b'{"status":"error","errorType":"bad_data","error":"the query is too dear"}',
            "fault_scalar": b'{"status":"success","data":{"resultType":"scalar","result":[1700000000,"1"]}}',
            "fault_matrix": b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"_id":"yes"},"values":[[1,"1"]]}]}}',
            "odd_values": self.vector([("yes", "1.5"), ("nan", "NaN"), ("inf", "+Inf"), ("minus", "-1"), ("text", "one")]),
            "odd_labels": self.vector([(None, "1"), ("", "1")]),
            "odd_twice": self.vector([("yes", "1"), ("yes", "0")]),
            "also_good": self.vector([("yes", "1e0")], warnings=["something"]),
        }
        name = re.search(r"\((\w+)\)$", text)[1]
        if "needs_token" in text:
            right = to.headers.get("Authorization") == f"Bearer {self.token}"
            return self.send(to, good if right else b"who are you", 200 if right else 401)
        if "fault_500" in text:
            return self.send(to, b'{"status":"error","error":"the disk is full"}', 500)
        if "fault_slow" in text:
            self.release.wait()
            return self.send(to, good)
        if "fault_drip" in text:
            return self.drip(to, good)
        if "fault_truncated" in text:
            return self.send(to, good[:-10], claimed=len(good))
        if "fault_cut_json" in text:
            return self.send(to, good[:-10])
        if "fault_reset" in text:
            to.close_connection = True
            return to.connection.close()
        return self.send(to, bodies[name])

    def send(self, to, body, status=200, claimed=None):
        to.send_response(status)
        to.send_header("Content-Type", "application/json")
        to.send_header("Content-Length", str(claimed or len(body)))
        to.end_headers()
        to.wfile.write(body)
        if claimed:
            to.close_connection = True

    def drip(self, to, body):
        """A byte now and then: never silent, never done in time."""
        to.send_response(200)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        with contextlib.suppress(OSError):
            for byte in body[:-1]:
                to.wfile.write(bytes([byte]))
                to.wfile.flush()
                if self.release.wait(0.2):
                    break
        to.close_connection = True

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def star(work, blocks):
    """Updates from 4.8.0 to 4.8.1, 4.8.2, …, one for each block."""
    data = work / f"star-{secrets.token_hex(4)}"
    versions = ["4.8.0", *(f"4.8.{i + 1}" for i in range(len(blocks)))]
    lines = [
        {
            "payload": f"registry.example.com/release@sha256:{secrets.token_hex(32)}",
            "architecture": "amd64",
            "release-metadata": {
                "kind": "cincinnati-metadata-v0",
                "version": version,
                "previous": ["4.8.0"] if version != "4.8.0" else [],
                "metadata": {},
            },
        }
        for version in versions
    ]
    write(data / "releases.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    write(data / "version", "1.1.0\n")
    write(data / "raw" / "metadata.json", "{}")
    write(data / "channels" / "stable-4.8.yaml", "name: stable-4.8\nversions:\n" + "".join(f"- {v}\n" for v in versions))
    for version, block in zip(versions[1:], blocks):
        write(data / "blocked-edges" / f"{version}.yaml", f"to: {version}\nfrom: .*\n{block}")
    return ["--graph-data", data, "--releases", data / "releases.jsonl"], data


def clusters(text):
    return f"clusters:\n  promql: {text}\n"


def recommended(service, **parameters):
    return {b for _, b in edges_of(service.graph("stable-4.8", **parameters).json())[0]}
