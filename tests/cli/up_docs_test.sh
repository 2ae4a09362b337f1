#!/usr/bin/env bash
# Types every command of docs/up.md, beside a `fairway up` of its own.
. "$(dirname "$0")/lib.sh"
# kubectl wait --for=jsonpath came with 1.23.
kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
[ "${kubectl_minor:-0}" -ge 24 ] || { echo "not run: there is no kubectl of 1.24 or later"; exit 77; }
command -v gpgv >/dev/null || { echo "not run: there is no gpgv"; exit 77; }
mkdir "$work/clone" "$work/bin"
cd "$work/clone" || exit 1
ln -s "$root/api" api
ln -s "$FAIRWAY" "$work/bin/fairway"
PATH=$work/bin:$PATH
fairway up --data ./fairway-data --listen 127.0.0.1:0 >"$work/up.out" 2>"$work/up.err" &
pids+=($!)
eventually grep -q 'Ctrl-C stops' "$work/up.out" || { cat "$work/up.out" "$work/up.err"; exit 1; }
export KUBECONFIG=$PWD/fairway-data/kubeconfig

type_page "$root/docs/up.md"
checks=$((checks + 1))
[ "$typed" -ge 30 ] || fail "the page has commands" "found only $typed"
finish
