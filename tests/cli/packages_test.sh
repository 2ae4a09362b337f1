#!/usr/bin/env bash
# ./dev and tools/install-packages on machines of several kinds, played by stand-ins for apt, dpkg, sudo and id.
. "$(dirname "$0")/lib.sh"

# machine COMMAND…: an empty machine whose PATH has these commands of ours and the real text tools.
machine() {
  rm -rf "$work/bin" "$work/calls" "$work/installed"
  mkdir -p "$work/bin"
  : >"$work/calls"
  : >"$work/installed"
  local tool
  for tool in sh awk sed tr fold env cat printf grep dirname; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
  for tool in "$@"; do "make_$tool"; done
}
stand_in() {
  cat >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
make_root() { printf '#!/bin/sh\necho 0\n' | stand_in id; }
make_user() { printf '#!/bin/sh\necho 1000\n' | stand_in id; }
make_sudo() { printf '#!/bin/sh\necho "sudo $*" >>"%s"\nexec "$@"\n' "$work/calls" | stand_in sudo; }
make_kubectl() { printf '#!/bin/sh\n' | stand_in kubectl; }
make_dpkg() {
  stand_in dpkg-query <<SCRIPT
#!/bin/sh
while read -r package; do printf 'ii %s\n' "\$package"; done <"$work/installed"
exit 1
SCRIPT
}
make_apt() {
  stand_in apt-get <<SCRIPT
#!/bin/sh
echo "apt-get \$*" >>"$work/calls"
installing=
for word in "\$@"; do
  case \$word in install) installing=1 ;; -*) ;; *) [ -z "\$installing" ] || echo "\$word" >>"$work/installed" ;; esac
done
SCRIPT
}
make_broken_apt() { printf '#!/bin/sh\nexit 100\n' | stand_in apt-get; }
install_packages() { run "$1" env PATH="$work/bin" sh "$root/tools/install-packages" "${@:2}"; }

machine root dpkg apt
install_packages 0 build test
contains "says what is missing" "$err" "missing: clang-19"
calls=$(cat "$work/calls")
contains "updates the lists first" "$(head -n 1 "$work/calls")" "update"
contains "installs the compiler" "$calls" " clang-19 "
contains "installs a kubectl where there is none" "$calls" "kubernetes-client"
lacks "root needs no sudo" "$calls" "sudo"

: >"$work/calls"
install_packages 0 build test
equals "a second run calls nothing" "$(cat "$work/calls")" ""
equals "and says nothing" "$err" ""

sed -i '/^ccache$/d' "$work/installed"
install_packages 0 build test
contains "only what is missing is installed" "$(cat "$work/calls")" "--no-install-recommends ccache"

machine root dpkg apt kubectl
install_packages 0 test
lacks "an installed kubectl is left alone" "$(cat "$work/calls")" "kubernetes-client"

machine user dpkg apt sudo
install_packages 0 build
contains "sudo where it is needed" "$(cat "$work/calls")" "sudo env DEBIAN_FRONTEND=noninteractive apt-get"
contains "and says so" "$err" "sudo is used"

machine user dpkg apt
install_packages 1 build
contains "without sudo it says what to run" "$err" "apt-get install -y --no-install-recommends clang-19"
equals "and tries nothing" "$(cat "$work/calls")" ""

machine root dpkg broken_apt
install_packages 1 build
contains "without a network it says where to look" "$err" "Check the network"

machine root
install_packages 1 build
contains "elsewhere it names the packages" "$err" "not a Debian system"
contains "and the way around" "$err" "FAIRWAY_NO_INSTALL"

machine root dpkg apt
install_packages 2 nonsense
contains "an unknown set" "$err" "expected build, tour, test or bench"

run 0 "$root/dev" help
for word in up test build install test-contract check bench fuzz fault clean; do contains "help lists $word" "$out" "./dev $word"; done
run 2 "$root/dev" nonsense
contains "an unknown command" "$err" "unknown command 'nonsense'"
equals "is no data" "$out" ""
finish
