#include "kube/core/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Validate = Problems (*)(std::string_view);
using Is = bool (*)(std::string_view);

struct Rule {
  const char* name;
  Validate validate;
  Is is;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, Decide) {
  for (const std::string& value : GetParam().good) {
    EXPECT_THAT(GetParam().validate(value), IsEmpty()) << value;
    if (GetParam().is != nullptr) EXPECT_TRUE(GetParam().is(value)) << value;
  }
  for (const std::string& value : GetParam().bad) {
    EXPECT_FALSE(GetParam().validate(value).empty()) << value;
    if (GetParam().is != nullptr) EXPECT_FALSE(GetParam().is(value)) << value;
  }
}

std::string times(std::size_t count, char c = 'a') {
  return std::string(count, c);
}

// The values of k8s.io/apimachinery's own tests.
INSTANTIATE_TEST_SUITE_P(
    Names, Rules,
    testing::Values(
        Rule{"Dns1123Label",
             validate_dns1123_label,
             is_dns1123_label,
             {"a", "ab", "abc", "a1", "a-1", "a--1--2--b", "0", "01", "012", "1a", "1-a", "1--a--b--2",
              times(63)},
             {"",   "A",   "ABC", "aBc", "A1", "A-1", "1-A", "-",  "a-",  "-a",     "1-",  "-1",
              "_",  "a_",  "_a",  "a_b", "1_", "_1",  "1_2", ".",  "a.",  ".a",     "a.b", "1.",
              ".1", "1.2", " ",   "a ",  " a", "a b", "1 ",  " 1", "1 2", times(64)}},
        Rule{"Dns1123Subdomain",
             validate_dns1123_subdomain,
             is_dns1123_subdomain,
             {"a",     "ab",    "a1",   "a-1",       "a--1--2--b",     "0",         "01",      "1-a", "a.a",
              "ab.a",  "abc.a", "a1.a", "a-1.a",     "a--1--2--b.a",   "a.1",       "ab.1",    "0.a", "01.a",
              "012.a", "1a.a",  "0.1",  "a.b.c.d.e", "aa.bb.cc.dd.ee", "1.2.3.4.5", times(253)},
             {"",    "A",   "aBc", "A1",  "-",   "a-",   "-a",    "1-",  "-1",   "_",       "a_",
              "a_b", "1_2", ".",   "a.",  ".a",  "a..b", "1.",    ".1",  "1..2", " ",       "a ",
              "a b", "A.a", "a.A", "A.1", "a@b", "a,b",  "a_b.c", "a:b", "a-.b", times(254)}},
        Rule{"Dns1035Label",
             validate_dns1035_label,
             is_dns1035_label,
             {"a", "ab", "abc", "a1", "a-1", "a--1--2--b", times(63)},
             {"0", "01", "012", "1a", "1-a", "", "A", "aBc", "-", "a-", "-a", "_", "a_b", ".", "a.b", " ",
              "a b", times(64)}},
        Rule{"QualifiedName",
             validate_qualified_name,
             is_qualified_name,
             {"simple", "now-with-dashes", "1-starts-with-num", "1234", "simple/simple",
              "now-with-dashes/simple", "now-with-dashes/now-with-dashes", "now.with.dots/simple",
              "now-with.dashes-and.dots/simple", "1-num.2-num/3-num", "1234/5678", "1.2.3.4/5678",
              "Uppercase_Is_OK_123", "example.com/Uppercase_Is_OK_123", "requests.storage-foo", times(63),
              times(253) + "/" + times(63)},
             {"nospecialchars%^=@", "cantendwithadash-", "-cantstartwithadash-", "only/one/slash",
              "Example.com/abc", "example_com/abc", "example.com/", "/simple", times(64), times(254) + "/abc",
              "", "/", "a/b/c"}},
        Rule{"LabelValue",
             validate_label_value,
             is_label_value,
             {"simple", "now-with-dashes", "1-starts-with-num", "end-with-num-1", "1234", "", times(63),
              "A_b.c"},
             {"nospecialchars%^=@", "Tama-nui-te-rā.is.Māori.sun", "\\backslashes\\are\\bad",
              "-starts-with-dash", "ends-with-dash-", ".starts.with.dot", "ends.with.dot.", times(64)}},
        Rule{"PathSegment",
             validate_path_segment_name,
             nullptr,
             {"a", "A b", "...", "a:b", "..a"},
             {".", "..", "a/b", "a%b", "/", "%"}},
        Rule{"PortName",
             validate_port_name,
             nullptr,
             {"telnet", "re-mail-ck", "pop3", "a", "a-1", "1-a", "a-1-b-2-c", "1-a-2-b-3"},
             {"longerthan15characters", "", times(16), "12345", "1-2-3-4", "-begin", "end-", "two--hyphens",
              "whois++"}}),
    [](const auto& test) { return test.param.name; });

TEST(Names, SayWhatIsWrongInKubernetesWords) {
  EXPECT_THAT(
      validate_dns1123_subdomain("Foo"),
      ElementsAre(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
          "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
          "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  EXPECT_THAT(
      validate_dns1123_label("Foo"),
      ElementsAre("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
                  "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
                  "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
  EXPECT_THAT(validate_dns1123_label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(validate_dns1123_label(times(64)), ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(
      validate_dns1035_label("1a"),
      ElementsAre("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
                  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
                  "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"));
  EXPECT_THAT(
      validate_label_value("-a"),
      ElementsAre("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
                  "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
                  "'my_value',  or '12345', regex used for validation is "
                  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
  EXPECT_THAT(validate_path_segment_name("a/%"), ElementsAre("may not contain '/'", "may not contain '%'"));
  EXPECT_THAT(validate_path_segment_name(".."), ElementsAre("may not be '..'"));
}

TEST(Names, SayWhichPartOfAQualifiedNameIsWrong) {
  const std::string name =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  EXPECT_THAT(validate_qualified_name("a/b/c"),
              ElementsAre("a qualified name " + name +
                          " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"));
  EXPECT_THAT(validate_qualified_name("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(validate_qualified_name("a/"), ElementsAre("name part must be non-empty", "name part " + name));
  EXPECT_THAT(validate_qualified_name(times(64)),
              ElementsAre("name part must be no more than 63 characters"));
  EXPECT_THAT(validate_qualified_name(times(254) + "/a"),
              ElementsAre("prefix part must be no more than 253 characters"));
}

TEST(Names, JudgeAGenerateNameByWhatComesOfIt) {
  EXPECT_EQ(mask_trailing_dash("web-"), "wea");
  EXPECT_EQ(mask_trailing_dash("web"), "web");
  EXPECT_EQ(mask_trailing_dash("-"), "-");
  EXPECT_EQ(mask_trailing_dash(""), "");
}

TEST(ValidateLabels, NamesTheField) {
  const auto errors = validate_labels({{"a b", "ok"}, {"good", "-"}}, "metadata.labels");
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_THAT(errors[0].text(),
              testing::StartsWith("metadata.labels: Invalid value: \"a b\": name part must"));
  EXPECT_THAT(errors[1].text(),
              testing::StartsWith("metadata.labels: Invalid value: \"-\": a valid label must"));
  EXPECT_THAT(validate_labels({{"a", "b"}}, "x"), IsEmpty());
}

TEST(ValidateAnnotations, AllowsCapitalsInThePrefixAndBoundsTheSize) {
  EXPECT_THAT(validate_annotations({{"Example.com/a", "any text at all % /"}}, "x"), IsEmpty());
  EXPECT_EQ(validate_annotations({{"a b", ""}}, "x").size(), 1U);
  EXPECT_THAT(validate_annotations({{"a", times(256 * 1024 - 1)}}, "x"), IsEmpty());
  const auto errors = validate_annotations({{"a", times(256 * 1024)}}, "metadata.annotations");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].type, json::FieldError::Type::TooLong);
}

}  // namespace
}  // namespace fairway::kube
