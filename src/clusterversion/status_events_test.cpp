#include "clusterversion/status_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/decide.hpp"

namespace fairway::clusterversion {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

kube::Condition accepted(std::string_view status, std::string reason, std::string message) {
  return {.type = "ReleaseAccepted",
          .status = std::string(status),
          .reason = std::move(reason),
          .message = std::move(message)};
}

HistoryEntry entry(std::string_view state, std::string version, std::string risks = "") {
  return {.state = std::string(state),
          .version = version,
          .image = "registry.example/release@sha256:" + version,
          .accepted_risks = std::move(risks)};
}

ClusterVersionStatus status(std::vector<kube::Condition> conditions, std::vector<HistoryEntry> history = {}) {
  ClusterVersionStatus made;
  made.conditions.assign(conditions.begin(), conditions.end());
  made.history = std::move(history);
  return made;
}

TEST(StatusEvents, NothingNewIsNotTold) {
  const auto same =
      status({accepted("True", "PayloadLoaded", "Payload loaded")}, {entry("Partial", "4.7.4")});
  EXPECT_THAT(status_events(same, same), IsEmpty());
  EXPECT_THAT(status_events({}, {}), IsEmpty());
  auto later = same;
  later.conditions.front().last_transition_time = WallTime(std::chrono::hours(1));
  EXPECT_THAT(status_events(same, later), IsEmpty()) << "a time alone is no news";
}

TEST(StatusEvents, TellsEveryStepOfAcceptance) {
  EXPECT_THAT(status_events({}, status({accepted("Unknown", "RetrievePayload", "Retrieving and verifying")})),
              ElementsAre(EventText{"RetrievePayload", "Retrieving and verifying"}));
  EXPECT_THAT(status_events({}, status({accepted("False", "RetrievePayload", "cannot be verified")})),
              ElementsAre(EventText{"RetrievePayloadFailed", "cannot be verified", true}));
  EXPECT_THAT(status_events({}, status({accepted("False", "PreconditionChecks", "not upgradeable")})),
              ElementsAre(EventText{"PreconditionBlock", "not upgradeable", true}));
}

TEST(StatusEvents, ANewReasonOrMessageIsNews) {
  const auto before = status({accepted("False", "RetrievePayload", "refused")});
  EXPECT_THAT(status_events(before, status({accepted("False", "RetrievePayload", "not found")})),
              ElementsAre(EventText{"RetrievePayloadFailed", "not found", true}));
  EXPECT_THAT(status_events(before, status({accepted("False", "LoadPayload", "refused")})),
              ElementsAre(EventText{"LoadPayloadFailed", "refused", true}));
}

TEST(StatusEvents, AnAcceptedReleaseTellsItsRisks) {
  const auto loaded = accepted("True", "PayloadLoaded", "Payload loaded version=\"4.7.4\"");
  EXPECT_THAT(status_events({}, status({loaded}, {entry("Partial", "4.7.4")})),
              ElementsAre(EventText{"PreconditionsPassed", "All preconditions passed."},
                          EventText{"PayloadLoaded", loaded.message}));
  EXPECT_THAT(status_events({}, status({loaded}, {entry("Partial", "4.7.4", "Updating is not recommended")})),
              ElementsAre(EventText{"PreconditionWarn", "Updating is not recommended", true},
                          EventText{"PayloadLoaded", loaded.message}));
}

TEST(StatusEvents, ARestartDoesNotAcceptAgain) {
  const auto loaded = accepted("True", "PayloadLoaded", "Payload loaded");
  EXPECT_THAT(status_events({}, status({loaded})), IsEmpty()) << "no history: nothing is being applied";
  const auto done = status({loaded}, {entry("Completed", "4.7.4")});
  const auto before = status({accepted("True", "PayloadLoaded", "other words")}, done.history);
  EXPECT_THAT(status_events(before, done), IsEmpty()) << "the release runs already";
}

TEST(StatusEvents, TellsOnceThatAnUpdateIsComplete) {
  const auto partial = status({}, {entry("Partial", "4.7.4"), entry("Completed", "4.6.23")});
  const auto done = status({}, {entry("Completed", "4.7.4"), entry("Completed", "4.6.23")});
  EXPECT_THAT(status_events(partial, done), ElementsAre(EventText{"UpdateComplete", "Done applying 4.7.4"}));
  EXPECT_THAT(status_events({}, done), ElementsAre(EventText{"UpdateComplete", "Done applying 4.7.4"}));
  EXPECT_THAT(status_events(done, done), IsEmpty());
  EXPECT_THAT(status_events(done, partial), IsEmpty());
  EXPECT_THAT(status_events(status({}, {entry("Completed", "4.6.23")}), done),
              ElementsAre(EventText{"UpdateComplete", "Done applying 4.7.4"}))
      << "begun and ended between two looks";
}

TEST(StatusEvents, WarnsOfRisksOfTheRunningRelease) {
  const kube::Condition exposed{.type = std::string(kExposedToKnownRisks),
                                .status = "True",
                                .reason = "ExposedToKnownRisk",
                                .message = "A proxy was configured."};
  EXPECT_THAT(status_events({}, status({exposed})),
              ElementsAre(EventText{"ExposedToKnownRisk", "A proxy was configured.", true}));
  EXPECT_THAT(status_events(status({exposed}), status({exposed})), IsEmpty());
  EXPECT_THAT(status_events(status({exposed}), {}), IsEmpty()) << "that it is over warns nobody";
}

}  // namespace
}  // namespace fairway::clusterversion
