#include "json/apply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::compiled;
using testing_support::object;

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "spec": {"type":"object","properties":{
    "replicas": {"type":"integer"}, "paused": {"type":"boolean"}, "name": {"type":"string"},
    "args": {"type":"array","items":{"type":"string"}},
    "tags": {"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
    "containers": {"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
      "items": {"type":"object","required":["name"],"properties":{"name":{"type":"string"},"image":{"type":"string"},
        "pull":{"type":"string"}}}},
    "selector": {"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
    "data": {"type":"object","additionalProperties":{"type":"string"}},
    "free": {"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
  "status": {"type":"object","properties":{"ready":{"type":"integer"}}}}})";

// An object and those who write it, a second apart.
class ApplyTest : public testing::Test {
 protected:
  FieldWriter writer(std::string manager, std::string subresource = {}) {
    now_ += std::chrono::seconds(1);
    FieldWriter out{std::move(manager), api_version_, std::move(subresource), now_, schema_.get()};
    out.versions = versions_;
    return out;
  }

  static Object whole(std::string_view parts, std::string_view version = "example.com/v1") {
    Object out{{"apiVersion", version}, {"kind", "Thing"}, {"metadata", Object{{"name", "t"}}}};
    for (auto& member : object(parts)) {
      if (member.key() == "metadata") {
        for (auto& meta : member.value().get_object())
          out["metadata"].get_object()[meta.key()] = meta.value();
      } else {
        out[member.key()] = member.value();
      }
    }
    return out;
  }

  // "applied", or the conflict's message, or the error.
  std::string apply_as(std::string manager, std::string_view parts, bool force = false) {
    auto outcome = apply(live_, whole(parts, api_version_), writer(std::move(manager)), force);
    if (!outcome) return "error: " + outcome.error().message;
    if (const auto* conflicts = std::get_if<ApplyConflicts>(&*outcome)) return conflicts->message();
    store(std::move(std::get<Applied>(*outcome).object));
    return "applied";
  }

  void update_as(std::string manager, std::string_view parts, std::string subresource = {}) {
    Object next = whole(parts, api_version_);
    next["metadata"].get_object()["uid"] = "u1";
    track_update(live_, next, writer(std::move(manager), std::move(subresource)));
    store(std::move(next));
  }

  void store(Object object) {
    object["metadata"].get_object()["uid"] = "u1";
    live_ = std::move(object);
  }

  std::string spec() const { return live_.contains("spec") ? serialize(live_.at("spec")) : "none"; }

  // One line an entry: manager operation[/subresource] second: fields.
  std::vector<std::string> owners() const {
    std::vector<std::string> out;
    const Array* entries = get_array(live_, {"metadata", "managedFields"});
    for (std::size_t i = 0; entries && i < entries->size(); ++i) {
      const Object& entry = (*entries)[i].get_object();
      const auto text = [&](std::string_view key) {
        return std::string(get_string(entry, {key}).value_or(""));
      };
      const std::string sub = text("subresource").empty() ? "" : "/" + text("subresource");
      out.push_back(text("manager") + " " + text("operation") + sub + " " + text("time").substr(17, 2) +
                    ": " + serialize(entry.at("fieldsV1")));
    }
    return out;
  }

  std::string managed() const {
    const Value* list = find(live_, {"metadata", "managedFields"});
    return list ? serialize(*list) : "none";
  }

  std::shared_ptr<const Schema> schema_ = compiled(kSchema);
  std::string api_version_ = "example.com/v1";
  SchemaLookup versions_;
  Object live_;
  WallTime now_ = *parse_rfc3339("2024-01-01T00:00:00Z");
};

TEST_F(ApplyTest, CreatesAnObjectThatItsManagerOwns) {
  EXPECT_EQ(apply_as("a", R"({"spec":{"replicas":1},"metadata":{"labels":{"app":"x"}}})"), "applied");
  EXPECT_EQ(spec(), R"({"replicas":1})");
  EXPECT_EQ(
      managed(),
      R"([{"manager":"a","operation":"Apply","apiVersion":"example.com/v1","time":"2024-01-01T00:00:01Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{}}}}])");
}

TEST_F(ApplyTest, ASecondTimeChangesNothingAtAll) {
  apply_as("a", R"({"spec":{"replicas":1,"tags":["x"],"containers":[{"name":"c","image":"i"}]}})");
  update_as("u", serialize(Object{{"spec", live_["spec"]}, {"status", Object{{"ready", 1}}}}));
  const Object before = live_;
  EXPECT_EQ(apply_as("a", R"({"spec":{"replicas":1,"tags":["x"],"containers":[{"name":"c","image":"i"}]}})"),
            "applied");
  EXPECT_EQ(serialize(live_), serialize(before));
}

TEST_F(ApplyTest, RemovesWhatItsManagerNoLongerApplies) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n","data":{"k":"v","l":"w"},"tags":["x","y"],
                    "containers":[{"name":"c","image":"i","pull":"Always"},{"name":"d"}]}})");
  apply_as(
      "a",
      R"({"spec":{"replicas":1,"data":{"l":"w"},"tags":["y"],"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(spec(),
            R"({"replicas":1,"data":{"l":"w"},"tags":["y"],"containers":[{"name":"c","image":"i"}]})");
}

TEST_F(ApplyTest, LeavesWhatOthersOwnOrNobodyOwns) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n","data":{"k":"v"}}})");
  apply_as("b", R"({"spec":{"name":"n"}})");
  update_as("u", R"({"spec":{"replicas":1,"name":"n","data":{"k":"v","other":"o"}}})");
  apply_as("a", R"({"spec":{"replicas":1}})");
  EXPECT_EQ(spec(), R"({"replicas":1,"name":"n","data":{"other":"o"}})");
}

TEST_F(ApplyTest, TakesAnEmptiedParentWithItsLastField) {
  apply_as("a", R"({"spec":{"data":{"k":"v"},"containers":[{"name":"c"}]}})");
  apply_as("a", R"({})");
  EXPECT_EQ(spec(), "none");
  EXPECT_EQ(managed(), "none");
}

TEST_F(ApplyTest, ConflictsOverAFieldOfAnotherManager) {
  apply_as("a", R"({"spec":{"replicas":1}})");
  const Object before = live_;
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":2}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.replicas");
  EXPECT_EQ(serialize(live_), serialize(before));
}

TEST_F(ApplyTest, ConflictsNameTheVersionOfAnUpdater) {
  update_as("kubectl-client-side-apply", R"({"spec":{"replicas":1}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":2}})"),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using example.com/v1: "
            ".spec.replicas");
}

TEST_F(ApplyTest, ConflictsAreGroupedByManager) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n","containers":[{"name":"c","image":"1"}]}})");
  update_as("u",
            R"({"spec":{"replicas":1,"name":"n","paused":true,"containers":[{"name":"c","image":"1"}]}})");
  EXPECT_EQ(
      apply_as(
          "b",
          R"({"spec":{"replicas":2,"name":"m","paused":false,"containers":[{"name":"c","image":"2"}]}})"),
      "Apply failed with 4 conflicts: conflicts with \"a\":\n- .spec.name\n- .spec.replicas\n"
      "- .spec.containers[name=\"c\"].image\nconflicts with \"u\" using example.com/v1:\n- .spec.paused");
}

TEST_F(ApplyTest, ConflictsCarryTheirCauses) {
  apply_as("a", R"({"spec":{"replicas":1}})");
  const auto outcome = apply(live_, whole(R"({"spec":{"replicas":2}})"), writer("b"), false);
  ASSERT_TRUE(outcome.has_value());
  const auto& conflicts = std::get<ApplyConflicts>(*outcome).conflicts;
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].manager, "\"a\"");
  EXPECT_EQ(conflicts[0].field, ".spec.replicas");
}

TEST_F(ApplyTest, ForceTakesTheFieldAway) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n"}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":2}})", true), "applied");
  EXPECT_EQ(spec(), R"({"replicas":2,"name":"n"})");
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:name":{}}})",
                                    R"(b Apply 02: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ApplyTest, TheSameValueIsShared) {
  apply_as("a", R"({"spec":{"replicas":1}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":1}})"), "applied");
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:replicas":{}}})",
                                    R"(b Apply 02: {"f:spec":{"f:replicas":{}}})"));
  EXPECT_EQ(apply_as("a", R"({"spec":{}})"), "applied");
  EXPECT_EQ(spec(), R"({"replicas":1})");
}

TEST_F(ApplyTest, TwoManagersShareAListOfMaps) {
  apply_as("a", R"({"spec":{"containers":[{"name":"c","image":"1"},{"name":"x"}]}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"containers":[{"name":"c","pull":"Never"},{"name":"d"}]}})"),
            "applied");
  EXPECT_EQ(spec(), R"({"containers":[{"name":"c","image":"1","pull":"Never"},{"name":"x"},{"name":"d"}]})");
  apply_as("a", R"({"spec":{"containers":[{"name":"x"}]}})");
  EXPECT_EQ(spec(), R"({"containers":[{"name":"c","pull":"Never"},{"name":"x"},{"name":"d"}]})");
}

TEST_F(ApplyTest, TwoManagersShareASet) {
  apply_as("a", R"({"spec":{"tags":["x","y"]}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"tags":["y","z"]}})"), "applied");
  EXPECT_EQ(spec(), R"({"tags":["x","y","z"]})");
  apply_as("a", R"({"spec":{"tags":[]}})");
  EXPECT_EQ(spec(), R"({"tags":["y","z"]})");
}

TEST_F(ApplyTest, AnAtomicListHasOneOwner) {
  apply_as("a", R"({"spec":{"args":["1","2"]}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"args":["2"]}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.args");
  EXPECT_EQ(apply_as("b", R"({"spec":{"args":["2"]}})", true), "applied");
  EXPECT_EQ(spec(), R"({"args":["2"]})");
  EXPECT_THAT(owners(), ElementsAre(R"(b Apply 03: {"f:spec":{"f:args":{}}})"));
}

TEST_F(ApplyTest, AGranularMapIsSharedAndAnAtomicOneIsNot) {
  apply_as("a", R"({"spec":{"data":{"k":"1"},"selector":{"k":"1"}}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"data":{"l":"2"}}})"), "applied");
  EXPECT_EQ(spec(), R"({"data":{"k":"1","l":"2"},"selector":{"k":"1"}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"selector":{"l":"2"}}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.selector");
}

TEST_F(ApplyTest, UndescribedFieldsAreOwnedByTheirShape) {
  apply_as("a", R"({"spec":{"free":{"deep":{"x":1},"list":[1,2]}}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"free":{"deep":{"y":2}}}})"), "applied");
  EXPECT_EQ(spec(), R"({"free":{"deep":{"x":1,"y":2},"list":[1,2]}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"free":{"deep":{"y":2},"list":[3]}}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.free.list");
}

TEST_F(ApplyTest, NullIsAppliedAsAValue) {
  apply_as("a", R"({"spec":{"replicas":1}})");
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":null}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.replicas");
}

TEST_F(ApplyTest, AnObjectWithoutOwnersBelongsToBeforeFirstApply) {
  store(whole(R"({"spec":{"replicas":1,"name":"n"}})"));
  EXPECT_EQ(apply_as("a", R"({"spec":{"replicas":1}})"), "applied");
  EXPECT_THAT(
      owners(),
      ElementsAre(R"(a Apply 01: {"f:spec":{"f:replicas":{}}})",
                  R"(before-first-apply Update 01: {"f:spec":{".":{},"f:name":{},"f:replicas":{}}})"));
  EXPECT_EQ(
      apply_as("a", R"({"spec":{"name":"m"}})"),
      "Apply failed with 1 conflict: conflict with \"before-first-apply\" using example.com/v1: .spec.name");
}

TEST_F(ApplyTest, RefusesRequestsThatAreWrong) {
  EXPECT_THAT(
      apply_as("a", R"({"spec":{"nope":1}})"),
      HasSubstr(
          "error: failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.nope: field "
          "not declared in schema"));
  EXPECT_THAT(apply_as("a", R"({"spec":{"tags":["x","x"]}})"),
              HasSubstr(".spec.tags: duplicate entries for key [=\"x\"]"));
  EXPECT_EQ(apply_as("a", R"({"metadata":{"managedFields":[]}})"),
            "error: metadata.managedFields must be nil");
  const auto version = apply(live_, whole("{}", "example.com/v2"), writer("a"), false);
  ASSERT_FALSE(version.has_value());
  EXPECT_EQ(version.error().message, "invalid object type: example.com/v2, Kind=Thing");
  EXPECT_EQ(version.error().code, ErrorCode::Invalid);
}

TEST_F(ApplyTest, BookkeepingOfTheServerIsOwnedByNobody) {
  apply_as(
      "a",
      R"({"metadata":{"namespace":"ns","uid":"u","labels":{"a":"b"},"resourceVersion":"5"},"spec":{"replicas":1}})");
  EXPECT_THAT(
      owners(),
      ElementsAre(R"(a Apply 01: {"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ApplyTest, AManagerWithoutANameIsUnknown) {
  update_as("", R"({"spec":{"replicas":1}})");
  EXPECT_THAT(owners(), ElementsAre(R"(unknown Update 01: {"f:spec":{".":{},"f:replicas":{}}})"));
}

TEST_F(ApplyTest, AnUpdateOwnsWhatItChanges) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n","data":{"k":"v"}}})");
  update_as("u", R"({"spec":{"replicas":2,"name":"n","data":{"k":"v","l":"w"}}})");
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:data":{"f:k":{}},"f:name":{}}})",
                                    R"(u Update 02: {"f:spec":{"f:data":{"f:l":{}},"f:replicas":{}}})"));
}

TEST_F(ApplyTest, AnUpdateThatRemovesAFieldTakesItFromEverybody) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n"}})");
  apply_as("b", R"({"spec":{"name":"n"}})");
  update_as("u", R"({"spec":{"replicas":1}})");
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ApplyTest, AnUpdateWithoutChangeKeepsTheListAsItIs) {
  update_as("u", R"({"spec":{"replicas":1}})");
  apply_as("a", R"({"spec":{"name":"n"}})");
  const std::string before = managed();
  update_as("other", serialize(Object{{"spec", live_["spec"]}}));
  EXPECT_EQ(managed(), before);
}

TEST_F(ApplyTest, AnUpdateThatChangesAgainRenewsItsTime) {
  update_as("u", R"({"spec":{"replicas":1}})");
  update_as("u", R"({"spec":{"replicas":2}})");
  EXPECT_THAT(owners(), ElementsAre(R"(u Update 02: {"f:spec":{".":{},"f:replicas":{}}})"));
}

TEST_F(ApplyTest, StatusIsWrittenUnderItsOwnEntry) {
  update_as("u", R"({"spec":{"replicas":1}})");
  update_as("u", R"({"spec":{"replicas":1},"status":{"ready":1}})", "status");
  EXPECT_THAT(owners(), ElementsAre(R"(u Update 01: {"f:spec":{".":{},"f:replicas":{}}})",
                                    R"(u Update/status 02: {"f:status":{".":{},"f:ready":{}}})"));
  EXPECT_THAT(managed(),
              HasSubstr(R"("fieldsV1":{"f:status":{".":{},"f:ready":{}}},"subresource":"status"}])"));
}

TEST_F(ApplyTest, WhatTheEndpointResetsIsNotOwned) {
  FieldWriter main = writer("a");
  main.reset_fields = FieldSet{{PathElement::field("status")}};
  auto outcome = apply({}, whole(R"({"spec":{"replicas":1},"status":{"ready":1}})"), main, false);
  ASSERT_TRUE(outcome.has_value());
  store(std::get<Applied>(*outcome).object);
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:replicas":{}}})"));
  Object next = whole(R"({"spec":{"replicas":1},"status":{"ready":2}})");
  main.manager = "u";
  track_update(live_, next, main);
  store(next);
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 01: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ApplyTest, ConflictsNameTheSubresource) {
  update_as("u", R"({"spec":{"replicas":1}})");
  update_as("s", R"({"spec":{"replicas":1},"status":{"ready":1}})", "status");
  EXPECT_EQ(
      apply_as("a", R"({"status":{"ready":2}})"),
      "Apply failed with 1 conflict: conflict with \"s\" with subresource \"status\" using example.com/v1: "
      ".status.ready");
}

TEST_F(ApplyTest, ClientsMayResetTheOwnersAndMayForgetToSendThem) {
  update_as("u", R"({"spec":{"replicas":1}})");
  const std::string before = managed();
  update_as("v", R"({"spec":{"replicas":1},"metadata":{"managedFields":null}})");
  EXPECT_EQ(managed(), before);
  for (const char* reset : {R"({"spec":{"replicas":1},"metadata":{"managedFields":[]}})",
                            R"({"spec":{"replicas":1},"metadata":{"managedFields":[{}]}})"}) {
    update_as("u", R"({"spec":{"replicas":9}})");
    EXPECT_TRUE(resets_managed_fields(whole(reset)));
    update_as("v", reset);
    EXPECT_EQ(managed(), "none");
    live_ = {};
  }
  EXPECT_FALSE(resets_managed_fields(whole(R"({"metadata":{"managedFields":[{"manager":"x"}]}})")));
}

TEST_F(ApplyTest, AnObjectThatWasNotTrackedFromItsCreationIsNotTrackedByUpdates) {
  store(whole(R"({"spec":{"replicas":1}})"));
  update_as("u", R"({"spec":{"replicas":2}})");
  EXPECT_EQ(managed(), "none");
}

TEST_F(ApplyTest, OwnersThatCannotBeWorkedOutStayAsTheyWere) {
  update_as("u", R"({"spec":{"replicas":1}})");
  const std::string before = managed();
  update_as("v", R"({"spec":{"replicas":"text"}})");
  EXPECT_EQ(managed(), before);
}

TEST_F(ApplyTest, BrokenManagedFieldsStopAnApply) {
  store(whole(R"({"spec":{"replicas":1},"metadata":{"managedFields":[{"manager":"x","operation":"Steal",
      "apiVersion":"v1","fieldsType":"FieldsV1"}]}})"));
  EXPECT_EQ(apply_as("a", "{}"),
            "error: failed to decode managed fields: operation must be `Apply` or `Update`");
}

TEST_F(ApplyTest, EntriesAreSortedByOperationTimeAndName) {
  update_as("u", R"({"spec":{"replicas":1}})");
  apply_as("z", R"({"spec":{"name":"n"}})");
  apply_as("a", R"({"spec":{"paused":true}})");
  update_as("b",
            serialize(Object{{"spec", object(R"({"replicas":1,"name":"n","paused":true,"args":["x"]})")}}));
  const auto lines = owners();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].substr(0, 11), "z Apply 02:");
  EXPECT_EQ(lines[1].substr(0, 11), "a Apply 03:");
  EXPECT_EQ(lines[2].substr(0, 12), "u Update 01:");
  EXPECT_EQ(lines[3].substr(0, 12), "b Update 04:");
}

TEST_F(ApplyTest, UpdatersBeyondTheTenthAreMergedOldestFirst) {
  Object data;
  for (int i = 0; i < 12; ++i) {
    data["k" + std::to_string(i)] = "v";
    update_as("u" + std::to_string(i), serialize(Object{{"spec", Object{{"data", data}}}}));
  }
  const auto lines = owners();
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(
      lines[0],
      R"(ancient-changes Update 03: {"f:spec":{".":{},"f:data":{".":{},"f:k0":{},"f:k1":{},"f:k2":{}}}})");
  EXPECT_EQ(lines[1], R"(u3 Update 04: {"f:spec":{"f:data":{"f:k3":{}}}})");
}

TEST_F(ApplyTest, OwnersInAVersionThatIsGoneAreForgotten) {
  update_as("u", R"({"spec":{"replicas":1}})");
  api_version_ = "example.com/v2";
  versions_ = [](std::string_view) -> const Schema* { return nullptr; };
  EXPECT_EQ(apply_as("a", R"({"spec":{"replicas":2}})"), "applied");
  EXPECT_THAT(owners(), ElementsAre(R"(a Apply 02: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(ApplyTest, OwnersInAnotherVersionConflictThroughTheirSchema) {
  apply_as("a", R"({"spec":{"replicas":1,"name":"n"}})");
  api_version_ = "example.com/v2";
  versions_ = [this](std::string_view) { return schema_.get(); };
  EXPECT_EQ(apply_as("b", R"({"spec":{"replicas":2}})"),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.replicas");
  EXPECT_EQ(apply_as("a", R"({"spec":{"replicas":1}})"), "applied");
  EXPECT_EQ(spec(), R"({"replicas":1})");
}

TEST_F(ApplyTest, KubectlTakesOverWhatClientSideApplyWrote) {
  const char* annotations =
      R"({"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",)"
      R"(\"metadata\":{\"name\":\"t\"},\"spec\":{\"replicas\":1}}\n"})";
  update_as("kubectl-client-side-apply", R"({"spec":{"replicas":1,"name":"n"},"metadata":{"annotations":)" +
                                             std::string(annotations) + "}}");
  EXPECT_THAT(apply_as("other", R"({"spec":{"replicas":2}})"), HasSubstr("1 conflict"));
  EXPECT_EQ(apply_as("kubectl", R"({"spec":{"replicas":2}})"), "applied");
  EXPECT_EQ(spec(), R"({"replicas":2,"name":"n"})");
  EXPECT_EQ(
      get_string(live_, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}),
      "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"},"
      "\"spec\":{\"replicas\":2}}\n");
  EXPECT_EQ(apply_as("kubectl", R"({"spec":{"name":"m"}})"),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using example.com/v1: "
            ".spec.name");
}

TEST_F(ApplyTest, ThousandsOfItemsOfTwoManagersAreMerged) {
  Array mine, theirs;
  for (int i = 0; i < 2'000; ++i) {
    mine.push_back(Object{{"name", "n" + std::to_string(i)}, {"image", "x"}});
    theirs.push_back(Object{{"name", "n" + std::to_string(i)}, {"pull", "Never"}});
  }
  EXPECT_EQ(apply_as("a", serialize(Object{{"spec", Object{{"containers", std::move(mine)}}}})), "applied");
  EXPECT_EQ(apply_as("b", serialize(Object{{"spec", Object{{"containers", std::move(theirs)}}}})), "applied");
  EXPECT_EQ(apply_as("a", "{}"), "applied");
  const Array& containers = *get_array(live_, {"spec", "containers"});
  ASSERT_EQ(containers.size(), 2'000u);
  EXPECT_EQ(serialize(containers[7]), R"({"name":"n7","pull":"Never"})");
}

}  // namespace
}  // namespace fairway::json
