#!/usr/bin/env bash
# Arguments, exit codes, where output goes, and completion as a shell performs it.
. "$(dirname "$0")/lib.sh"

run 0 "$FAIRWAY" --help
equals "help writes no messages" "$err" ""
contains "help is kubectl's shape" "$out" 'Use "fairway <command> --help" for more information about a given command.'
run 0 "$FAIRWAY"
contains "without arguments: help" "$out" "Usage:"

run 0 "$FAIRWAY" version
contains "version" "$out" "Fairway Version: v"
run 0 "$FAIRWAY" version -o json
contains "version for programs" "$out" '"gitCommit"'

run 2 "$FAIRWAY" verison
equals "wrong usage writes no data" "$out" ""
contains "the nearest command is named" "$err" "version"
run 2 "$FAIRWAY" version --no-such-flag
contains "unknown flag" "$err" 'unknown flag "--no-such-flag"'
run 1 "$FAIRWAY" apiserver check "$work/nothing"
contains "a failure has one shape" "$err" "error: "
equals "a failure writes no data" "$out" ""

if [ -e /dev/full ]; then
  code=0
  "$FAIRWAY" version >/dev/full 2>"$work/err" || code=$?
  equals "a full disk is a failure" "$code" 1
fi

# Messages hold no colours when they do not go to a terminal.
run 2 "$FAIRWAY" verison
lacks "no escape sequences" "$err" $'\033'

# As a plugin of kubectl.
mkdir -p "$work/bin"
ln -s "$FAIRWAY" "$work/bin/kubectl-fairway"
ln -s "$FAIRWAY" "$work/bin/fairway"
run 0 "$work/bin/kubectl-fairway" version --help
contains "the plugin says how it is called" "$out" "kubectl fairway version [options]"
if command -v kubectl >/dev/null; then
  run 0 env PATH="$work/bin:$PATH" kubectl fairway version
  contains "kubectl finds the plugin" "$out" "Fairway Version: v"
fi

# completes WORDS… : the words that bash would offer for the last one.
completes() {
  PATH="$work/bin:$PATH" bash -c '
    source <(fairway completion bash)
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    cd "$0"
    __fairway_complete
    printf "%s " "${COMPREPLY[@]}"' "$work/files" "$@" 2>/dev/null
}
mkdir -p "$work/files/folder"
: >"$work/files/file.txt"
equals "bash: commands" "$(completes fairway ver)" "version "
equals "bash: subcommands" "$(completes fairway apiserver ba)" "backup "
equals "bash: flags" "$(completes fairway version --ou)" "--output "
equals "bash: values" "$(completes fairway version --output y)" "yaml "
equals "bash: values behind =" "$(completes fairway version --output = j)" "json "
equals "bash: directories" "$(completes fairway apiserver --data f)" "folder "
equals "bash: files" "$(completes fairway apiserver backup f | tr ' ' '\n' | sort | tr -d '\n')" "file.txtfolder"
equals "bash: nothing to offer" "$(completes fairway nothing-like-it)" " "

finish
