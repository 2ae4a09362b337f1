#include "cli/rollout_session.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/follow.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/hub/policy_book.hpp"
#include "fleet/hub/rollout_index.hpp"
#include "kube/client/api.hpp"

namespace fairway::cli {
namespace {

using fleet::ClusterGroupUpgrade;

constexpr int kMostTries = 5;  // while others write the same rollout

Error explained(Error error, const std::string& name, const std::string& ns) {
  if (error.code != ErrorCode::NotFound) return error;
  return {ErrorCode::NotFound,
          fmt::format("there is no ClusterGroupUpgrade {} in the namespace {}; 'fairway rollout status -A' "
                      "lists all, and -n chooses another namespace",
                      quoted(name), quoted(ns))};
}

}  // namespace

Result<std::unique_ptr<RolloutSession>> RolloutSession::open(const RolloutSettings& settings) {
  std::unique_ptr<RolloutSession> session(new RolloutSession);
  FAIRWAY_TRY(session->connected_,
              connect(session->loop_, settings.cluster, {.field_manager = "fairway-rollout"}));
  session->namespace_name_ =
      settings.namespace_.empty() ? session->connected_.config.default_namespace : settings.namespace_;
  return session;
}

Result<ClusterGroupUpgrade> RolloutSession::read(const std::string& name) {
  auto read = loop_.block_on(kube::Api<ClusterGroupUpgrade>(*connected_.client, namespace_name_).get(name));
  if (!read) return std::unexpected(explained(std::move(read).error(), name, namespace_name_));
  return read;
}

Result<std::vector<ClusterGroupUpgrade>> RolloutSession::list(bool is_all_namespaces) {
  FAIRWAY_TRY(auto list, loop_.block_on(kube::Api<ClusterGroupUpgrade>(
                                            *connected_.client, is_all_namespaces ? "" : namespace_name_)
                                            .list()));
  if (!list.undecodable.empty()) return std::unexpected(list.undecodable.front().error);
  return std::move(list.items);
}

Result<std::vector<json::Object>> RolloutSession::list_all(const kube::ResourceType& type) {
  FAIRWAY_TRY(auto list, loop_.block_on(connected_.client->list_all(type.in(""))));
  return std::move(list.items);
}

Result<fleet::Observed> RolloutSession::observe(ClusterGroupUpgrade rollout) {
  fleet::Observed seen{.key = {rollout.metadata.namespace_, rollout.metadata.name}, .now = now()};
  seen.settings = std::make_shared<const fleet::Settings>();
  auto table = std::make_shared<fleet::ClusterTable>();
  auto unavailable = std::make_shared<fleet::UnavailableClusters>();
  FAIRWAY_TRY(const auto clusters, list_all(fleet::kManagedClusters));
  for (const json::Object& each : clusters) {
    const std::string name(kube::name_of(each));
    (*table)[name] = kube::facts_of(each).labels;
    if (const auto since = fleet::unavailable_since(each)) (*unavailable)[name] = *since;
  }
  seen.clusters = std::move(table);
  seen.unavailable = std::move(unavailable);
  FAIRWAY_TRY(auto policies, list_all(fleet::kPolicies));
  fleet::PolicyBook book;
  for (json::Object& each : policies) {
    const kube::ObjectKey key = kube::key_of(each);
    book.take({key, nullptr, std::make_shared<const json::Object>(std::move(each))});
  }
  for (const std::string& each : rollout.spec.managed_policies) {
    const std::string name = fleet::bare_name(each);
    seen.policies[name] = book.find(name);
  }
  if (!rollout.spec.blocking_crs.empty()) {
    FAIRWAY_TRY(auto others, list(true));
    for (ClusterGroupUpgrade& each : others) {
      const kube::ObjectKey key{each.metadata.namespace_, each.metadata.name};
      seen.others[key] = std::make_shared<const ClusterGroupUpgrade>(std::move(each));
    }
  }
  seen.rollout = std::make_shared<const ClusterGroupUpgrade>(std::move(rollout));
  return seen;
}

Result<ClusterGroupUpgrade> RolloutSession::patch(const std::string& name, const std::string& subresource,
                                                  const MakePatch& change) {
  const kube::Api<ClusterGroupUpgrade> api(*connected_.client, namespace_name_);
  for (int tries = 1;; ++tries) {
    FAIRWAY_TRY(ClusterGroupUpgrade rollout, read(name));
    FAIRWAY_TRY(json::Object patch, change(rollout));
    if (patch.empty()) return rollout;
    json::ensure_object(patch, {"metadata"})["resourceVersion"] = rollout.metadata.resource_version;
    auto written = loop_.block_on(subresource.empty()
                                      ? api.patch(name, kube::PatchKind::Merge, std::move(patch))
                                      : api.patch_status(name, kube::PatchKind::Merge, std::move(patch)));
    if (written || written.error().code != ErrorCode::Conflict || tries == kMostTries) return written;
  }
}

Result<void> RolloutSession::watch(const std::string& name,
                                   const std::function<bool(const ClusterGroupUpgrade&)>& show) {
  return follow_object(
      loop_, *connected_.client, fleet::kRollouts.in(namespace_name_, name),
      [&](const json::Object& object) -> Result<bool> {
        FAIRWAY_TRY(const auto rollout, kube::decode<ClusterGroupUpgrade>(object));
        return show(rollout);
      },
      [&](Error error) { return explained(std::move(error), name, namespace_name_); });
}

std::string RolloutSession::user_name() {
  const kube::ResourceType reviews{.kind = {"authentication.k8s.io", "v1", "SelfSubjectReview"},
                                   .resource = "selfsubjectreviews",
                                   .is_namespaced = false};
  const auto answer = loop_.block_on(connected_.client->create(
      reviews.in(""),
      json::Object{{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}}));
  if (answer) {
    if (const auto name = json::get_string(*answer, {"status", "userInfo", "username"}))
      return std::string(*name);
  }
  return connected_.config.name;
}

}  // namespace fairway::cli
