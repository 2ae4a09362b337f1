#!/usr/bin/env bash
# What ./dev install puts where.
. "$(dirname "$0")/lib.sh"
: "${FAIRWAY_BUILD:?set FAIRWAY_BUILD to the build folder}"

run 0 env DESTDIR="$work/stage" cmake --install "$FAIRWAY_BUILD" --prefix /usr
for path in bin/fairway bin/kubectl-fairway bin/kubectl_complete-fairway share/bash-completion/completions/fairway \
  share/zsh/site-functions/_fairway share/fish/vendor_completions.d/fairway.fish; do
  run 0 test -s "$work/stage/usr/$path"
done
equals "the plugin is the same program" "$(readlink "$work/stage/usr/bin/kubectl-fairway")" fairway
run 0 env PATH="$work/stage/usr/bin:$PATH" kubectl-fairway version
run 0 env PATH="$work/stage/usr/bin:$PATH" kubectl_complete-fairway ver
contains "kubectl's completion gets an answer" "$out" "version"
run 0 cmp "$work/stage/usr/share/bash-completion/completions/fairway" <("$FAIRWAY" completion bash)
finish
