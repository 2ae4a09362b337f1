#!/usr/bin/env bash
# A watch survives kill -9 and restart of the server: `kubectl get -w` resumed from where it was sees every change once,
# and an informer of @kubernetes/client-node ends up with what the server has.
# Exit code 77: not run, because node or its packages are not there.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
command -v node >/dev/null || { echo "not run: no node"; exit 77; }
[ -d "$here/node_modules/@kubernetes/client-node" ] || { echo "not run: npm packages are not installed"; exit 77; }

start() { start_server --data "$work/data"; }
api() { curl -sf --cacert "$work/ca.pem" --cert "$work/admin.pem" --key "$work/admin.key" "$@"; }
put() { api -o /dev/null -X PATCH -H 'Content-Type: application/apply-patch+yaml' \
  "https://127.0.0.1:$port/api/v1/namespaces/default/configmaps/$1?fieldManager=test&force=true" \
  -d "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"$1\",\"labels\":{\"app\":\"informer\"}},\"data\":{\"value\":\"$2\"}}"; }
drop() { api -o /dev/null -X DELETE "https://127.0.0.1:$port/api/v1/namespaces/default/configmaps/$1"; }

start
cp "$work/data/pki/ca.crt" "$work/ca.pem"; cp "$work/data/pki/admin.crt" "$work/admin.pem"; cp "$work/data/pki/admin.key" "$work/admin.key"
cp "$work/kubeconfig" "$work/client-kubeconfig"
mkfifo "$work/commands"
node "$here/informer_test.mjs" "$work/client-kubeconfig" <"$work/commands" >"$work/answers" 2>"$work/informer.log" &
informer=$!
exec 3>"$work/commands"
expect() {
  local before; before=$(wc -l <"$work/answers"); checks=$((checks + 1))
  echo "expect $2" >&3
  eventually bash -c "[ \$(wc -l <'$work/answers') -gt $before ]" || fail "$1" "the informer did not see: $2" "$(tail -n 3 "$work/informer.log")"
  [ "$(tail -n 1 "$work/answers")" = ok ] || fail "$1" "$(tail -n 1 "$work/answers")"
}

ok "write" put a 1
ok "write" put b 1
expect "what was written" "a=1,b=1"
since=$(api "https://127.0.0.1:$port/api/v1/namespaces/default/configmaps" | sed -n 's/.*"metadata":{"resourceVersion":"\([0-9]*\)".*/\1/p' | head -n 1)
for round in 1 2 3; do
  ok "write in round $round" put a "before-$round"
  kill_server
  start
  ok "write after restart $round" put "c$round" "$round"
done
ok "delete" drop b
expect "everything after three restarts" "a=before-3,c1=1,c2=2,c3=3"
echo end >&3; exec 3>&-
checks=$((checks + 1)); wait "$informer" || fail "the informer" "$(cat "$work/answers")"

# A watch from before the first kill, resumed now: each change once, in order.
api --max-time 3 "https://127.0.0.1:$port/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=$since&timeoutSeconds=1" >"$work/events"
sed 's/.*"type":"\([A-Z]*\)".*"name":"\([a-z0-9-]*\)".*/\1 \2/' "$work/events" >"$work/seen"
checks=$((checks + 1))
wanted=$'MODIFIED a\nADDED c1\nMODIFIED a\nADDED c2\nMODIFIED a\nADDED c3\nDELETED b'
[ "$(cat "$work/seen")" = "$wanted" ] || fail "the resumed watch" "expected: $wanted" "found: $(cat "$work/seen")"
finish
