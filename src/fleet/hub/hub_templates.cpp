#include "fleet/hub/hub_templates.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/protection.hpp"
#include "kube/client/discovery.hpp"

namespace fairway::fleet {
namespace {

// More rounds than any sensible template has lookups that depend on others.
constexpr int kMostRounds = 20;

}  // namespace

Task<json::Object> HubTemplates::resolve(json::Object child, templates::HubFacts facts,
                                         std::shared_ptr<const json::Object> have) {
  const bool has_account = !json::get_string(facts.root, {"spec", "hubTemplateOptions", "serviceAccountName"})
                                .value_or("")
                                .empty();
  const std::string vector = (have ? vector_of(*have) : std::nullopt).value_or(new_vector());
  templates::Answers answers;
  for (int round = 0;; ++round) {
    templates::HubResolution found = templates::resolve_hub_templates(child, facts, answers);
    if (found.misses_key) {
      FAIRWAY_CO_TRY(facts.encrypt, co_await encryption_for(facts.cluster, vector));
      continue;
    }
    if (found.missing.empty()) {
      if (found.has_encrypted)
        kube::set_annotation(found.child, templates::kEncryptionVector, encode_base64(vector));
      co_return std::move(found.child);
    }
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

Task<templates::Cipher> HubTemplates::encryption_for(std::string cluster, std::string vector) {
  const auto secret = co_await encryption_secret(cluster);
  if (!secret) {
    // What stays as it is, is told at the template.
    if (retry_of(secret.error().code) != Retry::Never || co_await async::is_cancelled())
      co_return std::unexpected(secret.error());
    co_return impossible(
        {secret.error().code,
         fmt::format(
             "Secret {}/{}, which has the key, can be neither read nor made: {}; deploy/hub/templates.yaml "
             "has the rights that it takes",
             cluster, kEncryptionSecret, secret.error().message)});
  }
  auto keys = EncryptionKeys::from(*secret);
  if (!keys) co_return impossible(keys.error());
  co_return encryption_with(*std::move(keys), std::move(vector));
}

// Another controller may make it at the same time: then theirs is the one.
Task<json::Object> HubTemplates::encryption_secret(std::string cluster) {
  kube::Client& client = runtime_.client();
  const kube::Resource place = kSecrets.at({cluster, std::string(kEncryptionSecret)});
  auto found = co_await client.get(place);
  if (found || found.error().code != ErrorCode::NotFound) co_return found;
  auto made =
      co_await client.create(kSecrets.in(cluster), new_encryption_secret(cluster, client.clock().now()));
  if (made || made.error().code != ErrorCode::AlreadyExists) co_return made;
  co_return co_await client.get(place);
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
