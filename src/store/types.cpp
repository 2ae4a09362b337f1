#include "store/types.hpp"

#include <fmt/format.h>

#include "base/result.hpp"

namespace fairway::store {

std::string describe(const Key& key) {
  return key.ns.empty() ? fmt::format("{}:{}/{}", key.cluster, key.resource, key.name)
                        : fmt::format("{}:{}/{}/{}", key.cluster, key.resource, key.ns, key.name);
}

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Created:
      return "created";
    case ChangeKind::Updated:
      return "updated";
    case ChangeKind::Deleted:
      return "deleted";
  }
  FAIRWAY_CHECK(false, "a ChangeKind outside its enumeration");
}

std::string encode_labels(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text.append(name).push_back('\0');
    text.append(value).push_back('\0');
  }
  return text;
}

std::optional<Labels> decode_labels(std::string_view text) {
  Labels labels;
  while (!text.empty()) {
    const std::size_t name_end = text.find('\0');
    if (name_end == std::string_view::npos) return std::nullopt;
    const std::size_t value_end = text.find('\0', name_end + 1);
    if (value_end == std::string_view::npos) return std::nullopt;
    labels.emplace_back(text.substr(0, name_end), text.substr(name_end + 1, value_end - name_end - 1));
    text.remove_prefix(value_end + 1);
  }
  return labels;
}

}  // namespace fairway::store
