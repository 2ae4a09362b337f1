#!/usr/bin/env bash
# Types every command of docs/update-service.md and compares what it prints with what the page shows: all of it, `…` for what is left out.
# The page has one service a port; here each has a free one. docs/cli.md must name every flag.
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || { echo "not run: there is no curl"; exit 77; }
page=$root/docs/update-service.md
cd "$root" || exit 1
example=api/examples/graph-data

# serve PORT FLAGS…: the service that the page has on this port; its status is on PORT+1000. Remembers both in $addresses.
addresses=()
serve() {
  local port=$1 said=$work/served-$1
  shift
  case " $* " in *' --mock '*) ;; *) set -- "$@" --status-listen 127.0.0.1:0 ;; esac
  "$FAIRWAY" update-service --listen 127.0.0.1:0 "$@" >"$said" 2>"$said.err" &
  pids+=($!)
  eventually grep -q '^status on \|channel=error' "$said" || { cat "$said.err"; exit 1; }
  addresses+=("127.0.0.1:$port" "$(sed -n 's|^listening on http://\([^/]*\)/graph|\1|p' "$said")")
  addresses+=("127.0.0.1:$((port + 1000))" "$(sed -n 's|^status on http://||p' "$said")")
}
status_of() {
  local i
  for ((i = 0; i < ${#addresses[@]}; i += 2)); do [ "${addresses[i]}" != "127.0.0.1:$1" ] || echo "http://${addresses[i + 1]}"; done
}

copy() {
  mkdir -p "$1"
  cp -r "$example/version" "$example/raw" "$example/channels" "$example/blocked-edges" "$1"
}
releases="--releases $example/releases.jsonl"

serve 8080 --graph-data $example $releases

# A Prometheus with two clusters in it.
cat >"$work/prometheus.py" <<'PYTHON'
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        result = [{"metric": {"_id": name}, "value": [0, value]} for name, value in (("unmanaged", "1"), ("managed", "0"))]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON
python3 "$work/prometheus.py" >"$work/prometheus-port" &
pids+=($!)
eventually test -s "$work/prometheus-port"
prometheus=http://127.0.0.1:$(cat "$work/prometheus-port")
copy "$work/targeted"
cp "$example"/targeted/blocked-edges/* "$work/targeted/blocked-edges"
serve 8081 --graph-data "$work/targeted" $releases --prometheus "$prometheus"
echo 0123456789abcdef >"$work/tokens"
serve 8085 --graph-data "$work/targeted" $releases --prometheus "$prometheus" --client-tokens "$work/tokens" --client-rate 1

serve 8082 --mock
serve 8086 --graph-data $example $releases --max-waiting 0

copy "$work/repository"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
commit() {
  git -C "$work/repository" add . &&
    GIT_AUTHOR_DATE=$1 GIT_COMMITTER_DATE=$1 git -C "$work/repository" -c user.name=a -c user.email=a@example.com commit -q -m "$1"
}
run 0 git init -q "$work/repository"
run 0 commit 2024-05-01T12:00:00Z
cp "$example"/change/blocked-edges/* "$work/repository/blocked-edges"
run 0 commit 2024-06-01T12:00:00Z
serve 8083 --graph-data "git:$work/repository" $releases

copy "$work/wrong"
echo 2.0.0 >"$work/wrong/version"
serve 8084 --graph-data "$work/wrong" $releases

for port in 9080 9081 9083 9085 9086; do
  eventually curl -sf "$(status_of $port)/readyz" || fail "the service of the page's port $((port - 1000)) is ready" "$(curl -s "$(status_of $port)/readyz")"
done
has_failed() { curl -s "$(status_of 9084)/metrics" | grep -q '^fairway_update_service_refresh_failing 1'; }
eventually has_failed || fail "the service of the page's port 8084 refuses its data"

# At the service's real address.
as_typed() {
  local command=$1 i
  for ((i = 0; i < ${#addresses[@]}; i += 2)); do command=${command//${addresses[i]}\//${addresses[i + 1]}/}; done
  printf '%s' "$command"
}
type_page "$page"
checks=$((checks + 1))
[ "$typed" -ge 25 ] || fail "the page has commands" "found only $typed"

# Every error kind of the source is on the page, and every flag in docs/cli.md.
for kind in $(grep -ohE '\{[0-9]{3}, "[a-z_]+"' src/updateservice/problem.cpp | grep -oE '[a-z_]{4,}'); do
  contains "the page has the error $kind" "$(cat "$page")" "\`$kind\`"
done
section=$(awk '/^## /{wanted = /^## fairway update-service/} wanted' docs/cli.md)
for flag in $("$FAIRWAY" update-service --help | grep -oE '^ +--[a-z-]+' | tr -d ' '); do
  contains "docs/cli.md has $flag" "$section" "\`$flag"
done
finish
