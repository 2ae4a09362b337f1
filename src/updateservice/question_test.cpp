#include "updateservice/question.hpp"

#include <gtest/gtest.h>

namespace fairway::updateservice {
namespace {

TEST(Parameter, IsDecodedAndTheLastOfANameCounts) {
  struct Case {
    std::string_view query;
    std::optional<std::string> channel;
  };
  const Case cases[] = {
      {"", std::nullopt},
      {"arch=amd64", std::nullopt},
      {"channel=", ""},
      {"channel", ""},
      {"channel=stable-4.7", "stable-4.7"},
      {"a=b&channel=stable-4.7&c=d", "stable-4.7"},
      {"channel=one&channel=two", "two"},
      {"channel=fast-4%2E9", "fast-4.9"},  // case 12
      {"channel=fast-4%2e9", "fast-4.9"},
      {"channel=fast-4+9", "fast-4 9"},  // case 11
      {"ch%61nnel=x", "x"},
      {"xchannel=x", std::nullopt},
      {"channel=%zz", "%zz"},
      {"channel=%4", "%4"},
      {"channel=a=b", "a=b"},
      {"&&channel=x&&", "x"},
      {"=x", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(parameter(c.query, "channel"), c.channel) << c.query;
}

TEST(Parameter, RepeatedOnesComeInOrder) {
  EXPECT_EQ(parameters("accept=A&x=1&accept=B+C", "accept"), (std::vector<std::string>{"A", "B C"}));
}

TEST(Mandatory, IsTrimmedSortedAndWithoutDuplicates) {
  EXPECT_EQ(parse_mandatory(" foo, bar ,,foo"), (std::set<std::string>{"bar", "foo"}));
  EXPECT_TRUE(parse_mandatory("").empty());
}

TEST(GraphQuestion, Case7And8MissingParametersAreListedInOrder) {
  const auto none = read_graph_question("", {"channel"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status, 400);
  EXPECT_EQ(none.error().kind, "missing_params");
  EXPECT_EQ(none.error().value, "mandatory client parameters missing: channel");
  const auto two = read_graph_question("key=value", {"foo", "bar"});
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().value, "mandatory client parameters missing: bar, foo");
  // Without a mandatory list the channel is still needed.
  EXPECT_EQ(read_graph_question("", {}).error().kind, "missing_params");
}

TEST(GraphQuestion, Case9To13RefusesWhatTheProtocolDoesNotAllow) {
  for (const std::string_view query :
       {"channel=invalid:channel", "channel=invalid_channel", "channel=invalid=channel", "channel=UPPER",
        "channel=", "channel=fast-4+9", "channel=a%00b", "channel=caf%C3%A9", "channel=a&arch=AMD64",
        "channel=a&arch=x86_64", "channel=a&arch="}) {
    const auto question = read_graph_question(query, {"channel"});
    ASSERT_FALSE(question) << query;
    EXPECT_EQ(question.error().status, 400) << query;
    EXPECT_EQ(question.error().kind, "invalid_params") << query;
  }
  EXPECT_EQ(read_graph_question("channel=invalid:channel", {"channel"}).error().value,
            R"(invalid client parameters: channel 'invalid:channel' does not match regex '^[0-9a-z\-\.]+$')");
}

TEST(GraphQuestion, Case15TheArchitectureIsAmd64WhenAbsent) {
  const auto question = read_graph_question("channel=stable-4.7&foo=bar&version=4.7.0", {"channel"});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->channel, "stable-4.7");
  EXPECT_EQ(question->arch, "amd64");
  EXPECT_EQ(question->id, std::nullopt);
  EXPECT_EQ(read_graph_question("channel=a&id=x&arch=s390x", {})->id, "x");
  EXPECT_EQ(read_graph_question("channel=a&id=x&arch=s390x", {})->arch, "s390x");
}

}  // namespace
}  // namespace fairway::updateservice
