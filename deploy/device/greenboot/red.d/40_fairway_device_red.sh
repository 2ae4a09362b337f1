#!/usr/bin/env bash
# This boot is not healthy: the next boot restores the data, unless a backup is still to be made.
set -u
root=${FAIRWAY_DEVICE_ROOT:-}
fairway=${FAIRWAY:-/usr/bin/fairway}
code=0
"$fairway" device red ${root:+--root "$root"} || code=$?
mkdir -p "$root/run/motd.d" &&
  "$fairway" device status --motd ${root:+--root "$root"} >"$root/run/motd.d/40-fairway-device"
exit "$code"
