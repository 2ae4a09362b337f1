#include "http/compression.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace fairway::http {
namespace {

std::string incompressible(std::size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::vector<std::string> samples() {
  return {"", "a", std::string(500'000, 'x'), incompressible(300'000), std::string(65'536, '\0'), "ünïcode"};
}

TEST(Compression, ComesBackAsItWas) {
  for (const std::string& bytes : samples()) {
    for (const int level : {1, 6, 9, 40}) {
      EXPECT_EQ(gunzip(gzip(bytes, level), bytes.size()), bytes);
      EXPECT_EQ(unzstd(zstd(bytes, level), bytes.size()), bytes);
    }
  }
}

TEST(Compression, RepeatedTextGetsSmall) {
  const std::string text(500'000, 'x');
  EXPECT_LT(gzip(text).size(), 1'000U);
  EXPECT_LT(zstd(text).size(), 1'000U);
  EXPECT_EQ(gzip(text), gzip(text));  // no time stamp inside: equal content has equal bytes
}

TEST(Compression, StopsAtTheLimit) {
  const std::string text(500'000, 'x');
  EXPECT_EQ(gunzip(gzip(text), text.size() - 1).error().code, ErrorCode::Invalid);
  EXPECT_EQ(unzstd(zstd(text), text.size() - 1).error().code, ErrorCode::Invalid);
  EXPECT_EQ(gunzip(gzip(""), 0), "");
  EXPECT_EQ(gunzip(gzip("a"), 0).error().code, ErrorCode::Invalid);
  EXPECT_EQ(gunzip(gzip("a"), SIZE_MAX), "a");
  EXPECT_EQ(unzstd(zstd("a"), SIZE_MAX), "a");
}

TEST(Compression, RefusesWhatIsCutShortOrFollowedByMore) {
  const std::string text = incompressible(2'000);
  for (std::size_t size = 0; size < gzip(text).size(); size += 61)
    EXPECT_FALSE(gunzip(gzip(text).substr(0, size), 10'000).has_value()) << size;
  for (std::size_t size = 0; size < zstd(text).size(); size += 61)
    EXPECT_FALSE(unzstd(zstd(text).substr(0, size), 10'000).has_value()) << size;
  EXPECT_FALSE(gunzip(gzip(text) + "x", 10'000).has_value());
  EXPECT_FALSE(unzstd(zstd(text) + "x", 10'000).has_value());
  EXPECT_FALSE(gunzip("plain text", 10'000).has_value());
  EXPECT_FALSE(unzstd("plain text", 10'000).has_value());
}

TEST(ChooseCoding, WeighsAsRfc9110Says) {
  struct Case {
    std::string_view header;
    Coding expected;
  };
  constexpr std::array kOffered = {Coding::Zstd, Coding::Gzip, Coding::Identity};
  constexpr std::array<Case, 27> kCases = {{
      {"", Coding::Identity},
      {"gzip", Coding::Gzip},
      {"GZip", Coding::Gzip},
      {"x-gzip", Coding::Gzip},
      {"zstd", Coding::Zstd},
      {"gzip, deflate, br", Coding::Gzip},
      {"gzip, deflate, br, zstd", Coding::Zstd},  // equal weights: the server's order
      {"zstd;q=0.5, gzip;q=0.8", Coding::Gzip},
      {"zstd; q=0.8 , gzip ;q=0.8", Coding::Zstd},
      {"gzip;q=0", Coding::Identity},
      {"gzip;q=0.000", Coding::Identity},
      {"gzip;q=0.001", Coding::Gzip},
      {"identity", Coding::Identity},
      {"identity, gzip;q=0.5", Coding::Identity},
      {"identity;q=0.5, gzip", Coding::Gzip},
      {"identity;q=0, gzip;q=0.1", Coding::Gzip},
      {"*", Coding::Zstd},
      {"*;q=0", Coding::Identity},  // nothing is acceptable; the answer is still worth more than none
      {"*;q=0, gzip", Coding::Gzip},
      {"zstd;q=0, *", Coding::Gzip},
      {"gzip;q=0.2, *;q=0.1", Coding::Gzip},
      {"br", Coding::Identity},
      {"gzip;q=1.5, zstd;q=x", Coding::Identity},
      {"gzip;q=1.001", Coding::Identity},
      {"gzip;level=9", Coding::Identity},
      {",,gzip,,", Coding::Gzip},
      {"\xff\xfe;q=\x80, gzip", Coding::Gzip},
  }};
  for (const Case& test : kCases)
    EXPECT_EQ(choose_coding(test.header, kOffered), test.expected) << test.header;
}

TEST(ChooseCoding, OnlyChoosesWhatIsOffered) {
  constexpr std::array kOffered = {Coding::Identity, Coding::Gzip};
  EXPECT_EQ(choose_coding("zstd", kOffered), Coding::Identity);
  EXPECT_EQ(choose_coding("zstd, gzip;q=0.1", kOffered), Coding::Gzip);
  EXPECT_EQ(choose_coding("*", kOffered), Coding::Identity);
  EXPECT_EQ(choose_coding("gzip", {}), Coding::Identity);
  EXPECT_EQ(to_string(Coding::Zstd), "zstd");
}

}  // namespace
}  // namespace fairway::http
