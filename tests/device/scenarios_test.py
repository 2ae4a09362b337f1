#!/usr/bin/env python3
"""Boots the simulated device through every scenario: scenarios_test.py [--cuts | --power-loss] [--jobs N] [SCENARIO...]

With --cuts each pre-run, green and red of the scenarios that the specification lists is also cut at every system call that
changes a file, and fails there with ENOSPC and EIO. --power-loss: on an XFS that forgets at each cut what was not synced; cut
at every call that makes something durable. FAIRWAY_DEVICE_CUT_STEP=400 tries every 400th of all points, another set every
time; FAIRWAY_DEVICE_CUT_SEED chooses the set again. FAIRWAY_DEVICE_DISK names a folder to work in, such as a mounted XFS.
Exit code 77: not run, and why.
"""

import concurrent.futures
import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
import traceback

import faults
import simulator
import trees
from scenarios import CUT_SCENARIOS, SCENARIOS

prepared = {}  # devices in states that several scenarios begin from, and what they need to get there again


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
        loses_writes = bool(self.explore and self.explore["loses_writes"])
        device = simulator.Device(place, first, profile, settings, self.story.append, loses_writes)
        device.explore = self.explore
        device.environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # the program runs thousands of times; unit tests look for leaks
        self.made.append((place, device))
        return device

    def prepared(self, key, build):
        """The device that `build` gives, as it was then. One that is cut on its way there is made anew."""
        if self.explore:
            return build()
        if key in prepared:
            device, kept = prepared[key]
            device.log = self.story.append
            if device.rewind(kept):
                return device
        device = build()
        self.made = [each for each in self.made if each[1] is not device]
        prepared[key] = (device, device.keep())
        return device

    def points(self):
        return sum(device.points for _, device in self.made)

    def clean(self):
        for place, device in self.made:
            if device.image:
                device.unmount()
            shutil.rmtree(place, ignore_errors=True)


def run(name, folder, explore):
    """Whether it passed, what it has to say, and its numbers of points and checks."""
    maker, checks = Maker(folder, explore), trees.checks
    passed, said = False, f"FAILED: scenario {name}"
    try:
        skipped = SCENARIOS[name](maker)
        passed, said = True, f"scenario {name}: not run: {skipped}" if isinstance(skipped, str) else ""
        if explore and not said:
            said = f"scenario {name}: {maker.points()} cuts and errors"
    except trees.Failure as failure:
        said += f": {failure}\n  " + "\n  ".join(maker.story)
    except Exception:  # what nobody expected is a failure of this scenario only
        said += "\n" + traceback.format_exc()
    finally:
        maker.clean()
    return passed, said, maker.points(), trees.checks - checks


def exploration(loses_writes):
    step = int(os.environ.get("FAIRWAY_DEVICE_CUT_STEP", "1"))
    seed = int(os.environ.get("FAIRWAY_DEVICE_CUT_SEED") or random.randrange(1 << 30))
    if step > 1:
        print(f"every {step}th point, FAIRWAY_DEVICE_CUT_SEED={seed}")
    return {"loses_writes": loses_writes, "sample": faults.Sample(step, seed),
            "errors": () if loses_writes else (errno.ENOSPC, errno.EIO)}


def why_not(explore):
    if os.geteuid() != 0:
        return "owners and labels can only be copied by root"
    if explore and not faults.can_cut():
        return "this kernel lets nobody watch the system calls of a child (seccomp user notifications)"
    if simulator.GRUB_EDITENV is None:
        return "there is no grub-editenv (package grub-common)"
    if explore and explore["loses_writes"] and not can_mount_xfs():
        return "an XFS image cannot be made and mounted here (packages xfsprogs, mount; loop devices)"
    return None


def run_all(names, folder, explore, jobs):
    if jobs == 1:
        yield from (run(name, folder, explore) for name in names)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, name, folder, explore) for name in names]):
            yield done.result()


def main():
    words = sys.argv[1:]
    explore = None
    if words and words[0] in ("--cuts", "--power-loss"):
        explore = exploration(words.pop(0) == "--power-loss")
    jobs = 1
    if words and words[0] == "--jobs":
        jobs, words = int(words[1]), words[2:]
    if (why := why_not(explore)) is not None:
        not_run(why)
    names = words or (CUT_SCENARIOS if explore else list(SCENARIOS))
    base = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(dir=os.environ.get("FAIRWAY_DEVICE_DISK", base))
    good, points, checks = 0, 0, 0
    try:
        for passed, said, tried, checked in run_all(names, folder, explore, jobs):
            good, points, checks = good + passed, points + tried, checks + checked
            if said:
                print(said, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    cuts = f", {points} cuts and errors" if explore else ""
    print(f"{good} of {len(names)} scenarios, {checks} checks{cuts}")
    sys.exit(0 if good == len(names) else 1)


if __name__ == "__main__":
    main()
