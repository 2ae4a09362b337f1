#include "updateservice/question.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::string_view kChannelPattern = R"(^[0-9a-z\-\.]+$)";
constexpr std::string_view kArchPattern = "^[0-9a-z]+$";

bool is_digit_or_lower(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

std::string decode(std::string_view text) {
  return percent_decode(text, true).value_or(std::string(text));
}

// Calls back with the raw value of every field of that name.
template <class Visit>
void each_value(std::string_view query, std::string_view name, Visit visit) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = field.find('=');
    const std::string_view key = field.substr(0, equals);
    if (key != name && (key.find_first_of("%+") == std::string_view::npos || decode(key) != name)) continue;
    if (field.empty()) continue;
    visit(equals == std::string_view::npos ? std::string_view{} : field.substr(equals + 1));
  }
}

Problem mismatch(std::string_view name, std::string_view value, std::string_view pattern) {
  return invalid_parameters(fmt::format("{} '{}' does not match regex '{}'", name, value, pattern));
}

}  // namespace

std::optional<std::string> parameter(std::string_view query, std::string_view name) {
  std::optional<std::string_view> last;
  each_value(query, name, [&](std::string_view value) { last = value; });
  return last ? std::optional(decode(*last)) : std::nullopt;
}

std::vector<std::string> parameters(std::string_view query, std::string_view name) {
  std::vector<std::string> all;
  each_value(query, name, [&](std::string_view value) { all.push_back(decode(value)); });
  return all;
}

std::set<std::string> parse_mandatory(std::string_view list) {
  std::set<std::string> names;
  for (std::string_view name : split(list, ',')) {
    if (name = trim(name); !name.empty()) names.emplace(name);
  }
  return names;
}

Judged<std::string> checked_channel(std::string name) {
  const auto allowed = [](char c) { return is_digit_or_lower(c) || c == '-' || c == '.'; };
  if (name.empty() || !std::ranges::all_of(name, allowed))
    return std::unexpected(mismatch("channel", name, kChannelPattern));
  return name;
}

Judged<std::string> read_arch(std::string_view query) {
  auto arch = parameter(query, "arch");
  if (!arch) return std::string(kDefaultArch);
  if (arch->empty() || !std::ranges::all_of(*arch, is_digit_or_lower))
    return std::unexpected(mismatch("arch", *arch, kArchPattern));
  return *std::move(arch);
}

Judged<std::string> required_parameter(std::string_view query, std::string_view name) {
  auto value = parameter(query, name);
  if (!value) return std::unexpected(missing_parameters(std::vector{std::string(name)}));
  return *std::move(value);
}

Judged<GraphQuestion> read_graph_question(std::string_view query, const std::set<std::string>& mandatory) {
  std::vector<std::string> missing;
  for (const std::string& name : mandatory) {
    if (!parameter(query, name)) missing.push_back(name);
  }
  if (!missing.empty()) return std::unexpected(missing_parameters(missing));
  FAIRWAY_TRY(std::string named, required_parameter(query, "channel"));
  FAIRWAY_TRY(std::string channel, checked_channel(std::move(named)));
  FAIRWAY_TRY(std::string arch, read_arch(query));
  return GraphQuestion{std::move(channel), std::move(arch), parameter(query, "id")};
}

}  // namespace fairway::updateservice
