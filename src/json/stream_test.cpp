#include "json/stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace fairway::json {
namespace {

// Writes every event as a word.
class Recorder final : public StreamEvents {
 public:
  bool begin_object() override { return add("{"); }
  bool end_object() override { return add("}"); }
  bool begin_array() override { return add("["); }
  bool end_array() override { return add("]"); }
  bool key(std::string_view name) override { return add(fmt::format("{}:", name)); }
  bool string(std::string_view value) override { return add(fmt::format("'{}'", value)); }
  bool number(double value) override { return add(fmt::format("{}", value)); }
  bool other() override { return add("other"); }

  std::string text;
  std::string stop_at;

 private:
  bool add(const std::string& word) {
    text += (text.empty() ? "" : " ") + word;
    return word != stop_at;
  }
};

constexpr std::string_view kDocument =
    R"({"status":"success","data":{"result":[{"metric":{"_id":"a\u00e4\"b"},"value":[1700000000.5,"1"]}]},"x":[null,true,-7]} )";
constexpr std::string_view kEvents =
    R"({ status: 'success' data: { result: [ { metric: { _id: 'aä"b' } value: [ 1700000000.5 '1' ] } ] } x: [ other other -7 ] })";

TEST(StreamReader, GivesTheSameEventsForPiecesOfAnySize) {
  for (std::size_t size = 1; size <= kDocument.size(); ++size) {
    Recorder recorder;
    StreamReader reader(recorder);
    for (std::size_t at = 0; at < kDocument.size(); at += size)
      ASSERT_TRUE(reader.feed(kDocument.substr(at, size))) << size;
    ASSERT_TRUE(reader.finish()) << size;
    EXPECT_EQ(recorder.text, kEvents) << size;
  }
}

TEST(StreamReader, RefusesWhatIsNoDocument) {
  for (const std::string_view text :
       {"", "{", "{\"a\":", "[1,2", "{\"a\" 1}", "[1] [2]", "\"abc", "nul", "[01]"}) {
    Recorder recorder;
    StreamReader reader(recorder);
    const auto fed = reader.feed(text);
    EXPECT_FALSE(fed && reader.finish()) << text;
  }
}

TEST(StreamReader, BoundsDepthAndStrings) {
  Recorder recorder;
  StreamReader deep(recorder, {.max_depth = 4});
  EXPECT_FALSE(deep.feed("[[[[[1]]]]]"));
  StreamReader longer(recorder, {.max_string_bytes = 8});
  ASSERT_TRUE(longer.feed("[\"12345"));
  const auto refused = longer.feed("6789\"]");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the JSON has a string that is too long");
}

TEST(StreamReader, StopsWhenTheListenerDoes) {
  Recorder recorder;
  recorder.stop_at = "x:";
  StreamReader reader(recorder);
  const auto stopped = reader.feed(kDocument);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(recorder.text.ends_with(" x:"));
}

}  // namespace
}  // namespace fairway::json
