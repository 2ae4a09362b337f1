#!/usr/bin/env python3
"""The whole tour, unattended, while `fairway up` is killed with -9 in the middle of its steps; then once more, when all is done."""
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from cluster_version import Daemon
from update_service import FAIRWAY, PATIENCE, case, check, contains, equal, finish, not_run

KILLED_WHILE = ["until member2 has judged its updates", "until the rollout has ended", "until all have the update",
                "until the new load balancer is there"]


def free_ports(count):
    """The first of so many in a row, which `up` takes from its own on."""
    for first in range(20000, 32000, count):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for offset, each in enumerate(sockets):
                each.bind(("127.0.0.1", first + offset))
            return first
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()
    raise AssertionError("there are no free ports")


class Tour:
    def __init__(self, data):
        self.process = subprocess.Popen([FAIRWAY, "tour", "--data", data, "--yes"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.text = ""

    def read_until(self, wanted):
        for line in self.process.stdout:
            self.text += line
            if wanted in line:
                return
        raise AssertionError(f"the tour ended without {wanted!r}: {self.text[-4000:]}")

    def finish(self):
        for line in self.process.stdout:
            self.text += line
        self.process.stdout.close()
        equal("it ends well", self.process.wait(PATIENCE), 0)
        return self.text


def start(data, port):
    return Daemon(["up", "--data", data, "--listen", f"127.0.0.1:{port}"], {"end": r"(Ctrl-C stops it)"})


def main():
    if not shutil.which("kubectl"):
        not_run("there is no kubectl")
    with tempfile.TemporaryDirectory() as folder:
        data, port = pathlib.Path(folder) / "data", free_ports(4)
        up = start(data, port)
        try:
            with case("the tour passes, though its server is killed in four steps"):
                tour = Tour(data)
                for moment in KILLED_WHILE:
                    tour.read_until(moment)
                    up.kill()
                    up = start(data, port)
                told = tour.finish()
                contains("the end", told, "That was the tour.")
                equal("every step was taken", told.count("/6  "), 6)
                check("nothing had been done before", "done before" not in told, told)
            with case("a second time, what was done stays done"):
                equal("all but the device", Tour(data).finish().count("done before"), 5)
        finally:
            if up.process.poll() is None:
                up.kill()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
