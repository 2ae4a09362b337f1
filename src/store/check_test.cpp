// Damage: what the start refuses and what the full check says about it.
#include "store/check.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "store/sqlite.hpp"
#include "store/testing/store_fixture.hpp"

namespace fairway::store {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckTest : public StoreFixture {
 protected:
  // a: 1 → 3 → 6; b: 2 → deleted at 4; c: 5. Compacted at 2.
  CheckTest() {
    open();
    EXPECT_TRUE(create("a", "first"));
    EXPECT_TRUE(create("b", "second"));
    EXPECT_TRUE(update("a", "third"));
    EXPECT_TRUE(remove("b"));
    EXPECT_TRUE(create("c", "needle"));
    EXPECT_TRUE(update("a", "sixth"));
    EXPECT_TRUE(compact(2));
    close();
  }

  void execute(const std::string& sql) {
    auto database = Database::open(store_file(options_.directory), Database::Mode::ReadWrite);
    ASSERT_TRUE(database);
    const auto done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().describe();
  }

  std::string open_error() {
    const auto opened = Store::open(options_);
    return opened ? "opened" : std::string(to_string(opened.error().code)) + ": " + opened.error().describe();
  }
};

TEST_F(CheckTest, ASoundStoreHasNoFindings) {
  const auto report = check(options_.directory);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_EQ(report->rows, 6U);
  EXPECT_EQ(report->objects, 2U);
  EXPECT_EQ(report->revision, 6U);
  EXPECT_EQ(report->compacted, 2U);
}

TEST_F(CheckTest, DamagedRowsAreFound) {
  struct Case {
    std::string sql;
    std::string finding;
    std::string start;  // what the start says; "opened" where it does not look
  };
  const Case cases[] = {
      {"UPDATE log SET value = 'sixty' WHERE revision = 6", "row 6", "has the checksum"},
      {"UPDATE log SET value = 'thirty' WHERE revision = 3", "row 3", "opened"},
      {"DELETE FROM log WHERE revision = 3", "row 6", "row 3 is missing"},
      {"DELETE FROM log WHERE revision = 1", "row 3", "row 1 is missing"},
      {"UPDATE log SET previous = 1 WHERE revision = 6", "row 6", "has the checksum"},
      {"UPDATE log SET previous = 2 WHERE revision = 3", "row 3", "superseded twice"},
      {"UPDATE log SET kind = 9 WHERE revision = 5", "row 5 cannot be read", "cannot"},
      {"UPDATE log SET kind = 3 WHERE revision = 3", "row 3", "row 3 is a deletion"},
      {"UPDATE log SET name = 'a' WHERE revision = 5", "row 5", "checksum"},
      {"UPDATE log SET revision = 99999999 WHERE revision = 5", "row 99999999", "none above"},
      {"UPDATE meta SET value = 4 WHERE name = 'compacted'", "row 1", "row 4 is a deletion"},
  };
  std::ifstream sound(store_file(options_.directory), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(sound), {}};
  for (const Case& damage : cases) {
    std::ofstream(store_file(options_.directory), std::ios::binary) << bytes;
    execute(damage.sql);
    const auto report = check(options_.directory);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_THAT(report->findings, Contains(HasSubstr(damage.finding))) << damage.sql;
    EXPECT_THAT(open_error(), HasSubstr(damage.start)) << damage.sql;
  }
}

TEST_F(CheckTest, AFlippedBitInAValueIsFound) {
  std::fstream file(store_file(options_.directory), std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find("needle");
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file.put('N');
  file.close();
  EXPECT_THAT(check(options_.directory)->findings, Contains(HasSubstr("row 5")));
  EXPECT_THAT(open_error(), HasSubstr("Invalid"));
  EXPECT_THAT(open_error(), HasSubstr("fairway apiserver check"));
}

TEST_F(CheckTest, DestroyedPagesAreFound) {
  std::fstream file(store_file(options_.directory), std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  file.seekp(8192);
  for (std::size_t at = 8192; at < bytes.size(); ++at) file.put('\x5a');
  file.close();
  const auto report = check(options_.directory);
  EXPECT_TRUE(!report || !report->findings.empty());
  EXPECT_THAT(open_error(), HasSubstr("Invalid"));
}

TEST_F(CheckTest, ANewerFormatIsRefused) {
  execute("PRAGMA user_version=2");
  EXPECT_THAT(open_error(), HasSubstr("Unsupported"));
  EXPECT_THAT(open_error(), HasSubstr("written by a newer version"));
  EXPECT_EQ(check(options_.directory).error().code, ErrorCode::Unsupported);
}

TEST_F(CheckTest, WhatIsNotAStoreIsRefused) {
  execute("PRAGMA application_id=1");
  EXPECT_THAT(open_error(), HasSubstr("expected a store of Fairway"));
  std::ofstream(store_file(options_.directory), std::ios::binary) << std::string(100'000, 'x');
  EXPECT_THAT(open_error(), HasSubstr("Invalid"));
  EXPECT_EQ(check(directory_.path() + "/nothing").error().code, ErrorCode::NotFound);
  EXPECT_EQ(check(directory_.path()).error().code, ErrorCode::NotFound);
  options_.directory = store_file(options_.directory);
  EXPECT_THAT(open_error(), HasSubstr("to be a directory"));
}

}  // namespace
}  // namespace fairway::store
