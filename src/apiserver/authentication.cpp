#include "apiserver/authentication.hpp"

#include <fmt/format.h>

#include "apiserver/authorization.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kUserHeader = "Impersonate-User";
constexpr std::string_view kGroupHeader = "Impersonate-Group";
constexpr std::string_view kUidHeader = "Impersonate-Uid";
constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

User certificate_user(const http::CertificateIdentity& certificate) {
  User user{certificate.common_name, "", certificate.organizations, {}};
  if (!user.is_in(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

// Nothing when it is not a bearer token.
std::optional<std::string_view> bearer_token(std::string_view header) {
  const auto words = split_words(header, " ");
  if (words.size() != 2 || !equals_ignoring_case(words[0], "Bearer")) return std::nullopt;
  return words[1];
}

// Namespace and name of a service account's user.
std::optional<std::pair<std::string, std::string>> account_of(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  const auto parts = split(user.substr(kAccountPrefix.size()), ':');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) return std::nullopt;
  return std::pair(std::string(parts[0]), std::string(parts[1]));
}

void read_extra(const http::Headers& headers, Impersonation& wish) {
  for (const auto& [name, value] : headers) {
    const std::string lower = to_lower(name);
    if (!lower.starts_with(kExtraPrefix)) continue;
    const std::string encoded = lower.substr(kExtraPrefix.size());
    const std::string key = percent_decode(encoded).value_or(encoded);
    wish.user.extra[key].push_back(value);
    wish.needs.push_back({.verb = "impersonate",
                          .group = "authentication.k8s.io",
                          .resource = "userextras",
                          .subresource = key,
                          .name = value});
  }
}

void read_user(std::string_view name, bool has_groups, Impersonation& wish) {
  wish.user.name = std::string(name);
  const auto account = account_of(name);
  if (!account) {
    wish.needs.push_back({.verb = "impersonate", .resource = "users", .name = std::string(name)});
    return;
  }
  wish.needs.push_back(
      {.verb = "impersonate", .resource = "serviceaccounts", .ns = account->first, .name = account->second});
  if (!has_groups) wish.user.groups = account_user(account->first, account->second, "").groups;
}

// Everybody is one or the other, unless the headers already say so.
void add_standing_group(User& user) {
  if (user.is_in(kAuthenticatedGroup) || user.is_in(kUnauthenticatedGroup)) return;
  user.groups.emplace_back(user.is_anonymous() ? kUnauthenticatedGroup : kAuthenticatedGroup);
}

}  // namespace

ApiResult<Caller> authenticate(const http::Request& request, const TokenTable& tokens, WallTime now) {
  if (request.peer.certificate && !request.peer.certificate->common_name.empty()) {
    return Caller{.user = certificate_user(*request.peer.certificate)};
  }
  const auto headers = request.headers.all("Authorization");
  if (headers.empty()) return Caller{};
  if (headers.size() > 1) return refuse(kube::status_unauthorized());
  const auto token = bearer_token(headers.front());
  if (!token) return refuse(kube::status_unauthorized());
  auto grant = tokens.find(*token, now);
  if (!grant) return refuse(kube::status_unauthorized());
  return Caller{.user = std::move(grant->user), .reach = std::move(grant->reach)};
}

ApiResult<std::optional<Impersonation>> impersonation_in(const http::Headers& headers) {
  const auto name = headers.find(kUserHeader).value_or("");
  const auto groups = headers.all(kGroupHeader);
  const auto uid = headers.find(kUidHeader).value_or("");
  Impersonation wish;
  wish.user.groups.clear();
  if (!name.empty()) read_user(name, !groups.empty(), wish);
  for (const std::string_view group : groups) {
    wish.user.groups.emplace_back(group);
    wish.needs.push_back({.verb = "impersonate", .resource = "groups", .name = std::string(group)});
  }
  read_extra(headers, wish);
  if (!uid.empty()) {
    wish.user.uid = std::string(uid);
    wish.needs.push_back({.verb = "impersonate",
                          .group = "authentication.k8s.io",
                          .resource = "uids",
                          .name = std::string(uid)});
  }
  if (wish.needs.empty()) return std::nullopt;
  if (name.empty()) {
    return refuse(bad_request(fmt::format("found {} headers without the user to act as: add the header {}",
                                          "Impersonate-", kUserHeader)));
  }
  add_standing_group(wish.user);
  return wish;
}

ApiResult<Caller> impersonate(Caller caller, const http::Headers& headers, const DecideForCaller& decide) {
  auto wish = impersonation_in(headers);
  if (!wish) return refuse(std::move(wish.error()));
  if (!*wish) return caller;
  for (const AccessRequest& need : (*wish)->needs) {
    const AccessDecision decision = decide(caller, need);
    if (!decision.allowed) return refuse(access_denied(caller.user, need, decision.reason));
  }
  return Caller{
      .user = std::move((*wish)->user), .reach = caller.reach, .impersonator = std::move(caller.user)};
}

}  // namespace fairway::apiserver
