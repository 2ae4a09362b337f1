#include "oci/navigation.hpp"

#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

TEST(Navigation, ResolvesAgainstWhereTheAnswerCameFrom) {
  const auto base = *http::Url::parse("https://r.example:5000/v2/ns/repo/tags/list?n=2");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/v2/x?last=a", "https://r.example:5000/v2/x?last=a"},
      {"?last=b", "https://r.example:5000/v2/ns/repo/tags/list?last=b"},
      {"list?last=c", "https://r.example:5000/v2/ns/repo/tags/list?last=c"},
      {"//cdn.example/x", "https://cdn.example:443/x"},
      {"http://plain.example/y#part", "http://plain.example:80/y"},
      {" https://cdn.example/a:b?c=://d ", "https://cdn.example:443/a:b?c=://d"},
      {"/path?u=https://x", "https://r.example:5000/path?u=https://x"},
  };
  for (const auto& [reference, expected] : cases) {
    const auto url = resolve(base, reference);
    ASSERT_TRUE(url) << reference;
    EXPECT_EQ(url->origin() + url->path, expected) << reference;
  }
  EXPECT_FALSE(resolve(base, ""));
  EXPECT_FALSE(resolve(base, "#top"));
  EXPECT_FALSE(resolve(base, "file:///etc/passwd"));
}

TEST(Navigation, FindsTheNextPage) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {R"(</v2/a/tags/list?n=2&last=b>; rel="next")", "/v2/a/tags/list?n=2&last=b"},
      {R"(<x>; rel=next)", "x"},
      {R"(<x>; title="a"; REL = "prev NEXT")", "x"},
      {R"(<p>; rel="prev", <n,m>; rel="next")", "n,m"},
      {R"(<p>; rel="prev")", std::nullopt},
      {R"(<p>)", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [text, expected] : cases) {
    http::Headers headers;
    if (!text.empty()) headers.add("Link", text);
    const auto link = next_link(headers);
    ASSERT_TRUE(link) << text;
    EXPECT_EQ(*link, expected) << text;
  }
  EXPECT_FALSE(next_link({{"Link", "<open"}}));
}

}  // namespace
}  // namespace fairway::oci
