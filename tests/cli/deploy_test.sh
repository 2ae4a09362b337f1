#!/usr/bin/env bash
# What deploy/ has for the update service and the cluster-version operator: alert rules that are right about metrics which exist, settings
# that the binary takes, units and kustomize bases that the real tools accept, rights that are enough and no more.
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

# The cluster-version operator.
operator=$root/deploy/cluster-version
runbooks=$root/docs/runbooks
if command -v promtool >/dev/null; then
  run 0 promtool check rules "$operator/alerts.yaml"
  run 0 promtool test rules "$operator/alerts_test.yaml"
  cp "$operator/alerts_test.yaml" "$work/wrong"
  for wrong in 's/>= 3600)$/>= 3601)/' 's/, reason!="NoChannel"//' 's/ > 0$/ > 2/' 's/for: 60m/for: 61m/' 's/\[5m\]) != 0/[5m]) == 1/' 's/"} == 1/"} == 2/'; do
    sed "$wrong" "$operator/alerts.yaml" >"$work/wrong/alerts.yaml"
    cmp -s "$operator/alerts.yaml" "$work/wrong/alerts.yaml" && fail "$wrong changes a rule"
    run 1 promtool test rules "$work/wrong/alerts_test.yaml"
  done
fi
for name in $(grep -oE 'alert: [A-Za-z]+' "$operator/alerts.yaml" | cut -d' ' -f2); do
  contains "a test of $name" "$(cat "$operator/alerts_test.yaml")" "alertname: $name"
  contains "the page of $name" "$(grep -A 30 "alert: $name" "$operator/alerts.yaml")" "runbook_url: docs/runbooks/$name.md"
  contains "the README has $name" "$(cat "$operator/README.md")" "runbooks/$name.md"
  contains "the list of pages has $name" "$(cat "$runbooks/README.md")" "($name.md)"
  equals "the page's heading" "$(head -1 "$runbooks/$name.md")" "# $name"
  for heading in '## Look' '## When it may be ignored'; do contains "$name: $heading" "$(cat "$runbooks/$name.md")" "$heading"; done
done

if command -v systemd-analyze >/dev/null; then
  sed "s|/usr/local/bin/fairway|$FAIRWAY|" "$operator/fairway-controllers.service" >"$work/fairway-controllers.service"
  run 0 systemd-analyze verify "$work/fairway-controllers.service"
  equals "systemd's remarks" "$err" ""
fi

if [ "${kubectl_minor:-0}" -ge 21 ]; then
  run 0 kubectl kustomize "$operator/kustomize/base"
  for kind in Deployment Service ConfigMap ServiceAccount ClusterRole Role; do contains "kustomize makes a $kind" "$out" "kind: $kind"; done
  lacks "the base" "$out" cluster-admin
  run 0 kubectl kustomize "$operator/kustomize/releases"
  contains "the overlay for releases" "$out" "name: cluster-admin"
  mkdir -p "$work/tree/overlays/operator"
  cp "$operator/controllers.yaml" "$work/tree/overlays/operator"
  awk '/^```yaml/{block=1; next} /^```/{block=0} block' "$operator/README.md" >"$work/tree/overlays/operator/kustomization.yaml"
  sed -i 's/^namespace: fairway/namespace: ours/' "$work/tree/overlays/operator/kustomization.yaml"
  run 0 kubectl kustomize "$work/tree/overlays/operator"
  contains "the overlay's image" "$out" "image: registry.example.com/fairway:1.0"
  contains "the overlay's settings" "$out" "prometheus-b.example.com"
  lacks "the overlay's namespace is everybody's" "$out" "namespace: fairway"
fi

# Against a real API server with roles. A ServiceAccount's token by command came with kubectl 1.24.
if [ "${kubectl_minor:-0}" -lt 24 ]; then
  echo "not run: the operator's settings and rights; there is no kubectl of 1.24 or later"
  finish
  exit
fi
"$FAIRWAY" apiserver --store memory --listen 127.0.0.1:0 --cluster empty --write-kubeconfig "$work/kubeconfig" >"$work/server.out" 2>"$work/server.err" &
pids+=($!)
eventually test -s "$work/kubeconfig" || { cat "$work/server.err"; exit 1; }
export KUBECONFIG=$work/kubeconfig
eventually kubectl get --raw /apis/config.openshift.io/v1/clusterversions || fail "the server has ClusterVersions"

# operate NAME FLAGS…: runs the operator; $metrics is where its metrics are.
operate() {
  local name=$1
  shift
  rm -f "$work/$name.out" # what an earlier one of this name printed must not be read
  "$FAIRWAY" controllers --metrics-listen 127.0.0.1:0 "$@" >"$work/$name.out" 2>"$work/$name.err" &
  last=$!
  pids+=($last)
  eventually grep -q '^status on ' "$work/$name.out" || { cat "$work/$name.err"; exit 1; }
  metrics=$(sed -n 's/^status on //p' "$work/$name.out")
  eventually curl -sf "$metrics/readyz" || fail "$name is ready" "$(curl -s "$metrics/readyz")"
}
field() { kubectl get clusterversion version -o "jsonpath={$1}"; }

# The settings of the examples, also those that are commented out.
for settings in "$operator/controllers.yaml" "$operator/kustomize/base/controllers.yaml"; do
  operate settings --config "$settings" --kubeconfig "$KUBECONFIG"
  kill "$last"
done
sed 's/^# \([a-z-]*:\) /\1 /' "$operator/controllers.yaml" >"$work/all.yaml"
sed -e '/^prometheus:/,/^- .*-b/d' -e 's/^#scrape/scrape/' "$operator/controllers.yaml" >"$work/scrape.yaml"
contains "the scraped settings" "$(cat "$work/scrape.yaml")" "
scrape: "
for settings in all scrape; do
  operate "$settings" --config "$work/$settings.yaml" --kubeconfig "$KUBECONFIG"
  kill "$last"
done

# A cluster on 4.6.23 with the example's graph, an operator with the rights of the base alone, and another one that waits for its turn.
run 0 kubectl create namespace fairway
run 0 kubectl create namespace openshift-config-managed
run 0 kubectl -n openshift-config-managed create configmap admin-gates
run 0 kubectl -n fairway apply -f "$operator/kustomize/base/rbac.yaml"
run 0 kubectl -n fairway create token fairway-controllers
token=$out
cp "$KUBECONFIG" "$work/operator.kubeconfig"
run 0 kubectl --kubeconfig "$work/operator.kubeconfig" config set-credentials operator --token "$token"
run 0 kubectl --kubeconfig "$work/operator.kubeconfig" config set-context --current --user operator
printf 'cluster_infrastructure_provider{type="None"} 1\ncluster_proxy_enabled{type="http"} 0\n' >"$work/cluster.prom"
mkdir -p "$work/releases/4.7.5"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-the-release, namespace: default}\n' >"$work/releases/4.7.5/a.yaml"
kubectl create -f - >/dev/null <<'EOT'
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
spec: {clusterID: 5f0b3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11, channel: stable-4.7}
EOT
as_deployed=(--only cluster-version --kubeconfig "$work/operator.kubeconfig" --leader-elect --leader-namespace fairway --update-service "$graph" --scrape "$work/cluster.prom"
  --release-version 4.6.23 --release-image registry.example.com/release@sha256:4623 --releases "$work/releases" --accept-risks)
operate leading "${as_deployed[@]}"
leading=$metrics
has_retrieved() { [ "$(field '.status.conditions[?(@.type=="RetrievedUpdates")].status')" = True ]; }
eventually has_retrieved || fail "updates are retrieved" "$(cat "$work/leading.err")"
is_judged() { case "$(field '.status.conditionalUpdateRisks[*].conditions[*].status')" in '' | *Unknown*) return 1 ;; esac; }
eventually is_judged || fail "risks are judged" "$(field .status.conditionalUpdateRisks)"
contains "its lease" "$(kubectl -n fairway get lease fairway-controllers -o 'jsonpath={.spec.holderIdentity}')" _
operate waiting "${as_deployed[@]}"
contains "the second copy" "$(curl -s "$metrics/readyz?verbose")" "not leading"
lacks "metrics of the copy that waits" "$(curl -s "$metrics/metrics")" "
cluster_version{"
for name in $(grep -oE 'cluster_[a-z_]+' "$operator/alerts.yaml" | sort -u); do
  checks=$((checks + 1))
  curl -s "$leading/metrics" | grep -q "^$name{" || fail "the alerts' metric $name is served"
done
if command -v promtool >/dev/null; then
  curl -s "$leading/metrics" | promtool check metrics >"$work/remarks" 2>&1
  equals "promtool's remarks on our own names" "$(grep '^fairway_' "$work/remarks")" ""
fi

# What the pages tell to look with works here, on a cluster that says where it runs.
run 0 kubectl apply -f "$root/api/examples/ingress/cluster.yaml"
run 0 kubectl patch infrastructure cluster --subresource=status --type=merge --patch='{"status":{"platformStatus":{"type":"AWS"}}}'
mkdir "$work/bin"
ln -s "$FAIRWAY" "$work/bin/fairway"
risk=$(field '.status.conditionalUpdateRisks[0].name')
awk '/^## /{look = /^## Look/} /^```/{block = /^```sh/; next} look && block' "$runbooks"/*.md >"$work/commands"
while IFS= read -r command; do
  case $command in *VERSION*) continue ;; esac
  run 0 env PATH="$work/bin:$PATH" METRICS="$leading" bash -c "${command//RISK/$risk}" </dev/null
done <"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 15 ] || fail "the pages have commands" "$(cat "$work/commands")"

# Releases are another matter: the base may not apply one, the overlay may.
run 0 kubectl patch clusterversion version --type merge -p '{"spec":{"desiredUpdate":{"version":"4.7.5","image":"registry.example.com/release@sha256:4775","force":true}}}'
is_forbidden() { case "$(field '.status.conditions[?(@.type=="Failing")].message')" in *forbidden*) ;; *) return 1 ;; esac; }
eventually is_forbidden || fail "the base applies nothing" "$(field .status.conditions)"
run 1 kubectl get configmap of-the-release
run 0 kubectl -n fairway apply -f "$operator/kustomize/releases/cluster-admin.yaml"
is_complete() { [ "$(field '.status.history[0].state') $(field '.status.history[0].version')" = "Completed 4.7.5" ]; }
eventually is_complete || fail "with the overlay it is complete" "$(field .status.conditions)"
run 0 kubectl get configmap of-the-release
has_event() { kubectl get events 2>/dev/null | grep -q UpdateComplete; }
eventually has_event || fail "events are written" "$(kubectl get events)"
finish
