// kubeconfig files: any text is read or refused.
#include <string>

#include "kube/client/kubeconfig.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(kubeconfig, text) {
  using namespace fairway;
  const auto parsed = kube::parse_kubeconfig(text, "/fuzz/config");
  (void)parsed;
}
