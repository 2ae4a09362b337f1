#!/usr/bin/env bash
# Types every command of the pages below docs/ that are written for a reader with `fairway up` in another terminal, and compares what they print
# with what the pages show. One `fairway up` serves them all, in this order; each page leaves things as it found them, or as the next ones want them.
. "$(dirname "$0")/../cli/lib.sh"
# kubectl wait --for=jsonpath came with 1.23, and took filters later; Debian's own kubectl is older. What does without is typed with any.
kubectl_minor=$(kubectl version --client -o json 2>/dev/null | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
[ -n "$kubectl_minor" ] || { echo "not run: there is no kubectl"; exit 77; }
command -v curl >/dev/null || { echo "not run: there is no curl"; exit 77; }
command -v gpgv >/dev/null || { echo "not run: there is no gpgv"; exit 77; }

# Updates of member3 and of the others are the only things that stay; the pages that need them as they were come first.
pages=(quickstart tasks/see-why tasks/publish-a-graph tasks/block-an-update tasks/try-a-block tasks/accept-a-risk
  tasks/guard-a-device tasks/recover-a-device tasks/back-up-the-api-server tasks/change-an-ingress-scope
  tasks/learn-from-a-failure tasks/roll-a-fleet tasks/update-one-cluster tasks/stop-fix-resume
  coming-from/osus-cvo coming-from/talm coming-from/microshift)
for page in "$root"/docs/runbooks/FairwayUpdateService*.md; do pages+=("runbooks/$(basename "$page" .md)"); done

# A clone, as a reader has it: what is written goes into the folder of the test.
mkdir -p "$work/clone/build"
cd "$work/clone" || exit 1
ln -s "$root/api" api
ln -s "$root/deploy" deploy
ln -s "$FAIRWAY" build/fairway
export PATH=$work/clone/build:$PATH KUBECONFIG=$work/clone/fairway-data/kubeconfig

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start() {
  "$FAIRWAY" "${@:2}" >"$work/$1.out" 2>"$work/$1.err" &
  pids+=($!)
}
start up up --data ./fairway-data --listen 127.0.0.1:0
start service update-service --listen 127.0.0.1:0 --status-listen 127.0.0.1:0 --graph-data api/examples/graph-data --releases api/examples/graph-data/releases.jsonl
eventually grep -q 'Ctrl-C stops' "$work/up.out" || { cat "$work/up.out" "$work/up.err"; exit 1; }
eventually grep -q '^status on ' "$work/service.out" || { cat "$work/service.err"; exit 1; }
service_status=$(sed -n 's|^status on http://||p' "$work/service.out")
eventually curl -sf "http://$service_status/readyz" || { curl -s "http://$service_status/readyz"; exit 1; }

# The pages have the usual addresses.
update_service=$(sed -n 's|.*update service *http://\([^/]*\)/graph|\1|p' "$work/up.out")
console=$(sed -n 's|.*console *http://\([^/]*\)/.*|\1|p' "$work/up.out")
restored=127.0.0.1:$(free_port)
as_typed() {
  local command=$1
  command=${command//127.0.0.1:6444/$update_service}
  command=${command//127.0.0.1:6445/${update_service%:*}:$((${update_service##*:} + 1))}
  command=${command//127.0.0.1:6446/$console}
  command=${command//127.0.0.1:9080/$service_status}
  command=${command//127.0.0.1:7443/$restored}
  # What the page sets in the reader's shell is set here.
  case $command in 'export KUBECONFIG='*) command=: ;; esac
  printf '%s' "$command"
}

for page in "${pages[@]}"; do
  [ -z "${FAIRWAY_PAGES:-}" ] || [[ " $FAIRWAY_PAGES " == *" $page "* ]] || continue
  [ -f "$root/docs/$page.md" ] || { fail "docs/$page.md is there"; continue; }
  if [ "$kubectl_minor" -lt 30 ] && grep -q -- '--for=jsonpath' "$root/docs/$page.md"; then
    echo "not run: docs/$page.md; there is no kubectl of 1.30 or later"
    continue
  fi
  before=$failures typed=0
  type_page "$root/docs/$page.md"
  [ "$typed" -ge 1 ] || fail "docs/$page.md has commands"
  echo "docs/$page.md: $typed commands, $((failures - before)) failures, $SECONDS s"
done

# No page is forgotten: what has commands is typed here, or by the test that the page's name leads to.
while IFS= read -r page; do
  page=${page#"$root/docs/"}
  page=${page%.md}
  case " ${pages[*]} " in *" $page "*) continue ;; esac
  checks=$((checks + 1))
  grep -rqs "docs/$page[.]md" "$root"/tests/{cli,docs,e2e} --include='*_test.*' || fail "docs/$page.md has commands, and no test types them"
done < <(grep -rl '^```console' "$root/docs" --include='*.md')
[ "$failures" -eq 0 ] || tail -n 20 "$work/up.err" fairway-data/up.log 2>/dev/null
finish
