#!/usr/bin/env bash
# What deploy/ has for the hub, the ingress operator and the console: bases that a server takes, rights that are enough and no more, units that systemd
# takes, rules and dashboards about metrics that are served.
. "$(dirname "$0")/lib.sh"
deploy=$root/deploy

if command -v promtool >/dev/null; then
  for part in hub ingress; do
    run 0 promtool check rules "$deploy/$part/alerts.yaml"
    run 0 promtool test rules "$deploy/$part/alerts_test.yaml"
    mkdir "$work/wrong-$part"
    cp "$deploy/$part/alerts_test.yaml" "$work/wrong-$part"
    sed -E 's/> (0\.5|86400)$/> 1000000/' "$deploy/$part/alerts.yaml" >"$work/wrong-$part/alerts.yaml"
    run 1 promtool test rules "$work/wrong-$part/alerts_test.yaml"
  done
else
  echo "not run: alert rules; there is no promtool"
fi
for rules in "$deploy"/hub/alerts.yaml "$deploy"/ingress/alerts.yaml; do
  for name in $(grep -oE 'alert: [A-Za-z]+' "$rules" | cut -d' ' -f2); do
    contains "a test of $name" "$(cat "${rules%.yaml}_test.yaml")" "alertname: $name"
    contains "the page of $name" "$(cat "$rules")" "runbook_url: docs/runbooks/$name.md"
    equals "the page's heading" "$(head -1 "$root/docs/runbooks/$name.md")" "# $name"
    contains "the list of pages has $name" "$(cat "$root/docs/runbooks/README.md")" "($name.md)"
  done
done

if command -v systemd-analyze >/dev/null; then
  for unit in "$deploy"/{hub/fairway-hub,ingress/fairway-ingress,console/fairway-console,agent/fairway-agent,up/fairway-up}.service; do
    sed "s|/usr/local/bin/fairway|$FAIRWAY|" "$unit" >"$work/$(basename "$unit")"
    run 0 systemd-analyze verify "$work/$(basename "$unit")"
    equals "systemd's remarks on $unit" "$err" ""
  done
else
  echo "not run: units; there is no systemd-analyze"
fi

kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
if [ "${kubectl_minor:-0}" -lt 24 ]; then
  echo "not run: bases and rights; there is no kubectl of 1.24 or later"
  finish
  exit
fi

"$FAIRWAY" apiserver --store memory --listen 127.0.0.1:0 --write-kubeconfig "$work/kubeconfig" >"$work/server.out" 2>"$work/server.err" &
pids+=($!)
eventually test -s "$work/kubeconfig" || { cat "$work/server.err"; exit 1; }
export KUBECONFIG=$work/kubeconfig
eventually kubectl get --raw /apis/ran.openshift.io/v1alpha1/clustergroupupgrades || fail "the server has rollouts"
for name in fairway openshift-ingress openshift-ingress-operator; do run 0 kubectl create namespace "$name"; done

# The server has no PodDisruptionBudgets; everything else must pass it.
for part in hub ingress console; do
  run 0 kubectl kustomize "$deploy/$part/kustomize"
  for kind in Deployment Service PodDisruptionBudget; do contains "$part: kustomize makes a $kind" "$out" "kind: $kind"; done
  printf '%s\n' "$out" | awk 'BEGIN { RS = "---\n"; ORS = "---\n" } !/kind: PodDisruptionBudget/' >"$work/$part.yaml"
  run 0 kubectl apply --dry-run=server -f "$work/$part.yaml"
done

# as ACCOUNT ONLY: runs these controllers with the rights of deploy/ACCOUNT alone; $metrics is where their metrics are.
as() {
  run 0 kubectl apply -f "$deploy/$1/kustomize/rbac.yaml"
  run 0 kubectl -n fairway create token "fairway-$1"
  cp "$KUBECONFIG" "$work/$1.kubeconfig"
  run 0 kubectl --kubeconfig "$work/$1.kubeconfig" config set-credentials account --token "$out"
  run 0 kubectl --kubeconfig "$work/$1.kubeconfig" config set-context --current --user account
  "$FAIRWAY" controllers --only "$2" --kubeconfig "$work/$1.kubeconfig" --leader-elect --leader-name "fairway-$1" --leader-namespace fairway --metrics-listen 127.0.0.1:0 \
    >"$work/$1.out" 2>"$work/$1.err" &
  last=$!
  pids+=($last)
  eventually grep -q '^status on ' "$work/$1.out" || { cat "$work/$1.err"; exit 1; }
  metrics=$(sed -n 's/^status on //p' "$work/$1.out")
  eventually curl -sf "$metrics/readyz" || fail "$1 is ready" "$(curl -s "$metrics/readyz?verbose"; cat "$work/$1.err")"
}
denied() { run 1 kubectl auth can-i "${@:2}" --as "system:serviceaccount:fairway:fairway-$1"; }

# A rollout over two clusters, whose agents are played.
as hub fleet,policy,placement
for member in member1 member2; do
  run 0 kubectl create namespace "$member"
  run 0 kubectl apply -f - <<EOT
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: $member, labels: {name: $member}}
spec: {hubAcceptsClient: true}
EOT
  run 0 kubectl patch managedcluster "$member" --subresource=status --type=merge \
    -p '{"status":{"conditions":[{"type":"ManagedClusterConditionAvailable","status":"True","reason":"Played","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'
done
# The policy asks for an operator too, whose upgrade waits for consent.
subscription='        - {complianceType: musthave, objectDefinition: {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: radar, namespace: radar}}}'
sed -e 's/canaries: \[[^]]*\]/canaries: [member1]/' -e 's/metadata: {name: notice, namespace: default}$/metadata: {name: notice, namespace: default, annotations: {cluster-group-upgrades-operator\/name-suffix: test}}/' \
  -e "/data: {text/a\\$subscription" "$root/api/examples/rollout/notice.yaml" >"$work/notice.yaml"
run 0 kubectl apply -f "$work/notice.yaml"
child() { kubectl -n "$1" get policy default.notice -o "jsonpath={$2}" 2>/dev/null; }
# show MEMBER VIEW OBJECT: the cluster answers.
show() {
  has_view() { kubectl -n "$1" get managedclusterview "$2"; }
  eventually has_view "$1" "$2" || fail "$1 is asked for $2" "$(kubectl -n "$1" get managedclusterviews; cat "$work/hub.err")"
  run 0 kubectl -n "$1" patch managedclusterview "$2" --subresource=status --type=merge \
    -p "{\"status\":{\"conditions\":[{\"type\":\"Processing\",\"status\":\"True\",\"reason\":\"GetResourceProcessing\",\"message\":\"\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}],\"result\":$3}}"
}
operator='"apiVersion":"operators.coreos.com/v1alpha1"'
comply() { kubectl -n "$1" patch policy default.notice --subresource=status --type=merge -p "{\"status\":{\"compliant\":\"$2\"}}" >/dev/null; }
for member in member1 member2; do
  has_child() { [ -n "$(child "$member" .metadata.name)" ]; }
  eventually has_child || fail "the policy of $member" "$(cat "$work/hub.err")"
  comply "$member" NonCompliant
done
for member in member1 member2; do
  is_enforced() { kubectl -n "$member" get policies -o 'jsonpath={.items[*].spec.remediationAction}' | grep -qi enforce; }
  eventually is_enforced || fail "$member is enforced" "$(kubectl get cgu notice -o yaml; cat "$work/hub.err")"
  show "$member" notice-default-subscription-radar-test "{$operator,\"kind\":\"Subscription\",\"metadata\":{\"name\":\"radar\",\"namespace\":\"radar\"},
    \"status\":{\"state\":\"UpgradePending\",\"installplan\":{\"name\":\"install-1\"}}}"
  show "$member" notice-default-installplan-install-1-test "{$operator,\"kind\":\"InstallPlan\",\"metadata\":{\"name\":\"install-1\",\"namespace\":\"radar\",
    \"resourceVersion\":\"1\"},\"spec\":{\"approval\":\"Manual\",\"approved\":false}}"
  is_approved() { kubectl -n "$member" get managedclusteraction notice-default-installplan-install-1-test; }
  eventually is_approved || fail "the upgrade of $member is approved" "$(cat "$work/hub.err")"
  for policy in $(kubectl -n "$member" get policies -o name); do
    run 0 kubectl -n "$member" patch "$policy" --subresource=status --type=merge -p '{"status":{"compliant":"Compliant"}}'
  done
done
run 0 kubectl wait --for=condition=Succeeded cgu/notice --timeout=60s
has_left() { [ -z "$(kubectl get managedclusterviews,managedclusteractions -A -o name)" ]; }
eventually has_left || fail "nothing is left of the rollout" "$(kubectl get managedclusterviews,managedclusteractions -A)"
lacks "nothing was refused to the hub" "$(cat "$work/hub.err")" forbidden
denied hub get secrets -A
denied hub create secrets -A
# Protected values take more rights, and say so.
protected='{{hub "opensesame" | protect hub}}'
run 0 kubectl patch policy notice --type=json -p "[{\"op\":\"add\",\"path\":\"/spec/policy-templates/0/objectDefinition/spec/object-templates/0/objectDefinition/data/text\",\"value\":\"${protected//\"/\\\"}\"}]"
says() { child member1 .spec | grep -q "$1"; }
eventually says 'deploy/hub/templates.yaml has the rights' || fail "what protect takes is told" "$(child member1 .spec)"
run 0 kubectl apply -f "$deploy/hub/templates.yaml"
run 0 kubectl annotate policy notice policy.open-cluster-management.io/trigger-update=1
eventually says '"text":"$ocm_encrypted:' || fail "with them it is encrypted" "$(child member1 .spec)"
lacks "which hides it" "$(child member1 .spec)" opensesame
run 0 kubectl -n member1 get secret policy-encryption-key
run 0 kubectl auth can-i get secrets/policy-encryption-key -A --as system:serviceaccount:fairway:fairway-hub
denied hub get secrets -A
denied hub list secrets -A
denied hub delete managedclusters
denied hub create rolebindings -A
for query in $(python3 -c 'import json,sys; [print(t["expr"].replace(" ", "\t")) for p in json.load(open(sys.argv[1]))["panels"] for t in p["targets"]]' "$deploy/dashboards/controllers.json"); do
  for name in $(printf '%s' "$query" | grep -oE '(controller_runtime|workqueue|rest_client)_[a-z_]+'); do
    contains "the dashboard's $name is served" "$(curl -s "$metrics/metrics")" "$name"
  done
done
kill "$last"

# An IngressController on a cluster without a cloud.
as ingress ingress
run 0 kubectl apply -f "$root/api/examples/ingress/cluster.yaml"
run 0 kubectl patch infrastructure cluster --subresource=status --type=merge --patch='{"status":{"platformStatus":{"type":"AWS"}}}'
run 0 kubectl apply -f - <<'EOT'
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata: {name: default, namespace: openshift-ingress-operator}
spec: {replicas: 1, endpointPublishingStrategy: {type: LoadBalancerService, loadBalancer: {scope: External}}}
EOT
has_service() { kubectl -n openshift-ingress get service router-default; }
eventually has_service || fail "it is published" "$(cat "$work/ingress.err")"
has_operator() { [ -n "$(kubectl get clusteroperator ingress -o 'jsonpath={.status.conditions[*].type}')" ]; }
eventually has_operator || fail "its ClusterOperator" "$(cat "$work/ingress.err")"
lacks "nothing was refused to the operator" "$(cat "$work/ingress.err")" forbidden
denied ingress get secrets -A
denied ingress delete services -n default
finish
