// What a child policy says of its templates: details, history, compliance. Pure.
#pragma once

#include <string>
#include <vector>

#include "fleet/agent/framework.hpp"

namespace fairway::fleet::agent {

inline constexpr std::size_t kMostChildHistory = 10;

// About one template, in their order.
struct TemplateReport {
  std::string name = {};
  std::string message = {};   // the framework's own: a fault, or what is waited for
  ObjectPointer policy = {};  // the ConfigurationPolicy, when it is as the template asks; it has the messages
  bool is_current = false;    // judged as the child's present generation asks
};

// The child's next status; everything else in it stays.
json::Object next_child_status(const ChildObserved& seen, const std::vector<TemplateReport>& reports);

}  // namespace fairway::fleet::agent
