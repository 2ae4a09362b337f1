#!/usr/bin/env bash
# Types every command of docs/agent.md, beside an API server and an agent of its own.
. "$(dirname "$0")/../cli/lib.sh"
# kubectl wait --for=jsonpath came with 1.23.
kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
[ "${kubectl_minor:-0}" -ge 23 ] || { echo "not run: there is no kubectl of 1.23 or later"; exit 77; }
page=$root/docs/agent.md
cd "$work" || exit 1
ln -s "$root/deploy" deploy
export KUBECONFIG=$work/kubeconfig

# The page's first block, with each server on a free port.
begun=0
while IFS= read -r line; do
  case $line in
    'fairway apiserver '*'&' | 'fairway agent '*'&')
      read -ra words <<<"${line% &}"
      case ${words[1]} in
        apiserver) more=(--store memory --listen 127.0.0.1:0) ;;
        agent) more=(--metrics-listen 127.0.0.1:0) ;;
      esac
      "$FAIRWAY" "${words[@]:1}" "${more[@]}" >"$work/${words[1]}.out" 2>"$work/${words[1]}.err" &
      pids+=($!)
      ;;
    'export KUBECONFIG='*) eventually test -s "$work/kubeconfig" || { cat "$work/apiserver.err"; exit 1; } ;;
    *) run 0 bash -c "$line" ;;
  esac
  begun=$((begun + 1))
done < <(awk '/^```sh/{block=1; next} /^```/{if (block) exit} block' "$page")
[ "$begun" -eq 4 ] || fail "the page's first block is typed" "found $begun lines"

type_page "$page"
checks=$((checks + 1))
[ "$typed" -ge 6 ] || fail "the page has commands" "found only $typed"
[ "$failures" -eq 0 ] || tail -n 20 "$work/agent.err"
finish
