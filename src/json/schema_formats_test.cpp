#include "json/schema_formats.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fairway::json {
namespace {

struct FormatCase {
  const char* format;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

void PrintTo(const FormatCase& each, std::ostream* out) {
  *out << each.format;
}

class TextFormat : public testing::TestWithParam<FormatCase> {};

TEST_P(TextFormat, AcceptsWhatTheApiAccepts) {
  const FormatCheck check = format_check(GetParam().format);
  ASSERT_NE(check, nullptr);
  for (const std::string& text : GetParam().valid) EXPECT_TRUE(check(text)) << text;
  for (const std::string& text : GetParam().invalid) EXPECT_FALSE(check(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, TextFormat,
    testing::Values(
        FormatCase{
            "date-time",
            {"2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+02:00", "2024-02-29T00:00:00Z"},
            {"2014-12-15", "2014-12-15T25:00:00Z", "2014-12-15T19:30:20", "2023-02-29T00:00:00Z", "T", ""}},
        FormatCase{"date", {"2006-01-02"}, {"2006-1-2", "2006-13-01", "2023-02-30", "20060102", ""}},
        FormatCase{"uuid",
                   {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"},
                   {"123e4567-e89b-12d3-a456", "g23e4567-e89b-12d3-a456-426614174000"}},
        FormatCase{
            "uuid3", {"a3bb189e-8bf9-3888-9912-ace4e6543002"}, {"a3bb189e-8bf9-4888-9912-ace4e6543002"}},
        FormatCase{
            "uuid4", {"25769c6c-d34d-4bfe-ba98-e0ee856f3e7a"}, {"25769c6c-d34d-5bfe-ba98-e0ee856f3e7a"}},
        FormatCase{
            "uuid5", {"886313e1-3b8a-5372-9b90-0c9aee199e5d"}, {"886313e1-3b8a-5372-7b90-0c9aee199e5d"}},
        FormatCase{"email",
                   {"a@b.c", "Some One <some.one@example.com>", "\"quoted local\"@example.com",
                    "a@[127.0.0.1]", "<a@b>", "a+b@c"},
                   {"a", "a@", "@b", "a b@c", "a@b c", "a..b@c", "<a@b", "a@b>", ""}},
        FormatCase{"ipv4", {"10.0.0.1", "255.255.255.255"}, {"10.0.0.256", "10.0.0", "010.0.0.1", "::1", ""}},
        FormatCase{
            "ipv6", {"::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4"}, {"1.2.3.4", "::g", "fe80::1%eth0"}},
        FormatCase{"cidr",
                   {"10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0"},
                   {"10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/"}},
        FormatCase{"mac",
                   {"01:23:45:67:89:ab", "01-23-45-67-89-AB-cd-ef", "0123.4567.89ab"},
                   {"01:23:45:67:89", "01:23:45:67:89-ab", "0123456789ab", "01:23:45:67:89:zz"}},
        FormatCase{
            "hostname",
            {"a", "example.com", "a-b", "1.example", "xn--a.example.london", "ab-cd.example",
             "bücher.example"},
            {"", "-a", "a.", ".a", "ab-cd", "a_b.example", "a.b-", "a.1", std::string(64, 'a') + ".com"}},
        FormatCase{
            "uri",
            {"/path", "http://example.com/a?b=c", "https://u:p@[::1]:8080/", "mailto:a@b", "*", "urn:x:y"},
            {"relative/path", "", ":no-scheme", "http://a b/", "http://host:port/", "/bad%zz", "http://a%41/",
             "a\nb"}},
        FormatCase{"byte", {"aGVsbG8=", "QUJD", "QQ=="}, {"", "QQ=", "Q", "a-_b", "aGVsbG8"}},
        FormatCase{
            "duration", {"1h30m", "22 ns", "3 days", "1.5s", "2 Weeks", "0"}, {"", "soon", "3", "5 parsecs"}},
        FormatCase{"bsonobjectid",
                   {"507f1f77bcf86cd799439011"},
                   {"507f1f77bcf86cd79943901", "zz7f1f77bcf86cd799439011"}},
        FormatCase{"isbn", {"0321751043", "978-0321751041"}, {"0321751044", "978-0321751042"}},
        FormatCase{"isbn10", {"0-8044-2957-X"}, {"978-0321751041"}},
        FormatCase{"isbn13", {"978 0321751041"}, {"0321751043"}},
        FormatCase{"creditcard", {"4111-1111-1111-1111"}, {"4111111111111112", "123"}},
        FormatCase{"ssn", {"111-11-1111"}, {"111111111", "1-11-11111"}},
        FormatCase{"hexcolor", {"#FFFFFF", "fff"}, {"#FFFF", "#GGG"}},
        FormatCase{"rgbcolor", {"rgb(255, 0,1)"}, {"rgb(256,0,0)", "rgb(1,2)"}},
        FormatCase{"password", {"", "anything"}, {}}));

TEST(TextFormat, OthersAreNotChecked) {
  for (const char* name : {"", "int32", "int64", "double", "color", "binary"})
    EXPECT_EQ(format_check(name), nullptr) << name;
}

TEST(TextFormat, LongInputIsJudgedQuickly) {
  EXPECT_FALSE(format_check("hostname")(std::string(100'000, 'a')));
  EXPECT_FALSE(format_check("email")(std::string(100'000, '.')));
  EXPECT_TRUE(format_check("byte")(std::string(100'000, 'A')));
}

}  // namespace
}  // namespace fairway::json
