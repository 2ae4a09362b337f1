#include "kube/runtime/cache.hpp"

#include "base/log.hpp"

namespace fairway::kube {
namespace {

std::string label_pair(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + std::string(value);
}

}  // namespace

template class Cache<json::Object>;

ObjectFacts facts_of(const json::Object& object) {
  ObjectFacts facts{std::string(uid_of(object)), std::string(resource_version_of(object)), {}};
  if (const json::Object* labels = json::get_object(object, {"metadata", "labels"})) {
    for (const auto& member : *labels) {
      if (member.value().is_string())
        facts.labels.emplace(member.key(), json::view(member.value().get_string()));
    }
  }
  return facts;
}

Task<void> CacheBase::wait_synced() {
  while (!has_synced_) FAIRWAY_CO_CHECKED(co_await synced_.wait());
  co_return Result<void>{};
}

void CacheBase::set_synced() {
  has_synced_ = true;
  synced_.notify();
}

void CacheBase::set_undecodable(const ObjectKey& key, Error error) {
  const auto known = undecodable_.find(key);
  if (known == undecodable_.end() || known->second != error) {
    log::error("an object cannot be decoded, its last good value stays in use",
               {{"object", key.to_string()}, {"error", error.describe()}});
  }
  undecodable_.insert_or_assign(key, std::move(error));
}

void CacheBase::index_labels(const ObjectKey& key, const Labels& labels) {
  std::vector<std::string> pairs;
  pairs.reserve(labels.size());
  for (const auto& [name, value] : labels) pairs.push_back(label_pair(name, value));
  by_label_.put(key, std::move(pairs));
}

const std::set<ObjectKey>* CacheBase::candidates(const Selector& selector) const {
  const std::set<ObjectKey>* fewest = nullptr;
  for (const Requirement& requirement : selector.requirements()) {
    const auto value = selector.required_value(requirement.key);
    if (!value) continue;
    const std::set<ObjectKey>& keys = by_label_.find(label_pair(requirement.key, *value));
    if (fewest == nullptr || keys.size() < fewest->size()) fewest = &keys;
  }
  return fewest;
}

}  // namespace fairway::kube
