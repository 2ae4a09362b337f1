// ScriptedTransport: the peer of component tests. It answers with functions of the test's and remembers what
// was asked.
//
// Answers come from the event loop, never inline, as real ones do. A streamed answer is a ScriptedStream,
// which the test keeps and feeds, cuts or ends when it likes; without a function for streams, the answer to
// send() is streamed in its pieces.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "async/notify.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"

namespace fairway::kube::testing {

// The far end of a streamed answer. Shared by the test and the stream that the client reads.
class StreamScript {
 public:
  void push(std::string bytes);
  void end();
  void cut(Error error);                         // the connection breaks after what was pushed
  bool is_closed() const { return is_closed_; }  // by the reader

 private:
  friend class ScriptedStream;
  std::deque<std::variant<std::string, Error>> pieces_;  // an empty text is the end
  async::Notify changed_;
  bool is_closed_ = false;
};

class ScriptedStream final : public http::ResponseStream {
 public:
  ScriptedStream(TimerClock& clock, int status, http::Headers headers, std::shared_ptr<StreamScript> script);
  ~ScriptedStream() override;

  int status() const override { return status_; }
  const http::Headers& headers() const override { return headers_; }
  Task<std::string> read(Duration timeout) override;

 private:
  TimerClock& clock_;
  int status_;
  http::Headers headers_;
  std::shared_ptr<StreamScript> script_;
};

class ScriptedTransport final : public http::Transport {
 public:
  using Answer = std::function<Result<http::Response>(const http::ClientRequest&)>;
  using Open = std::function<Result<std::unique_ptr<http::ResponseStream>>(const http::ClientRequest&)>;

  ScriptedTransport(TimerClock& clock, Answer answer, Open open = {});

  Task<http::Response> send(http::ClientRequest request) override;
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override;

  const std::vector<http::ClientRequest>& requests() const { return requests_; }
  // "GET /api/v1/namespaces/default" for each, in order.
  std::vector<std::string> asked() const;
  void clear() { requests_.clear(); }

 private:
  TimerClock& clock_;
  Answer answer_;
  Open open_;
  std::vector<http::ClientRequest> requests_;
};

http::Response json_response(int status, std::string body);

}  // namespace fairway::kube::testing
