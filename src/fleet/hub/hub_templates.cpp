#include "fleet/hub/hub_templates.hpp"

#include <fmt/format.h>

#include "kube/client/discovery.hpp"

namespace fairway::fleet {
namespace {

// More rounds than any sensible template has lookups that depend on others.
constexpr int kMostRounds = 20;

}  // namespace

Task<json::Object> HubTemplates::resolve(json::Object child, templates::HubFacts facts) {
  const bool has_account =
      json::get_string(facts.root, {"spec", "hubTemplateOptions", "serviceAccountName"}).value_or("") != "";
  templates::Answers answers;
  for (int round = 0;; ++round) {
    templates::HubResolution found = templates::resolve_hub_templates(child, facts, answers);
    if (found.missing.empty()) co_return std::move(found.child);
    for (const templates::Lookup& each : found.missing) {
      if (has_account || round == kMostRounds) {
        answers.emplace(each,
                        fail(ErrorCode::Forbidden,
                             has_account ? "lookups with the rights of a service account are not made here"
                                         : "too many lookups follow from one another"));
        continue;
      }
      FAIRWAY_CO_CHECKED(co_await answer(each, answers));
    }
  }
}

Task<kube::ObjectCache*> HubTemplates::cache_for(templates::Lookup lookup) {
  FAIRWAY_CO_TRY(const kube::GroupVersionKind kind,
                 kube::GroupVersionKind::parse(lookup.api_version, lookup.kind));
  FAIRWAY_CO_TRY(const kube::ResourceType type, co_await runtime_.client().discovery().find(kind));
  const std::string ns = type.is_namespaced ? lookup.namespace_ : "";
  kube::ObjectCache& cache = runtime_.cache(type, {.namespace_ = ns});
  FAIRWAY_CO_CHECKED(co_await cache.wait_synced());
  std::shared_ptr<void>& subscription = followed_[fmt::format("{} {}", kind.to_string(), ns)];
  if (!subscription && type.is_namespaced) {
    // What is there already is no change.
    const auto is_new = std::make_shared<bool>(false);
    subscription = cache.on_change([this, ns, is_new](const kube::Change<json::Object>&) {
      if (*is_new) on_change_(ns);
    });
    *is_new = true;
  }
  co_return &cache;
}

Task<void> HubTemplates::answer(templates::Lookup lookup, templates::Answers& answers) {
  templates::Answer& answer = answers[lookup];
  const auto cache = co_await cache_for(lookup);
  if (!cache) {
    if (co_await async::is_cancelled()) co_return async::cancelled();
    // A kind that nobody knows is told at the template that asked for it.
    answer = std::unexpected(cache.error());
    co_return Result<void>{};
  }
  if (!lookup.name.empty()) {
    const auto found = (*cache)->get({lookup.namespace_, lookup.name});
    answer = found ? json::Value(*found) : json::Value();
    co_return Result<void>{};
  }
  const auto selector = kube::Selector::parse(lookup.selector);
  if (!selector) {
    answer = std::unexpected(selector.error());
    co_return Result<void>{};
  }
  json::Array items;
  for (const auto& each : (*cache)->select(*selector, lookup.namespace_)) items.emplace_back(*each);
  answer = json::Value(json::Object{{"items", std::move(items)}});
  co_return Result<void>{};
}

}  // namespace fairway::fleet
