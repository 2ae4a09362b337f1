"""A device that boots: real files, the real binary, the real scripts of deploy/device, a real grubenv.

ROOT is a folder with an ostree sysroot (boot entries, links, deployments), var, run, proc and a grubenv that grub-editenv
keeps. boot() does what GRUB, greenboot and systemd would do; the application is played. After every step the invariants
of the specification are checked on the files (I1 to I8); every pre-run is preceded by a dry run, which must change nothing
and say exactly what is then done. With `explore`, every pre-run is also cut, or one of its calls failed, at each system call
that changes a file (device_cut), and must end where the undisturbed one ends; dry runs and the check script are left to the
runs without it.
"""

import copy
import hashlib
import json
import os
import shutil
import subprocess

from faults import Faults
from trees import digest, equal, expect, read, snapshot, write

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
DEPLOY = os.path.join(PROJECT, "deploy", "device")
FAIRWAY = os.environ.get("FAIRWAY", "fairway")
GRUB_EDITENV = shutil.which("grub-editenv") or shutil.which("grub2-editenv")


class Deployment:
    def __init__(self, letter, version, component=True, application=True, serial=0, fails_migration=False):
        self.letter, self.version, self.component, self.application = letter, version, component, application
        self.fails_migration = fails_migration
        self.checksum = hashlib.sha256(letter.encode()).hexdigest()
        self.serial = serial

    @property
    def id(self):
        return f"os-{self.checksum}.{self.serial}"

    @property
    def minor(self):
        return tuple(int(part) for part in self.version.split(".")[:2])


class Device(Faults):
    application = "microshift"  # what its data and its backups are called
    bound = ("log", "explore", "environment")  # to the run, not to the device's state

    def __init__(self, folder, first, profile="bash", settings="", log=None, loses_writes=False):
        self.root = os.path.join(folder, "root")
        self.profile, self.settings, self.log = profile, settings, log or (lambda text: None)
        self.data = os.path.join(self.root, "var/lib", self.application)
        self.bak = self.data + ".bak"
        self.grubenv = os.path.join(self.root, "boot/grub2/grubenv")
        self.boots, self.entries, self.states = 0, [], {None}
        self.copies, self.healthy = {}, {}
        self.was_checked = False
        self.reached = None  # what pre-run left, of the last boot
        self.explore, self.points, self.environment = None, 0, {}
        self.image = None
        os.makedirs(os.path.join(self.root, "var"))
        if loses_writes:
            self.image = os.path.join(folder, "disk.xfs")
            subprocess.run(["truncate", "-s", "320M", self.image], check=True)
            subprocess.run(["mkfs.xfs", "-q", "-m", "reflink=1", self.image], check=True)
            self.mount()
        os.makedirs(os.path.join(self.root, "var/lib"))
        os.makedirs(os.path.dirname(self.grubenv))
        subprocess.run([GRUB_EDITENV, self.grubenv, "create"], check=True)
        self.install(first)
        self.entries = [first]
        self.write_entries()

    # A disk that forgets what was not synced.

    def mount(self):
        subprocess.run(["mount", "-o", "loop", self.image, os.path.join(self.root, "var")], check=True)

    def unmount(self):
        subprocess.run(["umount", os.path.join(self.root, "var")], check=True)

    def lose_power(self):
        if self.image:
            subprocess.run(["xfs_io", "-x", "-c", "shutdown", os.path.join(self.root, "var")], check=True)
            self.unmount()
            self.mount()

    # A state that several stories begin from.

    def keep(self):
        """Everything that rewind() needs to be here again."""
        facts = {name: value for name, value in self.__dict__.items() if name not in self.bound}
        return self.save("rewound"), copy.deepcopy(facts), self.inode_of_system(), read(self.grubenv)

    def inode_of_system(self):
        return os.stat(self.path_of(self.booted)).st_ino

    def rewind(self, kept):
        """False when that is not possible: the deployment is not the one of then."""
        saved, facts, inode, grubenv = kept
        for name in [name for name in self.__dict__ if name not in self.bound]:
            del self.__dict__[name]
        self.__dict__.update(copy.deepcopy(facts))
        if not os.path.isdir(self.path_of(self.booted)) or self.inode_of_system() != inode:
            return False
        folder = os.path.dirname(self.path_of(self.booted))
        for name in os.listdir(folder):
            if not name.startswith(os.path.basename(self.path_of(self.booted))):
                path = os.path.join(folder, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        self.write_entries()
        write(self.grubenv, grubenv)
        self.boots -= 1  # the kernel counts
        self.start_kernel(self.booted)
        self.load(saved)
        return True

    # What an administrator or an update does.

    def path_of(self, deployment):
        return os.path.join(self.root, "ostree/deploy/os/deploy", f"{deployment.checksum}.{deployment.serial}")

    def install(self, deployment):
        path = self.path_of(deployment)
        os.makedirs(os.path.join(path, "usr/bin"))
        write(path + ".origin", "[origin]\nrefspec=os/x\n")
        if deployment.application:
            write(os.path.join(path, "usr/bin/microshift"),
                  f'#!/bin/sh\n[ "$1" = version ] && echo "MicroShift Version: {deployment.version}"\n', 0o755)
        state = f'"{self.root}/run/service-state"'
        write(os.path.join(path, "usr/bin/systemctl"),
              f'#!/bin/sh\nif [ "$1" = stop ]; then echo inactive >{state}; else cat {state}; fi\n', 0o755)
        if deployment.component:
            unit = os.path.join(path, "usr/lib/systemd/system/microshift-pre-run.service")
            os.makedirs(os.path.dirname(unit))
            shutil.copy(os.path.join(DEPLOY, "microshift-pre-run.service"), unit)
            write(os.path.join(path, "usr/lib/fairway/device.yaml"), "digest: true\nlock-wait: 1s\n" + self.settings)
            failing = 'echo half >"$DATA/half"\ntouch -d 2001-01-01 "$DATA/half"\nexit 3\n' if deployment.fails_migration else ""
            write(os.path.join(path, "usr/lib/fairway/device/migrate.d/10_schema"),
                  f'#!/bin/sh\nset -e\n{failing}echo "$TO" >"$DATA/schema.new"\n'
                  f'touch -d 2001-01-01 "$DATA/schema.new"\nmv "$DATA/schema.new" "$DATA/schema"\n', 0o755)
            write(os.path.join(path, "usr/lib/fairway/device/migrate.d/4.15/20_objects.yaml"),
                  "rewrite: manifests\nconversions:\n- {from: apps/v1beta1, to: apps/v1, kind: Deployment}\n")
        self.link(deployment)

    def link(self, deployment):
        link = os.path.join(self.root, "ostree/boot.1/os", hashlib.sha256(deployment.id.encode()).hexdigest(), "0")
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.lexists(link):
            os.symlink(f"../../../deploy/os/deploy/{deployment.checksum}.{deployment.serial}", link)

    def write_entries(self):
        folder = os.path.join(self.root, "boot/loader/entries")
        shutil.rmtree(folder, ignore_errors=True)
        for place, deployment in enumerate(self.entries):
            sum_ = hashlib.sha256(deployment.id.encode()).hexdigest()
            write(os.path.join(folder, f"ostree-{len(self.entries) - place}-os.conf"),
                  f"title System\nversion {len(self.entries) - place}\n"
                  f"options root=/dev/x rw ostree=/ostree/boot.1/os/{sum_}/0\nlinux /vmlinuz\n")

    def stage(self, deployment, keep=()):
        """A new system for the next boot; the booted one stays, others go unless they are kept."""
        self.install(deployment)
        stay = [deployment, self.booted, *keep]
        for gone in [each for each in self.entries if each not in stay]:
            self.remove(gone)
        self.entries = stay
        self.write_entries()
        if self.profile == "bash":
            self.grub("set", "boot_counter=3", "boot_success=0")

    def remove(self, deployment):
        shutil.rmtree(self.path_of(deployment))
        os.unlink(self.path_of(deployment) + ".origin")
        self.entries = [each for each in self.entries if each is not deployment]
        self.write_entries()
        self.healthy.pop(deployment.id, None)

    def rollback(self):
        """rpm-ostree rollback: the other one becomes the default."""
        place = self.entries.index(self.booted)
        other = self.entries[place + 1] if place + 1 < len(self.entries) else self.entries[0]
        self.entries.remove(other)
        self.entries.insert(0, other)
        self.write_entries()

    def grub(self, *words):
        return subprocess.run([GRUB_EDITENV, self.grubenv, *words], check=True, capture_output=True, text=True).stdout

    def grub_variables(self):
        return dict(line.split("=", 1) for line in self.grub("list").splitlines())

    # Running the program.

    def run(self, *words, cut=(), check=None, binary=FAIRWAY):
        command = [*cut, binary, "device", words[0], "--root", self.root, *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **self.environment})
        if check is not None:
            expect(done.returncode == check, " ".join(command), f"expected exit code {check}, found {done.returncode}",
                   done.stdout, done.stderr)
        return done

    def script(self, path):
        environment = {**os.environ, **self.environment, "FAIRWAY": FAIRWAY, "FAIRWAY_DEVICE_ROOT": self.root}
        return subprocess.run(["bash", os.path.join(DEPLOY, "greenboot", path)], capture_output=True, text=True, env=environment)

    # One boot.

    def boot(self, healthy=True, power_lost=None):
        """Returns what happened: green, red, refused, lost or no component; reboots by itself only through boot_until_rest()."""
        chosen = self.choose_by_grub()
        self.start_kernel(chosen)
        if self.grub_variables().get("boot_counter") == "-1" and self.profile == "bash":
            self.rollback() if self.entries[0] is not self.booted else None
            self.entries.remove(self.booted)
            self.entries.insert(0, self.booted)
            self.write_entries()
            self.grub("unset", "boot_counter")
        self.log(f"boot {self.boots} into {self.booted.letter} {self.booted.version}")
        if not self.booted.component:
            if self.booted.application:
                self.play_application()
            return "no component"
        code = self.pre_run()
        self.reached = self.summary()
        if power_lost == "before run":
            return "lost"
        if code == 0:
            self.play_application()
            self.set_services("active")
        else:
            self.set_services("inactive")
        if power_lost == "before health":
            return "lost"
        if not self.explore and (code != 0 or not self.was_checked):  # that all is well, once a device
            self.check(code)
            self.was_checked = code == 0
        verdict = healthy(self) if callable(healthy) else healthy
        is_green = verdict and code == 0
        self.judge("green" if is_green else "red")
        if is_green:
            self.grub("set", "boot_success=1")
            self.grub("unset", "boot_counter")
            return "green"
        return "red" if code == 0 else "refused"

    def check(self, code):
        checked = self.script("check/required.d/40_fairway_device_check.sh")
        equal(checked.returncode == 0, code == 0, f"the check script: {checked.stdout} {checked.stderr}")
        if code != 0:
            expect("was not started" in checked.stdout, "the check says why", checked.stdout, checked.stderr)

    def start_kernel(self, deployment):
        self.boots += 1
        self.booted = deployment
        shutil.rmtree(os.path.join(self.root, "run"), ignore_errors=True)
        write(os.path.join(self.root, "run/ostree-booted"), "")
        self.set_services("inactive")
        sum_ = hashlib.sha256(deployment.id.encode()).hexdigest()
        write(os.path.join(self.root, "proc/cmdline"), f"BOOT_IMAGE=/x rw ostree=/ostree/boot.1/os/{sum_}/0 quiet\n")
        self.write_boot_id()
        usr = os.path.join(self.root, "usr")
        if os.path.lexists(usr):
            os.unlink(usr)
        os.symlink(os.path.relpath(os.path.join(self.path_of(deployment), "usr"), self.root), usr)

    def write_boot_id(self):
        self.boot_id = hashlib.md5(f"{self.boots}".encode()).hexdigest()
        dashed = "-".join([self.boot_id[:8], self.boot_id[8:12], self.boot_id[12:16], self.boot_id[16:20], self.boot_id[20:]])
        write(os.path.join(self.root, "proc/sys/kernel/random/boot_id"), dashed + "\n")

    def set_services(self, state):
        write(os.path.join(self.root, "run/service-state"), state + "\n")

    def services_state(self):
        return read(os.path.join(self.root, "run/service-state")).strip()

    def choose_by_grub(self):
        """08_fallback_counting."""
        variables = self.grub_variables()
        counter, place = variables.get("boot_counter"), 0
        if counter is not None and variables.get("boot_success") != "1":
            if int(counter) <= 0:
                place, counter = 1, -1
            else:
                counter = int(counter) - 1
            self.grub("set", f"boot_counter={counter}")
        self.grub("set", "boot_success=0")
        return self.entries[min(place, len(self.entries) - 1)]

    def reboots_by_itself(self):
        """redboot-auto-reboot of bash greenboot; greenboot-rs arms the counter itself and rolls back in user space."""
        counter = self.grub_variables().get("boot_counter")
        if self.profile == "bash":
            return counter is not None and counter != "-1" and len(self.entries) > 1
        if counter is None:
            self.grub("set", "boot_counter=3", "boot_success=0")
            return True
        if int(counter) <= 0:
            self.grub("unset", "boot_counter")
            if len(self.entries) < 2:
                return False
            self.rollback()
        return True

    def boot_until_rest(self, healthy=True, most=8):
        """Boots until nothing reboots by itself; the results in order."""
        results = [self.boot(healthy)]
        while results[-1] in ("red", "refused") and self.reboots_by_itself() and len(results) < most:
            results.append(self.boot(healthy))
        return results

    def judge(self, verb):
        done = self.try_cuts_of_health(verb) if self.explore else self.script(f"{verb}.d/40_fairway_device_{verb}.sh")
        equal(done.returncode, 0, f"{verb}: {done.stdout} {done.stderr}")
        self.said = done.stdout + done.stderr
        self.check_invariants(verb)

    def pre_run(self):
        pending = self.next_boot()
        self.remember_copy()
        plan = None if self.explore else self.dry_run()
        done = self.try_faults() if self.explore else self.run("pre-run")
        self.output = done.stdout + done.stderr
        expect(done.returncode in (0, 1), "pre-run", self.output)
        if plan:
            self.compare_with(plan, done.returncode)
        self.expect_healthy(pending)
        if done.returncode == 0:
            self.check_no_leftovers()
            if "\nM " in "\n" + done.stdout:
                self.states.add(self.contents())
        self.check_invariants("pre-run")
        return done.returncode

    def dry_run(self):
        before = snapshot(os.path.join(self.root, "var"))
        dry = self.run("pre-run", "--dry-run", "-o", "json", check=0)
        expect(snapshot(os.path.join(self.root, "var")) == before, "I7: a dry run changes nothing")
        return json.loads(dry.stdout)

    def compare_with(self, plan, code):
        if "refusal" in plan:
            equal(code, 1, "what the dry run refuses is refused")
        history = os.path.join(self.bak, "history")
        if plan["steps"] and not plan.get("looksAgain") and os.path.exists(history):
            steps = [f"{step['row']} {step['action']}" for step in plan["steps"]]
            equal(json.loads(read(history).splitlines()[-1])["steps"], steps, "what the dry run said is what was done")

    def play_application(self):
        """Opens the data, and writes what only this boot of this system would write."""
        os.makedirs(os.path.join(self.data, "etcd"), exist_ok=True)
        schema = os.path.join(self.data, "schema")
        if os.path.exists(schema) and self.booted.component:
            found = tuple(int(part) for part in read(schema).strip().split("."))
            expect(found <= self.booted.minor, f"I4: {self.booted.version} runs on data of {found}")
        write(schema, ".".join(str(part) for part in self.booted.minor) + "\n")
        expect(not os.path.exists(os.path.join(self.data, "half")), "half a migration is never run on")
        with open(os.path.join(self.data, "etcd/records"), "a") as records:
            records.write(f"{self.booted.letter} {self.booted.version} boot {self.boots}\n")
        link = os.path.join(self.data, "etcd/same")
        if not os.path.exists(link):
            os.link(os.path.join(self.data, "etcd/records"), link)
            os.symlink("etcd/records", os.path.join(self.data, "link"))
            write(os.path.join(self.data, "certs/key"), "secret\n", 0o600)
            write(os.path.join(self.data, "manifests/one.yaml"), "apiVersion: apps/v1beta1\nkind: Deployment\n")
            with open(os.path.join(self.data, "sparse"), "wb") as sparse:
                sparse.truncate(1 << 20)
        self.states.add(self.contents())

    # Looking at the files.

    def contents(self):
        return digest(self.data, skip=(".version", ".version.tmp"))

    def full(self):
        return digest(self.data)

    def record(self, name):
        path = os.path.join(self.bak, name)
        return json.loads(read(path)) if os.path.exists(path) else None

    def next_boot(self):
        return self.record("next_boot")

    def version(self, tree=None):
        path = os.path.join(tree or self.data, ".version")
        return json.loads(read(path)) if os.path.exists(path) else None

    def latest(self):
        path = os.path.join(self.bak, "latest")
        return os.readlink(path) if os.path.islink(path) else None

    def manifests(self):
        names = os.listdir(self.bak) if os.path.isdir(self.bak) else []
        return {name[: -len(".manifest")]: self.record(name) for name in sorted(names) if name.endswith(".manifest")}

    def backups(self):
        """Deployment letters (or names) with a complete backup, and the number of the boot it is of."""
        return sorted(self.letter(name) for name in self.manifests() if os.path.isdir(os.path.join(self.bak, name)))

    def letter(self, name):
        for letter in "ABCDEFM":
            checksum = hashlib.sha256(letter.encode()).hexdigest()
            name = name.replace(f"os-{checksum}.0", letter)
        return name

    def backup_of(self, deployment):
        return os.path.join(self.bak, deployment.id)

    def wish(self):
        """next_boot in short: 'backup A', 'restore', 'backup A restore', 'nothing'."""
        found = self.next_boot()
        if not found:
            return "nothing"
        words = []
        if "backup" in found:
            words += ["backup", self.letter(found["backup"]["deployment_id"])]
        if found.get("restore"):
            words += ["restore", found["restore"]["by"]]
        return " ".join(words) or found["action"]

    def summary(self):
        return (self.contents(), self.wish(), self.backups())

    def normal_state(self):
        """What an undisturbed run and a disturbed one must agree on: everything but boot ids, counters and times."""
        version = self.version() or {}
        names = os.listdir(self.bak) if os.path.isdir(self.bak) else []
        trees = {name: digest(os.path.join(self.bak, name), skip=(".version",)) for name in names
                 if os.path.isdir(os.path.join(self.bak, name))}
        return {"data": self.contents(), "wish": self.wish(), "latest": self.latest(), "trees": trees,
                "version": [version.get(key) for key in ("version", "status", "healthy_version", "migration")],
                "opened": {key: version.get("opened_by", {}).get(key) for key in ("version", "deployment_id")},
                "manifests": sorted(self.manifests()), "failed": os.path.exists(os.path.join(self.bak, "prerun_failed.log"))}

    # The invariants.

    def remember_copy(self):
        """Data by what it says of itself: a complete backup that says the same must be equal to it."""
        version = self.version()
        if version:
            key = (version["opened_by"]["deployment_id"], version["opened_by"]["boot_id"], version["seq"])
            self.copies[key] = self.full()

    def expect_healthy(self, pending):
        if pending and "backup" in pending:
            deployment = pending["backup"]["deployment_id"]
            made = self.manifests().get(deployment)
            if not made or made["boot_id"] != pending["backup"]["boot_id"]:
                return  # still to be made
            for (id_, boot, _), found in self.copies.items():
                if id_ == deployment and boot == pending["backup"]["boot_id"]:
                    if any(each.id == deployment for each in self.entries):
                        self.healthy[deployment] = found

    def check_invariants(self, when):
        version = self.version()
        if not (version and "migration" in version):
            if os.path.isdir(self.data) and set(os.listdir(self.data)) - {".version", ".version.tmp"}:
                expect(self.contents() in self.states, f"I1 ({when}): the data is a state that existed", os.listdir(self.data))
        for name, manifest in self.manifests().items():
            tree = os.path.join(self.bak, name)
            own = self.version(tree) if os.path.isdir(tree) else None
            if own is None or own["seq"] != manifest["seq"] or own["opened_by"]["boot_id"] != manifest["boot_id"]:
                continue  # not a backup
            key = (own["opened_by"]["deployment_id"], manifest["boot_id"], manifest["seq"])
            expect(key in self.copies, f"I2 ({when}): {name} is of data that existed", key, list(self.copies))
            equal(digest(tree), self.copies[key], f"I2 ({when}): {name} is a copy of it")
        for deployment, wanted in self.healthy.items():
            tree = os.path.join(self.bak, deployment)
            found = [digest(tree)] + [digest(os.path.join(self.bak, each)) for each in os.listdir(self.bak) if each.startswith(".tmp.")]
            own, made = self.version(tree), self.manifests().get(deployment)
            is_newer = own and made and own["status"] == "healthy" and own["opened_by"]["boot_id"] == made["boot_id"]
            expect(wanted in found or is_newer, f"I3 ({when}): the healthy backup of {self.letter(deployment)} is there")
        for name, text in getattr(self, "foreign", {}).items():
            equal(read(os.path.join(self.bak, name)), text, f"I8 ({when}): {name} is untouched")

    def check_no_leftovers(self):
        left = [name for name in os.listdir(self.bak) if name.startswith(".tmp.") or name == "journal"]
        left += [name for name in os.listdir(os.path.dirname(self.data)) if ".restore." in name]
        left += [name for name in os.listdir(self.data) if name == ".version.tmp"]
        equal(left, [], "I6: nothing is left over")

    def add_foreign(self):
        os.makedirs(self.bak, mode=0o700, exist_ok=True)
        self.foreign = {"somebody/file": "not ours\n", "notes.txt": "hands off\n"}
        for name, text in self.foreign.items():
            write(os.path.join(self.bak, name), text)
