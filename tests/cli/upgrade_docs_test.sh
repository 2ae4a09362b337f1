#!/usr/bin/env bash
# Types every command of docs/upgrade.md, in their order, and compares what it prints with what the page shows: all of it, `…` for what is
# left out. docs/cli.md must name every flag of the command and of its subcommands.
. "$(dirname "$0")/lib.sh"
. "$here/upgrade_lib.sh"
page=$root/docs/upgrade.md
cd "$root" || exit 1
fairway() { "$FAIRWAY" "$@"; }
story_cluster

typed=0
compare() {
  local command=$1 shown=$2 pattern output
  output=$(eval "$command" 2>&1 </dev/null)
  pattern=$(printf '%s' "$shown" | sed -e 's/[][\\*?()|@!+]/\\&/g' -e 's/…/*/g')
  checks=$((checks + 1))
  typed=$((typed + 1))
  # shellcheck disable=SC2053 # a pattern is wanted
  [[ $output == $pattern ]] || fail "$command" "the page shows: $shown" "it printed:     $output"
}

command_line=
shown=
while IFS= read -r line; do
  case $line in
    '$ '* | END)
      [ -z "$command_line" ] || compare "$command_line" "$shown"
      command_line=${line#'$ '}
      shown=
      first=1
      ;;
    *) if [ -n "${first:-}" ]; then shown=$line first=; else shown=$shown$'\n'$line; fi ;;
  esac
done < <(awk '/^```console/{block=1; next} /^```/{block=0} block' "$page"; echo END)
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
