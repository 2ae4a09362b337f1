#!/bin/sh
# run.sh FILE: one file of browser tests. run.sh --unit: the tests of the pages' pure parts. Ends with 77 when what they
# need is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "not run: $1"
  exit 77
}
command -v node >/dev/null || skip "node is not there"
if [ "$1" = --unit ]; then
  [ -d "$here/../../web/node_modules" ] || skip "web/node_modules is not there (make -C web)"
  exec make -s -C "$here/../../web" test
fi
[ -d "$here/node_modules/playwright-core" ] || skip "tests/web/node_modules is not there (npm ci)"
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "chromium is not there"
[ -f "$here/../../web/dist/index.html" ] || skip "the binary has no pages (make -C web)"
exec node --test "$1"
