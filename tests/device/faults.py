"""Cuts of the power, and errors, at every system call of the program that changes a file (device_cut)."""

import copy
import os
import shutil
import subprocess

from trees import equal, expect, read

CUT = os.environ.get("DEVICE_CUT", "device_cut")


def can_cut():
    return subprocess.run([CUT, "--", "true"], capture_output=True).returncode == 0


class Sample:
    """Every `step`-th of all the points that there are, from where `seed` says; with a step of 1 all of them."""

    def __init__(self, step, seed):
        self.step, self.at = step, seed % step

    def of(self, count):
        chosen = [point for point in range(1, count + 1) if (self.at + point) % self.step == 0]
        self.at += count
        return chosen


class Faults:
    """What a device adds to be disturbed; `explore` says how often and by what."""

    def save(self, name="kept"):
        var = os.path.join(self.root, "var")
        kept = f"{var}.{name}"
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(["cp", "-a", var + "/.", kept], check=True)
        return name, copy.copy(self.healthy), copy.copy(self.copies), self.boots

    def load(self, saved):
        name, healthy, copies, self.boots = saved
        var = os.path.join(self.root, "var")
        subprocess.run(["find", var, "-mindepth", "1", "-delete"], check=True)
        subprocess.run(["cp", "-a", f"{var}.{name}/.", var], check=True)
        if self.image:
            subprocess.run(["sync", "-f", var], check=True)
        self.healthy, self.copies = copy.copy(healthy), copy.copy(copies)
        self.write_boot_id()

    @property
    def cuts(self):
        """How a run is cut: at any change, or, where unsynced writes are lost, at the calls that make them durable."""
        return [CUT, "--barriers"] if self.explore["loses_writes"] else [CUT]

    def counted(self, verb):
        path = os.path.join(self.root, "run/count")
        done = self.run(verb, cut=[*self.cuts, "--count", path, "--"])
        return done, int(read(path))

    def try_faults(self):
        """Pre-run, undisturbed; and from the same state disturbed in every way, which must end in the same."""
        saved = self.save()
        done, count = self.counted("pre-run")
        wanted = self.normal_state()
        self.states.add(wanted["data"])
        undisturbed = self.save("done")
        for at in self.explore["sample"].of(count):
            self.load(saved)
            self.try_cut(at, count, done.returncode, wanted)
        for error in self.explore["errors"]:
            for at in self.explore["sample"].of(count):
                self.load(saved)
                self.try_error(error, at, count, done.returncode, wanted)
        self.load(undisturbed)
        return done

    def try_cut(self, at, count, code, wanted):
        self.points += 1
        cut = self.run("pre-run", cut=[*self.cuts, "--kill-at", str(at), "--"])
        equal(cut.returncode, 137, f"killed at {at} of {count}")
        self.lose_power()
        self.check_invariants(f"cut at {at} of {count}")
        self.boots += 1000
        self.write_boot_id()
        self.remember_copy()
        after = self.run("pre-run")
        equal(after.returncode, code, f"pre-run after a cut at {at} of {count}: {after.stderr}")
        equal(self.normal_state(), wanted, f"the state after a cut at {at} of {count}")
        if code == 0:
            self.check_no_leftovers()

    def try_error(self, error, at, count, code, wanted):
        self.points += 1
        failed = self.run("pre-run", cut=[CUT, "--fail-at", str(at), "--errno", str(error), "--"])
        expect(failed.returncode in (0, 1), f"error {error} at {at} of {count}", failed.stderr)
        self.check_invariants(f"error {error} at {at} of {count}")
        if failed.returncode == 1 and code == 0:
            expect(failed.stderr, "an error is said")
        again = self.run("pre-run")  # systemctl restart, in the same boot
        equal(again.returncode, code, f"pre-run after error {error} at {at} of {count}: {failed.stderr} {again.stderr}")
        equal(self.normal_state(), wanted, f"the state after error {error} at {at} of {count}")

    def try_cuts_of_health(self, verb):
        saved = self.save()
        done, count = self.counted(verb)
        undisturbed = self.save("done")
        for at in self.explore["sample"].of(count):
            self.points += 1
            self.load(saved)
            equal(self.run(verb, cut=[*self.cuts, "--kill-at", str(at), "--"]).returncode, 137, f"{verb} killed at {at}")
            self.lose_power()
            self.check_invariants(f"{verb} cut at {at} of {count}")
            pending = self.next_boot()
            self.boots += 1000
            self.write_boot_id()
            self.remember_copy()
            after = self.run("pre-run")
            expect(after.returncode in (0, 1), f"pre-run after {verb} was cut at {at}", after.stderr)
            self.expect_healthy(pending)
            if after.returncode == 0:
                self.check_no_leftovers()
            self.check_invariants(f"pre-run after {verb} was cut at {at}")
        self.load(undisturbed)
        return done
