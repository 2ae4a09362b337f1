#!/usr/bin/env bash
# Types the README's tour: every command of its console blocks, in order, in one shell. The lines shown below a command
# must be among what it prints.
. "$(dirname "$0")/lib.sh"
command -v kubectl >/dev/null || { echo "not run: there is no kubectl"; exit 77; }

mkdir -p "$work/clone/build"
cd "$work/clone" || exit 1
ln -s "$root/api" api
ln -s "$FAIRWAY" build/fairway
"$FAIRWAY" up --data ./fairway-data --listen 127.0.0.1:0 >"$work/up.out" 2>"$work/up.err" &
pids+=($!)
eventually grep -q 'Ctrl-C stops' "$work/up.out" || { cat "$work/up.out" "$work/up.err"; exit 1; }
# The README has the usual address; this one has a port of its own.
update_service=$(sed -n 's|.*update service *http://\(.*\)/graph|\1|p' "$work/up.out")
eventually curl -sf -o "$work/graph" "http://$update_service/graph?channel=stable-4.7"

typed=0
command_line=
output=
type_it() {
  command_line=$1
  local code=0
  eval "$command_line" >"$work/typed" 2>&1 </dev/null || code=$?
  output=$(cat "$work/typed")
  typed=$((typed + 1))
  equals "exit code of: $command_line" "$code" 0
  [ "$code" = 0 ] || printf '%s\n' "$output"
}

while IFS= read -r line; do
  line=${line//127.0.0.1:6444/$update_service}
  case $line in
    '$ '*) type_it "${line#'$ '}" ;;
    *) contains "output of: $command_line" "$output" "$line" ;;
  esac
done < <(awk '/^## /{tour=/five-minute tour/} tour && /^```console/{block=1; next} /^```/{block=0} block' "$root/README.md")

checks=$((checks + 1))
[ "$typed" -ge 10 ] || fail "the tour has commands" "found only $typed"
finish
