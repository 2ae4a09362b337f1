"""Debian's Prometheus for tests, and something for it to scrape.

Prometheus chooses its port itself and says it in its log, so no other test can take it in between. Samples carry the
time at which they were read: a scrape that a busy machine makes late is then only late, and does not end the series.
"""
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from cluster_version import Web
from update_service import PATIENCE, eventually


class Exporter(Web):
    """What clusters have sent: lines such as `up{_id="a"} 1`, which a test may replace as a whole at any time."""

    def __init__(self, lines):
        self.lines = lines
        super().__init__(lambda path: (200, self.text()))

    def text(self):
        now = int(time.time() * 1000)
        return "".join(f"{line} {now}\n" for line in self.lines)


class Prometheus:
    """Scrapes the exporter, if there is one, every second."""

    def __init__(self, folder, exporter=None, *flags):
        folder.mkdir(parents=True, exist_ok=True)
        scraped = f"scrape_configs:\n- job_name: fleet\n  static_configs: [{{targets: ['127.0.0.1:{exporter.port}']}}]\n" if exporter else ""
        (folder / "prometheus.yml").write_text("global: {scrape_interval: 1s, scrape_timeout: 1s}\n" + scraped)
        self.log = folder / "prometheus.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                 "--web.listen-address=127.0.0.1:0", *flags], stdout=log, stderr=log)
        self.address = eventually(self.said_address, "Prometheus listens")
        self.url = f"http://{self.address}"
        eventually(lambda: self.get("/-/ready"), "Prometheus is ready")

    def said_address(self):
        said = self.log.read_text(errors="replace")
        if self.process.poll() is not None:
            raise AssertionError(f"Prometheus ended with {self.process.returncode}: {said[-3000:]}")
        found = re.search(r'msg="Listening on" address=(\S+)', said)
        return found and found[1]

    def get(self, path, body=None):
        with urllib.request.urlopen(self.url + path, body, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def ask(self, question, kind="query"):
        """The whole answer to a question, such as {"query": "up"}, be it an error."""
        try:
            return json.loads(self.get(f"/api/v1/{kind}", urllib.parse.urlencode(question).encode()))
        except urllib.error.HTTPError as error:
            return json.load(error)

    def wait_for(self, query, ids=frozenset()):
        """Until there are samples: one for each of these ids, or any at all."""

        def samples():
            found = {result["metric"].get("_id") for result in self.ask({"query": query})["data"]["result"]}
            return found and set(ids) <= found

        eventually(samples, f"Prometheus has {query} of {set(ids) or 'anyone'}")

    def queries(self):
        """How often Prometheus was asked, by its own count; wait_for() asks too."""
        return sum(
            float(line.rsplit(" ", 1)[1])
            for line in self.get("/metrics").splitlines()
            if line.startswith("prometheus_http_requests_total{") and 'handler="/api/v1/query"' in line
        )

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(PATIENCE)
