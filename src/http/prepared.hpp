// Prepared answers: what a PreparedServer sends, made once and shared by every request that gets it.
//
// A PreparedBody is bytes that never change: from 4 KiB on they lie in a sealed memory file, from which the
// kernel sends them without copying; smaller ones are a string, which goes out in one call with its head. A
// PreparedAnswer is the text of status line and headers together with a body; several answers may share one
// body. Both are immutable and safe to use from any thread.
//
//   auto answer = PreparedAnswer::make(200, {{"Content-Type", "application/json"}},
//   PreparedBody::make(json));
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "http/message.hpp"

namespace fairway::http {

class PreparedBody {
 public:
  static constexpr std::size_t kSmallestFile = 4 * 1024;

  // A string also when the system gives no memory file or bodies have half of the process's descriptors.
  static std::shared_ptr<const PreparedBody> make(std::string_view bytes);
  ~PreparedBody();
  PreparedBody(const PreparedBody&) = delete;
  PreparedBody& operator=(const PreparedBody&) = delete;

  std::size_t size() const { return size_; }
  std::string to_string() const;

  // The memory file, or -1 when the bytes are text().
  int file() const { return file_; }
  std::string_view text() const { return text_; }

 private:
  PreparedBody(int file, std::size_t size, std::string text);

  const int file_;
  const std::size_t size_;
  const std::string text_;
};

class PreparedAnswer {
 public:
  // The server itself says Date, Connection and how long the body is; of these headers given here nothing is
  // kept. A status that has no body (204, 304) gets none and says no length. Line breaks in a value become
  // blanks.
  static std::shared_ptr<const PreparedAnswer> make(int status, const Headers& headers,
                                                    std::shared_ptr<const PreparedBody> body = {});

  int status() const { return status_; }
  std::size_t body_size() const { return body_ ? body_->size() : 0; }
  // Whole lines, each with its end, without the empty line after them.
  const std::string& head() const { return head_; }
  const PreparedBody* body() const { return body_.get(); }

 private:
  PreparedAnswer(int status, std::string head, std::shared_ptr<const PreparedBody> body);

  const int status_;
  const std::string head_;
  const std::shared_ptr<const PreparedBody> body_;
};

struct PreparedReply {
  std::shared_ptr<const PreparedAnswer> answer;
  // What depends on the request (CORS): whole lines ending in \r\n. A header value of the request may be
  // repeated here as it is, because the server accepts none with a line break.
  std::string more_headers = {};
};

// Sun, 06 Nov 1994 08:49:37 GMT
std::string format_http_date(WallTime time);

}  // namespace fairway::http
