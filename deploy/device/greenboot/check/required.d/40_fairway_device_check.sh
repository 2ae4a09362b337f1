#!/usr/bin/env bash
# Fails at once when the data could not be prepared for this boot, and says why; otherwise waits until the application's
# units run. What the application itself needs to be healthy is left to its own checks.
#
# FAIRWAY, FAIRWAY_DEVICE_ROOT and FAIRWAY_DEVICE_WAIT (seconds, 60 to 9999) may be set in /etc/fairway/device-check.conf.
set -u
root=${FAIRWAY_DEVICE_ROOT:-}
# shellcheck disable=SC1091
[ ! -r "$root/etc/fairway/device-check.conf" ] || . "$root/etc/fairway/device-check.conf"
fairway=${FAIRWAY:-/usr/bin/fairway}
units=${FAIRWAY_DEVICE_UNITS:-microshift.service}
systemctl=systemctl
[ -z "$root" ] || systemctl=$root/usr/bin/systemctl

if ! status=$("$fairway" device status ${root:+--root "$root"} -o json); then
  echo "the state of the device's data cannot be read"
  exit 1
fi
reason=$(printf '%s\n' "$status" | sed -n 's/^  "failure": "\(.*\)",\{0,1\}$/\1/p')
if [ -n "$reason" ]; then
  echo "the data was not prepared for this boot, so the application was not started: $reason"
  exit 1
fi
command -v "$systemctl" >/dev/null 2>&1 || exit 0

# Each further attempt of a new system gets more time, as MicroShift's own check gives it.
base=${FAIRWAY_DEVICE_WAIT:-300}
case $base in '' | *[!0-9]*) base=300 ;; esac
[ "$base" -ge 60 ] || base=60
[ "$base" -le 9999 ] || base=9999
counter=
for grubenv in "$root/boot/grub2/grubenv" "$root/boot/grub/grubenv"; do
  [ -r "$grubenv" ] && counter=$(sed -n 's/^boot_counter=\([0-9]*\)$/\1/p' "$grubenv") && break
done
attempts=$((${GREENBOOT_MAX_BOOT_ATTEMPTS:-3} - ${counter:-2}))
[ "$attempts" -ge 1 ] || attempts=1
deadline=$((SECONDS + base * attempts))
for unit in $units; do
  while :; do
    state=$("$systemctl" show --property=ActiveState --value "$unit")
    case $state in
      active) break ;;
      failed)
        echo "$unit has failed"
        exit 1
        ;;
    esac
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "$unit is $state and should be active"
      exit 1
    fi
    sleep 1
  done
done
