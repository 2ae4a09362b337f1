"""What the tests of `fairway up` share: the whole fleet in one process, with kubectl and the program itself as its users."""
import json
import os
import shutil
import subprocess

from cluster_version import Daemon
from update_service import FAIRWAY, PATIENCE, eventually, not_run


class Up:
    def __init__(self, folder, members=6, flags=()):
        if not shutil.which("kubectl"):
            not_run("there is no kubectl")
        self.folder, self.members, self.flags = folder, members, flags
        self.environment = dict(os.environ, KUBECONFIG=str(folder / "kubeconfig"))
        self.start()

    def start(self):
        self.daemon = Daemon(["up", "--data", self.folder, "--clusters", self.members, "--listen", "127.0.0.1:0", *self.flags],
                             {"url": r"update service +(\S+)", "end": r"(Ctrl-C stops it)"})

    def kill_and_start(self):
        self.daemon.kill()
        self.start()

    def kubectl(self, *arguments, context="hub", succeeds=True):
        done = subprocess.run(["kubectl", "--context", context, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def get(self, *what, context="hub"):
        return json.loads(self.kubectl("get", *what, "-o", "json", context=context))

    def fairway(self, *arguments, context="hub"):
        """Exit code, stdout, stderr."""
        done = subprocess.run([FAIRWAY, *arguments, "--context", context], capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment)
        return done.returncode, done.stdout, done.stderr

    def version(self, member):
        return self.get("clusterversion", "version", context=member)

    def history(self, member):
        """4.7.4 Partial, 4.6.23 Completed"""
        return [f"{each['version']} {each['state']}" for each in self.version(member)["status"].get("history", [])]

    def await_history(self, member, *wanted):
        eventually(lambda: self.history(member) == list(wanted), f"the history of {member} is {wanted}")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print((self.folder / "up.log").read_text(errors="replace")[-4000:])
        if self.daemon.process.poll() is None:
            self.daemon.kill()
