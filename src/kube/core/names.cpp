#include "kube/core/names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>

#include "base/text.hpp"

namespace fairway::kube {
namespace {

constexpr std::size_t kLabelLength = 63;
constexpr std::size_t kSubdomainLength = 253;
constexpr std::size_t kAnnotationsSize = 256 * 1024;

constexpr std::string_view kQualifiedNameRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kQualifiedNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character";

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool has_label_shape(std::string_view value) {
  return !value.empty() && is_lower_or_digit(value.front()) && is_lower_or_digit(value.back()) &&
         std::ranges::all_of(value, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool has_subdomain_shape(std::string_view value) {
  for (;;) {
    const auto dot = value.find('.');
    if (!has_label_shape(value.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    value.remove_prefix(dot + 1);
  }
}

bool has_name_shape(std::string_view value) {
  return !value.empty() && is_alphanumeric(value.front()) && is_alphanumeric(value.back()) &&
         std::ranges::all_of(value,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t longest) {
  return fmt::format("must be no more than {} characters", longest);
}

std::string no_match(std::string_view rule, std::string_view regex,
                     std::initializer_list<std::string_view> examples) {
  std::string text = fmt::format("{} (e.g. ", rule);
  for (const std::string_view* example = examples.begin(); example != examples.end(); ++example) {
    text += fmt::format("{}'{}', ", example == examples.begin() ? "" : " or ", *example);
  }
  return text + fmt::format("regex used for validation is '{}')", regex);
}

std::string name_no_match() {
  return no_match(kQualifiedNameRule, kQualifiedNameRegex, {"MyName", "my.name", "123-abc"});
}

}  // namespace

bool is_dns1123_label(std::string_view value) {
  return value.size() <= kLabelLength && has_label_shape(value);
}

bool is_dns1123_subdomain(std::string_view value) {
  return value.size() <= kSubdomainLength && has_subdomain_shape(value);
}

bool is_dns1035_label(std::string_view value) {
  return is_dns1123_label(value) && is_lower(value.front());
}

bool is_qualified_name(std::string_view value) {
  if (const auto slash = value.find('/'); slash != std::string_view::npos) {
    if (!is_dns1123_subdomain(value.substr(0, slash))) return false;
    value.remove_prefix(slash + 1);
  }
  return value.size() <= kLabelLength && has_name_shape(value);
}

bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= kLabelLength && has_name_shape(value));
}

Problems validate_dns1123_label(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelLength) problems.push_back(too_long(kLabelLength));
  if (has_label_shape(value)) return problems;
  if (has_subdomain_shape(value)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(no_match(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
        "start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?", {"my-name", "123-abc"}));
  }
  return problems;
}

Problems validate_dns1123_subdomain(std::string_view value) {
  Problems problems;
  if (value.size() > kSubdomainLength) problems.push_back(too_long(kSubdomainLength));
  if (!has_subdomain_shape(value)) {
    problems.push_back(no_match(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
        "must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return problems;
}

Problems validate_dns1035_label(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelLength) problems.push_back(too_long(kLabelLength));
  if (!has_label_shape(value) || !is_lower(value.front())) {
    problems.push_back(
        no_match("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
                 "alphabetic character, and end with an alphanumeric character",
                 "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Problems validate_qualified_name(std::string_view value) {
  Problems problems;
  const auto parts = split(value, '/');
  if (parts.size() > 2) {
    return {"a qualified name " + name_no_match() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  if (parts.size() == 2) {
    if (parts[0].empty()) problems.emplace_back("prefix part must be non-empty");
    if (!parts[0].empty()) {
      for (const std::string& problem : validate_dns1123_subdomain(parts[0])) {
        problems.push_back("prefix part " + problem);
      }
    }
  }
  const std::string_view name = parts.back();
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  if (name.size() > kLabelLength) problems.push_back("name part " + too_long(kLabelLength));
  if (!has_name_shape(name)) problems.push_back("name part " + name_no_match());
  return problems;
}

Problems validate_label_value(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelLength) problems.push_back(too_long(kLabelLength));
  if (!value.empty() && !has_name_shape(value)) {
    problems.push_back(no_match(fmt::format("a valid label must be an empty string or {}",
                                            kQualifiedNameRule.substr(std::string_view("must ").size())),
                                fmt::format("({})?", kQualifiedNameRegex), {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems validate_path_segment_name(std::string_view value) {
  if (value == "." || value == "..") return {fmt::format("may not be '{}'", value)};
  Problems problems;
  for (char forbidden : {'/', '%'}) {
    if (value.find(forbidden) != std::string_view::npos) {
      problems.push_back(fmt::format("may not contain '{}'", forbidden));
    }
  }
  return problems;
}

Problems validate_port_name(std::string_view value) {
  Problems problems;
  if (value.size() > 15) problems.push_back(too_long(15));
  if (value.empty() || !std::ranges::all_of(value, [](char c) { return is_lower_or_digit(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(value, is_lower)) problems.emplace_back("must contain at least one letter (a-z)");
  if (value.find("--") != std::string_view::npos)
    problems.emplace_back("must not contain consecutive hyphens");
  if (value.starts_with('-') || value.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

std::string mask_trailing_dash(std::string_view prefix) {
  if (prefix.size() > 1 && prefix.ends_with('-'))
    return std::string(prefix.substr(0, prefix.size() - 2)) + "a";
  return std::string(prefix);
}

json::FieldErrors validate_labels(const Labels& labels, std::string_view path) {
  json::FieldErrors errors;
  for (const auto& [key, value] : labels) {
    for (std::string& problem : validate_qualified_name(key)) {
      errors.push_back(json::FieldError::invalid(std::string(path), json::Value(key), std::move(problem)));
    }
    for (std::string& problem : validate_label_value(value)) {
      errors.push_back(json::FieldError::invalid(std::string(path), json::Value(value), std::move(problem)));
    }
  }
  return errors;
}

json::FieldErrors validate_annotations(const Labels& annotations, std::string_view path) {
  json::FieldErrors errors;
  std::size_t size = 0;
  for (const auto& [key, value] : annotations) {
    // Keys of annotations may have capitals in their prefix.
    for (std::string& problem : validate_qualified_name(to_lower(key))) {
      errors.push_back(json::FieldError::invalid(std::string(path), json::Value(key), std::move(problem)));
    }
    size += key.size() + value.size();
  }
  if (size > kAnnotationsSize) {
    errors.push_back(
        json::FieldError::too_long(std::string(path), static_cast<std::int64_t>(kAnnotationsSize)));
  }
  return errors;
}

}  // namespace fairway::kube
