// Credentials for registries, read from docker's config.json or its older dockercfg. Pure.
//
// An entry's key is a registry or a path in it (quay.io, quay.io/ns, quay.io/ns/repo; a scheme and a /v1/ or
// /v2/ ending are tolerated), and the longest one that fits is used. An error names the entry and never what
// is in it. Credential helpers (credsStore, credHelpers) are not run: an entry that has nothing itself counts
// as absent.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::oci {

struct Credential {
  std::string entry = {};  // the key it was found under: what messages call it
  std::string username = {};
  std::string password = {};
  std::string identity_token = {};  // exchanged for access tokens in place of a password

  bool operator==(const Credential&) const = default;
};

class Credentials {
 public:
  Credentials() = default;
  static Result<Credentials> parse(std::string_view text);

  // For user name and password that were given by themselves.
  void add(std::string_view key, std::string username, std::string password);

  // Null when there is none. `authority` is host[:port].
  const Credential* find(std::string_view authority, std::string_view repository) const;
  std::size_t size() const { return by_path_.size(); }

 private:
  std::map<std::string, Credential, std::less<>> by_path_;
};

}  // namespace fairway::oci
