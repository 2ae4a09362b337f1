// The checker must find each kind of broken promise, and nothing in a history that is fine.
#include "tests/fault/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::fault {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> judge(const std::string& lines) {
  History history;
  HistoryReader reader(history);
  std::size_t start = 0;
  while (start < lines.size()) {
    const std::size_t end = lines.find('\n', start);
    const Result<void> read = reader.read(lines.substr(start, end - start));
    EXPECT_TRUE(read) << read.error().describe();
    start = end + 1;
  }
  return history.violations();
}

const std::string kSound =
    "try a t1\n"
    "saw 1 created a t1 0\n"
    "ack 1 created a t1\n"
    "try a t2\n"
    "try b t3\n"
    "saw 2 updated a t2 1\n"
    "ack 2 updated a t2\n"
    "list 2 1\n"
    "item a 2 t2\n"
    "saw 9 created b t3 0\n"  // never acknowledged: the writer was cut off
    "try a t4\n"              // never happened
    "try a t5\n"
    "saw 12 deleted a t5 2\n"
    "ack 12 deleted a t5\n"
    "list 12 1\n"
    "item b 9 t3\n";

TEST(History, ASoundOneHasNoViolations) {
  EXPECT_THAT(judge(kSound), IsEmpty());
}

TEST(History, EachBrokenPromiseIsFound) {
  struct Case {
    std::string lines;  // after the sound ones
    std::string finding;
  };
  const Case cases[] = {
      {"try c t6\nack 13 created c t6\n", "lost: c created t6 at revision 13"},
      {"try c t6\nsaw 9 created c t6 0\n", "was b created t3 at revision 9 before"},
      {"try c t6\nack 2 created c t6\n", "was a updated t2 at revision 2 before"},
      {"try c t6\nsaw 11 created c t6 0\n", "comes after revision 12"},
      {"saw 12 deleted a t5 2\n", "comes after revision 12"},
      {"saw 13 created a t1 0\n", "happened at revision 1 already"},
      {"saw 13 created c t6 0\n", "was never attempted"},
      {"saw 13 created c t4 0\n", "was never attempted"},
      {"try b t6\nsaw 13 updated b t6 8\n", "supersedes revision 8, but the last one seen was 9"},
      {"try b t6\nsaw 13 created b t6 0\n", "although it existed"},
      {"try a t6\nsaw 13 updated a t6 12\n", "although it did not exist"},
      {"list 12 0\n", "list at revision 12 differs"},
      {"list 12 1\nitem b 9 t4\n", "list at revision 12 differs"},
      {"list 12 2\nitem a 2 t2\nitem b 9 t3\n", "list at revision 12 differs"},
      {"list 9 2\nitem a 2 t2\nitem b 9 t3\n", "revision 12 had been acknowledged before"},
      {"try a t1\n", "attempted twice"},
  };
  for (const Case& broken : cases)
    EXPECT_THAT(judge(kSound + broken.lines), Contains(HasSubstr(broken.finding))) << broken.lines;
}

TEST(HistoryReader, ABrokenLineIsRefused) {
  History history;
  HistoryReader reader(history);
  for (const char* line :
       {"", "try a", "ack x created a t", "ack 1 made a t", "saw 1 created a t", "item a 1 t", "list 1"})
    EXPECT_FALSE(reader.read(line)) << line;
}

TEST(HistoryReader, AListThatWasCutOffDoesNotCount) {
  History history;
  HistoryReader reader(history);
  ASSERT_TRUE(reader.read("list 5 2"));
  ASSERT_TRUE(reader.read("item a 1 t"));
  reader.cut();
  EXPECT_FALSE(reader.read("item b 1 u"));
  EXPECT_THAT(history.violations(), IsEmpty());
}

}  // namespace
}  // namespace fairway::fault
