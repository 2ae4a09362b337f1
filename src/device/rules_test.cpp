// Versions and names: the tables of the specification.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/app_version.hpp"
#include "device/names.hpp"
#include "device/version_rules.hpp"

namespace fairway::device {
namespace {

AppVersion version(std::string_view text) {
  return AppVersion::parse(text).value();
}

TEST(BlockedUpgrades, TheListThatIsBuiltInIsReadable) {
  EXPECT_TRUE(BlockedUpgrades::parse(embedded_blocked_upgrades()));
}

TEST(AppVersion, ReadsThreeNumbersAndCutsATail) {
  EXPECT_EQ(version(" 4.14.0\n").to_string(), "4.14.0");
  EXPECT_EQ(version("4.14.0-rc.1"), version("4.14.0"));
  EXPECT_EQ(version("4.14.0~rc1").tail, "~rc1");
  for (const char* wrong : {"", "4", "4.14", "4.14.0.1", "-4.14.0", "+4.14.0", "4.+14.0", "4..0", "4.14.",
                            "v4.14.0", "4.14.x", "4.14.99999999999", "4. 14.0", "4.14.0-"}) {
    const auto parsed = AppVersion::parse(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().message,
              fmt::format("invalid version string ({}): expected Major.Minor.Patch", wrong));
  }
}

TEST(AppVersion, IsFoundInAProgramsAnswer) {
  EXPECT_EQ(AppVersion::find_in("MicroShift Version: 4.14.3\nBase OCP Version: 4.14.1\n")->to_string(),
            "4.14.3");
  EXPECT_EQ(AppVersion::find_in(R"({"release":{"base":"4.15.0"}})")->to_string(), "4.15.0");
  EXPECT_FALSE(AppVersion::find_in("no version here"));
}

struct RuleCase {
  const char* data;
  const char* binary;
  const char* skew_1;  // "run", "migrate …", or a part of the refusal
  const char* skew_2;
  const char* blocked = "{}";
  const char* opened_by = nullptr;
};

std::string text_of(const VersionVerdict& verdict) {
  if (std::holds_alternative<RunAsIs>(verdict)) return "run";
  if (const auto* refusal = std::get_if<RefuseVersion>(&verdict)) return refusal->why;
  std::string text = "migrate";
  for (const std::string& hop : std::get<MigrateTo>(verdict).hops) text += " " + hop;
  return text;
}

class VersionRulesTable : public testing::TestWithParam<RuleCase> {};

TEST_P(VersionRulesTable, Holds) {
  const RuleCase& each = GetParam();
  VersionRules rules{.blocked = BlockedUpgrades::parse(each.blocked).value()};
  DataLevel data{version(each.data), {}};
  if (each.opened_by != nullptr) data.opened_by = version(each.opened_by);
  for (const std::uint32_t skew : {1U, 2U}) {
    rules.max_skew = skew;
    const std::string found = text_of(judge_version(rules, data, version(each.binary)));
    const std::string wanted = skew == 1 ? each.skew_1 : each.skew_2;
    const bool is_exact = wanted == "run" || wanted.starts_with("migrate");
    if (is_exact) EXPECT_EQ(found, wanted) << "skew " << skew;
    if (!is_exact) EXPECT_NE(found.find(wanted), std::string::npos) << "skew " << skew << ": " << found;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Section3, VersionRulesTable,
    testing::Values(
        RuleCase{"4.13.0", "4.14.0", "migrate 4.14", "migrate 4.14"},
        RuleCase{"4.13.0", "4.15.0", "version distance is 2, maximum allowed is 1", "migrate 4.14 4.15"},
        RuleCase{"4.13.0", "4.13.9", "run", "run"},
        RuleCase{"4.13.0", "4.12.0", "executable (4.12.0) is older than existing data (4.13.0)",
                 "is older than"},
        RuleCase{"4.14.0", "4.14.0", "run", "run"}, RuleCase{"4.14.7", "4.14.3", "run", "run"},
        RuleCase{"4.14.3", "4.14.7", "upgrade from \"4.14.3\" to \"4.14.7\" is blocked", "is blocked",
                 R"({"4.14.7":["4.14.3"]})"},
        RuleCase{"4.14.7", "4.14.3", "upgrade from \"4.14.7\" to \"4.14.3\" is blocked", "is blocked",
                 R"({"4.14.3":["4.14.7"]})"},
        RuleCase{"4.14.7", "4.14.7", "run", "run", R"({"4.14.7":["4.14.7"]})"},
        RuleCase{"4.14.9", "4.15.0", "migrate 4.15", "migrate 4.15"},
        RuleCase{"4.14.9", "4.16.0", "executable (4.16.0) is too recent compared to existing data (4.14.9)",
                 "migrate 4.15 4.16"},
        RuleCase{"4.14.9", "4.17.0", "version distance is 3, maximum allowed is 1", "maximum allowed is 2"},
        RuleCase{"4.15.0", "4.14.9", "migrating data to older version is not supported", "is older"},
        RuleCase{"4.22.1", "5.0.0", "migrate 5.0", "migrate 5.0"},
        RuleCase{"4.22.1", "5.1.0", "version distance is 2", "migrate 5.0 5.1"},
        RuleCase{"4.20.0", "5.0.0", "version distance is 3", "version distance is 3"},
        RuleCase{"5.0.0", "4.22.0", "is older", "is older"},
        RuleCase{"6.0.0", "6.0.0", "is not known", "is not known"},
        RuleCase{"4.23.0", "5.0.0", "is not known", "is not known"},
        RuleCase{"4.14.0", "6.0.0", "is not known", "is not known"},
        // Cut in the middle of a migration: the newest software that opened it counts.
        RuleCase{"4.14.0", "4.14.9", "is older than existing data (4.15.0)", "is older", "{}", "4.15.0"},
        RuleCase{"4.14.0", "4.15.0", "migrate 4.15", "migrate 4.15", "{}", "4.15.0"}));

TEST(VersionRules, AListThatCannotBeReadRefusesEveryChange) {
  VersionRules rules{.blocked_problem = "it is damaged"};
  EXPECT_EQ(text_of(judge_version(rules, {version("4.14.0"), {}}, version("4.14.0"))), "run");
  EXPECT_NE(text_of(judge_version(rules, {version("4.14.0"), {}}, version("4.14.1"))).find("it is damaged"),
            std::string::npos);
}

TEST(BlockedUpgrades, RefusesOtherForms) {
  for (const char* wrong :
       {"", "[]", "{\"4.14\":[]}", "{\"4.14.0\":\"4.13.0\"}", "{\"4.14.0\":[4]}", "{\"4.14.0\":[\"x\"]}"})
    EXPECT_FALSE(BlockedUpgrades::parse(wrong)) << wrong;
}

TEST(Names, AreClassifiedByTheirWholeForm) {
  const std::string id = "rhel-" + std::string(64, 'a') + ".0";
  const std::string boot(32, 'b');
  EXPECT_EQ(classify(id), EntryKind::Backup);
  EXPECT_EQ(classify("4.13"), EntryKind::Backup);
  EXPECT_EQ(classify(id + ".manifest"), EntryKind::Manifest);
  EXPECT_EQ(classify(id + ".unverified"), EntryKind::Unverified);
  EXPECT_EQ(classify(id + ".unverified.manifest"), EntryKind::Manifest);
  EXPECT_EQ(classify(id + "_" + boot + ".unhealthy"), EntryKind::Unhealthy);
  EXPECT_EQ(classify(".tmp.backup.17"), EntryKind::Temporary);
  EXPECT_EQ(classify("next_boot"), EntryKind::State);
  for (const std::string& name :
       std::vector<std::string>{".tmp.backup.", ".tmp.17", ".tmp.x/.17", ".hidden", "..", "", "a b",
                                "next_boot.corrupt", id + ".unhealthy", "x.manifest.manifest"})
    EXPECT_EQ(classify(name), EntryKind::Unknown) << name;
}

TEST(Names, IdsAreWholeAndBootIdsAreHex) {
  const std::string sum(64, '0');
  EXPECT_TRUE(is_ostree_id("rhel-" + sum + ".0"));
  EXPECT_TRUE(is_ostree_id("my-os-" + sum + ".10"));
  for (const std::string& wrong :
       {"rhel-" + sum, "-" + sum + ".0", "rhel-" + sum + ".x", "rhel-" + sum.substr(1) + ".0"})
    EXPECT_FALSE(is_ostree_id(wrong)) << wrong;
  EXPECT_EQ(parse_boot_id("3f2504e0-4f89-11d3-9a0c-0305e82c3301\n"), "3f2504e04f8911d39a0c0305e82c3301");
  EXPECT_FALSE(parse_boot_id("3f2504e0-4f89-11d3-9a0c-0305e82c33"));
  EXPECT_TRUE(is_restore_name(".microshift.restore.12", "microshift"));
  EXPECT_FALSE(is_restore_name(".microshift.restore.12x", "microshift"));
  EXPECT_FALSE(is_restore_name(".microshift2.restore.12", "microshift"));
}

}  // namespace
}  // namespace fairway::device
