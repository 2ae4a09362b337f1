#include "http/message.hpp"

#include <gtest/gtest.h>

namespace fairway::http {
namespace {

TEST(Headers, NamesIgnoreCaseAndTokensAreFound) {
  Headers headers{{"Content-Type", "text/plain"}, {"Connection", "close, Upgrade"}};
  EXPECT_EQ(headers.find("content-type"), "text/plain");
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_FALSE(headers.has_token("connection", "keep-alive"));
  headers.set("CONTENT-TYPE", "text/html");
  EXPECT_EQ(headers.all("Content-Type").size(), 1U);
  EXPECT_EQ(headers.find("content-type"), "text/html");
}

TEST(Target, PathAndDecodedQuery) {
  const auto target = Target::parse("/api/v1/pods?labelSelector=a%3Db%2Cc&x=1+2&flag&x=3");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/pods");
  EXPECT_EQ(target->query.get("labelSelector"), "a=b,c");
  EXPECT_EQ(target->query.get("x"), "1 2");
  EXPECT_EQ(target->query.all("x").size(), 2U);
  EXPECT_EQ(target->query.get("flag"), "");
  EXPECT_FALSE(target->query.get("missing"));
}

TEST(Target, MalformedOnesAreRefused) {
  for (std::string_view text : {"", "api", "http://x/", "/x?a=%zz", "/x?a=%1"})
    EXPECT_FALSE(Target::parse(text)) << text;
}

TEST(Url, Parts) {
  struct Case {
    std::string_view text, origin, path, host;
  };
  for (const Case& test : std::vector<Case>{
           {"https://example.test", "https://example.test:443", "", "example.test"},
           {"http://127.0.0.1:8080/a?b=c#d", "http://127.0.0.1:8080", "/a?b=c", "127.0.0.1"},
           {"HTTPS://[::1]:6443/x", "https://[::1]:6443", "/x", "::1"},
           {"http://user:pw@host/", "http://host:80", "/", "host"},
           {"http://host?x=1", "http://host:80", "/?x=1", "host"},
       }) {
    const auto url = Url::parse(test.text);
    ASSERT_TRUE(url) << test.text;
    EXPECT_EQ(url->origin(), test.origin);
    EXPECT_EQ(url->path, test.path);
    EXPECT_EQ(url->host, test.host);
  }
}

TEST(Url, MalformedOnesAreRefused) {
  for (std::string_view text :
       {"", "host", "ftp://x", "http://", "http://x:0", "http://x:70000", "http://[::1", "http://:80"}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

}  // namespace
}  // namespace fairway::http
