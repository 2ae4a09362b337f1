#include "apiserver/definitions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "apiserver/crd_resource_rules.hpp"
#include "apiserver/sweep.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/customresourcedefinitions";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

const Resource& definition_resource() {
  static const auto catalog = Catalog::make({});
  const Resource* resource = catalog->find("apiextensions.k8s.io", "customresourcedefinitions");
  FAIRWAY_CHECK(resource != nullptr, "the catalog has no CustomResourceDefinition");
  return *resource;
}

ResourcePtr terminating(const Resource& resource) {
  auto copy = std::make_shared<Resource>(resource);
  copy->is_terminating = true;
  return copy;
}

}  // namespace

// Where many are made at once, each of them makes all of its cluster looked at.
std::vector<Definitions::DefinitionPtr> Definitions::all_of(const std::string& cluster) {
  if (std::exchange(parsed_cluster_, cluster) != cluster) parsed_.clear();
  std::vector<DefinitionPtr> all;
  const store::Page page = objects_.store().list({.cluster = cluster, .resource = std::string(kDefinitions)});
  for (const store::EntryPtr& entry : page.entries) {
    Parsed& known = parsed_[entry->key.name];
    if (known.revision != entry->revision)
      known = {entry->revision, std::make_shared<const json::Object>(parse_stored(entry->value))};
    all.push_back(known.definition);
  }
  return all;
}

bool Definitions::is_definition(const store::Key& key) {
  return key.resource == kDefinitions;
}

void Definitions::hear(const store::Change& change) {
  const store::Key& key = change.now->key;
  if (is_definition(key)) {
    rebuild(key.cluster);
    queue_.add(key);
  } else if (change.kind == store::ChangeKind::Deleted && !leaving_.empty()) {
    const auto definition = leaving_.find({key.cluster, key.resource});
    if (definition != leaving_.end()) queue_.add(definition->second);
  }
}

void Definitions::load() {
  for (const std::string& cluster : clusters_.names()) {
    rebuild(cluster);
    const store::Page page =
        objects_.store().list({.cluster = cluster, .resource = std::string(kDefinitions)});
    for (const store::EntryPtr& entry : page.entries) queue_.add(entry->key);
  }
}

void Definitions::rebuild(const std::string& name) {
  LogicalCluster* cluster = clusters_.find(name);
  if (cluster == nullptr) return;
  std::vector<ResourcePtr> custom;
  for (const DefinitionPtr& definition : all_of(name)) {
    const json::Object& crd = *definition;
    if (!is_established(crd)) continue;
    auto resource = clusters_.resource_cache().resource(crd);
    if (resource) {
      cluster->schema_since[(*resource)->stored_as] =
          parse_unsigned(kube::resource_version_of(crd)).value_or(0);
      custom.push_back(kube::is_being_deleted(crd) ? terminating(**resource) : *std::move(resource));
    } else {
      log::error("a stored definition cannot be served", {{"cluster", name},
                                                          {"name", std::string(kube::name_of(crd))},
                                                          {"error", resource.error().describe()}});
    }
  }
  cluster->catalog = Catalog::make(std::move(custom));
}

Task<void> Definitions::run() {
  return work_off(queue_, clock_, [this](const store::Key& key) { return reconcile(key); });
}

boost::asio::awaitable<void> Definitions::settle(std::string cluster) {
  const store::Page page = objects_.store().list({.cluster = cluster, .resource = std::string(kDefinitions)});
  for (const store::EntryPtr& entry : page.entries) {
    if (!is_established(parse_stored(entry->value))) co_await reconcile(entry->key);
  }
}

boost::asio::awaitable<bool> Definitions::reconcile(const store::Key& key) {
  const Place place{key.cluster, &definition_resource(), "", key.name};
  const store::EntryPtr entry = objects_.get(place);
  if (!entry) {
    // A name that became free may be what another definition waits for.
    const store::Page rest =
        objects_.store().list({.cluster = key.cluster, .resource = std::string(kDefinitions)});
    for (const store::EntryPtr& other : rest.entries) {
      if (!is_established(parse_stored(other->value))) queue_.add(other->key);
    }
    co_return true;
  }
  const json::Object crd = parse_stored(entry->value);
  if (kube::is_being_deleted(crd)) co_return co_await finish(key, crd);
  const std::vector<DefinitionPtr> all = all_of(key.cluster);
  std::vector<const json::Object*> others;
  others.reserve(all.size());
  for (const DefinitionPtr& other : all) others.push_back(other.get());
  const WallTime now = objects_.clock().now();
  auto written = co_await objects_.modify(place, [&](json::Object& object) {
    json::Object status = crd_status(object, others, now);
    const bool is_added = kube::add_finalizer(object, kCleanup);
    const json::Object* old = json::get_object(object, {"status"});
    if (!is_added && old != nullptr && json::same_value(*old, status)) return false;
    object["status"] = std::move(status);
    return true;
  });
  co_return written || written.error().code == 404;
}

// Its objects go first; those with finalizers are waited for (their last change brings us here again).
boost::asio::awaitable<bool> Definitions::finish(const store::Key& key, const json::Object& crd) {
  const auto resource = clusters_.resource_cache().resource(crd);
  const Place place{key.cluster, &definition_resource(), "", key.name};
  if (resource) {
    const store::Page page =
        objects_.store().list({.cluster = key.cluster, .resource = (*resource)->stored_as});
    const bool are_gone = co_await sweep(objects_, **resource, page.entries);
    if (!are_gone) {
      leaving_[{key.cluster, (*resource)->stored_as}] = key;
      co_return true;
    }
    leaving_.erase({key.cluster, (*resource)->stored_as});
  }
  auto written = co_await objects_.modify(
      place, [](json::Object& object) { return kube::remove_finalizer(object, kCleanup); });
  co_return written || written.error().code == 404;
}

}  // namespace fairway::apiserver
