#include "kube/core/watch_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/core/object.hpp"
#include "kube/core/status.hpp"

namespace fairway::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string line(std::string_view type, std::string_view name) {
  return "{\"type\":\"" + std::string(type) + "\",\"object\":{\"metadata\":{\"name\":\"" + std::string(name) +
         "\"}}}\n";
}

// "ADDED a" for each event that is ready; the error's message at the end, if there is one.
std::vector<std::string> drain(WatchDecoder& decoder) {
  std::vector<std::string> seen;
  for (;;) {
    const auto event = decoder.next();
    if (!event) {
      seen.push_back("error " + event.error().message);
      return seen;
    }
    if (!*event) return seen;
    seen.push_back(std::string(to_string((*event)->type)) + " " + std::string(name_of((*event)->object)));
  }
}

TEST(WatchDecoder, DecodesWhatIsWhole) {
  WatchDecoder decoder;
  const std::string first = line("ADDED", "a");
  decoder.feed(first + line("MODIFIED", "b") + line("BOOKMARK", "c") + "{\"type\":\"DEL");
  EXPECT_THAT(drain(decoder), ElementsAre("ADDED a", "MODIFIED b", "BOOKMARK c"));
  decoder.feed("ETED\",\"object\":{}}\n");
  EXPECT_THAT(drain(decoder), ElementsAre("DELETED "));
  EXPECT_TRUE(decoder.finish().has_value());
}

TEST(WatchDecoder, LeavesManagedFieldsOutWhenTold) {
  const std::string event =
      R"({"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[{"manager":"x"}]},"spec":{"metadata":)"
      R"({"managedFields":[]}}}})"
      "\n";
  const auto decoded = [&](WatchDecoder decoder) {
    decoder.feed(event);
    return json::serialize((*decoder.next())->object);
  };
  EXPECT_THAT(decoded(WatchDecoder()), HasSubstr(R"("manager":"x")"));
  EXPECT_EQ(decoded(WatchDecoder(WatchDecoder::kMaxLine, ManagedFields::LeftOut)),
            R"({"metadata":{"name":"a"},"spec":{"metadata":{"managedFields":[]}}})");
}

TEST(WatchDecoder, GivesTheSameHoweverTheBytesAreCut) {
  std::string stream;
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    stream += line("ADDED", "é" + std::to_string(i)) + (i % 3 == 0 ? "\r\n" : "");
    expected.push_back("ADDED é" + std::to_string(i));
  }
  for (std::size_t size : {1U, 2U, 3U, 7U, 50U, 1000U}) {
    WatchDecoder decoder;
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      decoder.feed(std::string_view(stream).substr(at, size));
      for (std::string& event : drain(decoder)) seen.push_back(std::move(event));
    }
    EXPECT_EQ(seen, expected) << size;
    EXPECT_TRUE(decoder.finish().has_value());
  }
}

TEST(WatchDecoder, KeepsItsBufferSmall) {
  WatchDecoder decoder;
  const std::string text = line("ADDED", std::string(1000, 'x'));
  for (int i = 0; i < 1000; ++i) {
    decoder.feed(text);
    decoder.feed(text.substr(0, 10));
    EXPECT_EQ(drain(decoder).size(), 1U);
    decoder.feed(text.substr(10));
    EXPECT_EQ(drain(decoder).size(), 1U);
  }
}

TEST(WatchDecoder, ErrorEventsAreErrorsAfterWhatCameBefore) {
  WatchDecoder decoder;
  const std::string error = json::serialize(status_expired("too old resource version: 1 (5)").to_object());
  decoder.feed(line("ADDED", "a") + "{\"type\":\"ERROR\",\"object\":" + error + "}\n" + line("ADDED", "b"));
  EXPECT_THAT(drain(decoder), ElementsAre("ADDED a", "error too old resource version: 1 (5)"));
  EXPECT_EQ(decoder.next().error().code, ErrorCode::Gone);
  decoder.feed(line("ADDED", "c"));
  EXPECT_EQ(decoder.next().error().code, ErrorCode::Gone) << "the decoder stays failed";
  EXPECT_EQ(decoder.finish().error().code, ErrorCode::Gone);
}

TEST(WatchDecoder, TakesABareStatusForAnError) {
  WatchDecoder decoder;
  decoder.feed(json::serialize(status_unavailable("going away").to_object()) + "\n");
  EXPECT_EQ(decoder.next().error().code, ErrorCode::Unavailable);
}

TEST(WatchDecoder, BoundsTheLengthOfALine) {
  WatchDecoder whole(100);
  whole.feed(line("ADDED", std::string(200, 'x')));
  EXPECT_THAT(drain(whole),
              ElementsAre("error expected watch events of at most 100 bytes, found a longer one"));
  WatchDecoder partial(100);
  partial.feed(std::string(90, ' '));
  EXPECT_TRUE(drain(partial).empty());
  partial.feed(std::string(20, ' '));
  EXPECT_THAT(drain(partial), ElementsAre(HasSubstr("at most 100 bytes")));
}

TEST(WatchDecoder, RefusesWhatIsNoEvent) {
  for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
           {"{]\n", "expected a watch event, found"},
           {"[]\n", "expected a watch event, found expected a JSON object"},
           {"{\"type\":\"ADDED\"}\n", "expected a watch event with an object"},
           {"{\"type\":\"ADDED\",\"object\":1}\n", "expected a watch event with an object"},
           {"{\"type\":\"CREATED\",\"object\":{}}\n", "found \"CREATED\""},
           {"{\"object\":{}}\n", "found \"\""}}) {
    WatchDecoder decoder;
    decoder.feed(text);
    const auto event = decoder.next();
    ASSERT_FALSE(event.has_value()) << text;
    EXPECT_EQ(event.error().code, ErrorCode::Internal);
    EXPECT_THAT(event.error().message, HasSubstr(message)) << text;
  }
}

TEST(WatchDecoder, TellsWhenTheResponseWasCut) {
  WatchDecoder decoder;
  decoder.feed(line("ADDED", "a") + "{\"type\":");
  EXPECT_THAT(drain(decoder), ElementsAre("ADDED a"));
  EXPECT_EQ(decoder.finish().error().code, ErrorCode::Unavailable);
}

TEST(EncodeWatchEvent, IsWhatTheDecoderReads) {
  EXPECT_EQ(encode_watch_event(WatchEvent::Type::Modified, R"({"metadata":{"name":"x"}})"),
            line("MODIFIED", "x"));
}

}  // namespace
}  // namespace fairway::kube
