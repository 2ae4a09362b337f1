# What the end-to-end tests share: the real binary on a free port with a folder of its own, and checks that say what
# they expected. Source this; call `finish` at the end.
#
#   FAIRWAY   the binary under test        KUBECTL   the client (default: the one on the PATH)
set -u
: "${FAIRWAY:?set FAIRWAY to the fairway binary}"
KUBECTL=${KUBECTL:-$(command -v kubectl || true)}
work=$(mktemp -d)
server_pid=
checks=0
failures=0
export HOME=$work/home
mkdir -p "$HOME"

cleanup() {
  [ -n "$server_pid" ] && kill -9 "$server_pid" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

# Waits for a condition without assuming how long it takes; gives up after a minute.
eventually() {
  local deadline=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then return 1; fi
    read -r -t 0.05 <> <(:) || true
  done
}

start_server() {
  "$FAIRWAY" apiserver --listen 127.0.0.1:"${port:-0}" --write-kubeconfig "$work/kubeconfig" "$@" 2>"$work/server.log" &
  server_pid=$!
  if ! eventually test -s "$work/kubeconfig"; then
    echo "the server did not start:"; cat "$work/server.log"; exit 1
  fi
  port=$(sed -n 's|.*server: "\{0,1\}https://127.0.0.1:\([0-9]*\).*|\1|p' "$work/kubeconfig" | head -n 1)
}

kill_server() {
  kill -9 "$server_pid" && wait "$server_pid" 2>/dev/null
  server_pid=
  rm -f "$work/kubeconfig"
}

k() { "$KUBECTL" --kubeconfig "$work/kubeconfig" "$@"; }
# In the background; $! is kubectl itself, not a shell around it that would leave it behind when it is killed.
k_in_background() { "$KUBECTL" --kubeconfig "$work/kubeconfig" "$@" & }

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
  shift
  printf '  %s\n' "$@"
}

# ok NAME COMMAND…: it succeeds.
ok() {
  local name=$1 output; shift
  checks=$((checks + 1))
  output=$("$@" 2>&1) || fail "$name" "command: $*" "exit code: $?" "output: $output"
}

# refused NAME TEXT COMMAND…: it fails and says TEXT.
refused() {
  local name=$1 text=$2 output; shift 2
  checks=$((checks + 1))
  if output=$("$@" 2>&1); then
    fail "$name" "command: $*" "expected it to fail" "output: $output"
  elif [[ $output != *"$text"* ]]; then
    fail "$name" "command: $*" "expected: $text" "output: $output"
  fi
}

# shows NAME TEXT COMMAND…: it succeeds and prints TEXT (a bash pattern may be given with *).
shows() {
  local name=$1 text=$2 output; shift 2
  checks=$((checks + 1))
  if ! output=$("$@" 2>&1); then
    fail "$name" "command: $*" "exit code not 0" "output: $output"
  elif [[ $output != *$text* ]]; then
    fail "$name" "command: $*" "expected: $text" "output: $output"
  fi
}

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  [ "$failures" -eq 0 ]
}
