#include "http/crypto.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::http {
namespace {

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

TEST(Crypto, Sha256OfKnownTexts) {
  EXPECT_EQ(encode_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(encode_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Crypto, Sha256InPiecesIsThatOfTheWhole) {
  Sha256 digest;
  EXPECT_EQ(digest.finish(), sha256(""));
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    digest.update(piece);
    all += piece;
  }
  Sha256 moved = std::move(digest);
  EXPECT_EQ(moved.finish(), sha256(all));
  moved.update("abc");
  EXPECT_EQ(moved.finish(), sha256("abc")) << "begins anew";
}

TEST(Crypto, RandomBytesAreOfTheirSizeAndDiffer) {
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(Crypto, SecretsCompareByAllTheirBytes) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
}

// NIST SP 800-38A, F.2.5: the padding is a block of its own after it.
TEST(Crypto, AesOfAKnownVector) {
  const std::string key = from_hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
  const std::string vector = from_hex("000102030405060708090a0b0c0d0e0f");
  const std::string text = from_hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  const auto bytes = encrypt_aes256_cbc(key, vector, text);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(encode_hex(bytes->substr(0, 32)),
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d");
  EXPECT_EQ(bytes->size(), 48U);
  EXPECT_EQ(decrypt_aes256_cbc(key, vector, *bytes), text);
}

TEST(Crypto, AesGivesBackTextsOfAnyLength) {
  const std::string key(kAesKeySize, 'k');
  const std::string vector(kAesBlockSize, 'v');
  for (std::size_t size = 0; size < 50; ++size) {
    const std::string text(size, 'x');
    const auto bytes = encrypt_aes256_cbc(key, vector, text);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->size(), (size / kAesBlockSize + 1) * kAesBlockSize);
    EXPECT_EQ(decrypt_aes256_cbc(key, vector, *bytes), text);
  }
}

TEST(Crypto, AesRefusesWhatDoesNotFit) {
  const std::string key(kAesKeySize, 'k');
  const std::string vector(kAesBlockSize, 'v');
  const std::string bytes = *encrypt_aes256_cbc(key, vector, "hidden");
  EXPECT_FALSE(encrypt_aes256_cbc("short", vector, "x"));
  EXPECT_FALSE(encrypt_aes256_cbc(key, "short", "x"));
  EXPECT_FALSE(decrypt_aes256_cbc(key, vector, ""));
  EXPECT_FALSE(decrypt_aes256_cbc(key, vector, bytes.substr(1)));
  const auto wrong = decrypt_aes256_cbc(std::string(kAesKeySize, 'w'), vector, bytes);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "the bytes were not encrypted with this key and vector");
}

}  // namespace
}  // namespace fairway::http
