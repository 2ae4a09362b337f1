"""First boots, and the backups that the next ones make: scenarios 1 to 9, 29 and 31."""

import os
import shutil
import subprocess

from scenario import A, scenario, status, two_boots
from simulator import Deployment
from trees import digest, equal, expect, read, snapshot, write


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


@scenario("29")
def power_lost_before_health(make):
    device = two_boots(make)
    device.boot(power_lost="before health")
    equal((device.wish(), status(device)), ("nothing", "unknown"), "nobody judged")
    before, copies = device.contents(), device.manifests()
    equal(device.boot(), "green", "the next boot")
    equal((device.reached[0], device.manifests()), (before, copies), "no backup, no restore")


@scenario("31")
def service_restart(make):
    device = two_boots(make)
    before = snapshot(os.path.join(device.root, "var"))
    device.run("pre-run", check=0)
    equal(snapshot(os.path.join(device.root, "var")), before, "G2: nothing is written")
