#!/usr/bin/env bash
# fairway upgrade against the embedded API server: the design's console, requests, refusals and their exit codes.
. "$(dirname "$0")/lib.sh"
. "$here/upgrade_lib.sh"
up() { "$FAIRWAY" upgrade "$@"; }
image() { grep -o "quay.io/openshift-release-dev/ocp-release@sha256:$1[0-9a-f]*" "$story/cluster.yaml" | head -n 1; }

# Nothing there: what to do is said.
run 1 up
equals "a cluster without the object" "$err" "error: No cluster version information available - you must be connected to an OpenShift version 4 server to fetch the current version"
run 1 up --context empty status
contains "also in another context" "$err" "No cluster version information available"
run 1 up --kubeconfig "$work/missing"
contains "a kubeconfig that is missing is named" "$err" "$work/missing"
run 1 up --context nowhere
contains "a context that is missing is named" "$err" '"nowhere"'

# Cases 68 and 69: the list, byte for byte.
story_cluster
run 0 up
checks=$((checks + 1)); cmp -s "$work/out" "$story/list.txt" || fail "the design's list" "$(diff "$story/list.txt" "$work/out")"
equals "nothing to complain about" "$err" ""
run 0 up --include-not-recommended
checks=$((checks + 1)); cmp -s "$work/out" "$story/include-not-recommended.txt" || fail "the design's list of all" "$(diff "$story/include-not-recommended.txt" "$work/out")"
run 0 up --force --allow-not-recommended
checks=$((checks + 1)); cmp -s "$work/out" "$story/list.txt" || fail "flags without a target just list"
run 0 up -o json
equals "the list for programs" "$(python3 -c 'import json,sys; d=json.load(sys.stdin); print([u["version"] for u in d["recommended"]], [(u["version"], u["recommended"]) for u in d["notRecommended"]])' <"$work/out")" \
  "['4.6.43', '4.6.42'] [('4.7.4', 'False'), ('4.6.99-example', 'Unknown'), ('4.6.30', 'False')]"
run 0 up -o yaml
contains "the list as YAML" "$out" "version: 4.6.43"
run 0 up -o wide
contains "wide has channels" "$out" "CHANNELS"

# Cases 70, 71, 75: refused, and nothing is written.
before=$(field .metadata.resourceVersion)
run 3 up --to 4.7.4
contains "case 70: the flag is named" "$err" "use --allow-not-recommended."
run 3 up --to 4.6.99-example
contains "case 70: unknown" "$err" "Recommended=Unknown"
run 1 up --to 9.9.9
contains "case 71" "$err" "error: the update is not one of the possible targets: 4.6.43, 4.6.42. specify"
run 1 up --to-image repo:tag
contains "case 75" "$err" "error: --to-image must be a by-digest pull spec, unless --force is also set"
run 1 up --to 4.6.43 --to-latest
contains "two targets" "$err" "error: --to-latest may not be used with --to or --to-image"
run 2 up --no-such-flag
run 2 up nonsense
run 2 up --to 4.6.43 channel fast-4.6
contains "flags of another command are refused" "$err" "--to is not a flag of fairway upgrade channel"
equals "nothing was written" "$(field .metadata.resourceVersion)" "$before"

# A dry run says what would be written and writes nothing.
run 0 up --to-latest --dry-run
contains "dry run" "$out" "Requested update to 4.6.43 (server dry run)"
contains "dry run shows the field" "$out" "    version: 4.6.43"
run 0 up channel fast-4.6 --dry-run
contains "dry run of a silent command" "$out" "  channel: fast-4.6"
equals "nothing was written by dry runs" "$(field .metadata.resourceVersion)" "$before"

# Case 70, allowed: version and image are written, and nothing else is touched.
kubectl patch clusterversion version --type=merge -p '{"spec":{"desiredUpdate":{"acceptRisks":[{"name":"Kept"}]}}}' >/dev/null
run 0 up --to 4.7.4 --allow-not-recommended
equals "requested" "$out" "Requested update to 4.7.4"
contains "what was accepted is said" "$err" "warning: with --allow-not-recommended you have accepted the risks with 4.7.4 and bypassed Recommended=False MultipleReasons: Clusters on"
equals "version and image" "$(field .spec.desiredUpdate.version) $(field .spec.desiredUpdate.image)" "4.7.4 $(image 999a)"
equals "accepted risks stay" "$(field '.spec.desiredUpdate.acceptRisks[*].name')" Kept
equals "the channel stays" "$(field .spec.channel)" stable-4.6
contains "who wrote it" "$(kubectl get clusterversion version -o yaml --show-managed-fields 2>/dev/null || kubectl get clusterversion version -o yaml)" "manager: fairway-upgrade"
run 0 up status
contains "a request that is not taken yet" "$out" "Target Version:  4.7.4 (from 4.6.23)"

# Case 74: cleared, and again.
run 0 up --clear
equals "case 74: cancelled" "$out" "Cancelled requested upgrade to 4.7.4"
run 0 up --clear
equals "case 74: twice" "$out" "info: No update in progress"
equals "accepted risks stay after a clear" "$(field '.spec.desiredUpdate.acceptRisks[*].name')" Kept

# Case 76: a mirror's name. Case 78: force.
mirror=mirror.example.com/r@$(image 2b8e | sed 's/.*@//')
run 0 up --to-image "$mirror" --force
equals "case 76" "$(field .spec.desiredUpdate.version) $(field .spec.desiredUpdate.image)" "4.6.43 $mirror"
equals "case 78" "$(field .spec.desiredUpdate.force)" true
contains "case 78: warned" "$err" "warning: --force overrides cluster verification"
run 0 up --clear

# Case 77 and channels.
run 1 up channel stable-4.9
contains "case 77" "$err" 'error: the requested channel "stable-4.9" is not one of the available channels'
run 0 up channel stable-4.9 --allow-explicit-channel
equals "case 77: set" "$(field .spec.channel)" stable-4.9
run 0 up channel stable-4.6
equals "silent" "$out$err" ""
run 0 up channel stable-4.6
equals "no change" "$out" "info: Cluster is already in stable-4.6 (no change)"

# Risks by name.
run 0 up accept ThanosDNSUnmarshalError,Kept-
equals "accepted" "$out" "info: Accept risks are [ThanosDNSUnmarshalError]"
run 0 up accept --clear -o json
contains "the object for programs" "$out" '"kind": "ClusterVersion"'
equals "none" "$(field '.spec.desiredUpdate')" ""
run 1 up accept
contains "names are needed" "$err" "error: no positional arguments given"

# Recommend.
run 0 up recommend
contains "minor by minor" "$out" "Updates to 4.7:"
run 3 up recommend --version 4.7.4
contains "issues" "$err" "not included in --accept: ConditionalUpdateRisk"
run 0 up recommend --version 4.7.4 --accept ConditionalUpdateRisk,Failing
run 3 up recommend --version 4.7.4 --quiet
equals "only the names" "$out$err" ConditionalUpdateRisk
run 1 up recommend --quiet
contains "quiet needs a version" "$err" "error: --quiet can only be set when --version is set"

# Explain, as recorded and evaluated here.
run 0 up explain AuthOAuthProxyLeakedConnections
contains "as recorded" "$out" "Recorded: applies (the verdict on 4.7.4"
run 0 up explain AuthOAuthProxyLeakedConnections --metrics "$root/api/examples/graph-data/fleet/proxy.prom"
contains "sub-expressions" "$out" 'cluster_proxy_enabled{type=~"https?"} == 1'
contains "it applies" "$out" "The risk here: applies"
run 0 up explain AuthOAuthProxyLeakedConnections --metrics "$root/api/examples/graph-data/fleet/vsphere.prom" -o json
contains "it does not" "$out" '"verdict": "does not apply"'
run 1 up explain AuthOAuthProxyLeakedConnection
contains "a typing error" "$err" 'did you mean "AuthOAuthProxyLeakedConnections"?'
run 1 up explain ThanosDNSUnmarshalError --metrics "$work/missing.prom"

# Explain, asked of a Prometheus: one with an HTTPS proxy in its metrics, which wants a token.
cat >"$work/prometheus.py" <<'PYTHON'
import http.server, json, urllib.parse
ANSWERS = {
    'cluster_proxy_enabled{type=~"https?"}': [({"__name__": "cluster_proxy_enabled", "type": "https"}, "1")],
    'cluster_proxy_enabled{type=~"https?"} == 1': [({"__name__": "cluster_proxy_enabled", "type": "https"}, "1")],
    'group(cluster_proxy_enabled)': [({}, "1")],
    '0 * group(cluster_proxy_enabled)': [({}, "0")],
}
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        if self.path == "/metrics": return self.answer(200, b'cluster_proxy_enabled{type="https"} 0\n')
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        query, allowed = asked["query"][0], self.headers.get("Authorization") == "Bearer let-me-in"
        series = ANSWERS.get(query, [({}, "1")] if " or " in query else [])
        result = [{"metric": metric, "value": [float(asked["time"][0]), value]} for metric, value in series]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
        self.answer(200 if allowed else 403, body)
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON
python3 "$work/prometheus.py" >"$work/prometheus-port" &
pids+=($!)
eventually test -s "$work/prometheus-port"
prometheus=http://127.0.0.1:$(cat "$work/prometheus-port")
echo let-me-in >"$work/token"
run 0 up explain AuthOAuthProxyLeakedConnections --prometheus "$prometheus" --prometheus-token-file "$work/token"
contains "asked of a Prometheus" "$out" "Evaluated by $prometheus:"
contains "its sub-expressions" "$out" '=> cluster_proxy_enabled{type="https"} 1'
contains "a part without series" "$out" '=> no series'
contains "it applies there" "$out" "The risk here: applies"
run 0 up explain AuthOAuthProxyLeakedConnections --prometheus "$prometheus"
contains "a Prometheus that refuses" "$out" "unknown (executing PromQL query: client_error: client error: 403)"
run 0 up explain AuthOAuthProxyLeakedConnections --prometheus http://127.0.0.1:1
contains "no Prometheus there" "$out" "The risk here: unknown"
run 2 up explain AuthOAuthProxyLeakedConnections --prometheus "$prometheus" --metrics "$work/token"
run 0 up explain AuthOAuthProxyLeakedConnections --metrics "$prometheus/metrics"
contains "metrics of an endpoint" "$out" "The risk here: does not apply"
run 1 up explain AuthOAuthProxyLeakedConnections --metrics http://127.0.0.1:1/metrics
contains "an endpoint that is not there is named" "$err" "http://127.0.0.1:1/metrics"

# Rollback.
run 0 up rollback
equals "rolled back" "$out" "Requested rollback from 4.6.23 to 4.6.22"
run 0 up --clear

# Watching an update: from the request to its end, printed on every change.
"$FAIRWAY" upgrade --to 4.6.43 --watch >"$work/watched" 2>&1 &
watching=$!
pids+=($watching)
eventually grep -q "Assessment:      Requested" "$work/watched" || fail "the request is shown" "$(cat "$work/watched")"
working() {
  sed -e 's/^    version: 4.6.23$/    version: 4.6.43/' -e "s/Cluster version is 4.6.23/'Working towards 4.6.43: $1 of 40 done ($2% complete), waiting on etcd'/" \
    -e "s/{type: Progressing, status: 'False'/{type: Progressing, status: 'True'/" "$story/cluster.yaml" |
    python3 -c 'import sys; text = sys.stdin.read(); image = sys.argv[1]; at = text.index("  desired:"); at = text.index("image: ", at); end = text.index("\n", at); print(text[:at] + "image: " + image + text[end:], end="")' "$(image 2b8e)" >"$work/working.yaml"
  status_of "$work/working.yaml"
}
run 0 working 10 25
eventually grep -q "Completion:      25% (10 of 40 done)" "$work/watched" || fail "progress is shown" "$(cat "$work/watched")"
run 1 up --to 4.6.42
contains "case 73" "$err" "error: the cluster is already upgrading:"
run 0 up --to 4.6.42 --allow-upgrade-with-warnings --dry-run
contains "case 73: bypassed" "$err" "warning: --allow-upgrade-with-warnings is bypassing: the cluster is already upgrading:"
run 0 up status
contains "what is waiting" "$out" "Waiting:         waiting on etcd"
contains "what is not looked at" "$out" "Nodes and cluster operators were not looked at"
sed -e "s/'Working towards.*etcd'/Cluster version is 4.6.43/" -e "s/{type: Progressing, status: 'True'/{type: Progressing, status: 'False'/" "$work/working.yaml" >"$work/done.yaml"
run 0 status_of "$work/done.yaml"
code=0
wait $watching || code=$?
equals "the watch ends with the update" "$code" 0
contains "and says so" "$(tail -n 1 "$work/watched")" "The cluster is not updating."
run 0 up --clear
equals "after it was reached" "$out" "Cleared the update field, still at 4.6.43"

# Ctrl-C ends a watch that has nothing to wait for.
"$FAIRWAY" upgrade --watch >"$work/watched" 2>&1 &
watching=$!
pids+=($watching)
eventually grep -q "Recommended updates" "$work/watched"
kill -TERM $watching
code=0
wait $watching || code=$?
equals "a watch ends when asked to" "$code" 0

# History, with what was accepted.
python3 - "$story" "$work/history.yaml" <<'PYTHON'
import sys
cluster = open(sys.argv[1] + "/cluster.yaml").read()
entries = "".join("  " + line if line.strip() else line for line in open(sys.argv[1] + "/history.yaml").readlines()[1:])
start, end = cluster.index("  history:\n"), cluster.index("  conditions:\n  - {type: Available")
open(sys.argv[2], "w").write(cluster[:start] + "  history:\n" + entries + cluster[end:])
PYTHON
run 0 status_of "$work/history.yaml"
run 0 up history --verbose
checks=$((checks + 1)); cmp -s "$work/out" "$story/history.txt" || fail "the design's history" "$(diff "$story/history.txt" "$work/out")"
run 0 up history -o json
contains "for programs as it stands" "$out" '"acceptedRisks": "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.\n\nReason: MultipleReasons\n\n'
run 0 up history -o wide
contains "wide has images" "$out" "IMAGE"

# A cluster of before conditional updates, with a field that nobody knows yet.
python3 - "$story/cluster.yaml" "$work/old.yaml" <<'PYTHON'
import sys
text = open(sys.argv[1]).read()
start, end = text.index("  conditionalUpdates:\n"), text.index("  history:\n")
open(sys.argv[2], "w").write(text[:start] + text[end:])
PYTHON
run 0 status_of "$work/old.yaml"
run 0 up --include-not-recommended
contains "an old cluster" "$out" "No updates which are not recommended based on your cluster configuration are available."

# Help and completion come from the tree.
run 0 up --help
contains "help has examples" "$out" "fairway upgrade --to 4.6.43 --watch"
run 0 "$FAIRWAY" __complete upgrade ""
contains "subcommands are completed" "$out" "recommend"
run 0 "$FAIRWAY" __complete upgrade -o ""
contains "formats are completed" "$out" "wide"
run 0 "$FAIRWAY" __complete upgrade status --kube
equals "a flag is offered once" "$(grep -c '^--kubeconfig' "$work/out")" 1
finish
