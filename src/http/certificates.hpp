// Certificates: making a private authority and what it signs, for servers that set up their own TLS.
//
// Keys are ECDSA P-256. Times are given, so that renewal can be tested.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::http {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  WallTime not_before;
  WallTime not_after;
};

Result<KeyPair> make_authority(const std::string& common_name, WallTime not_before, WallTime not_after);
// Valid for servers and clients alike.
Result<KeyPair> issue_certificate(const KeyPair& authority, const CertificateRequest& request);

// The end of the first certificate's validity.
Result<WallTime> expiry_of(const std::string& certificate_pem);
// The names and addresses that the first certificate is valid for, sorted; addresses in their shortest form.
Result<std::vector<std::string>> names_of(const std::string& certificate_pem);
// Whether the authority's key signed the first certificate. Says nothing about time.
Result<bool> is_issued_by(const std::string& certificate_pem, const std::string& authority_pem);

}  // namespace fairway::http
