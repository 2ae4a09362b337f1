#include "kube/runtime/key_index.hpp"

#include <algorithm>

namespace fairway::kube {

void KeyIndex::put(const ObjectKey& key, std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  auto& known = values_[key];
  if (known == values) {
    if (values.empty()) values_.erase(key);
    return;
  }
  erase_values(key, known);
  for (const std::string& value : values) keys_[value].insert(key);
  known = std::move(values);
  if (known.empty()) values_.erase(key);
}

void KeyIndex::remove(const ObjectKey& key) {
  const auto found = values_.find(key);
  if (found == values_.end()) return;
  erase_values(key, found->second);
  values_.erase(found);
}

void KeyIndex::erase_values(const ObjectKey& key, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const auto found = keys_.find(value);
    found->second.erase(key);
    if (found->second.empty()) keys_.erase(found);
  }
}

const std::set<ObjectKey>& KeyIndex::find(std::string_view value) const {
  static const std::set<ObjectKey> kNone;
  const auto found = keys_.find(value);
  return found == keys_.end() ? kNone : found->second;
}

}  // namespace fairway::kube
