#include "apiserver/tokens.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

#include "apiserver/rbac_bootstrap.hpp"
#include "apiserver/request_info.hpp"
#include "apiserver/tokens_csv.hpp"
#include "base/text.hpp"
#include "http/crypto.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;

constexpr std::string_view kAccountNameKey = "kubernetes.io/service-account.name";
constexpr std::string_view kAccountUidKey = "kubernetes.io/service-account.uid";

}  // namespace

std::string token_digest(std::string_view token) {
  return http::sha256(token);
}

void TokenTable::replace(const std::string& source, std::vector<TokenEntry> entries) {
  if (const auto old = by_source_.find(source); old != by_source_.end()) {
    for (const std::string& digest : old->second) {
      const auto [first, last] = by_digest_.equal_range(digest);
      for (auto each = first; each != last;) {
        if (each->second.source != source) {
          ++each;
          continue;
        }
        count_bindings(each->second.grant, false);
        each = by_digest_.erase(each);
      }
    }
    by_source_.erase(old);
  }
  for (TokenEntry& entry : entries) {
    by_source_[source].push_back(entry.digest);
    count_bindings(entry.grant, true);
    by_digest_.emplace(entry.digest, Known{entry.digest, source, std::move(entry.grant)});
  }
}

std::optional<TokenGrant> TokenTable::find(std::string_view token, WallTime now) const {
  const std::string digest = token_digest(token);
  for (auto [each, last] = by_digest_.equal_range(digest); each != last; ++each) {
    const Known& known = each->second;
    // The map compares digests in its own way, which is no help to anybody: nobody can steer a digest.
    if (!http::equal_in_constant_time(known.digest, digest)) continue;
    if (known.grant.expires && *known.grant.expires <= now) continue;
    return known.grant;
  }
  return std::nullopt;
}

std::set<std::string> TokenTable::erase_where(const std::function<bool(const Known&)>& is_over) {
  std::set<std::string> sources;
  for (auto each = by_digest_.begin(); each != by_digest_.end();) {
    if (!is_over(each->second)) {
      ++each;
      continue;
    }
    const std::string source = each->second.source;
    auto& digests = by_source_[source];
    std::erase(digests, each->first);
    if (digests.empty()) by_source_.erase(source);
    sources.insert(source);
    count_bindings(each->second.grant, false);
    each = by_digest_.erase(each);
  }
  return sources;
}

std::set<std::string> TokenTable::revoke(const std::string& uid) {
  if (!bound_.contains(uid)) return {};
  return erase_where([&](const Known& known) {
    return std::ranges::find(known.grant.bound_to, uid) != known.grant.bound_to.end();
  });
}

void TokenTable::count_bindings(const TokenGrant& grant, bool is_added) {
  for (const std::string& uid : grant.bound_to) {
    if (is_added) {
      ++bound_[uid];
    } else if (--bound_[uid] == 0) {
      bound_.erase(uid);
    }
  }
}

std::set<std::string> TokenTable::drop_expired(WallTime now) {
  return erase_where([&](const Known& known) { return known.grant.expires && *known.grant.expires <= now; });
}

User account_user(std::string_view ns, std::string_view name, std::string_view uid) {
  return {fmt::format("system:serviceaccount:{}:{}", ns, name),
          std::string(uid),
          {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", ns),
           std::string(kAuthenticatedGroup)},
          {}};
}

TokenGrant agent_grant(std::string_view cluster) {
  return {
      .user = {agent_user(cluster), "", {std::string(kAgentsGroup), std::string(kAuthenticatedGroup)}, {}},
      .reach = {.clusters = {std::string(cluster), std::string(kHubCluster)},
                .hub_namespace = std::string(cluster)}};
}

Result<std::vector<TokenEntry>> parse_token_file(std::string_view text) {
  FAIRWAY_TRY(const auto rows, parse_csv(text));
  std::vector<TokenEntry> entries;
  for (const CsvRow& row : rows) {
    const std::vector<std::string>& fields = row.fields;
    if (fields.size() < 3) {
      return fail(ErrorCode::Invalid,
                  fmt::format("line {}: expected at least 3 columns (token, user name, user uid), found {}",
                              row.line, fields.size()));
    }
    if (fields[0].empty() || fields[1].empty()) {
      return fail(ErrorCode::Invalid,
                  fmt::format("line {}: expected a token and a user name, found an empty column", row.line));
    }
    User user{fields[1], fields[2], {}, {}};
    if (fields.size() > 3) {
      for (const std::string_view group : split(fields[3], ',')) {
        if (!trim(group).empty()) user.groups.emplace_back(trim(group));
      }
    }
    if (!user.is_in(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
    entries.push_back({token_digest(fields[0]), {.user = std::move(user)}});
  }
  return entries;
}

std::optional<TokenEntry> secret_token(const std::string& cluster, const Object& secret) {
  const std::string name(kube::annotation(secret, kAccountNameKey).value_or(""));
  const std::string uid(kube::annotation(secret, kAccountUidKey).value_or(""));
  // Without the uid it is not known whose it is: an account of that name may have come and gone.
  if (json::get_string(secret, {"type"}) != kAccountTokenType || name.empty() || uid.empty())
    return std::nullopt;
  const auto token = decode_base64(json::get_string(secret, {"data", "token"}).value_or(""));
  if (!token || token->empty()) return std::nullopt;
  TokenGrant grant{.user = account_user(kube::namespace_of(secret), name, uid),
                   .reach = {.clusters = {cluster}},
                   .bound_to = {uid}};
  return TokenEntry{token_digest(*token), std::move(grant)};
}

bool needs_token(const Object& secret) {
  return json::get_string(secret, {"type"}) == kAccountTokenType &&
         !kube::annotation(secret, kAccountNameKey).value_or("").empty() && !kube::is_being_deleted(secret) &&
         json::get_string(secret, {"data", "token"}).value_or("").empty();
}

Object with_token(Object secret, std::string_view account_uid, std::string_view token,
                  std::string_view ca_pem) {
  kube::set_annotation(secret, kAccountUidKey, account_uid);
  const std::string ns(kube::namespace_of(secret));
  Object& data = json::ensure_object(secret, {"data"});
  data["ca.crt"] = encode_base64(ca_pem);
  data["namespace"] = encode_base64(ns);
  data["token"] = encode_base64(token);
  return secret;
}

std::string new_token() {
  return "fairway-" + encode_hex(http::random_bytes(32));
}

Object token_record(const TokenEntry& entry) {
  const auto texts = [](const std::vector<std::string>& from) {
    json::Array array;
    for (const std::string& text : from) array.emplace_back(text);
    return array;
  };
  Object record{{"user", entry.grant.user.name},
                {"uid", entry.grant.user.uid},
                {"groups", texts(entry.grant.user.groups)},
                {"clusters", texts(entry.grant.reach.clusters)},
                {"hubNamespace", entry.grant.reach.hub_namespace},
                {"boundTo", texts(entry.grant.bound_to)}};
  if (entry.grant.expires) record["expires"] = format_rfc3339(*entry.grant.expires);
  return record;
}

Result<TokenEntry> parse_token_record(std::string_view digest_hex, const Object& record) {
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::Invalid, fmt::format("token record {}: {}", quoted(digest_hex), what));
  };
  const auto texts = [&](std::string_view key) -> std::optional<std::vector<std::string>> {
    const json::Array* array = json::get_array(record, {key});
    if (array == nullptr) return std::nullopt;
    std::vector<std::string> result;
    for (const json::Value& value : *array) {
      if (!value.is_string()) return std::nullopt;
      result.emplace_back(json::view(value.get_string()));
    }
    return result;
  };
  auto digest = decode_hex(digest_hex);
  if (!digest || digest->size() != 32) return wrong("expected a digest of 64 hexadecimal digits as its name");
  auto groups = texts("groups");
  auto clusters = texts("clusters");
  auto bound_to = texts("boundTo");
  // A list that is missing would widen what the token is good for.
  if (!groups || !clusters || !bound_to || json::text_at(record, {"user"}).empty()) {
    return wrong("expected user, groups, clusters and boundTo, found it incomplete");
  }
  TokenGrant grant{
      .user = {json::text_at(record, {"user"}), json::text_at(record, {"uid"}), *std::move(groups), {}},
      .reach = {*std::move(clusters), json::text_at(record, {"hubNamespace"})},
      .bound_to = *std::move(bound_to)};
  if (const auto expires = json::get_string(record, {"expires"})) {
    grant.expires = parse_rfc3339(*expires);
    if (!grant.expires) return wrong("expected a time as expires");
  }
  return TokenEntry{*std::move(digest), std::move(grant)};
}

}  // namespace fairway::apiserver
