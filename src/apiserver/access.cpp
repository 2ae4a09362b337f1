#include "apiserver/access.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "async/callback.hpp"
#include "async/notify.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kSecrets = "/secrets";
constexpr std::string_view kTokenFile = "token file";
constexpr Duration kTokenSweepPeriod = std::chrono::minutes(10);

// Where a token comes from, as the table names it.
std::string source_of(const store::Key& key) {
  return store::describe(key);
}

std::pair<std::string_view, std::string_view> group_and_plural(const store::Key& key) {
  const std::string_view resource = key.resource;
  const auto slash = resource.find('/');
  return {resource.substr(0, slash), resource.substr(slash + 1)};
}

// What a token can be bound to: it ends with any of these.
bool can_be_bound_to(const store::Key& key) {
  return key.resource == "/serviceaccounts" || key.resource == kSecrets || key.resource == "/pods" ||
         key.resource == "/nodes";
}

}  // namespace

Result<void> Access::load_token_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return fail(ErrorCode::NotFound,
                fmt::format("the token file {} cannot be read: check its path and mode", quoted(path)));
  auto entries = parse_token_file(text.str());
  if (!entries)
    return std::unexpected(std::move(entries.error()).within(fmt::format("token file {}", quoted(path))));
  tokens_.replace(std::string(kTokenFile), *std::move(entries));
  return {};
}

void Access::load() {
  for (const auto& count : objects_.store().resources()) {
    for (const auto& entry :
         objects_.store().list({.cluster = count.cluster, .resource = count.resource}).entries) {
      learn(*entry, false);
    }
  }
}

void Access::hear(const store::Change& change) {
  learn(*change.now, change.kind == store::ChangeKind::Deleted);
}

void Access::learn(const store::Entry& entry, bool is_gone) {
  const store::Key& key = entry.key;
  const auto [group, plural] = group_and_plural(key);
  if (const auto kind = rbac_kind(group, plural)) {
    const json::Object object = parse_stored(entry.value);
    authorizer_.apply(key.cluster, *kind, {key.ns, key.name}, is_gone ? nullptr : &object);
    return;
  }
  if (key.resource == kTokenRecords) {
    auto token =
        is_gone ? fail(ErrorCode::NotFound, "gone") : parse_token_record(key.name, parse_stored(entry.value));
    if (!token && !is_gone)
      log::error("a stored token cannot be read", {{"error", token.error().describe()}});
    tokens_.replace(source_of(key),
                    token ? std::vector<TokenEntry>{*std::move(token)} : std::vector<TokenEntry>{});
    return;
  }
  if (key.resource == kSecrets && entry.value->find(kAccountTokenType) != std::string::npos) {
    const json::Object secret = parse_stored(entry.value);
    auto token = is_gone ? std::nullopt : secret_token(key.cluster, secret);
    tokens_.replace(source_of(key),
                    token ? std::vector<TokenEntry>{*std::move(token)} : std::vector<TokenEntry>{});
    if (!is_gone && needs_token(secret)) secrets_.add(key);
  }
  if (is_gone && can_be_bound_to(key)) {
    forget_records(key.cluster, tokens_.revoke(std::string(kube::uid_of(parse_stored(entry.value)))));
  }
}

void Access::forget_records(const std::string& cluster, const std::set<std::string>& sources) {
  if (sources.empty()) return;
  for (const auto& entry :
       objects_.store().list({.cluster = cluster, .resource = std::string(kTokenRecords)}).entries) {
    if (!sources.contains(source_of(entry->key))) continue;
    // A record that stays behind does no harm: what it is bound to is gone, and the next start finds that
    // out.
    objects_.store().submit({.kind = store::ChangeKind::Deleted, .key = entry->key},
                            [](Result<store::ChangePtr>) {});
  }
}

Task<void> Access::run() {
  return work_off(secrets_, clock_, [this](const store::Key& key) { return fill_secret(key); });
}

Task<void> Access::expire_tokens() {
  for (;;) {
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, kTokenSweepPeriod));
    const std::set<std::string> sources = tokens_.drop_expired(clock_.now());
    for (const std::string& cluster : clusters_.names()) forget_records(cluster, sources);
  }
}

boost::asio::awaitable<bool> Access::fill_secret(const store::Key& key) {
  const LogicalCluster* cluster = clusters_.find(key.cluster);
  if (cluster == nullptr) co_return true;
  const auto catalog = cluster->catalog;
  const Place place{key.cluster, catalog->find("", "secrets"), key.ns, key.name};
  const store::EntryPtr entry = objects_.get(place);
  if (!entry) co_return true;
  const json::Object secret_now = parse_stored(entry->value);
  const auto account_name = kube::annotation(secret_now, "kubernetes.io/service-account.name");
  if (!account_name) co_return true;
  const Place account{key.cluster, catalog->find("", "serviceaccounts"), key.ns, std::string(*account_name)};
  const store::EntryPtr owner = objects_.get(account);
  if (!owner) co_return true;
  const std::string uid(kube::uid_of(parse_stored(owner->value)));
  auto written = co_await objects_.modify(place, [&](json::Object& secret) {
    if (!needs_token(secret)) return false;
    secret = with_token(std::move(secret), uid, new_token(), ca_pem_);
    return true;
  });
  co_return written || written.error().code == 404;
}

ApiResult<Caller> Access::admit(const http::Request& request, const std::string& cluster) const {
  auto caller = authenticate(request, tokens_, clock_.now());
  if (!caller) return caller;
  return impersonate(
      *std::move(caller), request.headers,
      [&](const Caller& asker, const AccessRequest& wanted) { return decide(cluster, asker, wanted); });
}

ApiTask<json::Object> Access::issue(const Place& place, json::Object request) {
  const store::EntryPtr entry = objects_.get(place);
  if (!entry) co_return refuse(not_found(*place.resource, place.name));
  const json::Object account = parse_stored(entry->value);
  std::optional<json::Object> bound;
  const auto bound_kind = json::get_string(request, {"spec", "boundObjectRef", "kind"}).value_or("");
  const auto bound_name = json::get_string(request, {"spec", "boundObjectRef", "name"}).value_or("");
  if (!bound_kind.empty()) {
    const LogicalCluster* cluster = clusters_.find(place.cluster);
    const Resource* resource = cluster ? cluster->catalog->find_kind("", bound_kind) : nullptr;
    const store::EntryPtr found =
        resource ? objects_.get({place.cluster, resource, resource->is_namespaced ? place.ns : "",
                                 std::string(bound_name)})
                 : nullptr;
    if (found) bound = parse_stored(found->value);
  }
  TokenQuestion question;
  question.resource = place.resource;
  question.cluster = place.cluster;
  question.account = &account;
  question.bound_object = bound ? &*bound : nullptr;
  question.now = clock_.now();
  question.token = new_token();
  auto issued = issue_token(question, std::move(request));
  if (!issued) co_return refuse(std::move(issued.error()));
  store::Write write;
  write.key = {place.cluster, std::string(kTokenRecords), place.ns, encode_hex(issued->entry.digest)};
  write.value = share(json::serialize(token_record(issued->entry)));
  auto done = co_await async::await_callback<store::ChangePtr>(
      [&](auto callback) { objects_.store().submit(std::move(write), std::move(callback)); });
  if (!done) co_return refuse(from_error(done.error(), *place.resource, place.name));
  co_return std::move(issued->answer);
}

}  // namespace fairway::apiserver
