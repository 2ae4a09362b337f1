#include "kube/core/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace fairway::kube {
namespace {

Quantity quantity(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << parsed.error().describe();
  return parsed.value_or(Quantity{});
}

struct Case {
  const char* text;
  const char* canonical;
};

class Canonical : public testing::TestWithParam<Case> {};

TEST_P(Canonical, IsThatOfKubernetes) {
  const Quantity parsed = quantity(GetParam().text);
  EXPECT_EQ(parsed.to_string(), GetParam().canonical) << GetParam().text;
  EXPECT_EQ(quantity(parsed.to_string()), parsed) << "the canonical text reads back";
}

// Among them what k8s.io/apimachinery/pkg/api/resource tests with.
INSTANTIATE_TEST_SUITE_P(
    Quantity, Canonical,
    testing::Values(Case{"0", "0"}, Case{"0n", "0"}, Case{"0Ki", "0"}, Case{"0e-3", "0"}, Case{"-0", "0"},
                    Case{"1n", "1n"}, Case{"1u", "1u"}, Case{"1m", "1m"}, Case{"100m", "100m"},
                    Case{"1000m", "1"}, Case{"1.5", "1500m"}, Case{"0.1", "100m"}, Case{".5", "500m"},
                    Case{"1.", "1"}, Case{"1", "1"}, Case{"001", "1"}, Case{"0010", "10"}, Case{"+5", "5"},
                    Case{"-5", "-5"}, Case{"-1.5", "-1500m"}, Case{"1000", "1k"}, Case{"1024", "1024"},
                    Case{"1k", "1k"}, Case{"1000k", "1M"}, Case{"1024Ki", "1Mi"}, Case{"1Ki", "1Ki"},
                    Case{"1.5Gi", "1536Mi"}, Case{"0.5Mi", "512Ki"}, Case{"1023Mi", "1023Mi"},
                    Case{"0.1Ki", "102400m"}, Case{"1000Ki", "1000Ki"}, Case{"0.5Ki", "512"},
                    Case{"1Ei", "1Ei"}, Case{"7Ei", "7Ei"}, Case{"1E", "1E"}, Case{"1e3", "1e3"},
                    Case{"1E3", "1e3"}, Case{"1e-3", "1e-3"}, Case{"100e-3", "100e-3"}, Case{"1e+3", "1e3"},
                    Case{"5e2", "500"}, Case{"1.1e3", "1100"}, Case{"12e4", "120e3"},
                    Case{"123456789", "123456789"}, Case{"3.14159265358979", "3141592654n"},
                    // Rounded away from zero to the nano, and capped.
                    Case{"0.1n", "1n"}, Case{"0.0000000001", "1n"}, Case{"-0.1n", "-1n"},
                    Case{"1e-400", "1e-9"}, Case{"1.0000000001", "1000000001n"},
                    Case{"9Ei", "9223372036854775807"}, Case{"9223372036854775807", "9223372036854775807"},
                    Case{"9223372036854775808", "9223372036854775807"},
                    Case{"1e99999", "9223372036854775807"}, Case{"-100E", "-9223372036854775807"},
                    Case{"-8Ei", "-9223372036854775807"}));

TEST(Quantity, RefusesWhatIsNoQuantity) {
  for (const char* text :
       {"",   "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu",  ".5i", "1i",      "-3.01i", "-3.01e-",
        " 1", "1 ",    "1 Ki",   "1K",    "1KI",   "1kb",   "1e",  "1e1.5",   "--1",    "+-1",
        ".",  "m",     "1mm",    "1,5",   "0x1",   "1e3Ki", "Inf", "\xC2\xB5"}) {
    const auto parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::Invalid);
  }
  EXPECT_THAT(Quantity::parse("1K").error().message, testing::HasSubstr("unable to parse quantity's suffix"));
  EXPECT_FALSE(Quantity::parse(std::string(300, '1')).has_value());
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(quantity("1000m"), quantity("1"));
  EXPECT_EQ(quantity("1Ki"), quantity("1024"));
  EXPECT_EQ(quantity("1e3"), quantity("1k"));
  EXPECT_LT(quantity("1G"), quantity("1Gi"));
  EXPECT_LT(quantity("-1"), quantity("-999m"));
  EXPECT_LT(quantity("-1n"), quantity("0"));
  EXPECT_GT(quantity("1n"), quantity("0"));
}

TEST(Quantity, RoundsUp) {
  EXPECT_EQ(quantity("1.1").value(), 2);
  EXPECT_EQ(quantity("-1.9").value(), -1);
  EXPECT_EQ(quantity("2").value(), 2);
  EXPECT_EQ(quantity("1.5").milli_value(), 1500);
  EXPECT_EQ(quantity("1u").milli_value(), 1);
  EXPECT_EQ(quantity("-1500u").milli_value(), -1);
  EXPECT_EQ(quantity("8E").milli_value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_DOUBLE_EQ(quantity("-1.5").as_double(), -1.5);
}

TEST(Quantity, IsReadFromTextAndNumbers) {
  const auto read = [](std::string_view text) {
    const auto result = json::from_json<Quantity>(*json::parse(text));
    return result ? result->to_string() : result.error().message;
  };
  EXPECT_EQ(read("\"100m\""), "100m");
  EXPECT_EQ(read("2"), "2");
  EXPECT_EQ(read("0.5"), "500m");
  EXPECT_EQ(read("true"), "expected a quantity like 100m or 2Gi, found a boolean");
  EXPECT_EQ(json::serialize(json::to_json(quantity("1024Ki"))), "\"1Mi\"");
}

}  // namespace
}  // namespace fairway::kube
