#include "apiserver/namespaces.hpp"

#include <fmt/format.h>

#include "apiserver/sweep.hpp"
#include "base/text.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kNamespaces = "/namespaces";

bool is_deleting(const store::Entry& entry) {
  // Most writes are of namespaces that stay; the text tells without parsing.
  return entry.value->find("\"deletionTimestamp\"") != std::string::npos;
}

// Takes away the finalizer that stands for what is in the namespace; others may have their own.
bool release(json::Object& object) {
  json::Object& spec = json::ensure_object(object, {"spec"});
  json::Value* finalizers = spec.if_contains("finalizers");
  if (finalizers == nullptr || !finalizers->is_array()) return false;
  json::Array kept;
  for (const json::Value& name : finalizers->get_array()) {
    if (name != json::Value("kubernetes")) kept.push_back(name);
  }
  if (kept.size() == finalizers->get_array().size()) return false;
  if (kept.empty()) {
    json::remove(spec, "finalizers");
  } else {
    *finalizers = std::move(kept);
  }
  return true;
}

}  // namespace

void Namespaces::hear(const store::Change& change) {
  const store::Key& key = change.now->key;
  if (key.resource == kNamespaces) {
    if (change.kind == store::ChangeKind::Deleted) {
      terminating_.erase({key.cluster, key.name});
    } else if (is_deleting(*change.now)) {
      terminating_.emplace(key.cluster, key.name);
      queue_.add(key);
    }
    return;
  }
  // The last object to leave brings the namespace up again.
  if (change.kind == store::ChangeKind::Deleted && terminating_.contains({key.cluster, key.ns})) {
    queue_.add({key.cluster, std::string(kNamespaces), "", key.ns});
  }
}

void Namespaces::load() {
  for (const std::string& cluster : clusters_.names()) {
    const store::Page page =
        objects_.store().list({.cluster = cluster, .resource = std::string(kNamespaces)});
    for (const store::EntryPtr& entry : page.entries) {
      if (!is_deleting(*entry)) continue;
      terminating_.emplace(cluster, entry->key.name);
      queue_.add(entry->key);
    }
  }
}

Task<void> Namespaces::run() {
  return work_off(queue_, clock_, [this](const store::Key& key) { return reconcile(key); });
}

boost::asio::awaitable<std::size_t> Namespaces::empty(const std::string& cluster, const std::string& ns,
                                                      std::string& remaining) {
  const auto catalog = clusters_.find(cluster)->catalog;
  std::size_t left = 0;
  for (const ResourcePtr& resource : catalog->resources()) {
    const bool is_shown_elsewhere = resource->stored_as != resource->group + "/" + resource->plural;
    if (!resource->is_namespaced || !resource->is_stored() || is_shown_elsewhere) continue;
    const store::Query query{.cluster = cluster, .resource = resource->stored_as, .ns = ns};
    co_await sweep(objects_, *resource, objects_.store().list(query).entries);
    const std::size_t count = objects_.store().count({cluster, resource->stored_as}, ns);
    if (count == 0) continue;
    left += count;
    remaining += fmt::format("{}{} has {} resource instances", remaining.empty() ? "" : ", ",
                             resource->group_resource(), count);
  }
  co_return left;
}

boost::asio::awaitable<bool> Namespaces::reconcile(const store::Key& key) {
  LogicalCluster* cluster = clusters_.find(key.cluster);
  if (cluster == nullptr) co_return true;
  const Resource* resource = cluster->catalog->find("", "namespaces");
  const auto catalog = cluster->catalog;  // keeps the resource
  const Place place{key.cluster, resource, "", key.name};
  const store::EntryPtr entry = objects_.get(place);
  if (!entry || !json::get_string(parse_stored(entry->value), {"metadata", "deletionTimestamp"}))
    co_return true;
  std::string remaining;
  const std::size_t left = co_await empty(key.cluster, key.name, remaining);
  const WallTime now = objects_.clock().now();
  auto written = co_await objects_.modify(place, [&](json::Object& object) {
    if (left == 0) {
      return release(object);
    }
    kube::Condition condition;
    condition.type = "NamespaceContentRemaining";
    condition.status = "True";
    condition.reason = "SomeResourcesRemain";
    condition.message = "Some resources are remaining: " + remaining;
    auto conditions = kube::conditions_of(object);
    if (!kube::set_condition(conditions, std::move(condition), now)) return false;
    json::ensure_object(object, {"status"})["conditions"] = json::to_json(conditions);
    return true;
  });
  co_return written || written.error().code == 404;
}

}  // namespace fairway::apiserver
