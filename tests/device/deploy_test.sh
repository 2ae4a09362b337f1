#!/usr/bin/env bash
# What deploy/device has: a unit that systemd accepts and enables, scripts that shells accept, settings that are the defaults.
. "$(dirname "$0")/../cli/lib.sh"
deploy=$root/deploy/device

units="microshift-pre-run.service fairway-device-report.service fairway-device-report.timer fairway/fairway-pre-run.service fairway/fairway.service"
if command -v systemd-analyze >/dev/null; then
  for unit in $units; do sed "s|/usr/bin/fairway|$FAIRWAY|" "$deploy/$unit" >"$work/$(basename "$unit")"; done
  for unit in $units; do
    run 0 systemd-analyze verify "$work/$(basename "$unit")"
    equals "systemd's remarks" "$err" ""
  done
  sed 's/^Type=oneshot/Type=sometimes/' "$work/microshift-pre-run.service" >"$work/wrong.service"
  systemd-analyze verify "$work/wrong.service" >"$work/out" 2>&1
  contains "a wrong unit is found" "$(cat "$work/out")" "sometimes"
else
  echo "not run: the units; there is no systemd-analyze"
fi

for script in "$deploy"/greenboot/*/*.sh "$deploy"/greenboot/*/*/*.sh; do
  run 0 bash -n "$script"
  run 0 test -x "$script"
  case $script in */40_*) ;; *) fail "$script has its place among the others" ;; esac
done

# The example's settings are what holds without it.
mkdir -p "$work/device/proc/sys/kernel/random"
cat /proc/sys/kernel/random/boot_id >"$work/device/proc/sys/kernel/random/boot_id"
run 0 "$FAIRWAY" device status --root "$work/device" --config "$deploy/device.yaml" -o json
with=$out
run 0 "$FAIRWAY" device status --root "$work/device" -o json
equals "the example changes nothing" "$with" "$out"
run 0 "$FAIRWAY" device status --root "$work/device" --config "$deploy/fairway/device.yaml"
run 1 "$FAIRWAY" device status --root "$work/device" --config /nowhere.yaml
contains "a file that is not there" "$err" 'there is no "/nowhere.yaml"'
printf 'dta: /x\n' >"$work/wrong.yaml"
run 1 "$FAIRWAY" device status --root "$work/device" --config "$work/wrong.yaml"
contains "a wrong key" "$err" 'there is no setting "dta"; did you mean data?'
for key in $(sed -n 's/^\([a-z-]*\):.*/\1/p' "$deploy/device.yaml"); do
  contains "the guide has $key" "$(cat "$root/docs/device.md")" "\`$key\`"
done

# Usage.
run 2 "$FAIRWAY" device restore
run 2 "$FAIRWAY" device status -o yaml
run 0 "$FAIRWAY" device --help
for verb in pre-run green red request-restore status list backup restore verify prune repair history; do
  contains "help has $verb" "$out" "$verb"
done
finish
