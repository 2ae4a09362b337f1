#!/usr/bin/env python3
"""A device whose application is Fairway itself: the profile of deploy/device/fairway, data that the real `fairway up` wrote,
and an update that changes a CRD's storage version. Its objects are migrated before the new system starts, cuts in between are
survived, and a red system gives the data back as it was. Exit code 77: not run, and why.
"""

import os
import pathlib
import re
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile

import faults
import simulator
from trees import Failure, digest, equal, expect, read, write

sys.path.insert(0, os.path.join(simulator.PROJECT, "tests", "e2e"))
import cluster_version  # noqa: E402

PROFILE = os.path.join(simulator.DEPLOY, "fairway")
WIDGETS = "/apis/example.test/v1alpha1/namespaces/default/widgets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
COUNTS = {"": 90, "member1": 30}  # of widgets, by logical cluster
ALL = sum(COUNTS.values())


def definition(stored):
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [{"name": name, "served": True, "storage": name == stored, "schema": schema} for name in ("v1alpha1", "v1")]
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.test"},
            "spec": {"group": "example.test", "scope": "Namespaced", "versions": versions,
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}}}


class Up(cluster_version.ApiServer):
    """fairway up."""

    def start(self):
        self.kubeconfig = self.folder.parent / "kubeconfig.of-the-test"
        self.kubeconfig.unlink(missing_ok=True)
        with open(self.folder.parent / "up.log", "ab") as log:
            self.daemon = subprocess.Popen([simulator.FAIRWAY, "up", "--data", self.folder, "--clusters", "1", "--listen", "127.0.0.1:0",
                                            "--write-kubeconfig", self.kubeconfig], stdout=log, stderr=log)
        cluster_version.eventually(self.kubeconfig.exists, "Fairway is up")
        self.port = int(re.search(r"https://127\.0\.0\.1:(\d+)", self.kubeconfig.read_text())[1])
        self.tls = ssl.create_default_context(cafile=self.folder / "pki" / "ca.crt")
        self.tls.load_cert_chain(self.folder / "pki" / "admin.crt", self.folder / "pki" / "admin.key")

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        equal(self.daemon.wait(300), 0, "fairway up ends well")

    def fill(self):
        for cluster, count in COUNTS.items():
            self.create(DEFINITIONS, definition("v1alpha1"), cluster)
            for number in range(count):
                widget = {"apiVersion": "example.test/v1alpha1", "kind": "Widget", "metadata": {"name": f"w{number}"}, "spec": {"size": number}}
                cluster_version.eventually(lambda: self.is_created(widget, cluster), "the definition is served")

    def is_created(self, widget, cluster):
        try:
            return bool(self.create(WIDGETS, widget, cluster))
        except AssertionError as refused:
            if " 404 " not in str(refused):
                raise
            return False


class FairwayDevice(simulator.Device):
    application = "fairway"

    def install(self, deployment):
        path = self.path_of(deployment)
        os.makedirs(os.path.join(path, "usr/bin"))
        write(path + ".origin", "[origin]\nrefspec=os/x\n")
        write(os.path.join(path, "usr/bin/systemctl"), f'#!/bin/sh\ncat "{self.root}/run/service-state"\n', 0o755)
        write(os.path.join(path, "usr/bin/fairway"), "")
        settings = re.sub("version-command: .*", "version-file: /usr/lib/fairway/version", read(os.path.join(PROFILE, "device.yaml")))
        write(os.path.join(path, "usr/lib/fairway/device.yaml"), settings + "digest: true\n")
        write(os.path.join(path, "usr/lib/fairway/version"), deployment.version + "\n")
        steps = os.path.join(path, "usr/lib/fairway/device/fairway.d")
        shutil.copytree(os.path.join(PROFILE, "fairway.d"), steps)
        if deployment.version == "0.2.0":
            write(os.path.join(steps, "0.2/20_widgets.yaml"), "storage-versions: {definitions: crds, page-size: 10}\n")
            write(os.path.join(steps, "0.2/crds/widgets.json"), cluster_version.json.dumps(definition("v1")))
        self.link(deployment)

    def play_application(self):
        is_first = not os.path.exists(os.path.join(self.data, "store"))
        server = Up(pathlib.Path(self.data))
        try:
            self.use(server, is_first)
            server.stop()
        finally:
            server.kill()
        self.states.add(self.contents())

    def use(self, server, is_first):
        if is_first:
            server.fill()
        server.create("/api/v1/namespaces/default/configmaps",
                      {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"boot{self.boots}"}})
        stored = server.get(f"{DEFINITIONS}/widgets.example.test")["status"]["storedVersions"]
        equal(stored, ["v1alpha1" if self.booted.letter == "A" else "v1"], "what the definition says of its objects")
        equal(len(server.get(WIDGETS)["items"]), COUNTS[""], "all widgets are there")


def stored_versions(tree):
    """By apiVersion, how many widgets are stored so, from the store's own file."""
    found = {}
    name = next(pathlib.Path(tree, "store").glob("*.db"))
    with tempfile.TemporaryDirectory() as folder:  # reading takes locks, which would change the tree
        for each in name.parent.iterdir():
            shutil.copy(each, folder)
        database = sqlite3.connect(os.path.join(folder, name.name))
        rows = database.execute("SELECT cluster, ns, name, value FROM log WHERE resource LIKE '%widgets%' AND value IS NOT NULL ORDER BY revision")
        for cluster, space, widget, value in rows.fetchall():
            found[cluster, space, widget] = cluster_version.json.loads(value)["apiVersion"]
        database.close()
    return {version: list(found.values()).count(version) for version in set(found.values())}


def update(device):
    equal(device.boot(), "green", "A")
    equal(device.boot(), "green", "A again")
    equal(stored_versions(device.backup_of(device.booted)), {"example.test/v1alpha1": ALL}, "the backup")
    device.stage(simulator.Deployment("B", "0.2.0"))


def try_cuts(device):
    """Killed at points over the whole migration, which the next boot finishes."""
    device.start_kernel(device.entries[0])
    saved = device.save()
    done, count = device.counted("pre-run")
    expect(f"0.2:0.2/20_widgets.yaml: Widget: {ALL} of {ALL} changed" in done.stdout, "all are migrated", done.stdout, done.stderr)
    resumed = set()
    for part in (0.4, 0.6, 0.75, 0.9):
        device.load(saved)
        cut = device.run("pre-run", cut=[faults.CUT, "--kill-at", str(int(count * part)), "--"])
        expect(cut.returncode in (0, 137), "cut", cut.stderr)
        device.boots += 1000
        device.write_boot_id()
        again = device.run("pre-run", check=0)
        equal(stored_versions(device.data), {"example.test/v1": ALL}, f"everything is migrated after a cut at {part}")
        equal(device.version()["version"], "0.2.0", "the data's version")
        device.check_no_leftovers()
        check = subprocess.run([simulator.FAIRWAY, "apiserver", "check", device.data], capture_output=True, text=True)
        equal(check.returncode, 0, f"the store is sound: {check.stdout}")
        resumed |= {int(count) for count in re.findall(r"20_widgets.yaml: Widget: \d+ of (\d+) changed", again.stdout)}
    expect(any(0 < count < ALL for count in resumed), "a cut migration went on where it was", resumed)
    device.load(saved)


def run(folder):
    device = FairwayDevice(folder, simulator.Deployment("A", "0.1.0"))
    device.environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    update(device)
    before, first = device.contents(), device.booted
    if faults.can_cut():
        device.explore = {"loses_writes": False}
        try_cuts(device)
        device.explore = None
    else:
        print("not run: cuts; this kernel lets nobody watch the system calls of a child")

    def healthy(each):
        if each.booted is not first:
            equal(stored_versions(each.data), {"example.test/v1": ALL}, "migrated before it started")
            equal(stored_versions(each.backup_of(first)), {"example.test/v1alpha1": ALL}, "the backup is from before")
        return each.booted is first

    equal(device.boot_until_rest(healthy=healthy), ["red", "red", "red", "green"], "B is red until A comes back")
    equal(device.reached[0], before, "A has what it had")
    print(f"{ALL} objects migrated and given back, {len(device.states)} states")


def main():
    if os.geteuid() != 0 or simulator.GRUB_EDITENV is None:
        print("not run: this needs root and grub-editenv (package grub-common)")
        sys.exit(77)
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        run(folder)
    except (Failure, OSError, AssertionError) as failure:
        print(f"FAILED: {failure}")
        log = pathlib.Path(folder, "root/var/lib/up.log")
        print(log.read_text()[-3000:] if log.exists() else "")
        sys.exit(1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
