#include "http/certificates.hpp"

#include <gtest/gtest.h>

#include "http/tls.hpp"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
constexpr WallTime kStart{std::chrono::seconds{1'700'000'000}};

TEST(Certificates, AnIssuedCertificateHasItsNamesAndItsEnd) {
  const auto authority = make_authority("test-ca", kStart, kStart + 1h);
  ASSERT_TRUE(authority);
  const auto pair = issue_certificate(
      *authority, {"server", {"system:masters"}, {"localhost"}, {"127.0.0.1"}, kStart, kStart + 30min});
  ASSERT_TRUE(pair);
  EXPECT_EQ(expiry_of(pair->certificate_pem), kStart + 30min);
  EXPECT_EQ(names_of(pair->certificate_pem), (std::vector<std::string>{"127.0.0.1", "localhost"}));
}

TEST(Certificates, AKeyOfAnotherCertificateIsRefused) {
  const auto authority = make_authority("test-ca", kStart, kStart + 1h);
  const auto one = issue_certificate(*authority, {"one", {}, {}, {}, kStart, kStart + 1h});
  const auto two = issue_certificate(*authority, {"two", {}, {}, {}, kStart, kStart + 1h});
  ASSERT_TRUE(one && two);
  const auto mixed = make_server_context({one->certificate_pem, two->key_pem, ""});
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::Invalid);
}

TEST(Certificates, AddressesOfBothFamiliesAreReadBack) {
  const auto authority = make_authority("test-ca", kStart, kStart + 1h);
  const auto pair =
      issue_certificate(*authority, {"server", {}, {}, {"10.0.0.1", "0:0:0:0:0:0:0:1"}, kStart, kStart + 1h});
  ASSERT_TRUE(pair);
  EXPECT_EQ(names_of(pair->certificate_pem), (std::vector<std::string>{"10.0.0.1", "::1"}));
}

TEST(Certificates, TheIssuerIsRecognisedByItsKeyNotByItsName) {
  const auto authority = make_authority("test-ca", kStart, kStart + 1h);
  const auto namesake = make_authority("test-ca", kStart, kStart + 1h);
  const auto pair = issue_certificate(*authority, {"server", {}, {}, {}, kStart, kStart + 1h});
  ASSERT_TRUE(pair);
  EXPECT_EQ(is_issued_by(pair->certificate_pem, authority->certificate_pem), true);
  EXPECT_EQ(is_issued_by(pair->certificate_pem, namesake->certificate_pem), false);
  EXPECT_FALSE(is_issued_by("rubbish", authority->certificate_pem));
}

TEST(Certificates, RubbishIsRefused) {
  EXPECT_FALSE(expiry_of("-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n"));
  EXPECT_FALSE(make_server_context({"", "", ""}));
  EXPECT_FALSE(make_client_context({.ca_pem = "rubbish"}));
}

}  // namespace
}  // namespace fairway::http
