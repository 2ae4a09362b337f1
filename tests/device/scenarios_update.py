"""A new system comes: scenarios 10 to 21, 28 and 41."""

import json
import os
import shutil
import subprocess

from scenario import A, B, SCENARIOS, scenario, update
from simulator import Deployment
from trees import digest, equal, expect, read, write


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
    shown = os.path.join(device.root, "run/motd.d/40-fairway-device")
    motd = device.run("status", "--motd", check=0).stdout if device.explore else read(shown)
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


@scenario("41")
def rust_profile(make):
    device = make(A(), profile="rs")
    results = device.boot_until_rest(healthy=False)
    expect(set(results) == {"red"} and len(results) > 1, "greenboot-rs reboots a system that was never staged", results)
    equal((device.wish(), device.backups()), ("restore red", []), "2")
    backup_fails_then_rollback(make, profile="rs")
