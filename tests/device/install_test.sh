#!/usr/bin/env bash
# What ./dev install puts where for a device, with a distribution's prefix and with another.
. "$(dirname "$0")/../cli/lib.sh"
: "${FAIRWAY_BUILD:?set FAIRWAY_BUILD to the build folder}"
scripts="check/required.d/40_fairway_device_check.sh green.d/40_fairway_device_green.sh red.d/40_fairway_device_red.sh"
units="microshift-pre-run.service fairway-device-report.service fairway-pre-run.service fairway.service"

run 0 env DESTDIR="$work/usr" cmake --install "$FAIRWAY_BUILD" --prefix /usr --component device
for script in $scripts; do
  run 0 test -x "$work/usr/usr/lib/greenboot/$script"
  run 0 cmp "$work/usr/usr/lib/greenboot/$script" "$root/deploy/device/greenboot/$script"
done
for unit in $units; do
  run 0 test -f "$work/usr/usr/lib/systemd/system/$unit"
  contains "$unit" "$(cat "$work/usr/usr/lib/systemd/system/$unit")" "ExecStart=/usr/bin/fairway "
done
run 0 cmp "$work/usr/usr/lib/fairway/device.yaml" "$root/deploy/device/device.yaml"
run 0 cmp "$work/usr/usr/lib/fairway/device/fairway.yaml" "$root/deploy/device/fairway/device.yaml"
run 0 test -f "$work/usr/usr/lib/fairway/device/fairway.d/10_storage_versions.yaml"
if command -v systemctl >/dev/null; then
  mkdir -p "$work/usr/etc"
  run 0 systemctl --root="$work/usr" enable fairway-pre-run.service microshift-pre-run.service
  run 0 test -L "$work/usr/etc/systemd/system/fairway.service.requires/fairway-pre-run.service"
  run 0 test -L "$work/usr/etc/systemd/system/microshift.service.requires/microshift-pre-run.service"
else
  echo "not run: enabling the units; there is no systemctl"
fi

# What is installed is what a device then reads: its settings without an option.
mkdir -p "$work/usr/proc/sys/kernel/random"
cat /proc/sys/kernel/random/boot_id >"$work/usr/proc/sys/kernel/random/boot_id"
cp "$work/usr/usr/lib/fairway/device/fairway.yaml" "$work/usr/usr/lib/fairway/device.yaml"
mkdir -p "$work/usr/var/lib"
run 1 "$FAIRWAY" device backup mine --root "$work/usr"
contains "what is guarded is what the settings say" "$err" 'expected "/var/lib/fairway" to exist'
printf 'wrong: 1\n' >"$work/usr/usr/lib/fairway/device.yaml"
run 1 "$FAIRWAY" device status --root "$work/usr"
contains "it is this file" "$err" "usr/lib/fairway/device.yaml"

# A device in a folder of one's own needs no root; the machine itself does.
as_user=
mkdir -p "$work/own"
cp "$FAIRWAY" "$work/own/fairway"
if [ "$(id -u)" = 0 ]; then
  as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
  chmod 755 "$work"
  chown 65534:65534 "$work/own"
fi
run 0 $as_user "$work/own/fairway" device simulate "$work/own/device"
contains "as a user" "$out" "the data is what it was before the update"
run 1 $as_user "$work/own/fairway" device backup mine
contains "on the machine itself" "$err" "command requires root privileges"

run 0 env DESTDIR="$work/opt" cmake --install "$FAIRWAY_BUILD" --prefix /opt/fairway --component device
for unit in $units; do
  contains "$unit" "$(cat "$work/opt/opt/fairway/lib/systemd/system/$unit")" "ExecStart=/opt/fairway/bin/fairway "
done
for script in $scripts; do
  contains "$script" "$(cat "$work/opt/opt/fairway/lib/greenboot/$script")" "FAIRWAY:-/opt/fairway/bin/fairway"
done
finish
