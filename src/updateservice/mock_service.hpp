// MockService: an update service for people who write clients, with a channel for each thing that can happen.
//
// The answers fit the version that the client says it has (`version`), so that any client can be pointed here
// without preparing data. They come from the same graph code as the real ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/semver.hpp"
#include "http/prepared_server.hpp"
#include "updateservice/problem.hpp"

namespace fairway::updateservice {

// Each channel and what its client sees.
std::span<const std::pair<std::string_view, std::string_view>> mock_channels();

// The answer of a channel; `slow` answers as `simple` does, unknown ones with an empty graph. Pure.
std::string mock_graph(std::string_view channel, std::string_view arch, const SemVer& version);

struct MockSettings {
  std::string prefix = {};
  Duration delay = std::chrono::seconds(30);  // of the channel slow
};

class MockService {
 public:
  // The loop outlives it and is run by whoever made it.
  MockService(MockSettings settings, async::EventLoop& loop);

  // On the server's threads.
  void handle(const http::RequestView& request, http::Responder responder);

 private:
  struct Slow;
  Judged<http::PreparedReply> answer(const http::RequestView& request, bool& is_slow) const;
  void answer_slowly(http::PreparedReply reply, http::Responder responder);

  MockSettings settings_;
  async::EventLoop& loop_;
};

}  // namespace fairway::updateservice
