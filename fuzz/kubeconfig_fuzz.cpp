// kubeconfig files: any text is read or refused.
#include <cstdint>
#include <string>

#include "kube/client/kubeconfig.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto parsed = kube::parse_kubeconfig(text, "/fuzz/config");
  (void)parsed;
  return 0;
}
