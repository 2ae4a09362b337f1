#!/usr/bin/env bash
# fairway up and fairway apiserver as processes: start, stop, data, kubeconfigs, backup and check.
. "$(dirname "$0")/lib.sh"
command -v kubectl >/dev/null || { echo "not run: there is no kubectl"; exit 77; }

# start COMMAND…: in the background; its output in $work/server.out and .err, its pid in $pid.
start() {
  rm -f "$work/server.out"
  "$FAIRWAY" "$@" --listen 127.0.0.1:0 >"$work/server.out" 2>"$work/server.err" &
  pid=$!
  pids+=("$pid")
}
is_ready() { grep -q "^Ctrl-C stops it\|^listening on" "$work/server.out"; }
wait_ready() {
  eventually is_ready || { fail "the server did not start" "$(cat "$work/server.out" "$work/server.err")"; finish; }
}
# stop SIGNAL CODE
stop() {
  local code=0
  kill "-$1" "$pid"
  wait "$pid" || code=$?
  checks=$((checks + 1))
  [ "$code" = "$2" ] || fail "stop by SIG$1" "expected exit code $2, found $code" "$(tail -n 5 "$work/server.err")"
}
data=$work/data
k() { kubectl --kubeconfig "$data/kubeconfig" "$@"; }

# Up: what it says, what it makes.
start up --data "$data" --clusters 2
wait_ready
said=$(cat "$work/server.out")
contains "says where it listens" "$said" "https://127.0.0.1:"
contains "says where the kubeconfig is" "$said" "export KUBECONFIG=$data/kubeconfig"
equals "three commands to try" "$(grep -cE '^  (kubectl|curl) ' "$work/server.out")" 3
update_service=$(sed -n 's|.*update service *\(http.*\)/graph|\1|p' "$work/server.out")
eventually curl -sf -o "$work/graph" "$update_service/graph?channel=stable-4.7"
contains "the update service has the example" "$(cat "$work/graph")" '"version":"4.7.4"'
equals "the kubeconfig is private" "$(stat -c %a "$data/kubeconfig")" 600
equals "a context for each cluster" "$(k config get-contexts -o name | sort | tr '\n' ' ')" "hub member1 member2 "
equals "the hub is current" "$(k config current-context)" hub
run 0 k create configmap kept --from-literal=a=1
run 0 k --context member1 create configmap elsewhere --from-literal=a=2
run 1 k --context member2 get configmap elsewhere
contains "clusters share nothing" "$err" "NotFound"
export KUBECONFIG=$data/kubeconfig
while read -r line; do
  # shellcheck disable=SC2086 # the words of the command
  run 0 ${line}
done < <(sed -n -e 's/^  \(kubectl .*\)/\1/p' -e "s/^  curl '\(.*\)'/curl -sf \1/p" "$work/server.out")
unset KUBECONFIG

# One server for one data directory; one for an address.
run 1 "$FAIRWAY" apiserver --data "$data" --listen 127.0.0.1:0
contains "a second server on the same data is refused" "$err" "error: "
port=$(sed -n 's|.*https://127.0.0.1:\([0-9]*\).*|\1|p' "$work/server.out" | head -n 1)
run 1 "$FAIRWAY" apiserver --store memory --listen "127.0.0.1:$port"
contains "an address in use is named" "$err" "127.0.0.1:$port"

# Backup while it runs; the check wants it stopped.
run 0 "$FAIRWAY" apiserver backup "$work/copy.db" --data "$data"
contains "the backup is counted" "$out" "objects, revision"
equals "the backup is private" "$(stat -c %a "$work/copy.db")" 600
run 0 "$FAIRWAY" apiserver backup "$work/copy2.db" --kubeconfig "$data/kubeconfig" --context member1
run 0 "$FAIRWAY" apiserver check "$work/copy.db"
contains "a backup is sound" "$out" "sound"
run 1 "$FAIRWAY" apiserver check "$data"
contains "a store in use is not examined" "$err" "error: "

# The end, and the next start.
stop TERM 0
run 0 "$FAIRWAY" apiserver check "$data"
contains "what was stopped is sound" "$out" "sound"
run 0 "$FAIRWAY" apiserver backup "$work/cold.db" --data "$data"
start up --data "$data" --clusters 2
wait_ready
run 0 k get configmap kept -o jsonpath='{.data.a}'
equals "the data is picked up again" "$out" 1
stop INT 0

# Asked twice: at once. Both signals wait while the process is stopped, so that nothing depends on time.
start up --data "$data" --clusters 2
wait_ready
kill -STOP "$pid"
kill -INT "$pid"
kill -TERM "$pid"
stop CONT 130
run 0 "$FAIRWAY" apiserver check "$data"
contains "what was ended at once is sound" "$out" "sound"

# A backup restored into a new directory.
mkdir -p "$work/restored/store"
cp "$work/copy.db" "$work/restored/store/fairway.db"
start apiserver --data "$work/restored"
wait_ready
run 0 kubectl --kubeconfig "$work/restored/kubeconfig" get configmap kept -o jsonpath='{.data.a}'
equals "a backup is a whole store" "$out" 1
stop TERM 0

# In memory, with a kubeconfig where it is wanted.
start apiserver --store memory --cluster east --write-kubeconfig "$work/kubeconfig" --log-format json
wait_ready
run 0 kubectl --kubeconfig "$work/kubeconfig" --context east get namespaces
run 0 test ! -e "$HOME/.local/share/fairway"
checks=$((checks + 1))
head -n 1 "$work/server.err" | grep -q '^{"time":".*"level":"info","message":' ||
  fail "log lines are JSON" "$(head -n 1 "$work/server.err")"
stop TERM 0

# Ctrl-C on a terminal, and colours there only when they are welcome. script(1) makes the terminal.
on_terminal() {
  rm -f "$work/typescript"
  mkfifo "$work/keys"
  env TERM=xterm "$@" script -qefc "'$FAIRWAY' apiserver --store memory --listen 127.0.0.1:0" "$work/typescript" \
    <"$work/keys" >/dev/null 2>&1 &
  local terminal=$!
  pids+=("$terminal")
  exec 9>"$work/keys"
  eventually grep -q "^listening on" "$work/typescript" || fail "no server on the terminal" "$(cat "$work/typescript")"
  printf '\003' >&9
  terminal_code=0
  wait "$terminal" || terminal_code=$?
  exec 9>&-
  rm -f "$work/keys"
  typescript=$(cat "$work/typescript")
}
if command -v script >/dev/null; then
  on_terminal
  equals "Ctrl-C stops cleanly" "$terminal_code" 0
  contains "colours on a terminal" "$typescript" $'\033['
  on_terminal NO_COLOR=1
  lacks "NO_COLOR" "$typescript" $'\033[3'
fi

finish
