#include "fleet/protection.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "fleet/templates/hub.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const EncryptionKeys kKeys{.key = std::string(32, 'k'), .previous = std::string(32, 'p')};
const std::string kVector(16, 'v');

TEST(Protection, ANewSecretHoldsAKey) {
  const json::Object secret = new_encryption_secret("member1", WallTime{std::chrono::seconds{1'700'000'000}});
  EXPECT_EQ(kube::key_of(secret).to_string(), "member1/policy-encryption-key");
  EXPECT_EQ(kube::annotation(secret, kLastRotated), "2023-11-14T22:13:20Z");
  const auto keys = EncryptionKeys::from(secret);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->key.size(), 32U);
  EXPECT_EQ(keys->previous, "");
  EXPECT_NE(keys, EncryptionKeys::from(new_encryption_secret("member1", {})));
}

TEST(Protection, KeysAreReadAsTheyAre) {
  json::Object secret = new_encryption_secret("member1", {});
  json::Object& data = json::ensure_object(secret, {"data"});
  data["key"] = encode_base64(kKeys.key);
  data["previousKey"] = encode_base64(kKeys.previous);
  EXPECT_EQ(EncryptionKeys::from(secret), kKeys);
  data["previousKey"] = "AAAA";
  EXPECT_EQ(EncryptionKeys::from(secret)->previous, "");
  data["key"] = encode_base64("topsecret");
  const auto keys = EncryptionKeys::from(secret);
  ASSERT_FALSE(keys);
  EXPECT_THAT(keys.error().message,
              HasSubstr("Secret member1/policy-encryption-key on the hub has no key of 32"));
  EXPECT_THAT(keys.error().message, Not(HasSubstr("topsecret")));
}

TEST(Protection, WhatOneEncryptsTheOtherReads) {
  const auto bytes = encryption_with(kKeys, kVector)("hidden");
  ASSERT_TRUE(bytes);
  EXPECT_THAT(*bytes, Not(HasSubstr("hidden")));
  EXPECT_EQ(decryption_with(kKeys, kVector)(*bytes), "hidden");
  EXPECT_EQ(encryption_with(kKeys, kVector)("hidden"), bytes) << "a child is not rewritten at every pass";
}

TEST(Protection, ThePreviousKeyReadsToo) {
  const EncryptionKeys rotated{.key = std::string(32, 'n'), .previous = kKeys.key};
  EXPECT_EQ(decryption_with(rotated, kVector)(*encryption_with(kKeys, kVector)("hidden")), "hidden");
}

TEST(Protection, FailuresSayWhatToDo) {
  const std::string bytes = *encryption_with(kKeys, kVector)("hidden");
  const auto wrong = decryption_with({.key = std::string(32, 'x')}, kVector)(bytes);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              HasSubstr("neither key nor previousKey of Secret policy-encryption-key"));
  const auto without = decryption_with(kKeys, std::nullopt)(bytes);
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message, HasSubstr("encryption-iv"));
}

TEST(Protection, VectorsAreThoseOfAnnotations) {
  json::Object policy;
  EXPECT_EQ(vector_of(policy), std::nullopt);
  kube::set_annotation(policy, templates::kEncryptionVector, encode_base64(kVector));
  EXPECT_EQ(vector_of(policy), kVector);
  kube::set_annotation(policy, templates::kEncryptionVector, "AAAA");
  EXPECT_EQ(vector_of(policy), std::nullopt);
  EXPECT_EQ(new_vector().size(), 16U);
}

}  // namespace
}  // namespace fairway::fleet
