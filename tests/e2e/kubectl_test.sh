#!/usr/bin/env bash
# kubectl against the embedded API server: every command that the documentation promises, typed.
# Exit code 77: not run, because there is no kubectl.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
[ -n "$KUBECTL" ] || { echo "not run: no kubectl"; exit 77; }
start_server --store memory --cluster edge-1
minor=$("$KUBECTL" version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p' | head -n 1)
echo "kubectl 1.$minor"

cat >"$work/crd.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.harbour.test}
spec:
  group: harbour.test
  scope: Namespaced
  names: {kind: Boat, plural: boats, singular: boat, shortNames: [bt]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.crew}}
    additionalPrinterColumns:
    - {name: Draught, type: number, jsonPath: .spec.draught}
    - {name: Master, type: string, jsonPath: .spec.master, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [draught]
            properties:
              draught: {type: number, minimum: 0, description: How deep the boat goes.}
              master: {type: string, default: nobody}
              crew: {type: integer, minimum: 0}
              cargo: {type: array, items: {type: string}}
          status:
            type: object
            properties:
              crew: {type: integer}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string}
                    message: {type: string}
                    lastTransitionTime: {type: string, format: date-time}
YAML
cat >"$work/boat.yaml" <<'YAML'
apiVersion: harbour.test/v1
kind: Boat
metadata: {name: albatross, labels: {fleet: north}}
spec: {draught: 2.5, crew: 3, cargo: [tea, salt]}
YAML
cat >"$work/config.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: lights, labels: {side: port}}
data: {colour: red, seconds: "5"}
YAML
cat >"$work/deployment.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx, ports: [{containerPort: 80}]}]}
YAML

# Discovery.
shows "version" "Server Version" k version
shows "api-resources: built in" "configmaps" k api-resources
shows "api-versions" "apps/v1" k api-versions
ok "apply a definition" k apply -f "$work/crd.yaml"
ok "wait for it" k wait --for=condition=established --timeout=30s crd/boats.harbour.test
shows "api-resources: custom" "boats" k api-resources --api-group=harbour.test
shows "explain: built in" "KIND:" k explain configmap
shows "explain: custom" "How deep the boat goes." k explain boat.spec.draught

# Create, read, print.
ok "create namespace" k create namespace sea
ok "apply" k -n sea apply -f "$work/boat.yaml"
shows "apply again" "unchanged" k -n sea apply -f "$work/boat.yaml"
shows "get" "albatross*2.5" k -n sea get boats
shows "get by short name" "albatross" k -n sea get bt
shows "get -o wide" "MASTER*nobody" k -n sea get boats -o wide
shows "get -o yaml" "draught: 2.5" k -n sea get boat albatross -o yaml
shows "get -o jsonpath" "tea" k -n sea get boat albatross -o 'jsonpath={.spec.cargo[0]}'
shows "get -o name" "boat.harbour.test/albatross" k -n sea get boats -o name
shows "get -A" "sea*albatross" k get boats -A
shows "get -l" "albatross" k -n sea get boats -l 'fleet in (north,south)'
shows "get --field-selector" "albatross" k -n sea get boats --field-selector metadata.name=albatross
shows "get: none" "No resources found" k -n sea get boats -l fleet=west
refused "get: missing" 'boats.harbour.test "nobody" not found' k -n sea get boat nobody
refused "invalid" 'spec.draught' k -n sea create -f - <<<"$(sed 's/2.5/-1/; s/albatross/heron/' "$work/boat.yaml")"

# Change.
ok "apply a config map" k -n sea apply -f "$work/config.yaml"
ok "label" k -n sea label boat albatross pier=7
refused "label: taken" "--overwrite" k -n sea label boat albatross pier=8
ok "label --overwrite" k -n sea label --overwrite boat albatross pier=8
ok "annotate" k -n sea annotate boat albatross note=painted
ok "patch: merge" k -n sea patch boat albatross --type=merge -p '{"spec":{"master":"Ann"}}'
ok "patch: json" k -n sea patch boat albatross --type=json -p '[{"op":"replace","path":"/spec/draught","value":3}]'
ok "patch: strategic" k -n sea patch configmap lights -p '{"data":{"colour":"green"}}'
shows "patched" "Ann 3 8 painted" k -n sea get boat albatross -o 'jsonpath={.spec.master} {.spec.draught} {.metadata.labels.pier} {.metadata.annotations.note}'
shows "edit" "edited" env KUBE_EDITOR="sed -i s/green/white/" "$KUBECTL" --kubeconfig "$work/kubeconfig" -n sea edit configmap lights
shows "edited" "white" k -n sea get configmap lights -o 'jsonpath={.data.colour}'
shows "scale" "scaled" k -n sea scale boat albatross --replicas=5
shows "scaled" "5" k -n sea get boat albatross -o 'jsonpath={.spec.crew}'
ok "replace" k -n sea replace -f <(k -n sea get configmap lights -o yaml | sed 's/white/blue/')
shows "set image" "image updated" bash -c "'$KUBECTL' --kubeconfig '$work/kubeconfig' -n sea apply -f '$work/deployment.yaml' && '$KUBECTL' --kubeconfig '$work/kubeconfig' -n sea set image deployment/web main=nginx:2"

# Differences and rehearsals.
sed 's/red/amber/' "$work/config.yaml" >"$work/changed.yaml"
checks=$((checks + 1))
k -n sea diff -f "$work/changed.yaml" >"$work/diff" 2>&1
[ $? -eq 1 ] && grep -q '^+.*amber' "$work/diff" || fail "diff" "$(cat "$work/diff")"
ok "apply --dry-run=server" k -n sea apply --dry-run=server -f "$work/changed.yaml"
shows "nothing changed" "blue" k -n sea get configmap lights -o 'jsonpath={.data.colour}'
ok "create --dry-run=server" k -n sea create configmap ghost --dry-run=server
refused "nothing made" "not found" k -n sea get configmap ghost

# Server-side apply.
cat >"$work/lamp.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: lamp}
data: {power: "on"}
YAML
ok "apply --server-side" k -n sea apply --server-side --field-manager=first -f "$work/lamp.yaml"
refused "apply --server-side: conflict" 'conflict with "first"' \
  k -n sea apply --server-side --field-manager=second -f <(sed 's/"on"/"off"/' "$work/lamp.yaml")
ok "apply --server-side --force-conflicts" \
  k -n sea apply --server-side --field-manager=second --force-conflicts -f <(sed 's/"on"/"off"/' "$work/lamp.yaml")
shows "who owns it" "second" k -n sea get configmap lamp -o 'jsonpath={.metadata.managedFields[*].manager}'

# Waiting, watching, describing.
k_in_background proxy --port=0 >"$work/proxy" 2>&1; proxy_pid=$!
eventually grep -q 'Starting to serve on' "$work/proxy"
proxy=$(sed -n 's/.*serve on \(.*\)/\1/p' "$work/proxy")
patch_status() {
  curl -sf -X PATCH -H 'Content-Type: application/merge-patch+json' -d "$1" \
    "http://$proxy/apis/harbour.test/v1/namespaces/sea/boats/albatross/status"
}
k_in_background -n sea get boats -w >"$work/watch" 2>&1; watch_pid=$!
eventually grep -q albatross "$work/watch"
k_in_background -n sea wait --for=condition=Moored --timeout=60s boat/albatross >"$work/wait" 2>&1; wait_pid=$!
ok "status by its own path" patch_status '{"status":{"conditions":[{"type":"Moored","status":"True"}]}}'
checks=$((checks + 1)); wait "$wait_pid" || fail "wait --for=condition" "$(cat "$work/wait")"
ok "change while watched" k -n sea patch boat albatross --type=merge -p '{"spec":{"draught":4}}'
checks=$((checks + 1)); eventually grep -q 'albatross *4' "$work/watch" || fail "get -w" "$(cat "$work/watch")"
kill "$watch_pid" "$proxy_pid"; wait "$watch_pid" "$proxy_pid" 2>/dev/null
cat >"$work/event.yaml" <<YAML
apiVersion: v1
kind: Event
metadata: {name: albatross.1, namespace: sea}
involvedObject: {apiVersion: harbour.test/v1, kind: Boat, name: albatross, namespace: sea, uid: $(k -n sea get boat albatross -o 'jsonpath={.metadata.uid}')}
reason: Moored
message: the boat lies at pier 8
type: Normal
source: {component: harbour-master}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 1
YAML
ok "an event" k create -f "$work/event.yaml"
shows "describe with events" "the boat lies at pier 8" k -n sea describe boat albatross
shows "get events" "Moored" k -n sea get events

# Access.
shows "auth can-i" "yes" k auth can-i delete boats
shows "auth can-i as another" "no" bash -c "'$KUBECTL' --kubeconfig '$work/kubeconfig' auth can-i delete boats --as=jane || true"
ok "create role" k -n sea create role reader --verb=get,list,watch --resource=configmaps
ok "create rolebinding" k -n sea create rolebinding jane-reads --role=reader --user=jane
shows "granted" "lights" k -n sea get configmaps --as=jane
refused "denied" 'User "jane" cannot list resource "boats" in API group "harbour.test" in the namespace "sea"' k -n sea get boats --as=jane

# Going away.
ok "a finalizer" k -n sea patch configmap lamp --type=merge -p '{"metadata":{"finalizers":["harbour.test/keep"]}}'
ok "delete with finalizer" k -n sea delete configmap lamp --wait=false
shows "it waits" "2" k -n sea get configmap lamp -o 'jsonpath={.metadata.deletionTimestamp}'
ok "the finalizer goes" k -n sea patch configmap lamp --type=merge -p '{"metadata":{"finalizers":null}}'
refused "and with it the object" "not found" k -n sea get configmap lamp
owner() { k -n sea get configmap "$1" -o 'jsonpath={.metadata.uid}'; }
dependent() {
  k -n sea apply -f - <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: $1
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: $2, uid: $(owner "$2")}]
YAML
}
ok "an owner" k -n sea create configmap owner
ok "its dependent" dependent child owner
ok "delete --cascade=orphan" k -n sea delete configmap owner --cascade=orphan
ok "the dependent stays" k -n sea get configmap child
checks=$((checks + 1)); eventually bash -c "[ -z \"\$('$KUBECTL' --kubeconfig '$work/kubeconfig' -n sea get configmap child -o 'jsonpath={.metadata.ownerReferences}')\" ]" || fail "the reference is gone"
ok "an owner again" k -n sea create configmap owner
ok "its dependent again" dependent child2 owner
ok "delete" k -n sea delete configmap owner
checks=$((checks + 1)); eventually bash -c "! '$KUBECTL' --kubeconfig '$work/kubeconfig' -n sea get configmap child2" || fail "the dependent goes too"
ok "delete -l" k -n sea delete configmap -l side=port
ok "delete namespace with contents" k delete namespace sea --timeout=60s
refused "nothing is left" "not found" k get namespace sea
ok "delete the definition" k delete crd boats.harbour.test --timeout=60s
refused "its kind is gone" "resource" k get boats

# Logical clusters.
ok "another cluster" k --context edge-1 create configmap only-here
refused "is another world" "not found" k get configmap only-here
finish
