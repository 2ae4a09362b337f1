#!/usr/bin/env bash
# Runs a test with the kubectl of Debian 12 (1.20.2), unpacked from its package beside whatever is installed.
# Exit code 77: not run, because the package cannot be had.
set -eu
store=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/fairway-tests/kubectl-1.20
if [ ! -x "$store/usr/bin/kubectl" ]; then
  if [ "$(dpkg-query -W -f '${Version}' kubernetes-client 2>/dev/null | cut -c1-4)" = 1.20 ]; then
    mkdir -p "$store/usr/bin" && cp /usr/bin/kubectl "$store/usr/bin/kubectl"
  else
    fetch=$(mktemp -d)
    trap 'rm -rf "$fetch"' EXIT
    (cd "$fetch" && apt-get download kubernetes-client >/dev/null 2>&1) || { echo "not run: Debian's kubernetes-client cannot be downloaded"; exit 77; }
    mkdir -p "$store" && dpkg -x "$fetch"/kubernetes-client_*.deb "$store"
  fi
fi
KUBECTL=$store/usr/bin/kubectl exec bash "$@"
