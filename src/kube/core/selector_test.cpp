#include "kube/core/selector.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

namespace fairway::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Selector selector(std::string_view text) {
  auto parsed = Selector::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << parsed.error().describe();
  return parsed.value_or(Selector::nothing());
}

struct Canonical {
  const char* text;
  const char* canonical;
};

class Grammar : public testing::TestWithParam<Canonical> {};

TEST_P(Grammar, GivesCanonicalText) {
  const Selector parsed = selector(GetParam().text);
  EXPECT_EQ(parsed.to_string(), GetParam().canonical);
  EXPECT_EQ(selector(parsed.to_string()), parsed) << "the canonical text reads back";
}

// Among them what k8s.io/apimachinery/pkg/labels tests its parser with.
INSTANTIATE_TEST_SUITE_P(
    Selector, Grammar,
    testing::Values(Canonical{"", ""}, Canonical{"  ", ""}, Canonical{"x=a,y=b,z=c", "x=a,y=b,z=c"},
                    Canonical{"x!=a,y=b", "x!=a,y=b"}, Canonical{"x=", "x="}, Canonical{"x= ", "x="},
                    Canonical{"x=,z= ", "x=,z="}, Canonical{"x= ,z= ", "x=,z="}, Canonical{"!x", "!x"},
                    Canonical{"x>1", "x>1"}, Canonical{"x>1,z<5", "x>1,z<5"}, Canonical{"x==a", "x==a"},
                    Canonical{"z,a", "a,z"}, Canonical{" x = a , y != b ", "x=a,y!=b"},
                    Canonical{"e in (y,x)", "e in (x,y)"},
                    Canonical{"x in (a),y notin (b,c),!f,g", "!f,g,x in (a),y notin (b,c)"},
                    Canonical{"x in (abc,def)", "x in (abc,def)"},
                    Canonical{"x notin (abc,def)", "x notin (abc,def)"},
                    Canonical{"x in (abc,abc)", "x in (abc)"}, Canonical{"x in ()", "x in ()"},
                    Canonical{"x notin (,)", "x notin ()"}, Canonical{"x in (a,,b)", "x in (,a,b)"},
                    Canonical{"x in (,a)", "x in (,a)"}, Canonical{"x in (a,)", "x in (,a)"},
                    Canonical{"in in (in,notin)", "in in (in,notin)"}, Canonical{"notin", "notin"},
                    Canonical{"a=in", "a=in"}, Canonical{"key.io/a_b=C-d.e", "key.io/a_b=C-d.e"},
                    Canonical{"x\t=\na", "x=a"}, Canonical{"a=1,a=2", "a=1,a=2"}));

struct Refused {
  const char* text;
  const char* message;
};

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, AreWordedAsInKubernetes) {
  const auto parsed = Selector::parse(GetParam().text);
  ASSERT_FALSE(parsed.has_value()) << GetParam().text;
  EXPECT_EQ(parsed.error().code, ErrorCode::Invalid);
  EXPECT_THAT(parsed.error().message, StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Selector, Refusals,
    testing::Values(
        Refused{"x=a||y=b",
                "unable to parse requirement: values[0][x]: Invalid value: \"a||y\": a valid label must"},
        Refused{"x==a==b", "found '==', expected: ',' or 'end of string'"},
        Refused{"!x=a", "found '=', expected: ',' or 'end of string'"},
        Refused{"!x!=a", "found '!=', expected: ',' or 'end of string'"},
        Refused{"!!a", "unable to parse requirement: found '!', expected: identifier"},
        Refused{"!", "unable to parse requirement: found '', expected: identifier"},
        Refused{"x<a",
                "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the "
                "value must be an integer"},
        Refused{"x>",
                "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the "
                "value "
                "must be an integer"},
        Refused{",", "found ',', expected: !, identifier, or 'end of string'"},
        Refused{"a,", "found '', expected: identifier after ','"},
        Refused{"a,,b", "found ',', expected: identifier after ','"},
        Refused{"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        Refused{"x in a", "unable to parse requirement: found 'a' expected: '('"},
        Refused{"x in (a", "unable to parse requirement: found '', expected: ',' or ')'"},
        Refused{"x in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"},
        Refused{"x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"},
        Refused{"x in (a,(b)", "unable to parse requirement: found '(', expected: ',', or identifier"},
        Refused{"x=(a)", "unable to parse requirement: found '(', expected: identifier"},
        Refused{"x in (a) y", "found 'y', expected: ',' or 'end of string'"},
        Refused{"$x=a",
                "unable to parse requirement: <nil>: Invalid value: \"$x\": name part must consist of"},
        Refused{"=a", "found '=', expected: !, identifier, or 'end of string'"},
        Refused{"x>-1",
                "unable to parse requirement: values[0][x]: Invalid value: \"-1\": a valid label must"}),
    [](const auto& test) { return "Case" + std::to_string(test.index); });

struct Match {
  const char* selector;
  Labels labels;
  bool matches;
};

class Matching : public testing::TestWithParam<Match> {};

TEST_P(Matching, IsTheSameForStructsAndJson) {
  const auto& [text, labels, expected] = GetParam();
  const Selector parsed = selector(text);
  EXPECT_EQ(parsed.matches(labels), expected) << text;
  json::Object object;
  for (const auto& [key, value] : labels) object[key] = value;
  EXPECT_EQ(parsed.matches(object), expected) << text;
  const json::Object whole{{"metadata", json::Object{{"labels", object}}}};
  EXPECT_EQ(parsed.matches_object(whole), expected) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Selector, Matching,
    testing::Values(Match{"", {{"x", "y"}}, true}, Match{"", {}, true}, Match{"x=y", {{"x", "y"}}, true},
                    Match{"x=y,z=w", {{"x", "y"}, {"z", "w"}}, true},
                    Match{"x!=y,z!=w", {{"x", "z"}, {"z", "a"}}, true},
                    Match{"notin=in", {{"notin", "in"}}, true}, Match{"x", {{"x", "z"}}, true},
                    Match{"!x", {{"z", "1"}}, true}, Match{"x>1", {{"x", "2"}}, true},
                    Match{"x<1", {{"x", "0"}}, true}, Match{"x=z", {}, false},
                    Match{"x=y", {{"x", "z"}}, false}, Match{"x=y,z=w", {{"x", "w"}, {"z", "w"}}, false},
                    Match{"x!=y,z!=w", {{"x", "z"}, {"z", "w"}}, false}, Match{"x", {{"z", "x"}}, false},
                    Match{"!x", {{"x", "z"}}, false}, Match{"x>1", {{"x", "0"}}, false},
                    Match{"x>1", {{"x", "1"}}, false}, Match{"x<1", {{"x", "2"}}, false},
                    Match{"x>1", {{"x", "abc"}}, false}, Match{"x>1", {}, false},
                    Match{"x in (a,b)", {{"x", "b"}}, true}, Match{"x in (a,b)", {{"x", "c"}}, false},
                    Match{"x in (a,b)", {}, false}, Match{"x notin (a,b)", {{"x", "c"}}, true},
                    Match{"x notin (a,b)", {{"x", "a"}}, false}, Match{"x notin (a,b)", {}, true},
                    Match{"x in (a,)", {{"x", ""}}, true}, Match{"x=", {{"x", ""}}, true},
                    Match{"x=", {}, false}, Match{"x!=", {{"x", ""}}, false},
                    Match{"a=1,a=2", {{"a", "1"}}, false}));

TEST(Selector, NothingMatchesNothing) {
  EXPECT_FALSE(Selector::nothing().matches(Labels{}));
  EXPECT_TRUE(Selector::nothing().is_nothing());
  EXPECT_FALSE(Selector::nothing().is_everything());
  EXPECT_TRUE(Selector().is_everything());
}

TEST(Selector, LabelsThatAreNoTextAreAbsent) {
  EXPECT_FALSE(selector("x").matches(json::Object{{"x", 1}}));
}

TEST(Selector, ComesFromAStruct) {
  const LabelSelector spec{
      .match_labels = {{"z", "1"}, {"a", "2"}},
      .match_expressions = {{"k", "NotIn", {"y", "x"}}, {"e", "Exists"}, {"d", "DoesNotExist"}}};
  EXPECT_EQ(Selector::from(spec)->to_string(), "a=2,!d,e,k notin (x,y),z=1");
  EXPECT_TRUE(Selector::from(LabelSelector{})->is_everything());
  EXPECT_EQ(Selector::from_labels({{"a", "b"}}).to_string(), "a=b");
}

TEST(Selector, RefusesBadStructs) {
  const auto refusal = [](LabelSelectorRequirement expression) {
    return Selector::from({.match_expressions = {std::move(expression)}}).error().message;
  };
  EXPECT_EQ(refusal({"k", "Foo", {}}), "\"Foo\" is not a valid label selector operator");
  EXPECT_EQ(refusal({"k", "In", {}}),
            "values: Invalid value: []string{}: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_EQ(refusal({"k", "Exists", {"x"}}),
            "values: Invalid value: []string{\"x\"}: values set must be empty for exists and does not exist");
  EXPECT_THAT(refusal({"k k", "In", {"-"}}),
              testing::AllOf(StartsWith("[key: Invalid value: \"k k\": name part"),
                             HasSubstr(", values[0][k k]: Invalid value: \"-\": a valid label")));
  EXPECT_THAT(Selector::from({.match_labels = {{"k", "-"}}}).error().message,
              StartsWith("values[0][k]: Invalid value: \"-\": a valid label"));
}

TEST(Selector, MatchingDoesNotAllocate) {
#if __has_feature(address_sanitizer)
  static std::atomic<int> allocations = 0;
  __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++allocations; },
                                            [](const volatile void*) {});
  const Selector labels = selector("app in (a-rather-long-value-of-a-label,b),x!=y,n>3,!absent,app");
  const auto fields = FieldSelector::parse("metadata.name=a-rather-long-name-of-an-object,spec.count=3");
  const auto object = json::parse_object(
      R"({"metadata":{"name":"a-rather-long-name-of-an-object","labels":{"app":"a-rather-long-value-of-a-label",
          "n":"4"}},"spec":{"count":3}})");
  const int before = allocations;
  const bool matches = labels.matches_object(*object) && fields->matches(*object);
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(matches);
#else
  GTEST_SKIP() << "not run: counting allocations needs the address sanitizer";
#endif
}

TEST(Selector, NamesTheOnlyPossibleValue) {
  EXPECT_EQ(selector("a=1,b in (2),c in (3,4),d").required_value("a"), "1");
  EXPECT_EQ(selector("a=1,b in (2),c in (3,4),d").required_value("b"), "2");
  EXPECT_EQ(selector("a=1,b in (2),c in (3,4),d").required_value("c"), std::nullopt);
  EXPECT_EQ(selector("a!=1").required_value("a"), std::nullopt);
}

TEST(FieldSelector, IsTheSameWhicheverWayEqualityIsWritten) {
  EXPECT_EQ(*FieldSelector::parse("a==b,a=a"), *FieldSelector::parse("a=a,a=b"));
  const auto odd = FieldSelector::parse("=!,==");
  ASSERT_TRUE(odd);
  EXPECT_EQ(FieldSelector::parse(odd->to_string()), *odd);
}

TEST(FieldSelector, ReadsTerms) {
  const auto parsed = FieldSelector::parse("status.phase!=Running,metadata.name==x,spec.a=b\\,c\\=d\\\\");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  EXPECT_EQ(parsed->to_string(), "metadata.name=x,spec.a=b\\,c\\=d\\\\,status.phase!=Running");
  EXPECT_EQ(parsed->required_value("metadata.name"), "x");
  EXPECT_EQ(parsed->required_value("spec.a"), "b,c=d\\");
  EXPECT_EQ(parsed->required_value("status.phase"), std::nullopt);
  EXPECT_EQ(FieldSelector::parse(parsed->to_string()), *parsed);
  EXPECT_TRUE(FieldSelector::parse("")->is_everything());
  EXPECT_TRUE(FieldSelector::parse(",,")->is_everything());
  EXPECT_EQ(FieldSelector::parse("a=")->terms().front(), (FieldSelector::Term{"a", true, ""}));
}

TEST(FieldSelector, RefusesWithKubernetesWords) {
  EXPECT_EQ(FieldSelector::parse("a=b,c").error().message, "invalid selector: 'a=b,c'; can't understand 'c'");
  EXPECT_EQ(FieldSelector::parse("a=b\\x").error().message,
            "invalid field selector: invalid escape sequence: \\x");
  EXPECT_EQ(FieldSelector::parse("a=b\\").error().message,
            "invalid field selector: invalid escape sequence: \\");
  EXPECT_EQ(FieldSelector::parse("a=b=c").error().message,
            "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(FieldSelector::parse("a===b").error().message,
            "invalid field selector: unescaped character in value: 61");
}

TEST(FieldSelector, MatchesFieldsByTheirText) {
  const auto object = json::parse_object(R"({"metadata":{"name":"x","namespace":"n"},
    "spec":{"unschedulable":true,"count":3},"status":{"phase":"Running","empty":null}})");
  const auto matches = [&](std::string_view text) { return FieldSelector::parse(text)->matches(*object); };
  EXPECT_TRUE(matches("metadata.name=x"));
  EXPECT_TRUE(matches("metadata.name=x,metadata.namespace=n,status.phase!=Failed"));
  EXPECT_FALSE(matches("metadata.name=y"));
  EXPECT_FALSE(matches("metadata.name!=x"));
  EXPECT_TRUE(matches("spec.unschedulable=true"));
  EXPECT_FALSE(matches("spec.unschedulable=false"));
  EXPECT_TRUE(matches("spec.count=3"));
  EXPECT_TRUE(matches("spec.absent="));
  EXPECT_TRUE(matches("status.empty="));
  EXPECT_TRUE(matches("spec.absent!=x"));
  EXPECT_FALSE(matches("metadata.name.below=x"));
  EXPECT_FALSE(matches("metadata=x"));
}

}  // namespace
}  // namespace fairway::kube
