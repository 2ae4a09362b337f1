"""The scenarios of the specification, by their numbers: what a device does, and what its files are afterwards.

A, B, … are systems; `wish` is next_boot in short. Each function gets a maker of devices.
"""

import fcntl
import itertools
import json
import os
import shutil
import subprocess

from simulator import Deployment
from trees import digest, equal, expect, read, snapshot, write

SCENARIOS = {}


def scenario(*names):
    def add(function):
        for name in names:
            SCENARIOS[name] = function
        return function
    return add


def A(version="4.14.0", **more):
    return Deployment("A", version, **more)


def B(version="4.14.0", **more):
    return Deployment("B", version, **more)


def status(device):
    return device.version()["status"]


@scenario("1")
def first_boot_green(make):
    device = make(A())
    equal(device.boot(), "green", "the first boot")
    equal((device.wish(), device.backups(), status(device)), ("backup A", [], "healthy"), "after green")
    equal(device.next_boot()["backup"]["boot_id"], device.boot_id, "the boot of the backup to come")
    equal(device.version()["version"], "4.14.0", "the data's version")
    equal(os.stat(device.bak).st_mode & 0o777, 0o700, "the backup folder's mode")
    equal(os.stat(os.path.join(device.bak, "next_boot")).st_mode & 0o777, 0o600, "next_boot's mode")
    return device


@scenario("2")
def first_boot_red(make):
    device = make(A())
    equal(device.boot_until_rest(healthy=False), ["red"], "nothing reboots by itself")
    equal((device.wish(), device.backups(), status(device)), ("restore red", [], "unhealthy"), "after red")
    return device


@scenario("3")
def red_then_manual_reboot(make):
    device = first_boot_red(make)
    before = device.contents()
    equal(device.boot(), "green", "the second boot")
    equal(device.reached[0], before, "R3b: the data is kept")
    equal(device.wish(), "backup A", "after green")


@scenario("3 with a system without the component")
def red_then_manual_reboot_beside_another(make):
    first = Deployment("F", "4.14.0", component=False, application=False)
    device = make(first)
    device.boot()
    device.stage(A())
    device.grub("unset", "boot_counter")
    equal(device.boot(healthy=False), "red", "A is red")
    red_boot = device.boot_id
    equal(device.boot(), "green", "R4: a clean start")
    equal(os.listdir(device.bak).count(f"{device.booted.id}_{red_boot}.unhealthy"), 1, "set aside")
    equal(read(os.path.join(device.data, "etcd/records")).count("\n"), 1, "records of this boot alone")


@scenario("4")
def red_then_data_deleted(make):
    device = first_boot_red(make)
    shutil.rmtree(device.data)
    equal(device.boot(), "green", "a clean start")
    equal((device.reached[1], device.backups()), ("nothing", []), "next_boot is gone")


def two_boots(make, first=None, **more):
    device = make(first or A(), **more)
    device.boot()
    before = device.full()
    first_boot = device.boot_id
    equal(device.boot(), "green", "the second boot")
    equal(digest(device.backup_of(device.booted)), before, "the backup is the data after the first boot")
    equal(device.manifests()[device.booted.id]["boot_id"], first_boot, "the manifest names the first boot")
    return device


@scenario("5")
def second_boot_backs_up(make):
    device = two_boots(make)
    equal((device.backups(), device.latest(), device.reached[1]), (["A"], device.booted.id, "nothing"), "after pre-run")
    equal(device.wish(), "backup A", "after green")
    equal(device.run("verify", check=0).stdout.count("good: digest and counts agree"), 1, "verify")


@scenario("6")
def second_boot_red(make):
    device = make(A())
    device.boot()
    before = device.contents()
    equal(device.boot(healthy=False), "red", "the second boot")
    equal(device.next_boot()["predecessor"], device.booted.id, "the predecessor")
    device.boot()
    equal(device.reached[0], before, "DATA is the backup of the first boot")
    equal(device.reached[1], "nothing", "next_boot is gone")


@scenario("7")
def backup_without_space(make):
    device = make(A())
    os.makedirs(device.bak, mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", device.bak], capture_output=True).returncode != 0:
        return "no mounts here"
    try:
        device.boot()
        write(os.path.join(device.data, "large"), "x" * (3 << 20))
        device.states.add(device.contents())
        before, version, first_boot = device.full(), device.version(), device.boot_id
        equal(device.boot(), "refused", "pre-run fails")
        expect('microshift.bak" to create a backup: required=4M available=' in device.output, "the reason", device.output)
        expect("not enough disk space" in read(os.path.join(device.bak, "prerun_failed.log")), "the reason is kept")
        equal((device.wish(), device.version(), device.full()), ("backup A", version, before), "the backup is still to be made")
        equal(device.next_boot()["restore"], False, "red left it alone")
        subprocess.run(["mount", "-o", "remount,size=64m", device.bak], check=True)
        equal(device.boot(), "green", "after the administrator made room")
        equal((device.backups(), digest(device.backup_of(device.booted))), (["A"], before), "the backup is made")
        equal(device.manifests()[device.booted.id]["boot_id"], first_boot, "of the first boot")
    finally:
        subprocess.run(["umount", device.bak], check=True)


@scenario("a mount inside the data")
def mount_inside(make):
    device = make(A())
    device.boot()
    before = device.version()
    inside = os.path.join(device.data, "etcd")
    if subprocess.run(["mount", "-t", "tmpfs", "none", inside], capture_output=True).returncode != 0:
        return "no mounts here"
    try:
        device.start_kernel(device.booted)
        expect("is on another file system" in device.run("pre-run", check=1).stderr, "it is refused")
    finally:
        subprocess.run(["umount", inside], check=True)
    equal((device.wish(), device.version()), ("backup A", before), "the backup is still to be made")


def make_immutable(device):
    subprocess.run(["chattr", "+i", device.bak], check=True)


@scenario("8")
def backup_into_immutable_folder(make):
    device = make(A(), disk=True)
    if subprocess.run(["chattr", "+i", device.root], capture_output=True).returncode != 0:
        return "no immutable files here"
    subprocess.run(["chattr", "-i", device.root], check=True)
    device.boot()
    before, version = device.full(), device.version()
    make_immutable(device)
    try:
        chosen = device.choose_by_grub()
        device.start_kernel(chosen)
        equal(device.run("pre-run").returncode, 1, "pre-run fails")
        device.run("red")
        equal((device.wish(), device.version(), device.full()), ("backup A", version, before), "the backup is still to be made")
    finally:
        subprocess.run(["chattr", "-i", device.bak], check=True)
    equal(device.boot(), "green", "after the repair")
    equal((device.backups(), digest(device.backup_of(device.booted))), (["A"], before), "the backup is made")


@scenario("9")
def third_boot_replaces(make):
    device = two_boots(make)
    before, second_boot = device.full(), device.boot_id
    device.add_foreign()
    device.boot()
    equal((device.backups(), digest(device.backup_of(device.booted))), (["A"], before), "exactly one, of the second boot")
    equal(device.manifests()[device.booted.id]["boot_id"], second_boot, "its manifest")


def update(make, new, profile="bash", settings="", first=None):
    """A has run twice; the new system is staged."""
    device = two_boots(make, first=first, profile=profile, settings=settings)
    device.before = device.full()
    device.before_contents = device.contents()
    device.first = device.booted
    device.stage(new)
    return device


@scenario("10")
def same_version_green(make):
    device = update(make, B())
    equal(device.boot(), "green", "B")
    equal((device.backups(), device.latest()), (["A"], device.first.id), "the backup of A")
    equal(device.reached[0], device.before_contents, "DATA is kept")
    equal(device.version()["opened_by"]["deployment_id"], device.booted.id, "B opened it")
    equal(device.wish(), "backup B", "after green")


@scenario("11", "11 rs")
def red_three_times(make, profile="bash"):
    device = update(make, B("4.15.0"), profile=profile)
    reached = []
    results = device.boot_until_rest(healthy=lambda d: reached.append((d.booted.letter, d.reached)) or d.booted is device.first)
    letters = [letter for letter, _ in reached]
    expect(results[-1] == "green" and set(results[:-1]) == {"red"}, "B is red until A comes back", results)
    equal(device.booted, device.first, "rolled back")
    equal(device.reached[0], device.before_contents, "DATA is what A had")
    equal((device.reached[1], device.backups(), device.wish()), ("nothing", ["A"], "backup A"), "the files")
    expect(len(results) == (4 if profile == "bash" else 5), "the number of boots", results, letters)
    motd = read(os.path.join(device.root, "run/motd.d/40-fairway-device"))
    expect("rolled back from " + Deployment("B", "4.15.0").id in motd, "the message of the day", motd)


SCENARIOS["11 rs"] = lambda make: red_three_times(make, profile="rs")


@scenario("12")
def red_once_then_green(make):
    device = update(make, B())
    equal(device.boot(healthy=False), "red", "the first try")
    equal(device.boot(), "green", "the second")
    equal(device.reached[0], device.before_contents, "it began from the backup of A")
    equal((device.wish(), device.backups()), ("backup B", ["A"]), "the files")


def backup_fails_on_all_tries(make, profile="bash"):
    device = make(A(), profile=profile)
    device.boot()
    device.before, device.first, first_boot = device.full(), device.booted, device.boot_id
    device.stage(B())
    os.mkdir(os.path.join(device.bak, "lost"))
    # The copy's name is taken by somebody who cannot be moved away: the folder's own file system is read-only.
    subprocess.run(["mount", "--bind", device.bak, device.bak], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", device.bak], check=True)
    device.unmount = lambda: subprocess.run(["umount", device.bak], check=True)
    return device, first_boot


@scenario("13", "14")
def backup_fails_then_rollback(make, profile="bash"):
    for recovers_on_a in (True, False):
        device, first_boot = backup_fails_on_all_tries(make, profile)
        is_mounted = True
        try:
            results = []
            while len(results) < 8:
                chosen = device.choose_by_grub()
                device.start_kernel(chosen)
                if chosen is device.first:
                    break
                equal(device.run("pre-run").returncode, 1, "the backup fails")
                device.run("red")
                results.append("refused")
                equal((device.wish(), device.full()), ("backup A", device.before), "nothing is lost")
                if not device.reboots_by_itself():
                    break
            equal(device.booted, device.first, "rolled back")
            if recovers_on_a:
                device.unmount()
                is_mounted = False
                equal(device.pre_run(), 0, "A makes the backup")
            else:
                equal(device.run("pre-run").returncode, 1, "it still fails: the administrator has to come")
                device.unmount()
                is_mounted = False
                device.boots += 1
                device.write_boot_id()
                equal(device.pre_run(), 0, "after the repair")
        finally:
            if is_mounted:
                device.unmount()
        equal(device.manifests()[device.first.id]["boot_id"], first_boot, "the backup of the first boot")
        equal(digest(device.backup_of(device.first)), device.before, "is the data of then")


@scenario("15")
def next_minor(make):
    device = update(make, B("4.15.0"))
    equal(device.boot(), "green", "B")
    equal(digest(device.backup_of(device.first)), device.before, "the backup from before the migration")
    equal((device.version()["version"], device.version().get("migration")), ("4.15.0", None), "migrated")
    equal(read(os.path.join(device.data, "manifests/one.yaml")), "apiVersion: apps/v1\nkind: Deployment\n", "objects are rewritten")
    expect("migrate the data from 4.14.0 to 4.15.0; 4.15:10_schema; 4.15:4.15/20_objects.yaml" in device.output, "it says so", device.output)


@scenario("16")
def migration_fails(make):
    device = update(make, B("4.15.0", fails_migration=True))
    results = device.boot_until_rest()
    equal(results, ["refused", "refused", "refused", "green"], "three tries, then A")
    equal((device.reached[0], device.backups()), (device.before_contents, ["A"]), "A has what it had")


def refused(make, new, text, settings="", first=None, blocks=None):
    device = update(make, new, settings=settings, first=first)
    if blocks:
        write(os.path.join(device.path_of(new), "usr/share/microshift/release/upgrade-blocks.json"), json.dumps(blocks))
    before = {}

    def healthy(each):
        if each.booted is new:
            expect(text in each.output, "the reason", each.output)
            equal(each.contents(), device.before_contents, "DATA is unchanged")
            before["version"] = each.version()
        return True

    results = device.boot_until_rest(healthy=healthy)
    equal(results, ["refused", "refused", "refused", "green"], "refused, then A")
    equal(before["version"]["opened_by"]["deployment_id"], device.first.id, "B never opened it")
    equal((device.reached[0], device.backups()), (device.before_contents, ["A"]), "A has what it had")


@scenario("17")
def two_minors(make):
    refused(make, B("4.16.0"), "version distance is 2, maximum allowed is 1")


@scenario("18")
def blocked(make):
    refused(make, B("4.14.9"), 'upgrade from "4.14.0" to "4.14.9" is blocked', blocks={"4.14.9": ["4.14.0"]})


@scenario("19")
def downgrade(make):
    refused(make, B("4.13.0"), "executable (4.13.0) is older than existing data (4.14.0)")


@scenario("20")
def older_patch(make):
    device = update(make, B("4.14.1"), first=A("4.14.7"))
    equal(device.boot(), "green", "B")
    expect("migrate" not in device.output, "no migration", device.output)
    equal(device.version()["version"], "4.14.7", "the data's level stays")


@scenario("21")
def from_before(make):
    old = A("4.13.0", component=False)
    device = make(old)
    device.boot()
    before = device.full()
    device.stage(B("4.14.0"))
    equal(device.boot(healthy=False), "red", "B")
    equal((device.backups(), digest(device.backup_of(old))), (["A"], before), "the backup has the old system's name")
    device.boot()
    equal(digest(device.backup_of(old)), before, "it was restored and migrated again")
    equal((device.wish(), device.version()["version"]), ("backup B", "4.14.0"), "green")


@scenario("21 two minors")
def from_before_too_far(make):
    device = make(A("4.13.0", component=False))
    device.boot()
    before = device.full()
    device.stage(B("4.15.0"))
    equal(device.boot(), "refused", "B")
    expect("version distance is 2" in device.output, "the reason", device.output)
    equal((device.full(), device.backups()), (before, ["A"]), "DATA is unchanged, and there is a backup")


@scenario("21 without another system")
def from_before_alone(make):
    device = make(B("4.14.0"))
    device.booted = device.entries[0]
    device.play_application()
    before = device.full()
    equal(device.boot(), "green", "B")
    equal((device.backups(), digest(os.path.join(device.bak, "4.13"))), (["4.13"], before), "named by the version")


@scenario("22")
def back_to_before(make):
    old = A("4.13.0", component=False)
    device = make(old)
    device.boot()
    before = device.full()
    device.stage(B("4.14.0"))
    for _ in range(3):
        equal(device.boot(healthy=False), "red", "B")
    expect(f"fairway device restore {old.id}" in device.said, "the last red says how to go back", device.said)
    equal(device.boot(), "no component", "the old system")
    device.set_services("active")
    stopped = device.run("restore", old.id, check=1)
    expect('MicroShift must be stopped before creating or restoring backup ("microshift.service" is "active", should be '
           '"inactive" or "failed")' in stopped.stderr, "a running application is left alone", stopped.stderr)
    device.set_services("inactive")
    device.run("restore", old.id, check=0)
    equal(device.full(), before, "restored by hand")
    device.stage(B("4.14.1", serial=1))
    equal(device.boot(), "green", "the next update works")


@scenario("23")
def manual_rollback_with_request(make):
    device = update(make, B("4.15.0"))
    device.boot()
    of_b = device.full()
    b = device.booted
    device.run("request-restore", check=0)
    equal(device.wish(), "backup B restore admin", "both")
    device.rollback()
    equal(device.boot(), "green", "A")
    equal((device.backups(), digest(device.backup_of(b))), (["A", "B"], of_b), "B's data is kept")
    equal((device.reached[0], device.reached[1]), (device.before_contents, "nothing"), "A has what it had")


@scenario("24")
def manual_rollback_same_minor(make):
    device = update(make, B("4.14.2"))
    device.boot()
    of_b, contents, b = device.full(), device.contents(), device.booted
    device.rollback()
    equal(device.boot(), "green", "A")
    equal((device.reached[0], device.backups(), digest(device.backup_of(b))), (contents, ["A", "B"], of_b), "DATA is kept")
    equal(device.version()["opened_by"]["deployment_id"], device.first.id, "A opened it")
    device.rollback()
    equal(device.boot(), "green", "B again")
    equal(device.backups(), ["A", "B"], "both have one")


@scenario("25")
def manual_rollback_older_minor(make):
    device = update(make, B("4.15.0"))
    device.boot()
    of_b, b = device.full(), device.booted
    device.rollback()
    equal(device.boot(), "green", "A")
    equal((device.reached[0], device.backups(), digest(device.backup_of(b))), (device.before_contents, ["A", "B"], of_b), "R5")


@scenario("26")
def restore_fails(make):
    device = update(make, B("4.15.0"))
    for _ in range(3):
        equal(device.boot(healthy=False), "red", "B")
    damaged = os.path.join(device.backup_of(device.first), "certs/key")
    text, times = read(damaged), os.stat(damaged)
    write(damaged, "damaged", 0o600)
    broken = device.full()
    healthy, device.healthy = device.healthy, {}
    copies, device.copies = device.copies, {}
    chosen = device.choose_by_grub()
    device.start_kernel(chosen)
    done = device.run("pre-run", check=1)
    expect("is damaged: expected digest" in done.stderr, "the reason", done.stderr)
    equal((device.full(), device.wish()), (broken, "restore red"), "DATA is unchanged")
    equal(device.run("verify").returncode, 1, "verify finds it")
    write(damaged, text, 0o600)
    os.utime(damaged, ns=(times.st_atime_ns, times.st_mtime_ns))
    device.healthy, device.copies = healthy, copies
    equal(device.boot(), "green", "after the repair")
    equal(device.reached[0], device.before_contents, "restored")


@scenario("27")
def restored_and_red_anyway(make):
    device = update(make, B("4.15.0"))
    results = device.boot_until_rest(healthy=False)
    equal(results, ["red"] * 4, "all are red")
    equal((device.booted, device.wish()), (device.first, "restore red"), "A waits for somebody")
    device.boot()
    equal(device.reached[0], device.before_contents, "restored again")


def onboarding(make, profile="bash"):
    factory = Deployment("F", "4.14.0", component=False, application=False)
    device = make(factory, profile=profile)
    device.boot()
    device.stage(Deployment("M", "4.14.0"))
    m1 = device.entries[0]
    results = device.boot_until_rest(healthy=False)
    equal((results[-1], device.booted), ("no component", factory), "back at the factory's system")
    device.stage(Deployment("C", "4.14.0"))
    return device, m1


@scenario("28", "28 rs")
def onboarding_twice(make, profile="bash"):
    device, m1 = onboarding(make, profile)
    equal((device.wish(), device.backups()), ("restore red", []), "what is left of the first one")
    equal(device.boot(), "green", "the second one")
    expect(any(name.startswith(m1.id) and name.endswith(".unhealthy") for name in os.listdir(device.bak)), "set aside")
    equal(read(os.path.join(device.data, "etcd/records")).count("\n"), 1, "a clean start")


SCENARIOS["28 rs"] = lambda make: onboarding_twice(make, profile="rs")


@scenario("28 without next_boot")
def onboarding_without_wish(make):
    device, m1 = onboarding(make)
    os.unlink(os.path.join(device.bak, "next_boot"))
    equal(device.boot(), "green", "R6")
    expect(any(name.startswith(m1.id) and name.endswith(".unhealthy") for name in os.listdir(device.bak)), "set aside")


@scenario("28 once healthy")
def onboarding_once_healthy(make):
    device = make(Deployment("F", "4.14.0", component=False, application=False))
    device.boot()
    device.stage(Deployment("M", "4.14.0"))
    equal(device.boot(), "green", "healthy once")
    shutil.rmtree(device.bak)  # the backup and the wish are lost
    device.healthy = {}
    equal(device.boot(healthy=False), "red", "then red")
    before = device.contents()
    equal(device.boot(), "green", "R3")
    equal(device.reached[0], before, "the data is kept")


@scenario("29")
def power_lost_before_health(make):
    device = two_boots(make)
    device.boot(power_lost="before health")
    equal((device.wish(), status(device)), ("nothing", "unknown"), "nobody judged")
    before, copies = device.contents(), device.manifests()
    equal(device.boot(), "green", "the next boot")
    equal((device.reached[0], device.manifests()), (before, copies), "no backup, no restore")


@scenario("30")
def power_lost_then_other_system(make):
    for version, is_restored in (("4.15.0", True), ("4.14.5", False)):
        device = update(make, B(version))
        device.boot(power_lost="before health")
        contents, b = device.contents(), device.booted
        device.grub("unset", "boot_counter")
        device.rollback()
        equal(device.boot(), "green", "A")
        if is_restored:
            equal(device.backups(), ["A", "B.unverified"], "B's data is kept, and never restored by itself")
            equal(digest(os.path.join(device.bak, b.id + ".unverified"), skip=(".version",)), contents, "it is that")
        equal(device.reached[0], device.before_contents if is_restored else contents, "DATA")


@scenario("31")
def service_restart(make):
    device = two_boots(make)
    before = snapshot(os.path.join(device.root, "var"))
    device.run("pre-run", check=0)
    equal(snapshot(os.path.join(device.root, "var")), before, "G2: nothing is written")


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


@scenario("33")
def redeployed(make):
    device = update(make, B())
    device.boot()
    device.boot()
    first = device.first
    shutil.rmtree(device.path_of(first))
    os.makedirs(os.path.join(device.root, "tmp/placeholder"))  # so that the inode is another one
    device.install(first)
    device.run("request-restore", check=0)
    device.grub("unset", "boot_counter")
    device.rollback()
    device.boot()
    expect(f'restore the data from backup "{first.id}"' not in device.output, "a stale backup is not its own", device.output)


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


@scenario("41")
def rust_profile(make):
    device = make(A(), profile="rs")
    results = device.boot_until_rest(healthy=False)
    expect(set(results) == {"red"} and len(results) > 1, "greenboot-rs reboots a system that was never staged", results)
    equal((device.wish(), device.backups()), ("restore red", []), "2")
    backup_fails_then_rollback(make, profile="rs")


@scenario("42")
def nothing_is_lost(make):
    for order in itertools.permutations(("green", "request-restore", "red")):
        device = make(A())
        device.boot(power_lost="before health")
        for verb in order:
            device.run(verb, check=0)
        if order.index("green") < order.index("red"):
            expect("backup A" in device.wish(), "the backup is still to be made", order, device.wish())
        expect("restore admin" in device.wish(), "and so is the restore", order, device.wish())


@scenario("43")
def again_and_out_of_order(make):
    device = two_boots(make)
    before = snapshot(device.bak), snapshot(device.data)
    device.run("green", check=0)
    equal((snapshot(device.bak), snapshot(device.data)), before, "green twice changes nothing")
    device.run("red", check=0)
    expect(device.wish() == "backup A" and status(device) == "healthy", "red after green", device.wish())
    device.start_kernel(device.booted)
    wish, version = device.wish(), device.version()
    device.run("green", check=0)
    equal((device.wish(), device.version()), (wish, version), "green without pre-run changes nothing")


@scenario("44")
def exact_ids(make):
    first, tenth = Deployment("A", "4.14.0", serial=1), Deployment("A", "4.14.0", serial=10)
    device = make(first)
    device.boot()
    device.boot()
    device.stage(tenth)
    device.boot()
    device.boot()
    equal(sorted(device.manifests()), sorted([first.id, tenth.id]), "both have a backup")
    of_first = digest(device.backup_of(first), skip=(".version",))
    device.run("request-restore", check=0)
    device.rollback()
    device.boot()
    expect(f'restore the data from backup "{first.id}"' in device.output, "its own", device.output)
    equal(device.reached[0], of_first, "restored")
    equal(device.version()["opened_by"]["deployment_id"], first.id, "opened by the first")
