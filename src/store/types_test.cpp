#include "store/types.hpp"

#include <gtest/gtest.h>

#include "store/checksum.hpp"

namespace fairway::store {
namespace {

TEST(Labels, SurviveTheLog) {
  const Labels cases[] = {{}, {{"app", "web"}}, {{"a", ""}, {"b.example/c", "1"}}};
  for (const Labels& labels : cases) EXPECT_EQ(decode_labels(encode_labels(labels)), labels);
}

TEST(Labels, DamagedTextIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"app"sv, "app\0web"sv, "app\0web\0x"sv, "app\0web\0x\0"sv})
    EXPECT_EQ(decode_labels(text), std::nullopt);
}

TEST(Key, OrdersByClusterResourceNamespaceName) {
  const Key keys[] = {{"a", "/x", "n", "z"},
                      {"b", "/x", "a", "b"},
                      {"b", "/y", "a", "a"},
                      {"b", "/y", "b", "a"},
                      {"b", "/y", "b", "b"}};
  for (std::size_t i = 1; i < std::size(keys); ++i) EXPECT_LT(keys[i - 1], keys[i]);
  EXPECT_EQ(describe(Key{"hub", "apps/deployments", "default", "web"}), "hub:apps/deployments/default/web");
  EXPECT_EQ(describe(Key{"hub", "/nodes", "", "n1"}), "hub:/nodes/n1");
}

TEST(Scope, EmptyPartsCoverEverything) {
  const Key key{"hub", "/pods", "default", "a"};
  EXPECT_TRUE((Scope{"hub", "/pods"}.covers(key)));
  EXPECT_TRUE((Scope{"hub", ""}.covers(key)));
  EXPECT_TRUE((Scope{"", ""}.covers(key)));
  EXPECT_FALSE((Scope{"hub", "/nodes"}.covers(key)));
  EXPECT_FALSE((Scope{"edge", ""}.covers(key)));
}

// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
TEST(Checksum, KnownSums) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending.push_back(static_cast<char>(i));
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
}

TEST(Checksum, PartsInOrderGiveTheSumOfTheWhole) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text)) << cut;
  EXPECT_EQ(crc32c(std::uint64_t{0x0807060504030201}, 0), crc32c("\x01\x02\x03\x04\x05\x06\x07\x08"));
}

}  // namespace
}  // namespace fairway::store
