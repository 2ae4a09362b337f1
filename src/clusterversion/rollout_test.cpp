#include "clusterversion/rollout.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using std::chrono::seconds;

constexpr const char* kImage = "registry.example.com/release@sha256:1";

ClusterVersionStatus running(std::vector<std::string> channels) {
  ClusterVersionStatus status;
  status.desired.version = "4.6.23";
  status.desired.image = kImage;
  status.desired.channels = std::move(channels);
  return status;
}

// Decides, and lets every retrieval that is asked for fail at once; how many there were.
std::size_t fail_once(RolloutMemory& memory, const ClusterVersionStatus& status, SteadyTime now) {
  const auto decision = decide_rollout({}, status, memory, {.steady = now}, {});
  for (const RetrieveRelease& asked : decision.retrievals) {
    begin_retrieval(memory, asked, kImage);
    end_retrieval(memory, asked,
                  {.failure = PayloadFailure{.step = "RetrievePayload", .text = "no such host"}}, now);
  }
  return decision.retrievals.size();
}

// The update service tells more about the running release while it cannot be retrieved.
TEST(RolloutMemory, ARunningReleaseThatCannotBeRetrievedIsAskedForInPauses) {
  RolloutMemory memory;
  SteadyTime now{};
  EXPECT_EQ(fail_once(memory, running({}), now), 1);
  EXPECT_EQ(fail_once(memory, running({}), now), 0);
  now += retry_pause(1);
  const auto known_better = running({"stable-4.6", "stable-4.7"});
  EXPECT_EQ(fail_once(memory, known_better, now), 1);
  EXPECT_EQ(fail_once(memory, known_better, now), 0);
  EXPECT_EQ(fail_once(memory, known_better, now + retry_pause(2) - seconds(1)), 0);
  EXPECT_EQ(fail_once(memory, known_better, now + retry_pause(2)), 1);
  EXPECT_EQ(memory.releases.size(), 1);
}

}  // namespace
}  // namespace fairway::clusterversion
