#!/usr/bin/env bash
# docs/reference is what tools/make-reference would write now, and the check can fail.
. "$(dirname "$0")/../cli/lib.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "not run: there is no python3-yaml"; exit 77; }

run 0 "$root/tools/make-reference" --check
# On a tree of its own, so that nothing of this one is touched; and with a binary that has one command, which is quicker to ask.
mkdir "$work/tree"
cp -r "$root/docs" "$root/api" "$root/tools" "$root/deploy" "$root/src" "$work/tree"
cat >"$work/other" <<'TEXT'
#!/bin/sh
printf 'Another program\n\nUsage:\n  fairway [options]\n'
TEXT
chmod +x "$work/other"
rm "$work/tree/docs/reference/metrics.md"
touch "$work/tree/docs/reference/api/Kraken.md"
sed -i 's/"fairway_store_objects"/"fairway_store_things"/' "$work/tree/src/apiserver/endpoints.cpp"
FAIRWAY=$work/other run 1 "$work/tree/tools/make-reference" --check
for page in metrics.md commands.md api/Kraken.md; do contains "found" "$out" "docs/reference/$page is stale"; done
contains "what to do" "$out" "run: FAIRWAY=build/test/fairway tools/make-reference"
lacks "what is up to date" "$out" alerts.md
FAIRWAY=$work/other run 0 "$work/tree/tools/make-reference"
contains "the metrics are the source's" "$(cat "$work/tree/docs/reference/metrics.md")" fairway_store_things
# A registration that cannot be read is said, not left out.
sed -i 's/"fairway_agent_evaluations_total"/name_of(metric)/' "$work/tree/src/fleet/agent/agent.cpp"
FAIRWAY=$work/other run 1 "$work/tree/tools/make-reference" --check
contains "where it is" "$err" src/fleet/agent/agent.cpp
finish
