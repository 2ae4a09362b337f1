#!/usr/bin/env bash
# This boot is healthy: the data is marked so, and the next boot backs it up first.
set -u
root=${FAIRWAY_DEVICE_ROOT:-}
fairway=${FAIRWAY:-/usr/bin/fairway}
motd=$root/run/motd.d/40-fairway-device
mkdir -p "${motd%/*}"
exec "$fairway" device green ${root:+--root "$root"} --motd "$motd"
