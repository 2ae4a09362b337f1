"""Cuts of the power, and errors, at every system call of the program that changes a file (device_cut)."""

import copy
import os
import shutil
import subprocess

from trees import equal, expect, read

CUT = os.environ.get("DEVICE_CUT", "device_cut")


def can_cut():
    return subprocess.run([CUT, "--", "true"], capture_output=True).returncode == 0


class Faults:
    """What a device adds to be disturbed; `explore` says how often and by what."""

    def save(self):
        var = os.path.join(self.root, "var")
        kept = var + ".kept"
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(["cp", "-a", var + "/.", kept], check=True)
        return copy.copy(self.healthy), copy.copy(self.copies), self.boots

    def load(self, saved):
        var = os.path.join(self.root, "var")
        subprocess.run(["find", var, "-mindepth", "1", "-delete"], check=True)
        subprocess.run(["cp", "-a", var + ".kept/.", var], check=True)
        if self.image:
            subprocess.run(["sync", "-f", var], check=True)
        self.healthy, self.copies, self.boots = copy.copy(saved[0]), copy.copy(saved[1]), saved[2]
        self.write_boot_id()

    def counted(self, verb):
        path = os.path.join(self.root, "run/count")
        done = self.run(verb, cut=[CUT, "--count", path, "--"])
        return done.returncode, int(read(path))

    def sample(self, count):
        step = self.explore.get("step", 1)
        return range(1 + self.points % step, count + 1, step)

    def try_faults(self, plan):
        saved = self.save()
        code, count = self.counted("pre-run")
        wanted = self.normal_state()
        self.states.add(wanted["data"])
        for at in self.sample(count):
            self.points += 1
            self.load(saved)
            cut = self.run("pre-run", cut=[CUT, "--kill-at", str(at), "--"])
            equal(cut.returncode, 137, f"killed at {at} of {count}")
            self.lose_power()
            self.check_invariants(f"cut at {at} of {count}")
            self.boots += 1000
            self.write_boot_id()
            self.remember_copy()
            after = self.run("pre-run")
            equal(after.returncode, code, f"pre-run after a cut at {at} of {count}: {after.stderr}")
            equal(self.normal_state(), wanted, f"the state after a cut at {at} of {count}, {plan}")
            if code == 0:
                self.check_no_leftovers()
        for error in self.explore.get("errors", ()):
            for at in self.sample(count):
                self.points += 1
                self.load(saved)
                failed = self.run("pre-run", cut=[CUT, "--fail-at", str(at), "--errno", str(error), "--"])
                expect(failed.returncode in (0, 1), f"error {error} at {at} of {count}", failed.stderr)
                self.check_invariants(f"error {error} at {at} of {count}")
                if failed.returncode == 1 and code == 0:
                    expect(failed.stderr, "an error is said")
                again = self.run("pre-run")  # systemctl restart, in the same boot
                equal(again.returncode, code, f"pre-run after error {error} at {at} of {count}: {failed.stderr} {again.stderr}")
                equal(self.normal_state(), wanted, f"the state after error {error} at {at} of {count}")
        self.load(saved)

    def try_cuts_of_health(self, verb):
        saved = self.save()
        _, count = self.counted(verb)
        for at in self.sample(count):
            self.points += 1
            self.load(saved)
            equal(self.run(verb, cut=[CUT, "--kill-at", str(at), "--"]).returncode, 137, f"{verb} killed at {at}")
            self.lose_power()
            self.check_invariants(f"{verb} cut at {at} of {count}")
            pending = self.next_boot()
            self.boots += 1000
            self.write_boot_id()
            self.remember_copy()
            done = self.run("pre-run")
            expect(done.returncode in (0, 1), f"pre-run after {verb} was cut at {at}", done.stderr)
            self.expect_healthy(pending)
            if done.returncode == 0:
                self.check_no_leftovers()
            self.check_invariants(f"pre-run after {verb} was cut at {at}")
        self.load(saved)
