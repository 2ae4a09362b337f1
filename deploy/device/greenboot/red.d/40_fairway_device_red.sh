#!/usr/bin/env bash
# This boot is not healthy: the next boot restores the data, unless a backup is still to be made.
set -u
root=${FAIRWAY_DEVICE_ROOT:-}
fairway=${FAIRWAY:-/usr/bin/fairway}
motd=$root/run/motd.d/40-fairway-device
mkdir -p "${motd%/*}"
exec "$fairway" device red ${root:+--root "$root"} --motd "$motd"
