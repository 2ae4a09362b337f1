#!/usr/bin/env bash
# Types every command of docs/upgrade.md, in their order, and compares what it prints with what the page shows: all of it, `…` for what is
# left out. docs/cli.md must name every flag of the command and of its subcommands.
. "$(dirname "$0")/lib.sh"
. "$here/upgrade_lib.sh"
page=$root/docs/upgrade.md
cd "$root" || exit 1
fairway() { "$FAIRWAY" "$@"; }
story_cluster

type_page "$page"
checks=$((checks + 1))
[ "$typed" -ge 20 ] || fail "the page has commands" "found only $typed"

section=$(awk '/^## /{wanted = /^## fairway upgrade/} wanted' docs/cli.md)
for command in "" accept channel explain history recommend rollback status; do
  contains "docs/cli.md has the command $command" "$section" "\`upgrade${command:+ $command}"
  # shellcheck disable=SC2086 # no word when it is empty
  for flag in $("$FAIRWAY" upgrade $command --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    contains "docs/cli.md has $command $flag" "$section" "\`$flag"
  done
done
finish
