#include "cli/output.hpp"

#include <ostream>

#include "json/yaml.hpp"

namespace fairway::cli {

std::string to_text(const json::Value& document, std::string_view format) {
  return format == "yaml" ? json::to_yaml(document) : json::serialize_pretty(document) + "\n";
}

void print(Invocation& invocation, std::string_view format, const json::Value& document,
           std::string_view text) {
  if (format.empty()) {
    invocation.out << text;
  } else {
    invocation.out << to_text(document, format);
  }
}

}  // namespace fairway::cli
