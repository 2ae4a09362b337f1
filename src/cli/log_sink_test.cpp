#include "cli/log_sink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/files.hpp"
#include "json/value.hpp"
#include "kube/client/testing/temp_dir.hpp"

namespace fairway::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(TextLine, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(text_line("ready", {}), "ready");
  EXPECT_EQ(text_line("listening", {{"address", "127.0.0.1:6443"}, {"why", "two words"}, {"empty", ""}}),
            "listening  address=127.0.0.1:6443 why=\"two words\" empty=\"\"");
}

TEST(TextLine, StaysOneLineWhateverItHolds) {
  const std::string line = text_line("a\nb\x1b[31m", {{"k", "x\ny"}, {"bad", "\xff"}});
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  EXPECT_THAT(line, Not(HasSubstr("\xff")));
}

TEST(JsonMembers, AreValidJsonWhateverTheyHold) {
  const auto parsed = json::parse_object("{" + json_members("a\n\"b\"", {{"k", "\xff"}, {"n", "1"}}) + "}");
  ASSERT_TRUE(parsed) << parsed.error().describe();
  EXPECT_EQ(json::get_string(*parsed, {"message"}), "a\n\"b\"");
  EXPECT_EQ(json::get_string(*parsed, {"n"}), "1");
  EXPECT_TRUE(json::get_string(*parsed, {"k"}));
}

TEST(JsonMembers, AFieldNeverHidesTheTimeOrTheMessage) {
  const auto parsed =
      json::parse_object("{" + json_members("m", {{"time", "t"}, {"level", "l"}, {"message", "n"}}) + "}");
  ASSERT_TRUE(parsed) << parsed.error().describe();
  EXPECT_EQ(json::get_string(*parsed, {"message"}), "m");
  EXPECT_EQ(json::get_string(*parsed, {"message_"}), "n");
  EXPECT_EQ(json::get_string(*parsed, {"time_"}), "t");
}

std::string captured(const LogSettings& settings, log::Level level) {
  testing::internal::CaptureStderr();
  make_log_sink(settings)(level, "ready", {{"port", "1"}});
  return testing::internal::GetCapturedStderr();
}

TEST(LogSink, WritesTextLines) {
  EXPECT_THAT(captured({}, log::Level::Warning),
              MatchesRegex("[0-9]+-[0-9]+-[0-9]+ [0-9:.]+ warning ready  port=1\n"));
}

TEST(LogSink, WritesJsonLines) {
  const std::string line = captured({.format = LogFormat::Json}, log::Level::Info);
  ASSERT_THAT(line, EndsWith("}\n"));
  const auto parsed = json::parse_object(line);
  ASSERT_TRUE(parsed) << parsed.error().describe();
  EXPECT_EQ(json::get_string(*parsed, {"level"}), "info");
  EXPECT_EQ(json::get_string(*parsed, {"port"}), "1");
  EXPECT_THAT(std::string(json::get_string(*parsed, {"time"}).value_or("")), EndsWith("Z"));
}

TEST(LogFile, TakesMessagesWhileItIsAskedTo) {
  const kube::testing::TempDir folder;
  const std::string file = folder.path("up.log");
  std::vector<std::string> elsewhere;
  log::set_sink(
      [&](log::Level, std::string_view message, const log::Fields&) { elsewhere.emplace_back(message); });
  for (const char* message : {"first", "second"}) {
    auto sink = make_log_file(file);
    ASSERT_TRUE(sink) << sink.error().describe();
    const LogInstead instead(*std::move(sink));
    log::info(message, {{"port", "1"}});
  }
  log::info("after");
  log::set_sink({});
  EXPECT_THAT(elsewhere, testing::ElementsAre("after"));
  EXPECT_THAT(*read_file(file),
              MatchesRegex("[-0-9]+ [0-9:.]+ info    first  port=1\n[-0-9]+ [0-9:.]+ info    "
                           "second  port=1\n"));
  EXPECT_EQ(make_log_file(file + "/below").error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace fairway::cli
