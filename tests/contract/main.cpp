// contract_test: the cases on the embedded server or, with --server=named, on the one that the kubeconfig in
// CONTRACT_KUBECONFIG names. --rules prints what the suite checks.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string_view>

#include "harness.hpp"

namespace {

constexpr int kNotRun = 77;  // ctest reports it as not run

int print_rules() {
  for (const auto& rule : fairway::contract::rules()) {
    fmt::print("{}.{}: {}{}\n", rule.theme, rule.name, rule.text,
               rule.needs_controllers ? " (needs a controller manager)" : "");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--rules") return print_rules();
    if (argument != "--server=named") {
      fmt::print(stderr, "expected --rules or --server=named, found {}\n", argument);
      return 2;
    }
    const char* kubeconfig = std::getenv("CONTRACT_KUBECONFIG");
    if (kubeconfig == nullptr || *kubeconfig == '\0') {
      fmt::print("not run: CONTRACT_KUBECONFIG names no kubeconfig\n");
      return kNotRun;
    }
    fairway::contract::use_named_server(kubeconfig);
  }
  const int result = RUN_ALL_TESTS();
  fairway::contract::close_server();
  return result;
}
