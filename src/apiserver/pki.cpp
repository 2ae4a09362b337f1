#include "apiserver/pki.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "apiserver/pki_files.hpp"
#include "apiserver/request_info.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/tls.hpp"
#include "json/yaml.hpp"
#include "store/files.hpp"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;
using http::CertificateRequest;
using http::KeyPair;

constexpr Duration kClockSkew = 1h;  // a client's clock may be behind
constexpr Duration kAuthorityLife = 10 * 365 * 24h;
constexpr Duration kLeafLife = 365 * 24h;
constexpr Duration kRenewBefore = 30 * 24h;

// The shortest form of an address, so that equal ones are equal texts.
std::string canonical_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> shortest{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, text.c_str(), bytes.data()) != 1) continue;
    return ::inet_ntop(family, bytes.data(), shortest.data(), shortest.size());
  }
  return text;
}

std::vector<std::string> sorted_names(const CertificateRequest& request) {
  std::vector<std::string> names = request.dns_names;
  for (const std::string& address : request.ip_addresses) names.push_back(canonical_address(address));
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
  return names;
}

Result<KeyPair> make_new_authority(const PairFiles& files, WallTime now) {
  log::info("making a certificate authority", {{"file", files.certificate}});
  FAIRWAY_TRY(KeyPair authority, http::make_authority("fairway-ca", now - kClockSkew, now + kAuthorityLife));
  FAIRWAY_CHECKED(write_pair(files, authority));
  return authority;
}

Result<KeyPair> load_authority(const PairFiles& files, WallTime now) {
  FAIRWAY_TRY(const auto found, read_pair(files));
  if (!found.certificate && !found.key) return make_new_authority(files, now);
  if (!found.certificate || !found.key) {
    return fail(
        ErrorCode::Invalid,
        fmt::format(
            "expected {} beside {}, found it missing: restore it from a backup, or remove the other one too "
            "to make a new authority, which makes all kubeconfigs and agent credentials invalid",
            quoted(found.key ? files.certificate : files.key),
            quoted(found.key ? files.key : files.certificate)));
  }
  KeyPair authority{*found.certificate, *found.key};
  if (const auto fits = http::make_server_context({authority.certificate_pem, authority.key_pem, ""});
      !fits) {
    return fail(
        ErrorCode::Invalid,
        fmt::format(
            "expected {} and {} to be a certificate and its key, found: {}: restore both from one backup",
            quoted(files.certificate), quoted(files.key), fits.error().message));
  }
  FAIRWAY_TRY(const WallTime end, http::expiry_of(authority.certificate_pem));
  if (end <= now) {
    return fail(
        ErrorCode::Invalid,
        fmt::format(
            "expected a valid authority in {}, found that it expired at {}: check the clock of this "
            "machine; if it is right, remove {} and {} to make a new authority, and hand out new kubeconfigs",
            quoted(files.certificate), format_rfc3339(end), quoted(files.certificate), quoted(files.key)));
  }
  return authority;
}

// Why a certificate has to be made (again); nothing when it is fine.
std::optional<std::string> renewal_reason(const FoundPair& found, const KeyPair& authority,
                                          const CertificateRequest& wanted, WallTime now) {
  if (!found.certificate || !found.key) return "it is missing";
  const auto end = http::expiry_of(*found.certificate);
  const auto names = http::names_of(*found.certificate);
  const auto is_ours = http::is_issued_by(*found.certificate, authority.certificate_pem);
  if (!end || !names || !is_ours || !http::make_server_context({*found.certificate, *found.key, ""})) {
    return "it is damaged";
  }
  if (!*is_ours) return "it is from another authority";
  if (*names != sorted_names(wanted)) return "the wanted names have changed";
  // Near the authority's own end a new one would not live any longer.
  if (*end - kRenewBefore <= now && *end < wanted.not_after) return "it expires at " + format_rfc3339(*end);
  return std::nullopt;
}

Result<KeyPair> load_leaf(const PairFiles& files, const KeyPair& authority, const CertificateRequest& wanted,
                          WallTime now) {
  FAIRWAY_TRY(const auto found, read_pair(files));
  const auto reason = renewal_reason(found, authority, wanted, now);
  if (!reason) return KeyPair{*found.certificate, *found.key};
  log::info("making a certificate", {{"file", files.certificate}, {"reason", *reason}});
  FAIRWAY_TRY(KeyPair made, http::issue_certificate(authority, wanted));
  FAIRWAY_CHECKED(write_pair(files, made));
  return made;
}

CertificateRequest leaf_request(std::string name, std::vector<std::string> groups, WallTime now,
                                WallTime latest) {
  CertificateRequest request;
  request.common_name = std::move(name);
  request.organizations = std::move(groups);
  request.not_before = now - kClockSkew;
  request.not_after = std::min<WallTime>(now + kLeafLife, latest);
  return request;
}

Result<WallTime> renewal_time(const KeyPair& leaf, WallTime latest, WallTime now) {
  FAIRWAY_TRY(const WallTime end, http::expiry_of(leaf.certificate_pem));
  return end < latest ? std::max(end - kRenewBefore, now) : latest;
}

}  // namespace

Result<Pki> load_pki(const PkiOptions& options, const Clock& clock) {
  const WallTime now = std::chrono::floor<std::chrono::seconds>(clock.now());
  FAIRWAY_CHECKED(make_pki_directory(options.directory));
  Pki pki;
  FAIRWAY_TRY(pki.authority, load_authority(pair_files(options.directory, "ca"), now));
  FAIRWAY_TRY(const WallTime latest, http::expiry_of(pki.authority.certificate_pem));
  CertificateRequest server = leaf_request("fairway-apiserver", {}, now, latest);
  server.dns_names = options.dns_names;
  server.ip_addresses = options.ip_addresses;
  FAIRWAY_TRY(pki.server, load_leaf(pair_files(options.directory, "apiserver"), pki.authority, server, now));
  const CertificateRequest admin = leaf_request(std::string(kAdminUser), {"system:masters"}, now, latest);
  FAIRWAY_TRY(pki.admin, load_leaf(pair_files(options.directory, "admin"), pki.authority, admin, now));
  FAIRWAY_TRY(const WallTime server_end, renewal_time(pki.server, latest, now));
  FAIRWAY_TRY(const WallTime admin_end, renewal_time(pki.admin, latest, now));
  pki.renew_at = std::min(server_end, admin_end);
  return pki;
}

Result<KeyPair> issue_client_certificate(const KeyPair& authority, const std::string& user,
                                         const std::vector<std::string>& groups, WallTime now) {
  FAIRWAY_TRY(const WallTime latest, http::expiry_of(authority.certificate_pem));
  return http::issue_certificate(authority, leaf_request(user, groups, now, latest));
}

std::string kubeconfig_for(const KubeconfigRequest& request) {
  std::vector<std::string> names = request.clusters;
  std::ranges::stable_partition(names, [](const std::string& name) { return name == kHubCluster; });
  json::Object user;
  if (!request.certificate_pem.empty()) {
    user["client-certificate-data"] = encode_base64(request.certificate_pem);
    user["client-key-data"] = encode_base64(request.key_pem);
  }
  if (!request.token.empty()) user["token"] = request.token;
  json::Array clusters;
  json::Array contexts;
  for (const std::string& name : names) {
    clusters.push_back(json::Object{
        {"name", name},
        {"cluster",
         json::Object{{"server", fmt::format("{}/clusters/{}", request.server_url, percent_encode(name))},
                      {"certificate-authority-data", encode_base64(request.ca_pem)}}}});
    contexts.push_back(
        json::Object{{"name", name}, {"context", json::Object{{"cluster", name}, {"user", request.user}}}});
  }
  return json::to_yaml(
      json::Object{{"apiVersion", "v1"},
                   {"kind", "Config"},
                   {"clusters", std::move(clusters)},
                   {"users", json::Array{json::Object{{"name", request.user}, {"user", std::move(user)}}}},
                   {"contexts", std::move(contexts)},
                   {"current-context", names.empty() ? "" : names.front()}});
}

}  // namespace fairway::apiserver
