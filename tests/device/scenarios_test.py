#!/usr/bin/env python3
"""Boots the simulated device through every scenario: scenarios_test.py [--cuts | --power-loss] [SCENARIO...]

With --cuts each pre-run, green and red of the scenarios that the specification lists is also cut at every system call that
changes a file, and fails there with ENOSPC and EIO. FAIRWAY_DEVICE_CUT_STEP=7 tries every seventh. --power-loss: the same on an XFS that
forgets at each cut what was not synced. FAIRWAY_DEVICE_DISK names a
folder to work in, such as a mounted XFS. Exit code 77: not run, and why.
"""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

import faults
import simulator
import trees
from scenarios import SCENARIOS

CUT_SCENARIOS = ["1", "5", "9", "11", "15", "16", "21", "23", "25", "26", "28"]


def not_run(why):
    print(f"not run: {why}")
    sys.exit(77)


def can_mount_xfs():
    with tempfile.TemporaryDirectory() as folder:
        image, place = os.path.join(folder, "image"), os.path.join(folder, "mounted")
        os.mkdir(place)
        script = f"truncate -s 320M {image} && mkfs.xfs -q -m reflink=1 {image} && mount -o loop {image} {place} && umount {place}"
        return shutil.which("xfs_io") and subprocess.run(["sh", "-c", script], capture_output=True).returncode == 0


class Maker:
    def __init__(self, folder, explore):
        self.folder, self.explore, self.made, self.story = folder, explore, [], []

    def __call__(self, first, profile="bash", settings="", disk=False):
        place = tempfile.mkdtemp(dir=self.folder if not disk else tempfile.gettempdir())
        loses_writes = bool(self.explore and self.explore.get("loses_writes"))
        device = simulator.Device(place, first, profile, settings, self.story.append, loses_writes)
        device.explore = self.explore
        device.environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # the program runs thousands of times; unit tests look for leaks
        self.made.append((place, device))
        return device

    def points(self):
        return sum(device.points for _, device in self.made)

    def clean(self):
        for place, device in self.made:
            if device.image:
                device.unmount()
            shutil.rmtree(place, ignore_errors=True)


def run(name, folder, explore):
    maker = Maker(folder, explore)
    try:
        skipped = SCENARIOS[name](maker)
        if isinstance(skipped, str):
            print(f"scenario {name}: not run: {skipped}")
        return True, maker.points()
    except trees.Failure as failure:
        print(f"FAILED: scenario {name}: {failure}\n  " + "\n  ".join(maker.story))
    except Exception:  # what nobody expected is a failure of this scenario only
        print(f"FAILED: scenario {name}")
        traceback.print_exc(file=sys.stdout)
    finally:
        maker.clean()
    return False, maker.points()


def main():
    words = sys.argv[1:]
    explore = None
    if words and words[0] in ("--cuts", "--power-loss"):
        loses_writes = words.pop(0) == "--power-loss"
        explore = {"loses_writes": loses_writes,
                   "step": int(os.environ.get("FAIRWAY_DEVICE_CUT_STEP", "1")), "health": True,
                   "errors": () if loses_writes else (errno.ENOSPC, errno.EIO)}
    if os.geteuid() != 0:
        not_run("owners and labels can only be copied by root")
    if explore and not faults.can_cut():
        not_run("this kernel lets nobody watch the system calls of a child (seccomp user notifications)")
    if simulator.GRUB_EDITENV is None:
        not_run("there is no grub-editenv (package grub-common)")
    if explore and explore["loses_writes"] and not can_mount_xfs():
        not_run("an XFS image cannot be made and mounted here (packages xfsprogs, mount; loop devices)")
    names = words or (CUT_SCENARIOS if explore else list(SCENARIOS))
    base = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(dir=os.environ.get("FAIRWAY_DEVICE_DISK", base))
    good, points = 0, 0
    try:
        for name in names:
            passed, tried = run(name, folder, explore)
            good += passed
            points += tried
            if explore and passed:
                print(f"scenario {name}: {tried} cuts and errors", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    cuts = f", {points} cuts and errors" if explore else ""
    print(f"{good} of {len(names)} scenarios, {trees.checks} checks{cuts}")
    sys.exit(0 if good == len(names) else 1)


main()
