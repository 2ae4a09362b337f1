#!/usr/bin/env bash
# This boot is healthy: the data is marked so, and the next boot backs it up first.
set -u
root=${FAIRWAY_DEVICE_ROOT:-}
fairway=${FAIRWAY:-/usr/bin/fairway}
code=0
"$fairway" device green ${root:+--root "$root"} || code=$?
mkdir -p "$root/run/motd.d" &&
  "$fairway" device status --motd ${root:+--root "$root"} >"$root/run/motd.d/40-fairway-device"
exit "$code"
