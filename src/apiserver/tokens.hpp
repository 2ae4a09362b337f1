// Tokens: bearer tokens and whom they stand for.
//
// Only SHA-256 digests are kept. A TokenTable is filled from named sources (the token file, a Secret, one
// issued token), each of which can be replaced or taken away as a whole. Where a token is good for, and until
// when, belongs to its grant. Used on the API server's event loop, without locks; the functions besides the
// table are pure.
//
// Issued tokens outlive the process as records in the store: key {cluster, kTokenRecords, namespace of the
// account, digest in hex}, value token_record(). No catalog serves that resource, so that no client ever sees
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/api_error.hpp"
#include "apiserver/identity.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kTokenRecords = "tokens.fairway.internal/tokens";
inline constexpr std::string_view kAccountTokenType = "kubernetes.io/service-account-token";

struct TokenGrant {
  User user = {};
  Reach reach = {};
  std::optional<WallTime> expires = std::nullopt;
  std::vector<std::string> bound_to = {};  // uids of objects: the token ends with any of them

  bool operator==(const TokenGrant&) const = default;
};

// 32 bytes.
std::string token_digest(std::string_view token);

struct TokenEntry {
  std::string digest;
  TokenGrant grant;
};

class TokenTable {
 public:
  // All tokens of a source; none: the source is gone.
  void replace(const std::string& source, std::vector<TokenEntry> entries);
  // Nothing when the token is unknown or no longer valid.
  std::optional<TokenGrant> find(std::string_view token, WallTime now) const;

  // Takes out what was bound to an object that is gone, or what has expired; gives the sources of these.
  std::set<std::string> revoke(const std::string& uid);
  std::set<std::string> drop_expired(WallTime now);
  std::size_t size() const { return by_digest_.size(); }

 private:
  struct Known {
    std::string digest;
    std::string source;
    TokenGrant grant;
  };
  std::set<std::string> erase_where(const std::function<bool(const Known&)>& is_over);
  void count_bindings(const TokenGrant& grant, bool is_added);

  std::unordered_multimap<std::string, Known> by_digest_;
  std::map<std::string, std::vector<std::string>> by_source_;  // digests
  // Tokens bound to each uid: most objects that go have none, and that must cost nothing.
  std::unordered_map<std::string, std::size_t> bound_;
};

// system:serviceaccount:NS:NAME and its groups.
User account_user(std::string_view ns, std::string_view name, std::string_view uid);
// A member's agent: its own cluster, and its namespace on the hub.
TokenGrant agent_grant(std::string_view cluster);

// Kubernetes' token file: lines of token,user,uid and optionally "group1,group2". Errors name the line.
Result<std::vector<TokenEntry>> parse_token_file(std::string_view text);

// The token in a Secret of type kubernetes.io/service-account-token; nothing where there is none (yet).
std::optional<TokenEntry> secret_token(const std::string& cluster, const json::Object& secret);
// Whether the server has to put a token into this Secret, and the Secret with it.
bool needs_token(const json::Object& secret);
json::Object with_token(json::Object secret, std::string_view account_uid, std::string_view token,
                        std::string_view ca_pem);

// 256 random bits, in a form that fits a header and is recognised by scanners for leaked secrets.
std::string new_token();

struct IssuedToken {
  TokenEntry entry;
  json::Object answer;  // the TokenRequest with its status
};
struct TokenQuestion {
  const Resource* resource = nullptr;  // serviceaccounts
  std::string cluster;
  const json::Object* account = nullptr;
  const json::Object* bound_object =
      nullptr;  // what spec.boundObjectRef names, where there is such an object
  WallTime now = {};
  std::string token;  // new_token()
};
// Answers a TokenRequest for a service account.
ApiResult<IssuedToken> issue_token(const TokenQuestion& question, json::Object request);

json::Object token_record(const TokenEntry& entry);
Result<TokenEntry> parse_token_record(std::string_view digest_hex, const json::Object& record);

}  // namespace fairway::apiserver
