#include "kube/runtime/leader_election.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ManualLoop;
using testing::ScriptedApi;

const GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};
const ObjectKey kKey{"kube-system", "fairway"};

TEST(LeaseView, NeverComparesClocksOfTwoMachines) {
  LeaseView view("me", 15s);
  Lease lease{.metadata = {.name = "l", .uid = "u"}};
  lease.spec.holder_identity = "other";
  lease.spec.lease_duration_seconds = 15;
  // The holder's clock is years behind, or ahead: it does not matter.
  lease.spec.renew_time = json::MicroTime{WallTime{1s}};
  SteadyTime now{1h};
  view.observe(lease, now);
  EXPECT_FALSE(view.may_be_taken(now));
  EXPECT_FALSE(view.may_be_taken(now + 15s - 1ns));
  EXPECT_TRUE(view.may_be_taken(now + 15s));
  view.observe(lease, now + 10s);
  EXPECT_TRUE(view.may_be_taken(now + 15s)) << "reading it again unchanged prolongs nothing";
  lease.spec.renew_time = json::MicroTime{WallTime{2s}};
  view.observe(lease, now + 14s);
  EXPECT_FALSE(view.may_be_taken(now + 28s)) << "any change is a sign of life";
  lease.spec.holder_identity = "";
  view.observe(lease, now + 20s);
  EXPECT_TRUE(view.may_be_taken(now + 20s)) << "released";
}

TEST(LeaseView, CountsTransitionsAndKeepsTheTimeOfAcquisition) {
  LeaseView view("me", 15s);
  const WallTime now{100s};
  Lease lease = view.taken({.name = "l"}, now);
  EXPECT_EQ(lease.spec.lease_transitions, 0);
  EXPECT_EQ(lease.spec.holder_identity, "me");
  view.observe(lease, SteadyTime{});
  lease = view.taken({}, now + 2s);
  EXPECT_EQ(lease.spec.acquire_time->time, now);
  EXPECT_EQ(lease.spec.renew_time->time, now + 2s);
  EXPECT_EQ(lease.spec.lease_transitions, 0);
  lease.spec.holder_identity = "other";
  view.observe(lease, SteadyTime{});
  lease = view.taken({}, now + 9s);
  EXPECT_EQ(lease.spec.lease_transitions, 1);
  EXPECT_EQ(lease.spec.acquire_time->time, now + 9s);
}

struct Candidate {
  Candidate(ManualLoop& loop, ScriptedApi& server, std::string name, std::vector<std::string>& story)
      : manual(loop),
        client(server.transport(), loop.clock, *http::Url::parse("http://api"),
               {.requests_per_second = 0, .retry = {.max_retries = 0}}),
        election(
            client,
            {.lease = kKey, .identity = name, .seed = std::hash<std::string>{}(name), .metrics = &registry}),
        identity(std::move(name)),
        story(story),
        group(loop.loop.executor(),
              [this](const std::string&, const Error& error) { failure = error.describe(); }) {}
  ~Candidate() { stop(); }

  void start() {
    group_id = group.spawn(identity, election.run([this] { return lead(*this); }));
  }
  void stop() {
    group.cancel(group_id);
    manual.settle();
  }
  static Task<void> lead(Candidate& self) {
    self.story.push_back(self.identity + " leads");
    auto waited = co_await self.never.wait();
    self.story.push_back(self.identity + " ends");
    co_return waited;
  }

  ManualLoop& manual;
  metrics::Registry registry;
  Client client;
  LeaderElection election;
  std::string identity;
  std::vector<std::string>& story;
  std::string failure;
  async::Notify never;
  async::TaskGroup group;
  async::TaskGroup::TaskId group_id = 0;
};

struct ElectionTest : ::testing::Test {
  ManualLoop manual;
  ScriptedApi api{manual.clock};
  std::vector<std::string> story;

  std::string holder() {
    const auto lease = api.get(kLeases, kKey);
    return lease ? std::string(json::get_string(*lease, {"spec", "holderIdentity"}).value_or("?")) : "none";
  }
};

TEST_F(ElectionTest, OneLeadsAndTheOtherTakesOverAtOnceWhenItStops) {
  Candidate a(manual, api, "a", story);
  Candidate b(manual, api, "b", story);
  a.start();
  manual.advance(1s);
  b.start();
  manual.advance(10min);
  EXPECT_THAT(story, ElementsAre("a leads"));
  EXPECT_EQ(b.election.leader(), "a");
  EXPECT_THAT(a.registry.expose(), HasSubstr(R"(leader_election_master_status{name="fairway"} 1)"));
  a.stop();
  EXPECT_EQ(holder(), "") << "handed over after the task has ended";
  manual.advance(5s);
  EXPECT_THAT(story, ElementsAre("a leads", "a ends", "b leads"));
  EXPECT_THAT(a.registry.expose(), HasSubstr(R"(leader_election_master_status{name="fairway"} 0)"));
}

TEST_F(ElectionTest, ARenewalWhoseAnswerWasLostDoesNotKeepTheLeaseFromBeingHandedOver) {
  Candidate a(manual, api, "a", story);
  a.start();
  manual.advance(3s);
  auto lease = *api.get(kLeases, kKey);
  json::ensure_object(lease, {"spec"})["renewTime"] = "2023-11-14T22:13:25.000000Z";
  api.put(kLeases, lease);
  a.stop();
  EXPECT_EQ(holder(), "");
}

TEST_F(ElectionTest, ALeaderThatCannotRenewEndsBeforeAnotherMayBegin) {
  Candidate a(manual, api, "a", story);
  a.start();
  manual.advance(3s);
  EXPECT_TRUE(a.election.is_leader());
  api.faults.failing = 1;
  manual.advance(8s - 1ms);
  EXPECT_TRUE(a.election.is_leader());
  manual.advance(2s + 1ms);
  EXPECT_FALSE(a.election.is_leader());
  EXPECT_THAT(a.failure, HasSubstr("lost the lease \"kube-system/fairway\": not renewed for 10s"));
  EXPECT_THAT(story, ElementsAre("a leads", "a ends"));
}

TEST_F(ElectionTest, ALeaseThatIsNotRenewedIsTakenAfterItsDuration) {
  api.put(kLeases, *json::parse_object(R"({"metadata":{"name":"fairway","namespace":"kube-system"},
      "spec":{"holderIdentity":"dead","leaseDurationSeconds":15,"renewTime":"2099-01-01T00:00:00.000000Z"}})"));
  Candidate a(manual, api, "a", story);
  a.start();
  manual.advance(14s);
  EXPECT_THAT(story, ElementsAre());
  manual.advance(6s);
  EXPECT_THAT(story, ElementsAre("a leads"));
  EXPECT_EQ(json::get_int(*api.get(kLeases, kKey), {"spec", "leaseTransitions"}), 1);
}

TEST_F(ElectionTest, ALeaderThatWasOvertakenStopsAtItsNextRenewal) {
  Candidate a(manual, api, "a", story);
  a.start();
  manual.advance(3s);
  auto lease = *api.get(kLeases, kKey);
  json::ensure_object(lease, {"spec"})["holderIdentity"] = "usurper";
  api.put(kLeases, lease);
  manual.advance(2s);
  EXPECT_THAT(story, ElementsAre("a leads", "a ends"));
  EXPECT_THAT(a.failure, HasSubstr("it is held by \"usurper\""));
  EXPECT_EQ(holder(), "usurper") << "what is not ours is not released";
}

TEST_F(ElectionTest, JumpsOfTheWallClockDoNotMatter) {
  Candidate a(manual, api, "a", story);
  Candidate b(manual, api, "b", story);
  a.start();
  manual.advance(1s);
  b.start();
  for (int i = 0; i < 50; ++i) {
    manual.clock.jump_wall(i % 2 == 0 ? 1000h : -2000h);
    manual.advance(3s);
  }
  EXPECT_THAT(story, ElementsAre("a leads"));
}

// Never two leaders at once, whatever fails; and in the end there is one.
TEST_F(ElectionTest, AtMostOneLeadsFromEverySeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    ManualLoop loop;
    ScriptedApi server(loop.clock, seed);
    std::vector<std::string> log;
    std::vector<std::unique_ptr<Candidate>> candidates;
    for (const char* name : {"a", "b", "c"})
      candidates.push_back(std::make_unique<Candidate>(loop, server, name, log));
    Random random(seed);
    const auto leaders = [&] {
      return std::ranges::count_if(candidates, [](const auto& each) { return each->election.is_leader(); });
    };
    for (auto& each : candidates) each->start();
    for (int i = 0; i < 200; ++i) {
      server.faults.failing = random.below(4) == 0 ? 0.9 : 0.1;
      loop.advance(std::chrono::milliseconds(random.below(4000)));
      EXPECT_LE(leaders(), 1);
      auto& one = *candidates[random.below(3)];
      if (random.below(20) == 0) one.stop();
      if (one.group.size() == 0) one.start();
    }
    server.faults = {};
    for (auto& each : candidates) {
      if (each->group.size() == 0) each->start();
    }
    loop.advance(1min);
    EXPECT_EQ(leaders(), 1);
  }
}

}  // namespace
}  // namespace fairway::kube
