#include "apiserver/catalog.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

#include "kube/core/gvk.hpp"

namespace fairway::apiserver {
namespace {

// Groups with a place of their own in discovery, as kube-apiserver orders them; all others follow by name.
// Clients that look for a name without a group take the first that has it.
constexpr std::array<std::string_view, 8> kGroupOrder{"",
                                                      "apps",
                                                      "events.k8s.io",
                                                      "authentication.k8s.io",
                                                      "authorization.k8s.io",
                                                      "rbac.authorization.k8s.io",
                                                      "apiextensions.k8s.io",
                                                      "coordination.k8s.io"};

auto group_rank(std::string_view group) {
  const auto* found = std::ranges::find(kGroupOrder, group);
  return std::pair(found - kGroupOrder.begin(), group);
}

}  // namespace

const ServedVersion* Resource::version(std::string_view name) const {
  const auto found = std::ranges::find(versions, name, &ServedVersion::name);
  return found != versions.end() && found->is_served ? &*found : nullptr;
}

bool Resource::has_verb(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

std::string Resource::group_resource() const {
  return group.empty() ? plural : fmt::format("{}.{}", plural, group);
}

std::string Resource::api_version(const ServedVersion& version) const {
  return group.empty() ? version.name : fmt::format("{}/{}", group, version.name);
}

std::string stored_name(std::string_view group, std::string_view plural) {
  return fmt::format("{}/{}", group, plural);
}

std::shared_ptr<const Catalog> Catalog::make(std::vector<ResourcePtr> custom) {
  return std::shared_ptr<const Catalog>(new Catalog(std::move(custom)));
}

Catalog::Catalog(std::vector<ResourcePtr> custom) {
  resources_ = builtin_resources();
  for (const ResourcePtr& each : resources_) by_plural_.emplace(Key{each->group, each->plural}, each.get());
  for (ResourcePtr& each : custom) {
    const bool is_new = by_plural_.emplace(Key{each->group, each->plural}, each.get()).second;
    if (is_new) resources_.push_back(std::move(each));
  }
  std::ranges::sort(resources_, {}, [](const ResourcePtr& each) {
    return std::tuple(group_rank(each->group), std::string_view(each->plural));
  });
  for (const ResourcePtr& each : resources_) {
    by_kind_.emplace(Key{each->group, each->kind}, each.get());
    for (const ServedVersion& version : each->versions) {
      if (!version.is_served) continue;
      if (groups_.empty() || groups_.back().name != each->group) groups_.push_back({each->group, {}});
      auto& names = groups_.back().versions;
      if (std::ranges::find(names, version.name) == names.end()) names.push_back(version.name);
    }
  }
  for (Group& group : groups_) std::ranges::sort(group.versions, is_preferred_version);
}

const Resource* Catalog::find(std::string_view group, std::string_view plural) const {
  const auto found = by_plural_.find(Key{group, plural});
  return found == by_plural_.end() ? nullptr : found->second;
}

const Resource* Catalog::find_kind(std::string_view group, std::string_view kind) const {
  const auto found = by_kind_.find(Key{group, kind});
  return found == by_kind_.end() ? nullptr : found->second;
}

bool Catalog::has_group(std::string_view group) const {
  return std::ranges::find(groups_, group, &Group::name) != groups_.end();
}

bool Catalog::has_group_version(std::string_view group, std::string_view version) const {
  const auto found = std::ranges::find(groups_, group, &Group::name);
  return found != groups_.end() && std::ranges::find(found->versions, version) != found->versions.end();
}

bool is_preferred_version(std::string_view left, std::string_view right) {
  return kube::compare_version_preference(left, right) < 0;
}

}  // namespace fairway::apiserver
