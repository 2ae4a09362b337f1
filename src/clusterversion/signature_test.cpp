#include "clusterversion/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using ::testing::HasSubstr;

const std::string kDigest = "sha256:" + std::string(64, 'a');

std::string signed_text(const std::string& type, const std::string& reference, const std::string& digest) {
  return R"({"critical": {"type": ")" + type + R"(", "identity": {"docker-reference": ")" + reference +
         R"("}, "image": {"docker-manifest-digest": ")" + digest + R"("}}, "optional": {}})";
}

std::string judged(int exit_code, std::string_view status) {
  const auto result = judge_gpgv(exit_code, status);
  return result ? "valid" : result.error().message;
}

TEST(SignaturePath, IsByDigestAndNumber) {
  EXPECT_EQ(signature_path("sha256:ab", 1), "sha256=ab/signature-1");
  EXPECT_EQ(signature_path("sha256:ab", 12), "sha256=ab/signature-12");
}

TEST(SignedText, HasToNameThisImage) {
  const std::string type = "atomic container signature";
  EXPECT_TRUE(check_signed_text(signed_text(type, "quay/x:1", kDigest), kDigest));
  const auto error = [&](const std::string& text) {
    return check_signed_text(text, kDigest).error().describe();
  };
  EXPECT_THAT(error(signed_text("other", "quay/x:1", kDigest)),
              HasSubstr("expected a signature of the type \"atomic container signature\", found \"other\""));
  EXPECT_THAT(error(signed_text(type, "", kDigest)), HasSubstr("docker-reference"));
  EXPECT_THAT(error(signed_text(type, "quay/x:1", "sha256:bb")), HasSubstr("found one of \"sha256:bb\""));
  EXPECT_THAT(error("not json"), HasSubstr("in the signed text"));
  EXPECT_THAT(error("{}"), HasSubstr("type"));
}

TEST(Gpgv, OnlyOneGoodAndValidSignatureIsValid) {
  const std::string good = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 a\n[GNUPG:] VALIDSIG 1\n";
  EXPECT_EQ(judged(0, "gpgv: Good signature\n" + good), "valid");
  EXPECT_EQ(judged(1, good), "expected an OpenPGP message with a signature, found something else");
  EXPECT_EQ(judged(0, ""), "expected an OpenPGP message with a signature, found something else");
  EXPECT_EQ(judged(0, "gpgv: [GNUPG:] GOODSIG 1 a\n"),
            "expected an OpenPGP message with a signature, found something else");
  EXPECT_EQ(judged(0, good + good), "expected one signature, found several");
  EXPECT_EQ(judged(2, "[GNUPG:] ERRSIG 1\n[GNUPG:] NO_PUBKEY 1\n"),
            "the key that signed is not in the keyring");
  EXPECT_EQ(judged(0, "[GNUPG:] EXPKEYSIG 1 a\n[GNUPG:] VALIDSIG 1\n"), "the key that signed has expired");
  EXPECT_EQ(judged(0, "[GNUPG:] REVKEYSIG 1 a\n[GNUPG:] VALIDSIG 1\n"), "the key that signed was revoked");
  EXPECT_EQ(judged(0, "[GNUPG:] EXPSIG 1 a\n"), "the signature has expired");
  EXPECT_EQ(judged(1, good + "[GNUPG:] BADSIG 1 a\n"), "the signature is wrong: the signed text was changed");
}

TEST(Keyring, IsTakenOutOfItsArmour) {
  const std::string block =
      "-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: x\n\naGVsbG8g\nd29ybGQ=\n=abcd\n-----END PGP PUBLIC "
      "KEY "
      "BLOCK-----\n";
  EXPECT_EQ(*dearmor_keyring("a comment\n" + block), "hello world");
  EXPECT_EQ(*dearmor_keyring(block + block), "hello worldhello world");
  EXPECT_EQ(*dearmor_keyring(std::string("\x99\x01\0x", 4)), std::string("\x99\x01\0x", 4));
  EXPECT_FALSE(dearmor_keyring(block.substr(0, 60)));
  EXPECT_FALSE(
      dearmor_keyring("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n!!\n-----END PGP PUBLIC KEY BLOCK-----"));
}

}  // namespace
}  // namespace fairway::clusterversion
