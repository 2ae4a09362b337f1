# bash completion for fairway. Needs bash 4; the bash-completion package is not required.

__fairway_complete() {
  local current=${COMP_WORDS[COMP_CWORD]}
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # bash splits words at "=" as well: give the program the word as it was typed.
  local -a joined=()
  local word glue=
  for word in "${words[@]}"; do
    if [[ $word == "=" && ${#joined[@]} -gt 0 ]]; then
      joined[-1]+="="
      glue=1
    elif [[ -n $glue ]]; then
      joined[-1]+=$word
      glue=
    else
      joined+=("$word")
    fi
  done

  local line directive=0 prefix=
  [[ ${joined[-1]-} == --*=* ]] && prefix=${joined[-1]%%=*}=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    else
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$prefix"}")
    fi
  done < <("${COMP_WORDS[0]}" __complete "${joined[@]}" 2>/dev/null)

  [[ $current == "=" ]] && current=
  case $directive in
    0) compopt -o filenames 2>/dev/null
       mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
    16) compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
  esac
}

complete -F __fairway_complete fairway
