#!/usr/bin/env bash
# What deploy/ has for the update service: alert rules that are right about metrics which exist, settings that the binary takes, a
# unit and a kustomize base that the real tools accept.
. "$(dirname "$0")/lib.sh"
deploy=$root/deploy/update-service
example=$root/api/examples/graph-data

serve() {
  rm -f "$work/served"
  "$FAIRWAY" update-service --listen 127.0.0.1:0 --status-listen 127.0.0.1:0 --graph-data "$example" --releases "$example/releases.jsonl" "$@" \
    >"$work/served" 2>"$work/served.err" &
  pids+=($!)
  eventually grep -q '^status on ' "$work/served" || { cat "$work/served.err"; exit 1; }
  status=$(sed -n 's/^status on //p' "$work/served")
  graph=$(sed -n 's/^listening on //p' "$work/served")
  eventually curl -sf "$status/readyz" || fail "ready" "$(curl -s "$status/readyz")"
}

# The settings of both examples are what the binary knows; a reader's machine has other sources, so these are given as flags.
for settings in "$deploy/update-service.yaml" "$deploy/kustomize/update-service.yaml"; do
  serve --config "$settings" --state "$work/state"
  contains "$settings: the prefix" "$graph" /api/upgrades_info/graph
  run 0 curl -sf "$graph?channel=stable-4.7"
  # What is commented out must be right as well.
  sed 's/^# \([a-z-]*:\) /\1 /' "$settings" >"$work/all.yaml"
  printf 'token\n' >"$work/token"
  serve --config "$work/all.yaml" --state "$work/state" --prometheus http://127.0.0.1:1 --prometheus-token-file "$work/token"
done

if command -v promtool >/dev/null; then
  run 0 promtool check rules "$deploy/alerts.yaml"
  run 0 promtool test rules "$deploy/alerts_test.yaml"
  # A rule that is wrong is found: the tests can fail.
  mkdir "$work/wrong"
  cp "$deploy/alerts_test.yaml" "$work/wrong"
  sed 's/refresh_failing == 1/refresh_failing == 2/' "$deploy/alerts.yaml" >"$work/wrong/alerts.yaml"
  run 1 promtool test rules "$work/wrong/alerts_test.yaml"
  # The last service decides by id, so it has every metric.
  curl -s "$graph" >/dev/null # an error, to be counted
  curl -s "$status/metrics" >"$work/metrics"
  promtool check metrics <"$work/metrics" >"$work/remarks" 2>&1
  # The reference's names are what they are; ours have to be good ones.
  equals "promtool's remarks on our own names" "$(grep -v '^cincinnati_\|^metadata_helper_' "$work/remarks")" ""
  for name in $(grep -oE '(cincinnati|fairway)_[a-z_]+' "$deploy/alerts.yaml" | sort -u); do
    checks=$((checks + 1))
    grep -q "^$name" "$work/metrics" || fail "the alerts' metric $name is served"
  done
  for name in $(grep -oE 'alert: [A-Za-z]+' "$deploy/alerts.yaml" | cut -d' ' -f2); do
    contains "a test of $name" "$(cat "$deploy/alerts_test.yaml")" "alertname: $name"
    contains "the README has $name" "$(cat "$deploy/README.md")" "${name#FairwayUpdateService}"
  done
else
  echo "not run: alert rules; there is no promtool"
fi

if command -v systemd-analyze >/dev/null; then
  sed "s|/usr/local/bin/fairway|$FAIRWAY|" "$deploy/fairway-update-service.service" >"$work/fairway-update-service.service"
  run 0 systemd-analyze verify "$work/fairway-update-service.service"
  equals "systemd's remarks" "$err" ""
else
  echo "not run: the unit; there is no systemd-analyze"
fi

# Up to 1.20 kubectl has a kustomize of another age, which knows neither labels nor folders as resources.
kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
if [ "${kubectl_minor:-0}" -ge 21 ]; then
  run 0 kubectl kustomize "$deploy/kustomize"
  for kind in Deployment Service ConfigMap PodDisruptionBudget; do contains "kustomize makes a $kind" "$out" "kind: $kind"; done
  # The overlay of the README.
  mkdir -p "$work/tree/overlays/ours"
  cp -r "$root/deploy" "$work/tree/deploy"
  cp "$deploy/update-service.yaml" "$work/tree/overlays/ours"
  awk '/^```yaml/{block=1; next} /^```/{block=0} block' "$deploy/README.md" >"$work/tree/overlays/ours/kustomization.yaml"
  run 0 kubectl kustomize "$work/tree/overlays/ours"
  contains "the overlay's image" "$out" "image: registry.example.com/fairway:1.0"
  contains "the overlay's settings" "$out" "refresh-interval: 5m"
else
  echo "not run: kustomize; there is no kubectl of 1.21 or later"
fi
finish
