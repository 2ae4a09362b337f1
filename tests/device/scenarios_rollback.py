"""Back to the system before, by greenboot or by hand: scenarios 22 to 27, 30, 33 and 42 to 44."""

import itertools
import os
import shutil

from scenario import A, B, scenario, status, two_boots, update
from simulator import Deployment
from trees import digest, equal, expect, read, snapshot, write


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


@scenario("22 by a setting")
def back_to_before_by_itself(make):
    old = A("4.13.0", component=False)
    device = make(old, settings="legacy-rollback-restore: true\n")
    device.boot()
    before = device.full()
    device.stage(B("4.14.0"))
    for _ in range(3):
        equal(device.boot(healthy=False), "red", "B")
        expect("cannot restore its data by itself: it is done now" in device.said, "red says so", device.said)
        equal((device.full(), device.wish(), device.services_state()), (before, "nothing", "inactive"), "restored at once")
    equal(device.boot(), "no component", "the old system")
    expect("A 4.13.0 boot 5" in read(os.path.join(device.data, "etcd/records")), "it goes on with what it had")
    later = device.full()
    device.stage(B("4.14.1", serial=1))
    equal(device.boot(), "green", "the next update works")
    equal(digest(device.backup_of(old)), later, "from what the old system had by then")


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
