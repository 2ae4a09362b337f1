#include "fleet/hub/row_changes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/patch.hpp"

namespace fairway::fleet {
namespace {

json::Object status(std::string_view rows, std::string_view rest = "") {
  return *json::parse_object(fmt::format(R"({{"status":[{}]{}}})", rows, rest));
}
std::string row(std::string_view cluster, std::string_view word) {
  return word.empty() ? fmt::format(R"({{"clustername":"{}"}})", cluster)
                      : fmt::format(R"({{"clustername":"{}","compliant":"{}"}})", cluster, word);
}

// What the patch makes of an object with the first status.
json::Value patched(const json::Object& before, const json::Array& patch) {
  json::Value object = json::Object{{"metadata", json::Object{{"resourceVersion", "7"}}}, {"status", before}};
  const auto read = json::Patch::parse(patch);
  EXPECT_TRUE(read) << read.error().describe();
  EXPECT_TRUE(read->apply(object));
  return object;
}

TEST(RowChanges, AreTheRowsThatDiffer) {
  const auto before = status(row("a", "Compliant") + "," + row("b", "") + "," + row("c", "NonCompliant"),
                             R"(,"compliant":"NonCompliant","placement":[1])");
  const auto after = status(row("a", "Compliant") + "," + row("b", "Pending") + "," + row("c", ""),
                            R"(,"compliant":"Pending","placement":[1])");
  const auto patch = row_changes(before, after, "7");
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->size(), 4u) << json::serialize(*patch);
  EXPECT_TRUE(json::same_value(patched(before, *patch).as_object().at("status"), after));
  const auto back = row_changes(after, before, "7");
  ASSERT_TRUE(back);
  EXPECT_TRUE(json::same_value(patched(after, *back).as_object().at("status"), before));
}

TEST(RowChanges, AnythingElseIsWrittenWhole) {
  const auto before = status(row("a", "Compliant"), R"(,"placement":[1])");
  EXPECT_FALSE(
      row_changes(before, status(row("a", "Compliant") + "," + row("b", ""), R"(,"placement":[1])"), "7"));
  EXPECT_FALSE(row_changes(before, status(row("b", "Compliant"), R"(,"placement":[1])"), "7"));
  EXPECT_FALSE(row_changes(before, status(row("a", "Pending"), R"(,"placement":[2])"), "7"));
  EXPECT_FALSE(row_changes(before, status(row("a", "Pending")), "7"));
  EXPECT_FALSE(row_changes({}, before, "7"));
  std::string all_before, all_after;
  for (int i = 0; i < 1000; ++i) {
    all_before += (i > 0 ? "," : "") + row(fmt::format("c{}", i), "NonCompliant");
    all_after += (i > 0 ? "," : "") + row(fmt::format("c{}", i), "Compliant");
  }
  EXPECT_FALSE(row_changes(status(all_before), status(all_after), "7"));
}

}  // namespace
}  // namespace fairway::fleet
