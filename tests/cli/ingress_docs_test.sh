#!/usr/bin/env bash
# Types every command of docs/ingress.md, beside an API server, the operator and a played cloud of its own.
. "$(dirname "$0")/lib.sh"
# kubectl wait --for=jsonpath and --subresource came with 1.23 and 1.24.
kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
[ "${kubectl_minor:-0}" -ge 24 ] || { echo "not run: there is no kubectl of 1.24 or later"; exit 77; }
page=$root/docs/ingress.md
cd "$root" || exit 1
mkdir "$work/bin"
ln -s "$FAIRWAY" "$work/bin/fairway"
PATH=$work/bin:$PATH

# What the page starts, each on a free port; the rest of its first block as it stands.
start() {
  "$FAIRWAY" "$@" >"$work/$1.out" 2>"$work/$1.err" &
  pids+=($!)
}
# start_as_shown LINE FLAGS…: a line "fairway COMMAND … &" of the page, with flags that win over its own.
start_as_shown() {
  local -a words
  read -ra words <<<"${1% &}"
  shift
  start "${words[@]:1}" "$@"
}
start apiserver --store memory --listen 127.0.0.1:0 --write-kubeconfig "$work/kubeconfig"
eventually test -s "$work/kubeconfig" || { cat "$work/apiserver.err"; exit 1; }
export KUBECONFIG=$work/kubeconfig
begun=0
while IFS= read -r line; do
  case $line in
    'fairway apiserver '* | 'export KUBECONFIG='*) ;;
    'fairway cloud '*'&') start_as_shown "$line" --port-offset $((10000 + $$ % 20000)) --listen 127.0.0.1:0 ;;
    'fairway controllers '*'&') start_as_shown "$line" --metrics-listen 127.0.0.1:0 ;;
    *) run 0 bash -c "$line" ;;
  esac
  begun=$((begun + 1))
done < <(awk '/^```sh/{block=1; next} /^```/{if (block) exit} block' "$page")
[ "$begun" -ge 7 ] || fail "the page's first block is typed" "found $begun lines"
eventually kubectl -n openshift-ingress-operator get ingresscontrollers/default || fail "the operator makes the default controller" "$(cat "$work/controllers.err")"

type_page "$page"
checks=$((checks + 1))
[ "$typed" -ge 20 ] || fail "the page has commands" "found only $typed"
finish
