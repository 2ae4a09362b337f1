#include "http/crypto.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::http {
namespace {

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

}  // namespace
}  // namespace fairway::http
