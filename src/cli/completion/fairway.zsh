#compdef fairway
# zsh completion for fairway: as a file _fairway on $fpath, or evaluated after compinit.

_fairway() {
  local -a candidates
  local line word description directive=0
  for line in "${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    elif [[ -n $line ]]; then
      word=${line%%$'\t'*}
      description=
      [[ $line == *$'\t'* ]] && description=${line#*$'\t'}
      candidates+=("${word//:/\\:}${description:+:$description}")
    fi
  done
  (( ${#candidates} )) && _describe -V fairway candidates
  case $directive in
    0) _files ;;
    16) _files -/ ;;
  esac
}

if [[ ${funcstack[1]} == _fairway ]]; then
  _fairway "$@"
else
  compdef _fairway fairway
fi
