#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::cli {
namespace {

using testing::HasSubstr;

struct GoodEndpoint {
  const char* text;
  Endpoint endpoint;
};

TEST(ParseEndpoint, TakesAddressesWithPorts) {
  for (const auto& [text, endpoint] :
       {GoodEndpoint{"127.0.0.1:6443", {"127.0.0.1", 6443}}, GoodEndpoint{"0.0.0.0:0", {"0.0.0.0", 0}},
        GoodEndpoint{"[::1]:65535", {"::1", 65535}}, GoodEndpoint{"localhost:80", {"127.0.0.1", 80}}}) {
    const auto parsed = parse_endpoint(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().describe();
    EXPECT_EQ(*parsed, endpoint) << text;
  }
}

TEST(ParseEndpoint, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"127.0.0.1", "the port is missing"},
      {":6443", "the address is missing"},
      {"::1:6443", "in brackets"},
      {"example.com:1", "not an IP address"},
      {"127.0.0.1:65536", "port is not one"},
      {"127.0.0.1:-1", "port is not one"},
      {"127.0.0.1:", "port is not one"},
      {"", "the port is missing"},
  };
  for (const auto& [text, why] : cases) {
    const auto parsed = parse_endpoint(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::Invalid);
    EXPECT_THAT(parsed.error().message, HasSubstr(why)) << text;
  }
}

TEST(Endpoint, IsWrittenAsItIsRead) {
  for (const char* text : {"127.0.0.1:6443", "[::1]:0"}) {
    EXPECT_EQ(to_string(parse_endpoint(text).value()), text);
  }
}

TEST(NumberOption, ReadsDecimalNumbersOnly) {
  std::size_t number = 7;
  CLI::App app;
  CLI::Option& option = number_option(app, "--n", number, {.least = 1, .most = 20}, "");
  EXPECT_EQ(option.get_default_str(), "7");
  app.parse("--n 010");
  EXPECT_EQ(number, 10U);
  for (const char* wrong : {"--n 0", "--n 21", "--n x", "--n 0x5"}) {
    EXPECT_THROW(app.parse(wrong), CLI::ValidationError) << wrong;
  }
}

TEST(DurationOption, ReadsGoDurations) {
  Duration duration = std::chrono::hours(1);
  CLI::App app;
  duration_option(app, "--d", duration, "");
  app.parse("--d 1m30s");
  EXPECT_EQ(duration, std::chrono::seconds(90));
  EXPECT_THROW(app.parse("--d 0s"), CLI::ValidationError);
}

}  // namespace
}  // namespace fairway::cli
