// What conditions may hold: however much a graph says, the status can be stored. What they mean is tested
// with evaluation.
#include "clusterversion/recommendation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

OfferedRisk risk(std::string name, std::string message, bool is_recognized = true) {
  OfferedRisk made{
      .risk = {.url = "https://bugs.example/1", .name = std::move(name), .message = std::move(message)},
      .had_rules = true};
  if (is_recognized) made.rules = {{.type = std::string(kAlways)}};
  return made;
}

TEST(Recommendation, ConditionsOfTheLongestRisksCanBeStored) {
  OfferedUpdate update{.release = {.version = "4.7.4", .image = "r@sha256:74"}};
  for (std::size_t i = 0; i < kMostRisks; ++i) {
    const std::string name = fmt::format("Risk{}{}", i, std::string(kMostRiskNameBytes - 8, 'x'));
    update.risks.push_back(risk(name, std::string(kMostMessageBytes, 'm'), false));
  }
  const auto conditions = judge(
      update, [](const OfferedRisk&) -> RuleVerdict { return std::unexpected(NoVerdict{"no answer"}); });
  ASSERT_EQ(conditions.size(), 2U);
  for (const kube::Condition& condition : conditions)
    EXPECT_EQ(condition.message.size(), kMostMessageBytes) << condition.type << " is cut, not refused";
}

TEST(Recommendation, WhetherALongRiskAppliesCanBeStored) {
  const OfferedRisk longest = risk("Longest", std::string(kMostMessageBytes, 'm'));
  EXPECT_EQ(applies(longest, true).message.size(), kMostMessageBytes);
  EXPECT_EQ(applies(longest, std::unexpected(NoVerdict{"no answer"})).message.size(), kMostMessageBytes);
  EXPECT_EQ(applies(risk("Short", "m"), true).message, "m https://bugs.example/1");
}

TEST(Recommendation, ANameThatIsTooLongIsLeftOutAndSaid) {
  GraphAnswer answer;
  const auto target = [](std::string version, std::size_t length) {
    return ConditionalTarget{.release = {.version = version, .image = "r@" + version},
                             .risks = {{.url = "https://bugs.example/1",
                                        .name = std::string(length, 'N'),
                                        .message = "m",
                                        .matching_rules = {{.type = std::string(kAlways)}}}}};
  };
  answer.conditional = {target("4.7.4", kMostRiskNameBytes), target("4.7.5", kMostRiskNameBytes + 1)};
  const Offer offer = make_offer(answer);
  ASSERT_EQ(offer.conditional.size(), 1U);
  EXPECT_EQ(offer.conditional[0].release.version, "4.7.4");
  ASSERT_EQ(offer.left_out.size(), 1U);
  EXPECT_EQ(offer.left_out[0].version, "4.7.5");
  EXPECT_EQ(offer.left_out[0].cause, "InvalidRisk");
  EXPECT_EQ(offer.left_out[0].why, "a risk's name has 257 bytes, at most 256 can be stored");
}

}  // namespace
}  // namespace fairway::clusterversion
