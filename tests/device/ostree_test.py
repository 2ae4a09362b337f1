#!/usr/bin/env python3
"""The list of deployments, read from a sysroot that ostree itself made, is the one that ostree tells. Exit code 77: not run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FAIRWAY = os.environ.get("FAIRWAY", "fairway")


def ostree(*words):
    return subprocess.run(["ostree", *words], check=True, capture_output=True, text=True).stdout


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def commit(sysroot, tree, version):
    write(os.path.join(tree, "usr/lib/modules/6.1/vmlinuz"), "kernel " + version)
    write(os.path.join(tree, "usr/lib/modules/6.1/initramfs.img"), "ramdisk")
    write(os.path.join(tree, "usr/lib/os-release"), "NAME=Test\nID=test\nVERSION_ID=1\n")
    write(os.path.join(tree, "usr/bin/microshift"), "#!/bin/sh\n")
    os.makedirs(os.path.join(tree, "usr/etc"), exist_ok=True)
    ostree(f"--repo={sysroot}/ostree/repo", "commit", "-b", "test/x", f"--tree=dir={tree}",
           f"--add-metadata-string=version={version}", "--owner-uid=0", "--owner-gid=0")
    ostree("admin", "deploy", f"--sysroot={sysroot}", "--os=rhel", "test/x")


def told(sysroot):
    """The ids in ostree's order."""
    text = ostree("admin", "status", f"--sysroot={sysroot}")
    return ["-".join(found) for found in re.findall(r"^[* ] (\S+) ([0-9a-f]{64}\.\d+)", text, re.MULTILINE)]


def seen(sysroot):
    done = subprocess.run([FAIRWAY, "device", "status", "--root", sysroot, "-o", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {done.stderr}")
    return json.loads(done.stdout)


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"FAILED: {what}\n  expected: {wanted}\n  found:    {found}")


def try_without_files(sysroot, entries):
    """Where boot entries cannot be read, ostree is asked, then rpm-ostree; each plays here what the real one said."""
    known = seen(sysroot)
    text = ostree("admin", "status", f"--sysroot={sysroot}")
    os.rename(entries, entries + ".away")
    state = seen(sysroot)
    expect((state["deployments"], "deploymentsProblem" in state), ([], True), "nobody can tell")
    program = os.path.join(sysroot, "usr/bin/ostree")
    write(program, f"#!/bin/sh\n[ \"$1 $2 $3\" = 'admin status --sysroot={sysroot}/' ] || exit 1\ncat <<'TEXT'\n{text}TEXT\n")
    os.chmod(program, 0o755)
    expect(seen(sysroot), known, "ostree admin status")
    os.unlink(program)
    answer = {"deployments": [{"id": each["id"], "booted": each["booted"], "staged": False, "pinned": False}
                              for each in known["deployments"]]}
    program = os.path.join(sysroot, "usr/bin/rpm-ostree")
    write(program, f"#!/bin/sh\n[ \"$*\" = 'status --json' ] || exit 1\ncat <<'TEXT'\n{json.dumps(answer)}\nTEXT\n")
    os.chmod(program, 0o755)
    expect(seen(sysroot), known, "rpm-ostree status --json")
    os.rename(entries + ".away", entries)


def main():
    if shutil.which("ostree") is None or os.geteuid() != 0:
        print("not run: there is no ostree (package ostree), or this is not root")
        sys.exit(77)
    folder = tempfile.mkdtemp(dir="/var/tmp")
    sysroot, tree = os.path.join(folder, "sysroot"), os.path.join(folder, "tree")
    try:
        os.mkdir(sysroot)
        ostree("admin", "init-fs", "--modern", sysroot)
        ostree("admin", "os-init", f"--sysroot={sysroot}", "rhel")
        for version in ("1", "2"):
            commit(sysroot, tree, version)
        write(os.path.join(sysroot, "run/ostree-booted"), "")
        write(os.path.join(sysroot, "proc/sys/kernel/random/boot_id"), "0" * 32)
        entries = os.path.join(sysroot, "boot/loader/entries")
        expect(len(told(sysroot)), 2, "ostree has two deployments")
        for name in sorted(os.listdir(entries)):
            with open(os.path.join(entries, name)) as file:
                argument = re.search(r"ostree=\S+", file.read()).group(0)
            write(os.path.join(sysroot, "proc/cmdline"), f"rw {argument}\n")
            state = seen(sysroot)
            expect([each["id"] for each in state["deployments"]], told(sysroot), "ids and order")
            booted = [each["id"] for each in state["deployments"] if each["booted"]]
            expect(booted, [state["deployment"]], "one is booted")
            expect("deploymentsProblem" in state, False, "nothing is wrong")
            place = os.path.join(sysroot, argument.removeprefix("ostree=/"))
            expect("rhel-" + os.path.basename(os.readlink(place)), state["deployment"], "it is the one of the command line")
        ostree("admin", "pin", f"--sysroot={sysroot}", "1")
        expect([each["pinned"] for each in seen(sysroot)["deployments"]], [False, True], "pinned")
        ostree("admin", "pin", f"--sysroot={sysroot}", "--unpin", "1")
        commit(sysroot, tree, "3")
        expect([each["id"] for each in seen(sysroot)["deployments"]], told(sysroot), "after another update")
        try_without_files(sysroot, entries)
        print("ostree tells the same")
    finally:
        subprocess.run(["chattr", "-R", "-i", folder], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


main()
