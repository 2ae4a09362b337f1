#include <array>
#include <fmt/format.h>

#include "fleet/templates/functions.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

// eq is true when the first equals any of the others.
Answer equal(const Call& call) {
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const bool is_same, same_values(call.arguments[0], call.arguments[i]));
    if (is_same) return json::Value(true);
  }
  return json::Value(false);
}

template <class Test>
Answer ordered(const Call& call, Test test) {
  FAIRWAY_TRY(const auto order, compare_values(call.arguments[0], call.arguments[1]));
  return json::Value(test(order));
}

// index .m "a" 0: into maps by text, into lists by number.
Answer index(const Call& call) {
  json::Value value = call.arguments[0];
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    if (value.is_null()) return value;
    if (value.is_object()) {
      const json::Value* found = value.get_object().if_contains(text_at(call, i));
      value = found == nullptr ? json::Value(nullptr) : json::Value(*found);
      continue;
    }
    if (!value.is_array())
      return fail(ErrorCode::Invalid, fmt::format("a {} has no items", kind_word(value)));
    FAIRWAY_TRY(const std::int64_t at, whole_at(call, i));
    if (at < 0 || at >= static_cast<std::int64_t>(value.get_array().size()))
      return fail(ErrorCode::Invalid,
                  fmt::format("there is no item {} in a list of {}", at, value.get_array().size()));
    value = json::Value(value.get_array()[static_cast<std::size_t>(at)]);
  }
  return value;
}

Answer length(const Call& call) {
  const json::Value& value = call.arguments[0];
  std::size_t size = 0;
  if (value.is_string()) size = value.get_string().size();
  if (value.is_array()) size = value.get_array().size();
  if (value.is_object()) size = value.get_object().size();
  if (!value.is_string() && !value.is_structured() && !value.is_null())
    return fail(ErrorCode::Invalid, fmt::format("a {} has no length", kind_word(value)));
  return json::Value(static_cast<std::int64_t>(size));
}

Answer slice(const Call& call) {
  const json::Value& value = call.arguments[0];
  const bool is_text = value.is_string();
  if (!is_text && !value.is_array())
    return fail(ErrorCode::Invalid, fmt::format("a {} cannot be sliced", kind_word(value)));
  const auto size = static_cast<std::int64_t>(is_text ? value.get_string().size() : value.get_array().size());
  std::int64_t from = 0;
  std::int64_t to = size;
  if (call.arguments.size() > 1) {
    FAIRWAY_TRY(from, whole_at(call, 1));
  }
  if (call.arguments.size() > 2) {
    FAIRWAY_TRY(to, whole_at(call, 2));
  }
  if (from < 0 || to < from || to > size)
    return fail(ErrorCode::Invalid, fmt::format("there is no part {} to {} of {}", from, to, size));
  if (is_text)
    return json::Value(json::view(value.get_string())
                           .substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
  const json::Array& list = value.get_array();
  return json::Value(json::Array(list.begin() + from, list.begin() + to));
}

constexpr FunctionEntry kLogicFunctions[] = {
    {"not", [](const Call& call) -> Answer { return json::Value(!is_true(call.arguments[0])); }, 1, 1},
    {"eq", equal, 2, kAnyNumber},
    {"ne",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const bool is_same, same_values(call.arguments[0], call.arguments[1]));
       return json::Value(!is_same);
     },
     2, 2},
    {"lt", [](const Call& call) { return ordered(call, [](auto order) { return order < 0; }); }, 2, 2},
    {"le", [](const Call& call) { return ordered(call, [](auto order) { return order <= 0; }); }, 2, 2},
    {"gt", [](const Call& call) { return ordered(call, [](auto order) { return order > 0; }); }, 2, 2},
    {"ge", [](const Call& call) { return ordered(call, [](auto order) { return order >= 0; }); }, 2, 2},
    {"index", index, 1, kAnyNumber},
    {"len", length, 1, 1},
    {"slice", slice, 1, 3},
    {"default",
     [](const Call& call) -> Answer {
       const bool is_given = call.arguments.size() > 1 && is_true(call.arguments[1]);
       return call.arguments[is_given ? 1 : 0];
     },
     1, 2},
    {"empty", [](const Call& call) -> Answer { return json::Value(!is_true(call.arguments[0])); }, 1, 1},
    {"coalesce",
     [](const Call& call) -> Answer {
       for (const json::Value& each : call.arguments)
         if (is_true(each)) return each;
       return json::Value(nullptr);
     },
     0, kAnyNumber},
    {"ternary", [](const Call& call) -> Answer { return call.arguments[is_true(call.arguments[2]) ? 0 : 1]; },
     3, 3},
    {"all",
     [](const Call& call) -> Answer {
       for (const json::Value& each : call.arguments)
         if (!is_true(each)) return json::Value(false);
       return json::Value(true);
     },
     0, kAnyNumber},
    {"any",
     [](const Call& call) -> Answer {
       for (const json::Value& each : call.arguments)
         if (is_true(each)) return json::Value(true);
       return json::Value(false);
     },
     0, kAnyNumber},
    {"fail", [](const Call& call) -> Answer { return fail(ErrorCode::Invalid, text_at(call, 0)); }, 1, 1},
    {"kindOf", [](const Call& call) -> Answer { return json::Value(kind_word(call.arguments[0])); }, 1, 1},
    {"kindIs",
     [](const Call& call) -> Answer { return json::Value(text_at(call, 0) == kind_word(call.arguments[1])); },
     2, 2},
    {"deepEqual",
     [](const Call& call) -> Answer {
       return json::Value(json::same_value(call.arguments[0], call.arguments[1]));
     },
     2, 2},
};

}  // namespace

std::span<const FunctionEntry> logic_functions() {
  return kLogicFunctions;
}

}  // namespace fairway::fleet::templates
