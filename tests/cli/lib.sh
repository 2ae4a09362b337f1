# What the tests of the command line share: a folder of their own and checks that say what they expected. Source this and
# call `finish` at the end.
#
#   FAIRWAY   the binary under test
set -u
: "${FAIRWAY:?set FAIRWAY to the fairway binary}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${FAIRWAY_ROOT:-$(cd "$here/../.." && pwd)}
# In memory where possible: what is tested here is behaviour, and a busy disk would only make it slow.
if [ -z "${TMPDIR:-}" ] && [ -d /dev/shm ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
work=$(mktemp -d)
pids=()
checks=0
failures=0
export HOME=$work/home
unset XDG_DATA_HOME NO_COLOR KUBECONFIG
mkdir -p "$HOME"

cleanup() {
  for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@"
}

# run CODE COMMAND…: runs it, keeps $out and $err, and expects the exit code.
run() {
  local wanted=$1 code=0
  shift
  checks=$((checks + 1))
  "$@" >"$work/out" 2>"$work/err" || code=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
  [ "$code" = "$wanted" ] || fail "$*" "expected exit code $wanted, found $code" "stdout: $out" "stderr: $err"
}

# contains NAME TEXT PART, lacks NAME TEXT PART, equals NAME FOUND WANTED.
contains() {
  checks=$((checks + 1))
  case $2 in *"$3"*) ;; *) fail "$1" "expected it to contain: $3" "found: $2" ;; esac
}
lacks() {
  checks=$((checks + 1))
  case $2 in *"$3"*) fail "$1" "expected it not to contain: $3" "found: $2" ;; esac
}
equals() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1" "expected: $3" "found:    $2"
}

# Waits for a condition without assuming how long it takes; gives up after five minutes.
eventually() {
  local deadline=$((SECONDS + 300))
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then return 1; fi
    read -r -t 0.05 <> <(:) || true
  done
}

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures of $checks checks failed"
    exit 1
  fi
  echo "$checks checks passed"
}

# type_page PAGE: types every command of its console blocks, in their order, and compares what it prints with what the page shows: all of it,
# `…` for what is left out. A command goes on with lines that begin with `> `. A test that has to type something else than the page says
# defines as_typed COMMAND. $typed counts.
as_typed() { printf '%s' "$1"; }
typed=0
compare_typed() {
  local shown=$2 pattern output
  output=$(eval "$(as_typed "$1")" 2>&1 </dev/null)
  pattern=$(printf '%s' "$shown" | sed -e 's/[][\\*?()|@!+]/\\&/g' -e 's/…/*/g')
  checks=$((checks + 1))
  typed=$((typed + 1))
  # shellcheck disable=SC2053 # a pattern is wanted
  [[ $output == $pattern ]] || fail "$1" "the page shows: $shown" "it printed:     $output"
}
type_page() {
  local line command_line= shown= first=
  while IFS= read -r line; do
    case $line in
      '$ '* | END)
        [ -z "$command_line" ] || compare_typed "$command_line" "$shown"
        command_line=${line#'$ '}
        shown=
        first=1
        ;;
      '> '*) if [ -n "$first" ]; then command_line=$command_line$'\n'${line#'> '}; else shown=$shown$'\n'$line; fi ;;
      *) if [ -n "$first" ]; then shown=$line first=; else shown=$shown$'\n'$line; fi ;;
    esac
  done < <(awk '/^```console/{block=1; next} /^```/{block=0} block' "$1"; echo END)
}
