#include "fleet/hub/update_graph.hpp"

#include <gtest/gtest.h>

#include "async/event_loop.hpp"

namespace fairway::fleet {
namespace {

// An update service that has 4.16.1 in channel stable, as long as it answers.
class Service : public http::Transport {
 public:
  Task<http::Response> send(http::ClientRequest request) override {
    asked.push_back(request.url.path);
    if (!answers) co_return fail(ErrorCode::Unavailable, "nobody is there");
    co_return http::Response{.body = R"({"nodes":[{"version":"4.16.0"},{"version":"4.16.1"}],"edges":[]})"};
  }
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest) override {
    co_return fail(ErrorCode::Unsupported, "graphs are not streamed");
  }
  bool answers = true;
  std::vector<std::string> asked;
};

struct Asking {
  async::EventLoop loop;
  ManualClock clock;
  std::shared_ptr<Service> service = std::make_shared<Service>();
  UpdateGraph graph{service, clock};

  bool has(const std::string& version, const std::string& upstream = "http://updates.example/graph") {
    const auto found =
        loop.block_on(graph.has_release({.upstream = upstream, .channel = "stable 4", .version = version}));
    EXPECT_TRUE(found) << found.error().describe();
    return found && *found;
  }
};

TEST(UpdateGraph, FindsWhatIsInTheChannel) {
  Asking asking;
  EXPECT_TRUE(asking.has("4.16.1"));
  EXPECT_FALSE(asking.has("4.17.0"));
  ASSERT_EQ(asking.service->asked.size(), 1u) << "an answer is good for a while";
  EXPECT_EQ(asking.service->asked[0], "/graph?channel=stable%204");
  asking.clock.advance(kGraphLifetime);
  EXPECT_TRUE(asking.has("4.16.1"));
  EXPECT_EQ(asking.service->asked.size(), 2u);
}

TEST(UpdateGraph, WhatCannotBeToldIsNotThere) {
  Asking asking;
  asking.service->answers = false;
  EXPECT_FALSE(asking.has("4.16.1"));
  EXPECT_FALSE(asking.has("4.16.1", "not a URL"));
  asking.service->answers = true;
  asking.clock.advance(kGraphLifetime);
  EXPECT_TRUE(asking.has("4.16.1"));
}

}  // namespace
}  // namespace fairway::fleet
