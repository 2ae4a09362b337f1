// The keys and certificates of an API server, in the folder pki/ of its data directory.
//
// Made on the first start: a private authority, the server's certificate and that of an administrator. Later
// starts read them, and renew what is about to expire, no longer fits the wanted names or comes from another
// authority. Files are readable by their owner only and are replaced as pairs: after a crash a certificate
// still has its key. The authority itself is never replaced, because every client trusts it by content.
//
//   ca.crt ca.key apiserver.crt apiserver.key admin.crt admin.key
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/certificates.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kAdminUser = "fairway-admin";

struct PkiOptions {
  std::string directory;                  // its parent must be there
  std::vector<std::string> dns_names;     // of the server
  std::vector<std::string> ip_addresses;  // of the server
};

struct Pki {
  http::KeyPair authority;
  http::KeyPair server;
  http::KeyPair admin;
  WallTime renew_at;  // when load_pki() has something to do again
};

// Errors name the file and what to do about it.
Result<Pki> load_pki(const PkiOptions& options, const Clock& clock);

// A certificate for a client, valid for a year or as long as the authority.
Result<http::KeyPair> issue_client_certificate(const http::KeyPair& authority, const std::string& user,
                                               const std::vector<std::string>& groups, WallTime now);

struct KubeconfigRequest {
  std::string server_url;  // https://127.0.0.1:6443
  std::string ca_pem;
  std::string user = std::string(kAdminUser);
  std::string certificate_pem = {};  // with its key, or else a token
  std::string key_pem = {};
  std::string token = {};
  std::vector<std::string> clusters;  // logical ones
};

// YAML with one context for each cluster, named like it; the hub comes first and is current.
std::string kubeconfig_for(const KubeconfigRequest& request);

}  // namespace fairway::apiserver
