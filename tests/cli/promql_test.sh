#!/usr/bin/env bash
# fairway promql check as a shell sees it: exit codes, files of each kind, stdin, batch, completion.
. "$(dirname "$0")/lib.sh"

good='group(up == 0) or 0 * group(up)'
run 0 "$FAIRWAY" promql check "$good"
equals "a clean query" "$out" "query: ok, instant vector, at most one series"
run 1 "$FAIRWAY" promql check 'sum('
contains "an error has its place" "$out" "query:1:5: error: unclosed left parenthesis [syntax-error]"
run 2 "$FAIRWAY" promql check 'max(a)'
contains "a warning has its fix" "$out" "fix: "

cat >"$work/edge.yaml" <<'YAML'
to: 4.19.8
from: 4[.]18[.].*
name: Risk
matchingRules:
- type: PromQL
  promql:
    promql: |
      group by (type) (cluster_infrastructure_provider{_id="",type="AWS|GCP"})
      or on ()
      0 * group(cluster_infrastructure_provider{_id=""})
YAML
run 2 "$FAIRWAY" promql check "$work/edge.yaml"
contains "the mistake that shipped" "$out" 'fix: write type=~"AWS|GCP"'
printf '["up", {"q": "sum("}]' >"$work/list.json"
run 1 "$FAIRWAY" promql check "$work/list.json" "$work/edge.yaml"
contains "several files" "$out" "3 queries: 1 with errors, 2 with warnings"
printf '%s\n' "$good" >"$work/query.txt"
run 0 "$FAIRWAY" promql check "$work/query.txt"
mkdir "$work/edges" && cp "$work/edge.yaml" "$work/edges/"
run 2 "$FAIRWAY" promql check "$work/edges"
contains "a folder" "$out" "regex-in-equality"
printf '%s' "$good" >"$work/stdin"
checks=$((checks + 1))
"$FAIRWAY" promql check - <"$work/stdin" >"$work/out" || fail "stdin is read"
equals "stdin has a name" "$(cat "$work/out")" "stdin: ok, instant vector, at most one series"
run 1 "$FAIRWAY" promql check "$work/missing.yaml"
contains "a file that is missing" "$err" "does not exist"

printf 'up 1\n# HELP x y\nother{a="b"} 2\n' >"$work/metrics"
run 0 "$FAIRWAY" promql check --known-metrics "$work/metrics" "$good"
run 2 "$FAIRWAY" promql check --known-metrics "$work/metrics" 'group(upp == 0) or 0 * group(up)'
contains "the nearest metric" "$out" 'did you mean "up"?'

run 1 "$FAIRWAY" promql check -o json 'sum('
contains "for programs" "$out" '"id": "syntax-error"'
run 2 "$FAIRWAY" promql check
contains "nothing to check" "$err" "expected a query, a file, or - for stdin"

printf '"sum(up)"\n"foo offset step()"\n' >"$work/lines"
"$FAIRWAY" promql check --batch <"$work/lines" >"$work/out"
equals "batch: switches are off" "$(cat "$work/out")" '{"ok":true,"canon":"sum(up)","type":"vector"}
{"ok":false,"error":"1:12: parse error: experimental duration expression is not enabled","position":11}'
"$FAIRWAY" promql check --batch --enable-all <"$work/lines" >"$work/out"
contains "batch: switches are on" "$(cat "$work/out")" '"canon":"foo offset step()"'

printf '%s\n' '{"query":"up + 1","time":"60"}' '{"query":"up","start":"0","end":"120","step":"60"}' '{"query":"sum("}' '{"time":"1"}' nonsense >"$work/lines"
printf 'up 1 0\nup 2 60000\n# EOF\n' | sed 's/ \([0-9]*\)000$/ \1/' >"$work/metrics.om"
"$FAIRWAY" promql eval --batch --metrics "$work/metrics.om" <"$work/lines" >"$work/out"
equals "batch: a line for each question" "$(wc -l <"$work/out")" 5
contains "batch: an instant" "$(sed -n 1p "$work/out")" '"result":[{"metric":{},"value":[60,"3"]}]'
contains "batch: a range" "$(sed -n 2p "$work/out")" '"values":[[0,"1"],[60,"2"],[120,"2"]]'
contains "batch: what cannot be parsed" "$(sed -n 3p "$work/out")" '"status":"error"'
contains "batch: no query" "$(sed -n 4p "$work/out")" 'expected a query'
contains "batch: no question" "$(sed -n 5p "$work/out")" '"status":"error"'
run 2 "$FAIRWAY" promql eval --batch --metrics "$work/metrics.om" up
contains "batch: a query as well" "$err" "leave out the query"
run 2 "$FAIRWAY" promql eval --metrics "$work/metrics.om"
contains "no query" "$err" "or --batch with questions on stdin"

run 0 "$FAIRWAY" __complete promql ch
contains "completion: the command" "$out" "check"
run 0 "$FAIRWAY" __complete promql check --enable d
contains "completion: a value" "$out" "durations"

finish
