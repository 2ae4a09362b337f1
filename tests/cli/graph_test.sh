#!/usr/bin/env bash
# fairway graph on the example tree: what is data, what is a message, and the exit codes.
. "$(dirname "$0")/lib.sh"

tree=$root/api/examples/graph-data
cp -r "$tree" "$work/tree"
chmod -R u+w "$work/tree"

run 0 "$FAIRWAY" graph --help
help=$out
for name in audit diff explain generate lint path promote show simulate; do
  contains "help lists $name" "$help" "$name"
  run 0 "$FAIRWAY" graph "$name" --help
done

# lint: 0 clean, 1 errors, 2 warnings only.
run 0 "$FAIRWAY" graph lint "$tree"
equals "a clean tree has no findings" "$out" ""
contains "the summary is a message" "$err" "0 errors, 0 warnings"
run 0 "$FAIRWAY" graph lint "$tree" --releases "$tree/releases.jsonl"
mv "$work/tree/blocked-edges/4.7.4-VSphereNodeNameChanges.yaml" "$work/tree/blocked-edges/4.7.4-vsphere.yaml"
run 2 "$FAIRWAY" graph lint "$work/tree"
contains "a warning has its id" "$out" "[block-file-name]"
printf 'to: 4.7.4\nfrom: (\n' >"$work/tree/blocked-edges/4.7.4.yaml"
run 1 "$FAIRWAY" graph lint "$work/tree"
contains "an error has file and line" "$out" "blocked-edges/4.7.4.yaml:2: error: "
run 1 "$FAIRWAY" graph lint "$work/tree" -o github
contains "for GitHub" "$out" "::error file=$work/tree/blocked-edges/4.7.4.yaml,line=2,title=block-from-regex::"
run 1 "$FAIRWAY" graph lint "$work/tree" -o json
contains "for programs" "$out" '"id": "block-from-regex"'
run 1 "$FAIRWAY" graph show "$work/tree"
contains "a refused tree is not shown" "$err" "blocked-edges/4.7.4.yaml:2"
rm "$work/tree/blocked-edges/4.7.4.yaml"
printf 'to: 4.7.4\nfrom: 4[.]6[.].*\nurl: https://example.com\nname: Proxy\nmessage: M.\nmatchingRules:\n- type: PromQL\n  promql:\n    promql: max(a{b="x|y"}\n' \
  >"$work/tree/blocked-edges/4.7.4-Proxy.yaml"
run 1 "$FAIRWAY" graph lint "$work/tree"
contains "queries are checked" "$out" "[promql-syntax-error]"
run 2 "$FAIRWAY" graph lint "$work/tree" --no-promql
run 1 "$FAIRWAY" graph lint "$work/nowhere"
run 2 "$FAIRWAY" graph lint

# show
run 0 "$FAIRWAY" graph show "$tree" --channel stable-4.7
equals "as text" "$out" "4.6.22 -> 4.6.23
4.6.22 -> 4.7.0
4.6.23 -> 4.7.0
4.6.23 -(blocked: AuthOAuthProxyLeakedConnections, VSphereHW14CrossNodeNetworkingError, VSphereNodeNameChanges)-> 4.7.4
4.7.0 -(blocked: VSphereNodeNameChanges)-> 4.7.4"
run 0 "$FAIRWAY" graph show "$tree" --channel stable-4.7 -o json
printf '%s\n' "$out" >"$work/answer.json"
contains "as a client is answered" "$out" '{"version":1,"nodes":[{"version":"4.6.22","payload":"registry.example.com/release@sha256:'
run 0 "$FAIRWAY" graph show "$work/answer.json" -o json
equals "an answer reads back as it was" "$out" "$(cat "$work/answer.json")"
run 0 "$FAIRWAY" graph show - -o dot <"$work/answer.json"
contains "for Graphviz" "$out" "digraph updates {"
run 0 "$FAIRWAY" graph show "$work/answer.json" -o mermaid
contains "for Mermaid" "$out" "flowchart BT"
run 1 "$FAIRWAY" graph show "$tree" --channel stabel-4.7
contains "the nearest channel is named" "$err" "did you mean stable-4.7?"
run 1 "$FAIRWAY" graph show "$tree" --arch amd46
contains "architectures are listed" "$err" "amd64, s390x"

# explain
run 0 "$FAIRWAY" graph explain "$tree" 4.6.23 4.7.4 --channel stable-4.7
contains "files are named" "$out" "blocked-edges/4.7.4-AuthOAuthProxyLeakedConnections.yaml: makes it conditional"
run 0 "$FAIRWAY" graph explain "$tree" 4.6.23 4.7.3
contains "blocked for all" "$out" "blocked-edges/4.7.3.yaml: blocks it for every cluster"
run 0 "$FAIRWAY" graph explain "$tree" 4.6.23 4.7.5 --channel stable-4.7 -o json
contains "not in the channel" "$out" '"verdict": "NotInChannel"'

# path
run 0 "$FAIRWAY" graph path "$tree" 4.6.23 4.7.4 --fewest risks
equals "fewest risks" "$out" "4.6.23 -> 4.7.0
4.7.0 -> 4.7.4  risks: VSphereNodeNameChanges"
run 0 "$FAIRWAY" graph path "$tree" 4.6.22 4.7.5 --channel stable-4.6 --channel candidate-4.7
contains "the channel to be in" "$out" "4.6.22 -> 4.6.23  in stable-4.6"
run 1 "$FAIRWAY" graph path "$tree" 4.6.23 4.7.4 --recommended
contains "no way, and how far it goes" "$err" "the highest version within reach"
run 0 "$FAIRWAY" graph path "$tree" 4.6.23 4.7.4 --recommended --metrics "$tree/fleet/aws.prom"
contains "risks that do not apply" "$out" "4.6.23 -> 4.7.4  not applying: AuthOAuth"
run 1 "$FAIRWAY" graph path "$tree" 4.6.23 4.7.4 --recommended --metrics "$tree/fleet/vsphere.prom"
run 0 "$FAIRWAY" graph path "$tree" 4.6.23 4.7.4 --recommended --metrics "$tree/fleet/proxy.prom" --accept AuthOAuthProxyLeakedConnections -o json
contains "accepted risks are carried along" "$out" '"accepted"'

# audit
run 0 "$FAIRWAY" graph audit "$tree"
contains "per channel and architecture" "$out" "stable-4.7 s390x: only conditional exits: 4.7.0"
run 0 "$FAIRWAY" graph audit "$tree" --check
printf 'to: 4.7.5\nfrom: .*\n' >"$work/block.yaml"
rm "$work/tree/blocked-edges/4.7.4-Proxy.yaml"
cp "$work/block.yaml" "$work/tree/blocked-edges/4.7.5.yaml"
run 1 "$FAIRWAY" graph audit "$work/tree" --check --channel candidate-4.7 --arch amd64 -o json
contains "stuck versions" "$out" '"withoutExit": ['

# diff
run 0 "$FAIRWAY" graph diff "$tree" "$tree"
equals "no difference" "$out" ""
run 1 "$FAIRWAY" graph diff "$tree" "$work/tree" --channel candidate-4.7
contains "what went" "$out" "- 4.7.4 -> 4.7.5: absent, was recommended"

# simulate
run 1 "$FAIRWAY" graph simulate "$tree" --change "$tree/change" --fleet "$tree/fleet/fleet.jsonl"
contains "who loses" "$out" "5 clusters: 3 lose a recommended update"
contains "what they lose" "$out" "  4.7.5: not recommended, was recommended (SlowStorageDrivers)"
contains "who would be stranded, since it cannot tell" "$out" "mute (4.7.4, candidate-4.7, amd64): STRANDED"
run 1 "$FAIRWAY" graph simulate "$tree" --change "$work/tree" --fleet "$tree/fleet/fleet.jsonl"
contains "who would be stranded" "$out" "mute (4.7.4, candidate-4.7, amd64): STRANDED"
run 1 "$FAIRWAY" graph simulate "$tree" --change "$tree/targeted" --fleet "$tree/fleet/fleet.jsonl" --service-queries -o json
contains "queries of the service" "$out" '"id": "vsphere"'
run 0 "$FAIRWAY" graph simulate "$tree" --change "$tree/targeted" --fleet "$tree/fleet/fleet.jsonl"
run 1 "$FAIRWAY" graph simulate "$tree" --fleet "$tree/fleet/fleet.jsonl"
run 0 "$FAIRWAY" graph simulate "$tree" --remove blocked-edges/4.7.3.yaml --fleet "$tree/fleet/fleet.jsonl"
contains "who gains" "$out" "4.7.3: recommended, was absent"

# promote
printf '{"fast-4.7":{"4.7.3":"2021-03-01T12:00:00Z"}}' >"$work/since.json"
printf '4.7.5\n' >"$work/public.txt"
cp "$tree/channels/"*.yaml "$work/tree/channels/"
run 1 "$FAIRWAY" graph promote "$work/tree" --since "$work/since.json" --public-errata "$work/public.txt" --at 2021-03-10T12:00:00Z
contains "risks of 4.7.4 are neither fixed nor declared" "$err" "[risk-not-extended]"
contains "the version waits" "$out" "keep 4.7.5 out of fast-4.7"
for risk in AuthOAuthProxyLeakedConnections VSphereHW14CrossNodeNetworkingError; do
  echo "fixedIn: 4.7.5" >>"$work/tree/blocked-edges/4.7.4-$risk.yaml"
done
run 0 "$FAIRWAY" graph promote "$work/tree" --since "$work/since.json" --public-errata "$work/public.txt" --at 2021-03-10T12:00:00Z
contains "a week has passed" "$out" "promote 4.7.3 to stable-4.7: it has been in fast-4.7 for longer than P1W"
contains "the erratum is public" "$out" "promote 4.7.5 to fast-4.7: its erratum is public"
run 0 cmp "$tree/channels/stable-4.7.yaml" "$work/tree/channels/stable-4.7.yaml"
run 0 "$FAIRWAY" graph promote "$work/tree" --since "$work/since.json" --at 2021-03-10T12:00:00Z --write
contains "the file has it in order" "$(tr '\n' ' ' <"$work/tree/channels/stable-4.7.yaml")" "- 4.7.0 - 4.7.3 - 4.7.4"
if command -v git >/dev/null; then
  cp "$tree/channels/"*.yaml "$work/tree/channels/"
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
  git -C "$work/tree" init -q
  git -C "$work/tree" add .
  GIT_COMMITTER_DATE=2021-03-01T12:00:00Z git -C "$work/tree" commit -q -m first
  run 0 "$FAIRWAY" graph promote "$work/tree" --at 2021-03-08T12:00:01Z
  contains "Git knows the age of a line" "$out" "promote 4.7.3 to stable-4.7"
  run 0 "$FAIRWAY" graph promote "$work/tree" --at 2021-03-08T11:59:59Z
  contains "not yet" "$out" "until 2021-03-08T12:00:00Z"
fi

# generate
run 0 "$FAIRWAY" graph generate "$work/made" --minors 2 --patches 3
run 0 "$FAIRWAY" graph show "$work/made" --channel stable-4.2
contains "a made-up graph" "$out" "4.1.0 "
run 1 "$FAIRWAY" graph generate "$work/made"
contains "nothing is overwritten" "$err" "new or empty"

# What the documentation shows is what happens.
cd "$root" || exit 1
checked=0
while IFS= read -r line; do
  case $line in
    '$ fairway graph '*)
      command=${line#\$ fairway }
      expected=
      while IFS= read -r line && [ "$line" != '```' ]; do expected+=$line$'\n'; done
      # shellcheck disable=SC2086 # the words of the command
      found=$("$FAIRWAY" $command 2>/dev/null)
      equals "docs/graph.md: $command" "$found" "${expected%$'\n'}"
      checked=$((checked + 1))
      ;;
  esac
done <docs/graph.md
equals "transcripts in docs/graph.md" "$checked" 4
finish
