#include "json/yaml.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "json/yaml_scalar.hpp"

namespace fairway::json {
namespace {

using ::testing::HasSubstr;

// The value as JSON text, or the error's message.
std::string read(std::string_view text, const YamlOptions& options = {}) {
  const auto value = parse_yaml(text, options);
  return value ? serialize(*value) : value.error().message;
}

struct ScalarCase {
  const char* yaml;
  const char* json;
};

class YamlScalars : public testing::TestWithParam<ScalarCase> {};

// Each result was observed with kubectl 1.20.2 (patch --local -o json), but for two where we keep what it
// loses: integers from 2^63 on stay exact, and a merge key that stands last does not overrule the keys before
// it.
TEST_P(YamlScalars, AreReadAsKubectlDoes) {
  EXPECT_EQ(read(GetParam().yaml), GetParam().json) << GetParam().yaml;
}

INSTANTIATE_TEST_SUITE_P(
    Words, YamlScalars,
    testing::Values(ScalarCase{"yes", "true"}, ScalarCase{"Yes", "true"}, ScalarCase{"YES", "true"},
                    ScalarCase{"y", "true"}, ScalarCase{"Y", "true"}, ScalarCase{"on", "true"},
                    ScalarCase{"On", "true"}, ScalarCase{"ON", "true"}, ScalarCase{"true", "true"},
                    ScalarCase{"True", "true"}, ScalarCase{"TRUE", "true"}, ScalarCase{"no", "false"},
                    ScalarCase{"No", "false"}, ScalarCase{"NO", "false"}, ScalarCase{"n", "false"},
                    ScalarCase{"N", "false"}, ScalarCase{"off", "false"}, ScalarCase{"Off", "false"},
                    ScalarCase{"OFF", "false"}, ScalarCase{"false", "false"}, ScalarCase{"False", "false"},
                    ScalarCase{"FALSE", "false"}, ScalarCase{"tRue", "\"tRue\""},
                    ScalarCase{"yEs", "\"yEs\""}, ScalarCase{"oN", "\"oN\""}, ScalarCase{"~", "null"},
                    ScalarCase{"null", "null"}, ScalarCase{"Null", "null"}, ScalarCase{"NULL", "null"},
                    ScalarCase{"nULL", "\"nULL\""}, ScalarCase{"", "null"}, ScalarCase{"'yes'", "\"yes\""},
                    ScalarCase{"\"no\"", "\"no\""}, ScalarCase{"'~'", "\"~\""}, ScalarCase{"''", "\"\""}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, YamlScalars,
    testing::Values(ScalarCase{"0", "0"}, ScalarCase{"-0", "0"}, ScalarCase{"+5", "5"},
                    ScalarCase{"0x1F", "31"}, ScalarCase{"-0x1f", "-31"}, ScalarCase{"017", "15"},
                    ScalarCase{"0o17", "15"}, ScalarCase{"08", "8"}, ScalarCase{"0b101", "5"},
                    ScalarCase{"-0b11", "-3"}, ScalarCase{"1_000", "1000"}, ScalarCase{"1__0", "10"},
                    ScalarCase{"1_", "1"}, ScalarCase{"0x_1f", "31"}, ScalarCase{"_1", "\"_1\""},
                    ScalarCase{"1e3", "1000"}, ScalarCase{"+12e03", "12000"}, ScalarCase{".5", "0.5"},
                    ScalarCase{"5.", "5"}, ScalarCase{"-.5", "-0.5"}, ScalarCase{"+.5", "0.5"},
                    ScalarCase{"4.10", "4.1"}, ScalarCase{"4.10.3", "\"4.10.3\""},
                    ScalarCase{"0.1e", "\"0.1e\""}, ScalarCase{"1e400", "\"1e400\""},
                    ScalarCase{"0x", "\"0x\""}, ScalarCase{"0b2", "\"0b2\""},
                    ScalarCase{"9223372036854775807", "9223372036854775807"},
                    ScalarCase{"-9223372036854775808", "-9223372036854775808"},
                    ScalarCase{"18446744073709551615", "18446744073709551615"}, ScalarCase{"'12'", "\"12\""},
                    ScalarCase{"2001-01-01", "\"2001-01-01\""}, ScalarCase{"1:30", "\"1:30\""},
                    ScalarCase{".inf1", "\".inf1\""}, ScalarCase{"'-'", "\"-\""}));

INSTANTIATE_TEST_SUITE_P(Tags, YamlScalars,
                         testing::Values(ScalarCase{"!!str 12", "\"12\""}, ScalarCase{"!!str", "\"\""},
                                         ScalarCase{"!!int \"3\"", "3"}, ScalarCase{"!!float 3", "3"},
                                         ScalarCase{"!!bool yes", "true"}, ScalarCase{"!!null ''", "null"},
                                         ScalarCase{"!!binary aGk=", "\"hi\""}, ScalarCase{"!foo 3", "\"3\""},
                                         ScalarCase{"! 3", "\"3\""},
                                         ScalarCase{"!!timestamp 2001-01-01", "\"2001-01-01\""},
                                         ScalarCase{"!!map {a: 1}", R"({"a":1})"},
                                         ScalarCase{"!thing [1]", "[1]"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, YamlScalars,
    testing::Values(ScalarCase{"a: 1\nb:\n- x\n- k: 2\n  z: 3\n", R"({"a":1,"b":["x",{"k":2,"z":3}]})"},
                    ScalarCase{"a:\nb: {}\nc: []\n", R"({"a":null,"b":{},"c":[]})"},
                    ScalarCase{"{\"a\":\t[1, true, \"x\"]}", R"({"a":[1,true,"x"]})"},
                    ScalarCase{"a: |\n  x\n\n  y\nb: |-\n  z\nc: >\n  p\n  q\n",
                               R"({"a":"x\n\ny\n","b":"z","c":"p q\n"})"},
                    ScalarCase{"a: one\n  two\n", R"({"a":"one two"})"},
                    ScalarCase{"# only a comment\n", "null"}, ScalarCase{"---\na: 1\n...\n", R"({"a":1})"},
                    ScalarCase{"\xEF\xBB\xBF"
                               "a: 1",
                               R"({"a":1})"},
                    ScalarCase{"yes: 1\n1.10: a\n0x10: b\n2: c\n",
                               R"({"true":1,"1.1":"a","16":"b","2":"c"})"},
                    ScalarCase{"a: 1 # c\nb: x#y\n", R"({"a":1,"b":"x#y"})"},
                    ScalarCase{"a: \"\\u00e9\\n\"", "{\"a\":\"é\\n\"}"}));

INSTANTIATE_TEST_SUITE_P(
    Anchors, YamlScalars,
    testing::Values(ScalarCase{"a: &x {b: 1}\nc: *x\n", R"({"a":{"b":1},"c":{"b":1}})"},
                    ScalarCase{"- &x 1\n- *x\n- &x 2\n- *x\n", "[1,1,2,2]"},
                    ScalarCase{"&k key: 1\nother: *k\n", R"({"key":1,"other":"key"})"},
                    ScalarCase{"a: &k key\nb: {*k : 1}\n", R"({"a":"key","b":{"key":1}})"},
                    // Explicit keys win, wherever the merge key stands; earlier sources win over later ones.
                    ScalarCase{"<<: {a: 1, b: 1}\na: 2\n", R"({"a":2,"b":1})"},
                    ScalarCase{"a: 2\n<<: {a: 1, b: 1}\n", R"({"a":2,"b":1})"},
                    ScalarCase{"<<: [{a: 1}, {a: 2, b: 2}]\n", R"({"a":1,"b":2})"},
                    ScalarCase{"x: &x {a: 1}\nd:\n  <<: *x\n  c: 3\n", R"({"x":{"a":1},"d":{"c":3,"a":1}})"},
                    ScalarCase{"\"<<\": {a: 1}\n", R"({"<<":{"a":1}})"}));

TEST(ParseYaml, NamesTheProblemItsPlaceAndTheRemedy) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"a: 1\n\tb: 2\n", "line 2, column 1"},
      {"a:\n\t- b\n", "indent with blanks, not tabs"},
      {"a: @x\n", "quote text that starts with one of @ ` %"},
      {"a: b: c\n", "quote text that holds a colon and a blank"},
      {"a: 1\n b: 2\n", "at line 2, column"},
      {"a:\n - 1\n b: 2\n", "indent all items of the list alike"},
      {"a: [1, 2\n", "separate the items by commas and close the bracket"},
      {"a: \"x\n", "close the quote or the bracket"},
      {"a: 1\nb\n", "end the key with a colon and a blank"},
      {"a: 1\nb: 2\na: 3\n",
       "the key \"a\" stands twice in one mapping: keep one; the second is at line 3, column 1"},
      {"a: {x: 1, 'x': 2}",
       "the key \"x\" stands twice in one mapping: keep one; the second is at line 1, column 11"},
      {"1: a\n'1': b\n", "the key \"1\" stands twice"},
      {"? [a]\n: 1\n", "expected a text as key, found a list at line 1, column 3"},
      {"? {a: 1}\n: 1\n", "expected a text as key, found a mapping at line 1, column 3"},
      {"~: 1\n", "expected a key, found null: quote it if it is meant as text at line 1, column 1"},
      {"a: *x\n",
       "expected an anchor &x that is complete before its alias *x, found none at line 1, column 4"},
      {"a: &x [*x]\n", "expected an anchor &x that is complete"},
      {"a: &x [1]\nb: {*x : 1}\n", "expected a text as key, found an alias of an array"},
      {"<<: 1\n", "expected a mapping, or a list of mappings, after the merge key <<"},
      {"<<: [1]\n", "expected a mapping, or a list of mappings, after the merge key <<"},
      {"a: .inf\n", "expected a number that JSON has, found \".inf\""},
      {"a: !!int x\n", "expected an integer because of its tag, found \"x\" at line 1, column 4"},
      {"a: !!int 1.5\n", "expected an integer because of its tag"},
      {"a: !!bool x\n", "expected a boolean because of its tag"},
      {"a: !!binary '*'\n", "expected base64 of UTF-8 text because of its tag"},
      {"a: !!binary /w==\n", "expected base64 of UTF-8 text because of its tag"},
      {"a: 1\n---\nb: 2\n", "expected at most 1 YAML document, found another at line 2, column 1"},
      {"a: \xff\n", "at line 1, column 4"},
      {"é: \x01\n", "at line 1, column 4"},
  };
  for (const auto& [text, message] : cases) {
    const auto value = parse_yaml(text);
    ASSERT_FALSE(value.has_value()) << text;
    EXPECT_EQ(value.error().code, ErrorCode::Invalid);
    EXPECT_THAT(value.error().message, HasSubstr(message)) << text;
  }
}

TEST(ParseYaml, KeepsNumbersAsTextWhenAskedTo) {
  const YamlOptions verbatim{.numbers_as_text = true};
  EXPECT_EQ(read("[4.10, 017, 1_0, 1e3, yes, ~, 0x1f, '1']", verbatim),
            R"(["4.10","017","1_0","1e3",true,null,"0x1f","1"])");
  EXPECT_EQ(read("4.10: a\n4.1: b\n", verbatim), R"({"4.10":"a","4.1":"b"})");
  EXPECT_EQ(read("!!int 3", verbatim), "3");
}

TEST(ParseYaml, BoundsBytesAndDepth) {
  EXPECT_EQ(read("a: 1", {.max_bytes = 3}), "expected at most 3 bytes of YAML, found 4");
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(read(nested(100), {.max_depth = 100}), nested(100));
  EXPECT_THAT(read(nested(101), {.max_depth = 100}),
              HasSubstr("nested at most 100 deep, found more at line 1"));
  EXPECT_THAT(read(nested(10'000)), HasSubstr("nested at most 512 deep"));
  std::string block;
  for (std::size_t i = 0; i < 1000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(read(block), HasSubstr("nested at most 512 deep"));
}

TEST(ParseYaml, BoundsDepthAcrossAliases) {
  const char* text = "a: &a [[[1]]]\nb: [[*a]]\n";
  EXPECT_EQ(read(text, {.max_depth = 6}), R"({"a":[[[1]]],"b":[[[[[1]]]]]})");
  EXPECT_THAT(read(text, {.max_depth = 5}), HasSubstr("nested at most 5 deep"));
}

TEST(ParseYaml, BoundsWhatAliasesExpandTo) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += "*a" + std::to_string(i - 1) + ",";
    laughs += "]\n";
  }
  EXPECT_THAT(read(laughs), HasSubstr("expected at most 2000000 values with aliases expanded, found more"));

  std::string long_text = "- &t " + std::string(1 << 20, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) long_text += "- *t\n";
  EXPECT_THAT(read(long_text), HasSubstr("values with aliases expanded"));

  std::string merges = "x: &x {a: " + std::string(1 << 20, 'x') + "}\nlist:\n";
  for (int i = 0; i < 1000; ++i) merges += "- <<: *x\n";
  EXPECT_THAT(read(merges), HasSubstr("values with aliases expanded"));

  std::string anchors;
  for (int i = 0; i < 500; ++i) anchors += "&a" + std::to_string(i) + " [";
  anchors += std::string(1 << 20, 'x') + std::string(500, ']');
  EXPECT_THAT(read(anchors), HasSubstr("values with aliases expanded"));
}

TEST(ParseYamlDocuments, ReadsAStreamAndSkipsEmptyDocuments) {
  const auto documents =
      parse_yaml_documents("---\n# nothing\n---\na: 1\n---\n---\nnull\n...\n---\n[2]\n---\n");
  ASSERT_TRUE(documents.has_value()) << documents.error().describe();
  EXPECT_EQ(serialize(Value(Array(documents->begin(), documents->end()))), R"([{"a":1},[2]])");
  EXPECT_TRUE(parse_yaml_documents("")->empty());
}

TEST(ParseYamlDocuments, KeepsAnchorsToTheirDocument) {
  EXPECT_THAT(parse_yaml_documents("&x a\n---\n*x\n").error().message, HasSubstr("at line 3, column 1"));
}

TEST(ParseYamlDocuments, BoundsTheirNumber) {
  const auto documents = parse_yaml_documents("a\n---\nb\n---\nc\n", {.max_documents = 2});
  ASSERT_FALSE(documents.has_value());
  EXPECT_EQ(documents.error().message,
            "expected at most 2 YAML documents, found another at line 4, column 1");
}

TEST(ToYaml, WritesAsKubectlDoes) {
  const auto value = parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{},
    "creationTimestamp":"2024-02-29T12:00:00Z","finalizers":["a/b"],"generation":3},
    "data":{"script":"#!/bin/sh\necho hi\n","no-end":"a\nb","empty":"","yes":"no","n":"017","time":"1:30",
    "colon":"a: b","dash":"- x","hash":"a #b","star":"*x","blank":" lead","tab":"a\tb","quote":"it's",
    "version":"4.10","word":"plain words","list":[[1,2],{"a":[],"b":null}],"ratio":0.5,"ok":true}})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(to_yaml(*value), R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: x
  labels: {}
  creationTimestamp: "2024-02-29T12:00:00Z"
  finalizers:
  - a/b
  generation: 3
data:
  script: |
    #!/bin/sh
    echo hi
  no-end: |-
    a
    b
  empty: ""
  "yes": "no"
  "n": "017"
  time: "1:30"
  colon: 'a: b'
  dash: '- x'
  hash: 'a #b'
  star: '*x'
  blank: ' lead'
  tab: "a\tb"
  quote: it's
  version: "4.10"
  word: plain words
  list:
  - - 1
    - 2
  - a: []
    b: null
  ratio: 0.5
  ok: true
)");
}

TEST(ToYaml, SortsKeysWhenAskedTo) {
  const auto value = parse(R"({"b":{"z":1,"a":2},"a":[]})");
  EXPECT_EQ(to_yaml(*value, {.sort_keys = true}), "a: []\nb:\n  a: 2\n  z: 1\n");
  EXPECT_EQ(to_yaml(*value), "b:\n  z: 1\n  a: 2\na: []\n");
}

TEST(ToYaml, WritesScalarsAndEmptyCollectionsAlone) {
  for (const char* text : {"1", "\"x\"", "null", "[]", "{}", "\"\"", "1.5", "\"a\\nb\"", "\"yes\""}) {
    const Value value = *parse(text);
    const auto again = parse_yaml(to_yaml(value));
    ASSERT_TRUE(again.has_value()) << to_yaml(value);
    EXPECT_EQ(*again, value) << to_yaml(value);
  }
}

TEST(ToYaml, DoesNotFoldLongLines) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word ";
  EXPECT_EQ(to_yaml(Value(Object{{"a", words + "end"}})), "a: " + words + "end\n");
}

TEST(ToYaml, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(to_yaml(Value(Object{{"a",
                                  "x\xff"
                                  "y"}})),
            "a: x\xEF\xBF\xBDy\n");
}

// Texts made of the pieces that have a meaning to YAML, in every kind of place.
TEST(ToYaml, EveryTextComesBack) {
  const std::vector<std::string> pieces = {"a",          " ",
                                           "\n",         "\t",
                                           ":",          ": ",
                                           "#",          " #",
                                           "-",          "- ",
                                           "?",          "{",
                                           "}",          "[",
                                           "]",          ",",
                                           "&",          "*",
                                           "!",          "|",
                                           ">",          "'",
                                           "\"",         "%",
                                           "@",          "`",
                                           "yes",        "1",
                                           ".",          "é",
                                           "\U0001F600", "\r",
                                           "\\",         "\x7f",
                                           "\xC2\x85",   "\xE2\x80\xA8",
                                           "\x01",       "---",
                                           "...",        "=",
                                           "<<",         "~",
                                           "null",       "0x",
                                           "e",          "\xEF\xBB\xBF",
                                           "\n\n",       "  "};
  std::mt19937 random(7386);
  const auto text = [&] {
    std::string result;
    for (auto count = random() % 7; count > 0; --count) result += pieces[random() % pieces.size()];
    return result;
  };
  for (int i = 0; i < 8'000; ++i) {
    Object inner{{text(), text()}, {"k" + text(), Array{text(), Array{text()}, Object{{"z", text()}}}}};
    const Value value = i % 3 == 0 ? Value(text()) : i % 3 == 1 ? Value(inner) : Value(Array{inner, text()});
    const std::string yaml = to_yaml(value);
    const auto again = parse_yaml(yaml);
    ASSERT_TRUE(again.has_value()) << serialize(value) << "\n" << yaml << "\n" << again.error().message;
    ASSERT_EQ(*again, value) << serialize(value) << "\n" << yaml;
  }
}

TEST(ParseYaml, ReadsTheRealGraphData) {
  const std::filesystem::path root = std::filesystem::path(FAIRWAY_SOURCE_DIR) / "../shared/data/graph-data";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "not run: no graph data at " << root;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto value = parse_yaml(text.str(), {.numbers_as_text = true});
    ASSERT_TRUE(value.has_value()) << entry.path() << ": " << value.error().describe();
    ASSERT_TRUE(value->is_object()) << entry.path();
    EXPECT_EQ(parse_yaml(to_yaml(*value)), *value) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 1000U);
}

}  // namespace
}  // namespace fairway::json
