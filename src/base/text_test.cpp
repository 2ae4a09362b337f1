#include "base/text.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace fairway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
}

TEST(SplitWords, DropsBlanks) {
  EXPECT_THAT(split_words("  a\t b\nc "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" \n"), IsEmpty());
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THAT(split_words("a,b c", ","), ElementsAre("a", "b c"));
}

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", ""}, ", "), "a, b, ");
  EXPECT_EQ(join({}, ","), "");
}

TEST(Case, IsOfAsciiOnly) {
  EXPECT_EQ(to_lower("AbZ-É"), "abz-É");
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-tYPE"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
}

TEST(ReplaceAll, DoesNotLookAtWhatItPutIn) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("abcabc", "bc", ""), "aa");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Quoted, IsFitForAMessage) {
  EXPECT_EQ(quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("é\n\x7f\xff"), R"("é\x0a\x7f\xff")");
  EXPECT_EQ(quoted(""), R"("")");
  std::string changeable = "x";
  EXPECT_EQ(quoted(changeable), R"("x")") << "std::quoted() was preferred";
  EXPECT_EQ(quoted(std::string(200, 'x')), "\"" + std::string(120, 'x') + "…\"");
  EXPECT_EQ(quoted(std::string(120, 'x')), "\"" + std::string(120, 'x') + "\"");
  EXPECT_TRUE(is_valid_utf8(quoted(std::string(119, 'x') + "éé")));
}

TEST(ParseNumbers, TakeTheWholeTextOrNothing) {
  EXPECT_EQ(parse_unsigned("18446744073709551615"), 18446744073709551615ULL);
  EXPECT_EQ(parse_signed("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_double("1.5e3"), 1500.0);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "-", "0x10", "18446744073709551616"}) {
    EXPECT_EQ(parse_unsigned(text), std::nullopt) << text;
    EXPECT_EQ(parse_signed(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_unsigned("-1"), std::nullopt);
  for (const char* text : {"", "1.5x", " 1", "+1", "1e", "--1", "1e999"}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
  EXPECT_TRUE(std::isinf(*parse_double("Inf")));
}

struct DurationCase {
  const char* text;
  std::int64_t nanoseconds;
};

// From the tests of Go's time.ParseDuration.
TEST(ParseDuration, ReadsGosNotation) {
  const std::vector<DurationCase> cases = {
      {"0", 0},
      {"5s", 5'000'000'000},
      {"30s", 30'000'000'000},
      {"1478s", 1'478'000'000'000},
      {"-5s", -5'000'000'000},
      {"+5s", 5'000'000'000},
      {"-0", 0},
      {"+0", 0},
      {"5.0s", 5'000'000'000},
      {"5.6s", 5'600'000'000},
      {"5.s", 5'000'000'000},
      {".5s", 500'000'000},
      {"1.0s", 1'000'000'000},
      {"1.00s", 1'000'000'000},
      {"1.004s", 1'004'000'000},
      {"1.0040s", 1'004'000'000},
      {"100.00100s", 100'001'000'000},
      {"10ns", 10},
      {"11us", 11'000},
      {"12µs", 12'000},
      {"12μs", 12'000},
      {"13ms", 13'000'000},
      {"14s", 14'000'000'000},
      {"15m", 900'000'000'000},
      {"16h", 57'600'000'000'000},
      {"3h30m", 12'600'000'000'000},
      {"10.5s4m", 250'500'000'000},
      {"-2m3.4s", -123'400'000'000},
      {"1h2m3s4ms5us6ns", 3'723'004'005'006},
      {"39h9m14.425s", 140'954'425'000'000},
      {"52763797000ns", 52'763'797'000},
      {"0.3333333333333333333h", 1'200'000'000'000},
      {"9007199254740993ns", 9'007'199'254'740'993},
      {"9223372036854775807ns", INT64_MAX},
      {"9223372036854775.807us", INT64_MAX},
      {"9223372036s854ms775us807ns", INT64_MAX},
      {"-9223372036854775808ns", INT64_MIN},
      {"-9223372036854775.808us", INT64_MIN},
      {"-2562047h47m16.854775808s", INT64_MIN},
      {"0.100000000000000000000h", 360'000'000'000},
      {"0.830103483285477580700h", 2'988'372'539'827},
  };
  for (const DurationCase& each : cases) {
    const auto parsed = parse_duration(each.text);
    ASSERT_TRUE(parsed.has_value()) << each.text;
    EXPECT_EQ(parsed->count(), each.nanoseconds) << each.text;
  }
}

TEST(ParseDuration, RefusesAllElse) {
  for (const char* text : {"",
                           "3",
                           "-",
                           "s",
                           ".",
                           "-.",
                           ".s",
                           "+.s",
                           "1d",
                           "1.2.3s",
                           "1 h",
                           " 1h",
                           "1h ",
                           "1e3s",
                           "--1s",
                           "1h-1m",
                           "9223372036854775808ns",
                           "9223372036854775810ns",
                           "9223372036854776us",
                           "3000000h",
                           "-9223372036854775809ns",
                           "1S",
                           "\20585",
                           "99999999999999999999s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

// From the tests of Go's Duration.String.
TEST(FormatDuration, WritesGosNotation) {
  const std::vector<std::pair<std::int64_t, const char*>> cases = {{0, "0s"},
                                                                   {1, "1ns"},
                                                                   {1'100, "1.1µs"},
                                                                   {2'200'000, "2.2ms"},
                                                                   {3'300'000'000, "3.3s"},
                                                                   {245'000'000'000, "4m5s"},
                                                                   {245'001'000'000, "4m5.001s"},
                                                                   {18'367'001'000'000, "5h6m7.001s"},
                                                                   {480'000'000'001, "8m0.000000001s"},
                                                                   {INT64_MAX, "2562047h47m16.854775807s"},
                                                                   {INT64_MIN, "-2562047h47m16.854775808s"},
                                                                   {-1'500'000'000, "-1.5s"},
                                                                   {3'600'000'000'000, "1h0m0s"},
                                                                   {60'000'000'000, "1m0s"},
                                                                   {59'999'999'999, "59.999999999s"},
                                                                   {999'999'999, "999.999999ms"}};
  for (const auto& [nanoseconds, text] : cases) EXPECT_EQ(format_duration(Duration{nanoseconds}), text);
}

TEST(FormatDuration, ComesBackExactly) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 5'000; ++i) {
    const Duration duration{static_cast<std::int64_t>(random()) >> (random() % 64)};
    ASSERT_EQ(parse_duration(format_duration(duration)), duration) << duration.count();
  }
}

// The table of k8s.io/apimachinery's duration tests, and the edges of every form.
TEST(FormatAge, IsWhatHumanDurationWrites) {
  constexpr auto day = 24h;
  constexpr auto year = 365 * day;
  const std::vector<std::pair<Duration, const char*>> cases = {{1s, "1s"},
                                                               {70s, "70s"},
                                                               {190s, "3m10s"},
                                                               {70min, "70m"},
                                                               {47h, "47h"},
                                                               {49h, "2d1h"},
                                                               {8 * day + 2h, "8d"},
                                                               {367 * day, "367d"},
                                                               {2 * year + 25 * day, "2y25d"},
                                                               {8 * year + 2 * day, "8y"},
                                                               {0s, "0s"},
                                                               {-1s, "0s"},
                                                               {-1999ms, "0s"},
                                                               {-2s, "<invalid>"},
                                                               {-500ms, "0s"},
                                                               {1999ms, "1s"},
                                                               {119s, "119s"},
                                                               {120s, "2m"},
                                                               {121s, "2m1s"},
                                                               {599s, "9m59s"},
                                                               {600s, "10m"},
                                                               {601s, "10m"},
                                                               {179min + 59s, "179m"},
                                                               {180min, "3h"},
                                                               {181min, "3h1m"},
                                                               {8h - 1min, "7h59m"},
                                                               {8h, "8h"},
                                                               {8h + 59min, "8h"},
                                                               {48h - 1s, "47h"},
                                                               {48h, "2d"},
                                                               {8 * day - 1h, "7d23h"},
                                                               {8 * day, "8d"},
                                                               {2 * year - 1h, "729d"},
                                                               {2 * year, "2y"},
                                                               {3 * year + 20 * day, "3y20d"},
                                                               {8 * year - 1h, "7y364d"},
                                                               {8 * year, "8y"},
                                                               {100 * year, "100y"}};
  for (const auto& [age, text] : cases) EXPECT_EQ(format_age(age), text) << age.count();
}

TEST(Rfc3339, Reads) {
  const WallTime noon{1709208000s};
  EXPECT_EQ(parse_rfc3339("2024-02-29T12:00:00Z"), noon);
  EXPECT_EQ(parse_rfc3339("2024-02-29t12:00:00z"), noon);
  EXPECT_EQ(parse_rfc3339("2024-02-29T14:30:00+02:30"), noon);
  EXPECT_EQ(parse_rfc3339("2024-02-29T04:00:00-08:00"), noon);
  EXPECT_EQ(parse_rfc3339("2024-02-29T12:00:00.5Z"), noon + 500ms);
  EXPECT_EQ(parse_rfc3339("2024-02-29T12:00:00.123456789Z"), noon + 123456789ns);
  EXPECT_EQ(parse_rfc3339("2024-02-29T12:00:00.1234567899Z"), noon + 123456789ns);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), WallTime{});
  EXPECT_EQ(parse_rfc3339("1969-12-31T23:59:59Z"), WallTime{-1s});
  EXPECT_EQ(parse_rfc3339("2016-12-31T23:59:60Z"), parse_rfc3339("2017-01-01T00:00:00Z"));
}

TEST(Rfc3339, RefusesAllElse) {
  for (const char* text : {"",
                           "2024-02-29",
                           "2024-02-29T12:00:00",
                           "2023-02-29T12:00:00Z",
                           "2024-13-01T00:00:00Z",
                           "2024-00-01T00:00:00Z",
                           "2024-01-32T00:00:00Z",
                           "2024-01-01T24:00:00Z",
                           "2024-01-01T00:60:00Z",
                           "2024-01-01T00:00:61Z",
                           "2024-01-01T00:00:00.Z",
                           "2024-01-01T00:00:00+0200",
                           "2024-01-01T00:00:00+24:00",
                           "2024-01-01T00:00:00+02:60",
                           "2024-01-01T00:00:00Zx",
                           "2024-1-1T00:00:00Z",
                           "2024/01/01T00:00:00Z",
                           "+024-01-01T00:00:00Z",
                           "2024-01-01T0 :00:00Z",
                           "0001-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z",
                           "2024-01-01T00:00:00+2:000"}) {
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
  }
}

TEST(Rfc3339, Writes) {
  const WallTime time{1709208000s + 123456789ns};
  EXPECT_EQ(format_rfc3339(time), "2024-02-29T12:00:00Z");
  EXPECT_EQ(format_rfc3339_micro(time), "2024-02-29T12:00:00.123456Z");
  EXPECT_EQ(format_rfc3339_micro(WallTime{1us}), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(format_rfc3339(WallTime{-1s}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_rfc3339_micro(WallTime{-1us}), "1969-12-31T23:59:59.999999Z");
}

// RFC 4648, section 10.
TEST(Base64, EncodesAndDecodes) {
  const std::vector<std::pair<std::string, const char*>> cases = {{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"},
                                                                  {std::string("\0\xff\xfb", 3), "AP/7"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  EXPECT_EQ(decode_base64(" Zm9v\r\nYg==\n"), "foob");
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zg==Zg==", "Zm9v!", "Zg=a", "Zm-_"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64, EveryLengthComesBack) {
  std::mt19937 random(64);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    ASSERT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Hex, Encodes) {
  EXPECT_EQ(encode_hex(std::string_view("\x00\xff\x1a", 3)), "00ff1a");
}

TEST(Percent, EncodesAllButUnreserved) {
  EXPECT_EQ(percent_encode("aZ09-._~ /?é%"), "aZ09-._~%20%2F%3F%C3%A9%25");
  EXPECT_EQ(percent_decode("a%20b%2Fc%c3%a9"), "a b/cé");
  EXPECT_EQ(percent_decode("a+b"), "a+b");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  EXPECT_EQ(percent_decode("%2B", true), "+");
  for (const char* text : {"%", "%4", "a%", "%4x", "%x4", "%-1", "%+1", "% 1"}) {
    EXPECT_EQ(percent_decode(text), std::nullopt) << text;
  }
}

TEST(Utf8, IsCheckedAsTheStandardSays) {
  for (const char* text : {"", "ascii", "é", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << quoted(text);
  }
  EXPECT_EQ(utf8_length("éa"), 2U);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4U);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98"), 0U);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> words = {"get", "describe", "delete", "apply"};
  EXPECT_EQ(nearest("descibe", words), "describe");
  EXPECT_EQ(nearest("dlete", words), "delete");
  EXPECT_EQ(nearest("gte", words), std::nullopt);
  EXPECT_EQ(nearest("ge", words), "get");
  EXPECT_EQ(nearest("zzzzzz", words), std::nullopt);
  EXPECT_EQ(nearest("apply", words), "apply");
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace fairway
