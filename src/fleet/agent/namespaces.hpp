// Which namespaces a policy means (spec 5.3). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/agent/configuration.hpp"
#include "kube/core/names.hpp"

namespace fairway::fleet::agent {

struct NamespaceFacts {
  std::string name;
  kube::Labels labels = {};
  bool is_terminating = false;

  static NamespaceFacts from(const json::Object& object);
  bool operator==(const NamespaceFacts&) const = default;
};

// Go's filepath.Match: * and ? stop at no character but "/", [a-z] and [^a-z], \ before a character. A
// pattern that is malformed matches nothing.
bool matches_glob(std::string_view pattern, std::string_view text);

// Sorted. Without include and labels: none. Labels without include: of all namespaces.
std::vector<std::string> select_namespaces(const NamespaceSelector& selector,
                                           const std::vector<NamespaceFacts>& namespaces);

}  // namespace fairway::fleet::agent
