#include "json/value.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "json/arena.hpp"
#include "json/write.hpp"

namespace fairway::json {
namespace {

using ::testing::HasSubstr;

Value parsed(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error().describe();
  return value ? *std::move(value) : Value();
}

std::string message(std::string_view text, const ParseLimits& limits = {}) {
  const auto value = parse(text, limits);
  if (value) return "parsed";
  EXPECT_EQ(value.error().code, ErrorCode::Invalid);
  return value.error().message;
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string number_text(double number) {
  std::string out;
  append_number(number, out);
  return out;
}

TEST(Parse, KeepsTheOrderOfKeysAndTheKindsOfValues) {
  const std::string text =
      R"({"z":1,"a":[true,false,null],"m":{"t":"x","u":18446744073709551615,"d":-0.25},"e":{},"f":[]})";
  EXPECT_EQ(serialize(parsed(text)), text);
}

TEST(Parse, AllowsBlanksAroundTheValue) {
  EXPECT_EQ(parsed(" \n\t{ } \r\n"), Value(Object{}));
}

struct Malformed {
  const char* text;
  const char* message;
};

class ParseRefuses : public testing::TestWithParam<Malformed> {};

TEST_P(ParseRefuses, NamingTheProblemAndItsPlace) {
  EXPECT_THAT(message(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Value, ParseRefuses,
    testing::Values(
        Malformed{"", "found the end of the text at line 1, column 1"},
        Malformed{"  ", "found the end of the text at line 1, column 3"},
        Malformed{"{\"a\":1,\n \"b\":", "found the end of the text at line 2, column 6"},
        Malformed{"{\"a\":1}}", R"(found "}" at line 1, column 8)"},
        Malformed{"1 2", R"(expected nothing after the first JSON value, found "2" at line 1, column 3)"},
        Malformed{"{\"a\":1,}", R"(found "}" at line 1, column 8)"},
        Malformed{"[1,]", R"(found "]" at line 1, column 4)"}, Malformed{"{'a':1}", "at line 1, column 2"},
        Malformed{"{\"ä\": x}", R"(found "x}" at line 1, column 7)"},
        Malformed{"nul", "found the end of the text"}, Malformed{"// c\n1", "expected JSON"},
        Malformed{"01", "expected nothing after the first JSON value"}, Malformed{"+1", "expected JSON"},
        Malformed{".5", "expected JSON"}, Malformed{"1.", "expected"}, Malformed{"NaN", "expected JSON"},
        Malformed{"1e400", "expected a number that a 64-bit float can hold"},
        Malformed{"-1e400", "expected a number that a 64-bit float can hold"},
        Malformed{"1e99999999999", "expected a number that a 64-bit float can hold"},
        Malformed{"\"a\nb\"", "at line 1, column 3"}, Malformed{R"("\ud800")", "at line 1, column 8"},
        Malformed{R"("\ud800x")", "at line 1, column 8"}, Malformed{R"("\udc00")", "surrogate"},
        Malformed{R"("\ud800\u0041")", "surrogate"}, Malformed{R"("\u12g4")", "hex digit"},
        Malformed{R"("\x41")", "expected JSON"}, Malformed{"\"\xff\"", "at line 1, column 2"},
        Malformed{"\"\xc0\x80\"", "at line 1, column 2"},       // an overlong NUL
        Malformed{"\"\xed\xa0\x80\"", "at line 1, column"},     // an encoded surrogate
        Malformed{"\"\xf4\x90\x80\x80\"", "at line 1, column"}  // beyond U+10FFFF
        ));

TEST(Parse, ReadsSurrogatePairsAndEscapes) {
  EXPECT_EQ(parsed(R"("\ud83d\ude00\u00e9\/\b\f\n\r\t\"\\")").get_string(), "\U0001F600é/\b\f\n\r\t\"\\");
}

TEST(Parse, BoundsBytes) {
  EXPECT_EQ(message("[1,2]", {.max_bytes = 4}), "expected at most 4 bytes of JSON, found 5");
  EXPECT_EQ(message("[1,2]", {.max_bytes = 5}), "parsed");
}

TEST(Parse, BoundsDepth) {
  EXPECT_EQ(message(nested(512)), "parsed");
  EXPECT_EQ(message(nested(513)), "expected JSON nested at most 512 deep, found more at line 1, column 513");
  EXPECT_THAT(message(nested(10'000)), HasSubstr("nested at most 512 deep"));
  EXPECT_THAT(message(std::string(10'000, '[')), HasSubstr("nested at most 512 deep"));
  std::string objects;
  for (int i = 0; i < 10'000; ++i) objects += R"({"a":)";
  EXPECT_THAT(message(objects), HasSubstr("nested at most 512 deep"));
  EXPECT_EQ(message("[[]]", {.max_depth = 1}),
            "expected JSON nested at most 1 deep, found more at line 1, column 2");
}

TEST(Parse, RefusesDuplicateKeysAndNamesTheSecond) {
  EXPECT_EQ(message("{\"a\":1,\n \"b\":2,\n \"a\":3}"),
            R"(the key "a" stands twice in one object, the second time at line 3, column 2: keep one)");
  // The same key, spelled in another way, and with quotes and backslashes before it.
  EXPECT_THAT(message(R"({"q\"\\":1, "q\u0022\\":2})"), HasSubstr("at line 1, column 13"));
  EXPECT_THAT(message(R"([{"x":{"k":1}},{"x":{"k":1,"k":1}}])"), HasSubstr("at line 1, column 28"));
  EXPECT_EQ(message(R"([{"a":1},{"a":{"a":1}}])"), "parsed");
}

TEST(Parse, RefusesADuplicateAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_THAT(message(text + "\"k500\":1}"), HasSubstr("the key \"k500\" stands twice"));
}

struct LeftOut {
  std::string_view text;
  std::string_view kept;
};

class ParseWithout : public ::testing::TestWithParam<LeftOut> {};

TEST_P(ParseWithout, OneMemberAndNoOther) {
  constexpr std::array<std::string_view, 3> kPath{"items", "metadata", "who"};
  const auto parsed = parse(GetParam().text, {.left_out = kPath});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(serialize(*parsed), GetParam().kept);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParseWithout,
    ::testing::Values(
        // In an object and in each of a list, whatever its value.
        LeftOut{R"({"items":{"metadata":{"a":1,"who":[{"x":[1,{}]}],"b":2}}})",
                R"({"items":{"metadata":{"a":1,"b":2}}})"},
        LeftOut{
            R"({"items":[{"metadata":{"who":"x","a":1}},{"metadata":{"who":null}},{"metadata":{"b":1.5}}],"z":true})",
            R"({"items":[{"metadata":{"a":1}},{"metadata":{}},{"metadata":{"b":1.5}}],"z":true})"},
        LeftOut{R"({"items":[[{"metadata":{"who":-1}}],{"metadata":{"who":18446744073709551615}}]})",
                R"({"items":[[{"metadata":{}}],{"metadata":{}}]})"},
        LeftOut{R"({"items":{"metadata":{"who":{"a\u0041":"b\n"}},"spec":{"who":1}}})",
                R"({"items":{"metadata":{},"spec":{"who":1}}})"},
        // Above, below and beside its place it stays.
        LeftOut{R"({"who":1,"metadata":{"who":2},"items":{"who":3,"metadata":{"metadata":{"who":4}}}})",
                R"({"who":1,"metadata":{"who":2},"items":{"who":3,"metadata":{"metadata":{"who":4}}}})"},
        LeftOut{R"({"items":{"spec":{"metadata":{"who":1}},"metadata":7},"x":{"metadata":{"who":2}}})",
                R"({"items":{"spec":{"metadata":{"who":1}},"metadata":7},"x":{"metadata":{"who":2}}})"},
        LeftOut{R"({"items":{"metadata":{"w\u0068o":1}}})", R"({"items":{"metadata":{"who":1}}})"},
        LeftOut{R"([{"who":1}])", R"([{"who":1}])"}, LeftOut{R"("who")", R"("who")"}));

TEST(Parse, LooksForDuplicatesAlsoWhereAMemberIsLeftOut) {
  constexpr std::array<std::string_view, 1> kPath{"who"};
  EXPECT_TRUE(parse(R"({"a":1,"who":2,"b":{"who":3}})", {.left_out = kPath}).has_value());
  const auto parsed = parse(R"({"a":1,"who":2,"a":3})", {.left_out = kPath});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_THAT(parsed.error().message, HasSubstr("\"a\" stands twice"));
}

TEST(Arena, HoldsWhatIsReadAndCopiedInIt) {
  std::string text;
  {
    Arena arena;
    auto object = parse_object(R"({"a":{"b":[1,2,"a text that is too long to be held in place"]}})", {},
                               arena.storage());
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(object->storage(), arena.storage());
    const Object copy = *object;
    EXPECT_EQ(copy.storage(), arena.storage());
    (*object)["c"] = Object{{"d", "from the heap"}};
    EXPECT_EQ(object->at("c").storage(), arena.storage());
    text = serialize(*object) + serialize(copy);
  }
  EXPECT_EQ(text,
            R"({"a":{"b":[1,2,"a text that is too long to be held in place"]},"c":{"d":"from the heap"}})"
            R"({"a":{"b":[1,2,"a text that is too long to be held in place"]}})");
}

TEST(Parse, KeepsBigIntegersExactAsFarAs64BitsGo) {
  EXPECT_EQ(parsed("9223372036854775807").get_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808").get_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed("18446744073709551615").get_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed("18446744073709551616").get_double(), 0x1p64);
  EXPECT_EQ(parsed("-9223372036854775809").get_double(), -0x1p63);
  EXPECT_EQ(parsed("0").get_int64(), 0);
  EXPECT_EQ(parsed("1" + std::string(200, '0')).get_double(), 1e200);
}

TEST(Parse, ReadsDoublesExactly) {
  // Each of these is wrong in its last bit when digits are scaled by a power of ten.
  for (double number : {0.1, 0.3, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 123456.789,
                        9007199254740993.0, 7.2057594037927933e16, 8.41e21, 1e23, 4.35, 0.000001}) {
    const std::string text = number_text(number);
    const Value value = parsed(text);
    EXPECT_EQ(value.to_number<double>(), number) << text;
  }
  EXPECT_EQ(parsed("0.1000000000000000055511151231257827021181583404541015625").get_double(), 0.1);
  EXPECT_EQ(parsed("1e-400").get_double(), 0.0);
  EXPECT_EQ(parsed("0e400").get_double(), 0.0);
}

TEST(Serialize, DoublesRoundTrip) {
  std::mt19937_64 random(20240229);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = random();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const std::string text = number_text(number);
    const auto value = parse(text);
    ASSERT_TRUE(value.has_value()) << text;
    ASSERT_EQ(value->to_number<double>(), number) << text;
  }
}

TEST(Serialize, WritesNumbersAsOtherWritersDo) {
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(100'000), "100000");
  EXPECT_EQ(number_text(-2.5), "-2.5");
  EXPECT_EQ(number_text(1e20), "100000000000000000000");
  EXPECT_EQ(number_text(1e21), "1e+21");
  EXPECT_EQ(number_text(1e-6), "0.000001");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(std::nan("")), "null");
  EXPECT_EQ(number_text(-INFINITY), "null");
}

TEST(Serialize, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(serialize(Value("a\"b\\c/d\n\r\t\b\x01\x1f é \U0001F600\x7f")),
            "\"a\\\"b\\\\c/d\\n\\r\\t\\u0008\\u0001\\u001f é \U0001F600\x7f\"");
  EXPECT_EQ(serialize(Value(std::string(1, '\0'))), "\"\\u0000\"");
}

// The writer looks at eight bytes at a time: every special byte at every offset, against a plain reference.
TEST(Serialize, EscapesAtEveryOffset) {
  for (int special = 0; special < 0x80; ++special) {
    for (std::size_t offset = 0; offset < 20; ++offset) {
      std::string text(20, 'x');
      text[offset] = static_cast<char>(special);
      const std::string written = serialize(Value(text));
      const bool plain = special >= 0x20 && special != '"' && special != '\\';
      EXPECT_EQ(written.size() == 22, plain) << special << " at " << offset;
      EXPECT_EQ(parsed(written).get_string(), text) << special << " at " << offset;
    }
  }
}

TEST(Serialize, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(serialize(Value("a\xff"
                            "b")),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(serialize(Value("12345678\xe2\x82")), "\"12345678\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Serialize, Pretty) {
  EXPECT_EQ(serialize_pretty(parsed(R"({"a":{"b":[1,"x",{}],"c":[]},"d":null})")), R"({
  "a": {
    "b": [
      1,
      "x",
      {}
    ],
    "c": []
  },
  "d": null
})");
  EXPECT_EQ(serialize_pretty(Value(1)), "1");
}

TEST(Serialize, AppendsToWhatIsThere) {
  std::string out = "items: ";
  append(parsed("[1]"), out);
  append(parsed(R"({"a":2})").get_object(), out);
  EXPECT_EQ(out, R"(items: [1]{"a":2})");
}

TEST(ParseObject, RefusesOtherKinds) {
  const auto refusal = [](std::string_view text) { return parse_object(text).error().message; };
  EXPECT_EQ(refusal("[]"), "expected a JSON object, found an array");
  EXPECT_EQ(refusal("null"), "expected a JSON object, found null");
  EXPECT_EQ(refusal("1.5"), "expected a JSON object, found a number");
  EXPECT_EQ(refusal("7"), "expected a JSON object, found an integer");
  EXPECT_EQ(refusal("\"\""), "expected a JSON object, found a string");
  EXPECT_EQ(refusal("true"), "expected a JSON object, found a boolean");
  EXPECT_EQ(parse_object(R"({"a":1})")->at("a"), 1);
}

TEST(KindName, CoversEveryKind) {
  EXPECT_EQ(kind_name(Value(nullptr)), "null");
  EXPECT_EQ(kind_name(Value(true)), "boolean");
  EXPECT_EQ(kind_name(Value(1)), "integer");
  EXPECT_EQ(kind_name(Value(1U)), "integer");
  EXPECT_EQ(kind_name(Value(1.5)), "number");
  EXPECT_EQ(kind_name(Value("")), "string");
  EXPECT_EQ(kind_name(Value(Array{})), "array");
  EXPECT_EQ(kind_name(Value(Object{})), "object");
  EXPECT_EQ(a_kind(Value(Object{})), "an object");
}

TEST(SameValue, IgnoresTheOrderOfKeysOnly) {
  EXPECT_TRUE(
      same_value(parsed(R"({"a":1,"b":{"c":2,"d":[1,2]}})"), parsed(R"({"b":{"d":[1,2],"c":2},"a":1})")));
  EXPECT_FALSE(same_value(parsed("[1,2]"), parsed("[2,1]")));
  EXPECT_FALSE(same_value(parsed(R"({"a":1})"), parsed(R"({"a":1,"b":null})")));
  EXPECT_FALSE(same_value(parsed(R"({"a":1,"b":2})"), parsed(R"({"a":1,"c":2})")));
  EXPECT_FALSE(same_value(parsed("null"), parsed("0")));
  EXPECT_FALSE(same_value(parsed("\"1\""), parsed("1")));
  EXPECT_FALSE(same_value(parsed("[1]"), parsed("[1,2]")));
  EXPECT_TRUE(same_value(parsed("{}").get_object(), Object{}));
}

TEST(SameValue, ComparesNumbersByValue) {
  EXPECT_TRUE(same_value(Value(1), Value(1.0)));
  EXPECT_TRUE(same_value(Value(1U), Value(1)));
  EXPECT_TRUE(same_value(Value(0x1p63), Value(std::uint64_t{1} << 63)));
  EXPECT_FALSE(same_value(Value(1), Value(1.5)));
  EXPECT_FALSE(same_value(Value((std::int64_t{1} << 53) + 1), Value(0x1p53)));
  EXPECT_FALSE(same_value(Value(0x1p64), Value(std::numeric_limits<std::uint64_t>::max())));
  EXPECT_FALSE(same_value(Value(-1), Value(std::numeric_limits<std::uint64_t>::max())));
}

TEST(Find, FollowsObjectsOnly) {
  Object object = parsed(R"({"m":{"labels":{"app":"x"},"n":3,"f":1.5,"t":true,"list":[1]}})").get_object();
  EXPECT_EQ(*find(object, {"m", "labels", "app"}), Value("x"));
  EXPECT_EQ(find(object, {"m", "absent"}), nullptr);
  EXPECT_EQ(find(object, {"m", "n", "below"}), nullptr);
  EXPECT_EQ(find(object, {"absent", "x"}), nullptr);
  EXPECT_EQ(find(object, {}), nullptr);
  EXPECT_EQ(get_string(object, {"m", "labels", "app"}), "x");
  EXPECT_EQ(get_string(object, {"m", "n"}), std::nullopt);
  EXPECT_EQ(get_int(object, {"m", "n"}), 3);
  EXPECT_EQ(get_int(object, {"m", "f"}), std::nullopt);
  EXPECT_EQ(get_bool(object, {"m", "t"}), true);
  EXPECT_EQ(get_bool(object, {"m", "n"}), std::nullopt);
  ASSERT_NE(get_object(object, {"m", "labels"}), nullptr);
  EXPECT_EQ(get_object(object, {"m", "list"}), nullptr);
  ASSERT_NE(get_array(object, {"m", "list"}), nullptr);
  EXPECT_EQ(get_array(object, {"m"}), nullptr);
  *find(object, {"m", "n"}) = 4;
  EXPECT_EQ(get_int(object, {"m", "n"}), 4);
}

TEST(EnsureObject, MakesWhatIsMissingAndReplacesWhatIsInTheWay) {
  Object object = parsed(R"({"a":{"keep":1},"b":7})").get_object();
  ensure_object(object, {"a", "x"})["y"] = 1;
  ensure_object(object, {"b", "c"});
  EXPECT_EQ(serialize(object), R"({"a":{"keep":1,"x":{"y":1}},"b":{"c":{}}})");
}

TEST(Remove, KeepsTheOrderOfTheOthers) {
  Object object = parsed(R"({"a":1,"b":2,"c":3})").get_object();
  EXPECT_TRUE(remove(object, "a"));
  EXPECT_FALSE(remove(object, "a"));
  EXPECT_EQ(serialize(object), R"({"b":2,"c":3})");
}

}  // namespace
}  // namespace fairway::json
