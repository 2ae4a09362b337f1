#include "oci/digest.hpp"

#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

constexpr std::string_view kEmpty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Digest, NamesContentByItsHash) {
  EXPECT_EQ(Digest::of("").text(), kEmpty);
  EXPECT_EQ(Digest::of("").hex(), kEmpty.substr(7));
  EXPECT_EQ(*Digest::parse(kEmpty), Digest::of(""));
  EXPECT_NE(*Digest::parse(kEmpty), Digest::of("x"));
}

TEST(Digest, OnlyLowerCaseSha256IsOne) {
  const std::string upper = "sha256:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
  for (const std::string& text :
       {std::string(), std::string("sha256:"), std::string(kEmpty.substr(0, 70)), std::string(kEmpty) + "0",
        std::string(kEmpty.substr(7)), upper, "sha512:" + std::string(kEmpty.substr(7)),
        std::string("sha256:../../etc/passwd")}) {
    const auto digest = Digest::parse(text);
    ASSERT_FALSE(digest) << text;
    EXPECT_EQ(digest.error().code, ErrorCode::Invalid);
  }
}

}  // namespace
}  // namespace fairway::oci
