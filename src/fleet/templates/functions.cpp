#include "fleet/templates/functions.hpp"

#include <array>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

const std::map<std::string_view, const FunctionEntry*>& all_functions() {
  static const auto kAll = [] {
    std::map<std::string_view, const FunctionEntry*> made;
    for (const auto table : {logic_functions(), text_functions(), number_functions(), list_functions(),
                             encoding_functions(), regex_functions(), date_functions(), cluster_functions()})
      for (const FunctionEntry& each : table) made.emplace(each.name, &each);
    return made;
  }();
  return kAll;
}

bool is_on(const FunctionEntry& entry, Side side) {
  return entry.is_everywhere || entry.only_on == side;
}

std::unexpected<Error> wrong(std::size_t index, std::string_view wanted, const json::Value& found) {
  return fail(ErrorCode::Invalid,
              fmt::format("argument {} must be {}, found a {}", index + 1, wanted, kind_word(found)));
}

}  // namespace

const FunctionEntry* find_function(std::string_view name, Side side) {
  const auto found = all_functions().find(name);
  return found != all_functions().end() && is_on(*found->second, side) ? found->second : nullptr;
}

std::vector<std::string> function_names(Side side) {
  std::vector<std::string> names{"and", "or"};
  for (const auto& [name, entry] : all_functions())
    if (is_on(*entry, side)) names.emplace_back(name);
  return names;
}

std::string text_at(const Call& call, std::size_t index) {
  return to_text(call.arguments[index]);
}

Result<std::int64_t> whole_at(const Call& call, std::size_t index) {
  if (const auto whole = to_whole(call.arguments[index])) return *whole;
  return wrong(index, "a whole number", call.arguments[index]);
}

Result<json::Array> list_at(const Call& call, std::size_t index) {
  const json::Value& value = call.arguments[index];
  if (value.is_array()) return value.get_array();
  if (value.is_null()) return json::Array();
  return wrong(index, "a list", value);
}

Result<json::Object> map_at(const Call& call, std::size_t index) {
  const json::Value& value = call.arguments[index];
  if (value.is_object()) return value.get_object();
  if (value.is_null()) return json::Object();
  return wrong(index, "a map", value);
}

}  // namespace fairway::fleet::templates
