// A condition in one line. For the .cpp files here.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kube/core/conditions.hpp"

namespace fairway::ingress {

inline kube::Condition said(std::string_view type, bool is_true, std::string reason,
                            std::string message = {}) {
  return {.type = std::string(type),
          .status = std::string(is_true ? kube::kConditionTrue : kube::kConditionFalse),
          .reason = std::move(reason),
          .message = std::move(message)};
}

inline kube::Condition unknown(std::string_view type, std::string reason, std::string message = {}) {
  return {.type = std::string(type),
          .status = std::string(kube::kConditionUnknown),
          .reason = std::move(reason),
          .message = std::move(message)};
}

}  // namespace fairway::ingress
