#include "http/prepared.hpp"

#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace fairway::http {
namespace {

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

TEST(PreparedBody, KeepsItsBytesWhereverTheyLie) {
  constexpr std::size_t kFile = PreparedBody::kSmallestFile;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kFile - 1, kFile, std::size_t{357'000}}) {
    const auto body = PreparedBody::make(pattern(size));
    EXPECT_EQ(body->size(), size);
    EXPECT_EQ(body->to_string(), pattern(size));
    EXPECT_EQ(body->file() >= 0, size >= PreparedBody::kSmallestFile);
  }
}

TEST(PreparedBody, CannotBeChanged) {
  const auto body = PreparedBody::make(pattern(20'000));
  EXPECT_LT(::pwrite(body->file(), "x", 1, 0), 0);
  EXPECT_NE(::ftruncate(body->file(), 10), 0);
  EXPECT_EQ(body->to_string(), pattern(20'000));
}

TEST(PreparedBody, IsAStringWhenThereIsNoFile) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto body = PreparedBody::make(pattern(20'000));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(body->file(), -1);
  EXPECT_EQ(body->to_string(), pattern(20'000));
}

TEST(PreparedBody, BodiesLeaveDescriptorsToConnections) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<std::shared_ptr<const PreparedBody>> bodies;
  bodies.reserve(100);
  for (int i = 0; i < 100; ++i) bodies.push_back(PreparedBody::make(pattern(20'000)));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GE(bodies.front()->file(), 0);
  EXPECT_EQ(bodies.back()->file(), -1);
  for (const auto& body : bodies) EXPECT_LT(body->file(), 50);
}

TEST(PreparedAnswer, SaysStatusHeadersAndLength) {
  const auto answer = PreparedAnswer::make(200, {{"Content-Type", "application/json"}, {"ETag", "\"1\""}},
                                           PreparedBody::make("{}"));
  EXPECT_EQ(answer->head(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"1\"\r\nContent-Length: 2\r\n");
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body_size(), 2U);
}

TEST(PreparedAnswer, HasALengthWithoutABodyToo) {
  EXPECT_EQ(PreparedAnswer::make(404, {})->head(), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n");
}

TEST(PreparedAnswer, NoBodyWhereTheStatusHasNone) {
  for (const int status : {204, 304}) {
    const auto answer = PreparedAnswer::make(status, {{"ETag", "\"1\""}}, PreparedBody::make("{}"));
    EXPECT_EQ(answer->body(), nullptr);
    EXPECT_EQ(answer->body_size(), 0U);
    EXPECT_EQ(answer->head().find("Content-Length"), std::string::npos);
  }
}

TEST(PreparedAnswer, LeavesTheServersOwnHeadersToTheServer) {
  const auto answer = PreparedAnswer::make(
      200,
      {{"content-length", "9"}, {"Connection", "close"}, {"Date", "now"}, {"Transfer-Encoding", "chunked"}});
  EXPECT_EQ(answer->head(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
}

TEST(PreparedAnswer, AValueCannotBreakALine) {
  const auto answer = PreparedAnswer::make(200, {{"X", std::string("a\r\nY: b\0c", 9)}});
  EXPECT_EQ(answer->head(), "HTTP/1.1 200 OK\r\nX: a  Y: b c\r\nContent-Length: 0\r\n");
}

TEST(HttpDate, IsTheFixedForm) {
  EXPECT_EQ(format_http_date(WallTime{std::chrono::seconds(784'111'777)}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(WallTime{std::chrono::milliseconds(1'709'251'199'999)}),
            "Thu, 29 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(format_http_date(WallTime{}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace fairway::http
