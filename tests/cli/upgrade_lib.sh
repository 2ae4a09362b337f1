# What the tests of `fairway upgrade` share: an API server in memory with the cluster of the design's story. Source it after lib.sh.
command -v kubectl >/dev/null || { echo "not run: there is no kubectl"; exit 77; }
story=$root/src/clusterversion/upgrade/testdata

"$FAIRWAY" apiserver --store memory --listen 127.0.0.1:0 --cluster empty --write-kubeconfig "$work/kubeconfig" >"$work/server.out" 2>"$work/server.err" &
pids+=($!)
eventually grep -q '^kubeconfig\|^listening' "$work/server.out" && eventually test -s "$work/kubeconfig" ||
  { echo "the server did not start:"; cat "$work/server.err"; exit 1; }
export KUBECONFIG=$work/kubeconfig
cluster_path=/apis/config.openshift.io/v1/clusterversions
eventually kubectl get --raw $cluster_path || { echo "the server has no ClusterVersions"; exit 1; }

# story_cluster: makes the object as the story has it, whatever it was before. The status is the operator's, so it is written apart.
story_cluster() {
  kubectl delete clusterversion version >/dev/null 2>&1
  kubectl create -f "$story/cluster.yaml" >/dev/null
  status_of "$story/cluster.yaml"
}
# status_of FILE: what an operator would write over the status that there is.
status_of() {
  kubectl create --dry-run=client -o json -f "$1" >"$work/wanted.json" && kubectl get clusterversion version -o json >"$work/current.json" &&
    python3 -c 'import json, sys; wanted, current = (json.load(open(name)) for name in sys.argv[1:]); current["status"] = wanted["status"]; print(json.dumps(current))' \
      "$work/wanted.json" "$work/current.json" >"$work/status.json" &&
    kubectl replace --raw $cluster_path/version/status -f "$work/status.json" >/dev/null
}
# field PATH: of the object, as kubectl's JSONPath prints it.
field() { kubectl get clusterversion version -o "jsonpath={$1}"; }
