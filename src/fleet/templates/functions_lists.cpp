#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

bool holds(const json::Array& list, const json::Value& value) {
  return std::ranges::any_of(list, [&](const json::Value& each) { return json::same_value(each, value); });
}

// The part of a list from one place to another, counted from its end where negative.
Answer part(const Call& call, std::size_t skip_front, std::size_t skip_back) {
  FAIRWAY_TRY(const json::Array list, list_at(call, 0));
  if (list.size() < skip_front + skip_back) return json::Value(json::Array());
  json::Array made;
  for (std::size_t i = skip_front; i < list.size() - skip_back; ++i) made.push_back(list[i]);
  return json::Value(std::move(made));
}

Answer one_of(const Call& call, bool wants_last) {
  FAIRWAY_TRY(const json::Array list, list_at(call, 0));
  if (list.empty()) return json::Value(nullptr);
  return json::Value(wants_last ? list.back() : list.front());
}

Answer joined(const Call& call) {
  const json::Value& value = call.arguments[1];
  if (!value.is_array()) return json::Value(text_at(call, 1));
  std::vector<std::string> parts;
  for (const json::Value& each : value.get_array()) parts.push_back(to_text(each));
  return json::Value(join(parts, text_at(call, 0)));
}

json::Array split_by(std::string_view text, std::string_view separator) {
  json::Array made;
  if (separator.empty()) {
    for (const char c : text) made.push_back(json::Value(std::string_view(&c, 1)));
    return made;
  }
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    made.push_back(json::Value(text.substr(0, at)));
    text.remove_prefix(at + separator.size());
  }
  made.push_back(json::Value(text));
  return made;
}

// split gives a map _0, _1, …; splitList a list.
Answer split_map(const Call& call) {
  json::Object made;
  const json::Array parts = split_by(text_at(call, 1), text_at(call, 0));
  for (std::size_t i = 0; i < parts.size(); ++i) made[fmt::format("_{}", i)] = parts[i];
  return json::Value(std::move(made));
}

Answer sorted(const Call& call) {
  FAIRWAY_TRY(const json::Array list, list_at(call, 0));
  std::vector<std::string> texts;
  for (const json::Value& each : list) texts.push_back(to_text(each));
  std::ranges::sort(texts);
  json::Array made;
  for (const std::string& each : texts) made.push_back(json::Value(each));
  return json::Value(std::move(made));
}

Answer unique(const Call& call) {
  FAIRWAY_TRY(const json::Array list, list_at(call, 0));
  FAIRWAY_CHECKED(call.session.charge(list.size() * list.size() / 64));
  json::Array made;
  for (const json::Value& each : list)
    if (!holds(made, each)) made.push_back(each);
  return json::Value(std::move(made));
}

Answer concat(const Call& call) {
  json::Array made;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const json::Array list, list_at(call, i));
    made.insert(made.end(), list.begin(), list.end());
  }
  return json::Value(std::move(made));
}

Answer dict(const Call& call) {
  json::Object made;
  for (std::size_t i = 0; i < call.arguments.size(); i += 2)
    made[text_at(call, i)] = i + 1 < call.arguments.size() ? call.arguments[i + 1] : json::Value("");
  return json::Value(std::move(made));
}

Answer keys(const Call& call) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const json::Object map, map_at(call, i));
    for (const auto& each : map) names.emplace_back(each.key());
  }
  std::ranges::sort(names);  // Go's order is random
  json::Array made;
  for (const std::string& each : names) made.push_back(json::Value(each));
  return json::Value(std::move(made));
}

Answer values(const Call& call) {
  FAIRWAY_TRY(const json::Value names, keys(call));
  json::Array made;
  for (const json::Value& each : names.get_array())
    made.push_back(call.arguments[0].get_object().at(to_text(each)));
  return json::Value(std::move(made));
}

// dig "a" "b" default map.
Answer dig(const Call& call) {
  const std::size_t steps = call.arguments.size() - 2;
  const json::Value* value = &call.arguments.back();
  for (std::size_t i = 0; i < steps; ++i) {
    value = value->is_object() ? value->get_object().if_contains(text_at(call, i)) : nullptr;
    if (value == nullptr) return call.arguments[steps];
  }
  return *value;
}

void merge_into(json::Object& into, const json::Object& from, bool overwrites) {
  for (const auto& each : from) {
    json::Value* have = into.if_contains(each.key());
    if (have != nullptr && have->is_object() && each.value().is_object()) {
      merge_into(have->get_object(), each.value().get_object(), overwrites);
    } else if (have == nullptr || overwrites) {
      into[each.key()] = each.value();
    }
  }
}

Answer merge(const Call& call, bool overwrites) {
  FAIRWAY_TRY(json::Object made, map_at(call, 0));
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    FAIRWAY_TRY(const json::Object next, map_at(call, i));
    merge_into(made, next, overwrites);
  }
  return json::Value(std::move(made));
}

Answer chosen(const Call& call, bool keeps) {
  FAIRWAY_TRY(const json::Object map, map_at(call, 0));
  json::Object made;
  for (const auto& each : map) {
    bool is_named = false;
    for (std::size_t i = 1; i < call.arguments.size(); ++i)
      is_named |= text_at(call, i) == std::string_view(each.key());
    if (is_named == keeps) made[each.key()] = each.value();
  }
  return json::Value(std::move(made));
}

constexpr FunctionEntry kListsFunctions[] = {
    {"list",
     [](const Call& call) -> Answer {
       return json::Value(json::Array(call.arguments.begin(), call.arguments.end()));
     },
     0, kAnyNumber},
    {"first", [](const Call& call) { return one_of(call, false); }, 1, 1},
    {"last", [](const Call& call) { return one_of(call, true); }, 1, 1},
    {"rest", [](const Call& call) { return part(call, 1, 0); }, 1, 1},
    {"initial", [](const Call& call) { return part(call, 0, 1); }, 1, 1},
    {"append",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(json::Array list, list_at(call, 0));
       list.push_back(call.arguments[1]);
       return json::Value(std::move(list));
     },
     2, 2},
    {"prepend",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(json::Array list, list_at(call, 0));
       list.insert(list.begin(), call.arguments[1]);
       return json::Value(std::move(list));
     },
     2, 2},
    {"concat", concat, 0, kAnyNumber},
    {"reverse",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Array list, list_at(call, 0));
       json::Array made;
       for (std::size_t i = list.size(); i-- > 0;) made.push_back(list[i]);
       return json::Value(std::move(made));
     },
     1, 1},
    {"uniq", unique, 1, 1},
    {"compact",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Array list, list_at(call, 0));
       json::Array made;
       for (const json::Value& each : list)
         if (is_true(each)) made.push_back(each);
       return json::Value(std::move(made));
     },
     1, 1},
    {"has",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Array list, list_at(call, 1));
       return json::Value(holds(list, call.arguments[0]));
     },
     2, 2},
    {"without",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Array list, list_at(call, 0));
       const json::Array unwanted(call.arguments.begin() + 1, call.arguments.end());
       json::Array made;
       for (const json::Value& each : list)
         if (!holds(unwanted, each)) made.push_back(each);
       return json::Value(std::move(made));
     },
     1, kAnyNumber},
    {"sortAlpha", sorted, 1, 1},
    {"join", joined, 2, 2},
    {"split", split_map, 2, 2},
    {"splitList",
     [](const Call& call) -> Answer { return json::Value(split_by(text_at(call, 1), text_at(call, 0))); }, 2,
     2},
    {"dict", dict, 0, kAnyNumber},
    {"get",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Object map, map_at(call, 0));
       const json::Value* found = map.if_contains(text_at(call, 1));
       return found == nullptr ? json::Value("") : json::Value(*found);
     },
     2, 2},
    {"hasKey",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Object map, map_at(call, 0));
       return json::Value(map.contains(text_at(call, 1)));
     },
     2, 2},
    {"set",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(json::Object map, map_at(call, 0));
       map[text_at(call, 1)] = call.arguments[2];
       return json::Value(std::move(map));
     },
     3, 3},
    {"unset",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(json::Object map, map_at(call, 0));
       json::remove(map, text_at(call, 1));
       return json::Value(std::move(map));
     },
     2, 2},
    {"keys", keys, 1, kAnyNumber},
    {"values", values, 1, 1},
    {"dig", dig, 3, kAnyNumber},
    {"pick", [](const Call& call) { return chosen(call, true); }, 1, kAnyNumber},
    {"omit", [](const Call& call) { return chosen(call, false); }, 1, kAnyNumber},
    {"merge", [](const Call& call) { return merge(call, false); }, 1, kAnyNumber},
    {"mergeOverwrite", [](const Call& call) { return merge(call, true); }, 1, kAnyNumber},
};

}  // namespace

std::span<const FunctionEntry> list_functions() {
  return kListsFunctions;
}

}  // namespace fairway::fleet::templates
