"""Files that are damaged, elsewhere or too many, and work by hand: scenarios 32, 34, 35, 37 and 38."""

import fcntl
import json
import os
import shutil
import subprocess

from scenario import A, B, scenario, status, two_boots
from simulator import Deployment
from trees import digest, equal, expect, read, write


@scenario("32")
def prune(make):
    device = make(A())
    device.boot()
    device.add_foreign()
    gone = []
    for letter in "BCDEF":
        other = Deployment(letter, "4.14.0")
        shutil.copytree(device.data, device.backup_of(other), symlinks=True)
        manifest = {"schema": 1, "deployment_id": other.id, "boot_id": "0" * 32, "version": "4.14.0", "seq": 1, "complete": True}
        write(os.path.join(device.bak, other.id + ".manifest"), json.dumps(manifest))
        gone.append(other)
    pinned, staged = gone[3], gone[4]
    device.install(pinned)
    write(device.path_of(pinned) + ".origin", "[libostree-transient]\npinned=true\n")
    device.entries.append(pinned)
    device.write_entries()
    device.install(staged)
    shipped = f"os-{'a' * 64}.0_{'b' * 32}"
    os.makedirs(os.path.join(device.bak, shipped))
    entries = os.path.join(device.root, "boot/loader/entries")
    os.rename(entries, entries + ".away")
    chosen = device.choose_by_grub()
    device.start_kernel(chosen)
    write(os.path.join(device.root, "run/ostree/staged-deployment"), "")
    device.run("pre-run", check=0)
    equal(device.backups(), ["A", "B", "C", "D", "E", "F"], "without a list nothing is removed, and the boot goes on")
    device.run("green", check=0)
    os.rename(entries + ".away", entries)
    device.start_kernel(chosen)
    write(os.path.join(device.root, "run/ostree/staged-deployment"), "")
    device.run("pre-run", check=0)
    equal(device.backups(), ["A", "E", "F"], "pinned and staged ones stay")
    expect(os.path.isdir(os.path.join(device.bak, shipped)), "names of others stay")
    device.check_no_leftovers()


@scenario("34")
def corrupt_files(make):
    for name in ("next_boot", ".version"):
        for text in (b"", b"{", b'{"schema":2,"action":"none"}', b"\x00\xff\x17" * 30, b" " * (10 << 20)):
            device = two_boots(make)
            path = os.path.join(device.bak if name == "next_boot" else device.data, name)
            with open(path, "wb") as file:
                file.write(text)
            before, copies = device.full(), device.manifests()
            device.start_kernel(device.booted)
            done = device.run("pre-run", check=1)
            expect(f"{name} cannot be read" in done.stderr and "repair" in done.stderr, "the reason", done.stderr)
            equal((device.full(), device.manifests()), (before, copies), "nothing is touched")
            for verb in ("green", "red"):
                device.run(verb, check=1)
            equal(device.full(), before, "nor by the others")
            if name == ".version":
                device.run("repair", check=1)
                device.run("repair", "--data-version", "4.14.0", check=0)
            else:
                device.run("repair", check=0)
            device.run("pre-run", check=0)


@scenario("35")
def backups_elsewhere(make):
    device = make(A())
    os.makedirs(device.bak, mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "none", device.bak], capture_output=True).returncode != 0:
        return "no mounts here"
    try:
        device.boot()
        before = device.full()
        device.boot(healthy=False)
        equal((digest(device.backup_of(device.booted)), device.manifests()[device.booted.id]["method"]), (before, "copy"), "a full copy")
        device.boot()
        equal(device.reached[0] is not None, True, "restored")
    finally:
        subprocess.run(["umount", device.bak], check=True)
    for kind in ("a symbolic link", "a file"):
        device = make(A())
        os.symlink("/tmp", device.bak) if kind == "a symbolic link" else write(device.bak, "")
        device.start_kernel(device.entries[0])
        done = device.run("pre-run", check=1)
        expect(f'expected "/var/lib/microshift.bak" to be a directory, found {kind}' in done.stderr, "the reason", done.stderr)


@scenario("35 set aside")
def set_aside_elsewhere(make):
    device = make(Deployment("F", "4.14.0", component=False, application=False))
    os.makedirs(device.bak, mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "none", device.bak], capture_output=True).returncode != 0:
        return "no mounts here"
    try:
        device.boot()
        device.stage(A())
        device.grub("unset", "boot_counter")
        device.boot(healthy=False)
        failed, name = device.full(), f"{device.booted.id}_{device.boot_id}.unhealthy"
        equal(device.boot(), "green", "R4")
        equal(digest(os.path.join(device.bak, name), skip=(".version",)) is not None, True, "set aside")
        equal(digest(os.path.join(device.bak, name)), failed, "by a copy")
    finally:
        subprocess.run(["umount", device.bak], check=True)


@scenario("35 data is a mount")
def data_is_a_mount(make):
    device = make(A())
    os.makedirs(device.data)
    if subprocess.run(["mount", "-t", "tmpfs", "none", device.data], capture_output=True).returncode != 0:
        return "no mounts here"
    try:
        device.boot()
        equal(device.boot(healthy=False), "red", "a backup is made")
        before = device.full()
        device.start_kernel(device.booted)
        expect("is a mount point and cannot be replaced" in device.run("pre-run", check=1).stderr, "a restore is refused")
        equal((device.full(), device.wish()), (before, "restore red"), "and nothing is touched")
    finally:
        subprocess.run(["umount", device.data], check=True)


@scenario("37")
def one_at_a_time(make):
    device = two_boots(make)
    device.set_services("inactive")
    with open(os.path.join(device.bak, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("4711 pre-run\n")
        lock.flush()
        done = device.run("backup", "/var/lib/mine", check=1)
        expect("another operation is in progress (pid 4711, verb pre-run)" in done.stderr, "it refuses", done.stderr)
        device.start_kernel(device.booted)
        expect("another operation is in progress" in device.run("pre-run", check=1).stderr, "pre-run waits, then says so")
    device.run("pre-run", check=0)


@scenario("38")
def by_hand(make):
    device = two_boots(make)
    device.set_services("inactive")
    before = device.full()
    done = device.run("backup", "/var/lib/mine", check=0)
    mine = os.path.join(device.root, "var/lib/mine")
    equal((done.stdout.strip(), digest(mine)), (mine, before), "the copy, and where it is")
    expect('expected "/var/lib/mine" to not exist' in device.run("backup", "/var/lib/mine", check=1).stderr, "not twice")
    expect('expected "/var/lib/yours" to exist' in device.run("restore", "/var/lib/yours", check=1).stderr, "not from nothing")
    device.set_services("active")
    for verb, path in (("backup", "/var/lib/other"), ("restore", "/var/lib/mine")):
        expect("must be stopped" in device.run(verb, path, check=1).stderr, "not while it runs")
    device.set_services("inactive")
    os.unlink(os.path.join(device.data, "certs/key"))
    device.run("restore", "/var/lib/mine", check=0)
    equal((device.full(), device.wish()), (before, "nothing"), "restored")
    os.unlink(mine + ".manifest")
    expect("it has no manifest" in device.run("restore", "/var/lib/mine", check=1).stderr, "what is no backup is refused")
    device.run("restore", "/var/lib/mine", "--without-manifest", check=0)
    expect(json.loads(device.run("status", "-o", "json", check=0).stdout)["deployment"], "status")
    expect("restore the data from" in device.run("history", check=0).stdout, "history")
    expect("(latest)" in device.run("list", check=0).stdout, "list")


@scenario("38 automatic recovery")
def automatic_recovery(make):
    device = two_boots(make)
    device.set_services("inactive")
    folder = os.path.join(device.root, "var/lib/recovery")
    states, names = [], []
    for number in range(3):
        write(os.path.join(device.data, "number"), f"{number}\n")
        states.append(device.full())
        made = device.run("backup", "/var/lib/recovery", "--auto-recovery", check=0).stdout.strip()
        name = os.path.basename(made).replace(os.path.basename(made)[:14], f"2026010100000{number}")
        for suffix in ("", ".manifest"):  # as if days had passed between them
            os.rename(made + suffix, os.path.join(folder, name + suffix))
        names.append(name)
    shutil.copytree(os.path.join(folder, names[2]), os.path.join(folder, f"20270101000000_{B().id}"))
    write(os.path.join(device.data, "number"), "broken\n")
    done = device.run("restore", "/var/lib/recovery", "--auto-recovery", check=0)
    equal((done.stdout.strip(), device.full()), (f"/var/lib/recovery/{names[2]}", states[2]), "the newest of this system")
    equal(json.loads(read(os.path.join(folder, "state.json"))), {"LastBackup": names[2]}, "the state")
    failed = os.listdir(os.path.join(folder, "failed"))
    equal(read(os.path.join(folder, "failed", failed[0], "number")), "broken\n", "the failed data is kept")
    device.run("restore", "/var/lib/recovery", "--auto-recovery", "--dont-save-failed", check=0)
    equal(device.full(), states[1], "the next one")
    equal(sorted(os.listdir(os.path.join(folder, "restored"))), [names[2], names[2] + ".manifest"], "the one that did not help")
    equal(len(os.listdir(os.path.join(folder, "failed"))), 1, "no more failed data is kept")
    device.run("restore", "/var/lib/recovery", "--auto-recovery", "--dont-save-failed", check=0)
    equal(device.full(), states[0], "the oldest")
    done = device.run("restore", "/var/lib/recovery", "--auto-recovery", check=1)
    expect("that was not tried already" in done.stderr, "then there is none", done.stderr)
    equal(device.run("restore", "/x", "--dont-save-failed").returncode, 2, "which means nothing alone")
    device.check_no_leftovers()
