"""What scenarios are written with: their register by number, and the states that many of them begin from.

A, B, … are systems; `wish` is next_boot in short. Each scenario is a function that gets a maker of devices.
"""

from simulator import Deployment
from trees import digest, equal

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


def boot_twice(make, first, **more):
    device = make(first, **more)
    device.boot()
    before = device.full()
    first_boot = device.boot_id
    equal(device.boot(), "green", "the second boot")
    equal(digest(device.backup_of(device.booted)), before, "the backup is the data after the first boot")
    equal(device.manifests()[device.booted.id]["boot_id"], first_boot, "the manifest names the first boot")
    return device


def two_boots(make, first=None, **more):
    """A has run twice and was healthy; made once, and found again by all who begin there."""
    first = first or A()
    key = (first.id, first.version, *sorted(more.items()))
    return make.prepared(key, lambda: boot_twice(make, first, **more))


def update(make, new, profile="bash", settings="", first=None):
    """A has run twice; the new system is staged."""
    device = two_boots(make, first=first, profile=profile, settings=settings)
    device.before = device.full()
    device.before_contents = device.contents()
    device.first = device.booted
    device.stage(new)
    return device
