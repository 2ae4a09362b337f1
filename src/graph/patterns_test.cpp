#include "graph/patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

TEST(Patterns, EqualTextsAreOnePattern) {
  Patterns patterns;
  const auto first = patterns.add("4[.]6[.].*");
  const auto other = patterns.add(".*");
  EXPECT_EQ(*patterns.add("4[.]6[.].*"), *first);
  EXPECT_NE(*first, *other);
  EXPECT_EQ(patterns.size(), 2U);
}

TEST(Patterns, WhatRe2DoesNotKnowIsNamed) {
  Patterns patterns;
  const auto wrong = patterns.add("4[.(6");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("4[.(6"));
  EXPECT_FALSE(patterns.add("(?=x)"));
  EXPECT_FALSE(patterns.add(std::string(5000, 'x')));
  EXPECT_EQ(patterns.size(), 0U);
}

struct MatchCase {
  const char* pattern;
  const char* subject;
  bool anywhere;
  bool whole;
};

TEST(Patterns, SearchIsNotAnchored) {
  const MatchCase cases[] = {
      // case 59
      {"4[.]14[.][3-8]", "4.14.30+amd64", true, false},
      {"4[.]14[.][3-8]", "4.14.3", true, true},
      {"4[.]14[.][3-8]", "4.14.29+amd64", false, false},
      // case 60
      {"^4[.]19[.]([0-9]|1[0-7])[+].*$", "4.19.17+amd64", true, true},
      {"^4[.]19[.]([0-9]|1[0-7])[+].*$", "4.19.18+amd64", false, false},
      {".*", "4.1.0", true, true},
      {"", "4.1.0", true, false},
      {"4.18.*", "4.14.18", true, false},
  };
  Patterns patterns;
  std::vector<std::string_view> subjects;
  subjects.reserve(std::size(cases));
  for (const MatchCase& c : cases) subjects.push_back(c.subject);
  for (const MatchCase& c : cases) ASSERT_TRUE(patterns.add(c.pattern));
  const auto matches = patterns.match_all(subjects);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const PatternId id = *patterns.add(cases[i].pattern);
    EXPECT_EQ(patterns.matches(id, subjects[i]), cases[i].anywhere)
        << cases[i].pattern << " in " << subjects[i];
    EXPECT_EQ(patterns.matches_whole(id, subjects[i]), cases[i].whole)
        << cases[i].pattern << " is " << subjects[i];
    for (PatternId pattern = 0; pattern < patterns.size(); ++pattern) {
      EXPECT_EQ(matches.test(pattern, i), patterns.matches(pattern, subjects[i]))
          << patterns.text(pattern) << " " << subjects[i];
    }
  }
}

TEST(Patterns, PatternsWhoseJointAutomatonIsHugeStillAnswer) {
  Patterns patterns;
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(patterns.add("(a|b)*a(a|b){" + std::to_string(i % 60 + 10) + "}" + std::to_string(i)));
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i), 'a') + std::string(40, 'b') + std::to_string(i));
  const std::vector<std::string_view> subjects(texts.begin(), texts.end());
  const auto matches = patterns.match_all(subjects);
  for (PatternId id = 0; id < patterns.size(); ++id) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      ASSERT_EQ(matches.test(id, i), patterns.matches(id, subjects[i])) << id << " " << subjects[i];
    }
  }
}

}  // namespace
}  // namespace fairway::graph
