// Jobs on clusters, played by a cluster that answers views; and what is fetched before a rollout.
#include "fleet/hub/cluster_jobs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/hub/precache_spec.hpp"
#include "fleet/placements.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const json::Object> yaml(std::string_view text) {
  auto read = json::parse_yaml(text);
  EXPECT_TRUE(read) << read.error().describe();
  return std::make_shared<const json::Object>(read ? read->get_object() : json::Object());
}

struct Playing {
  explicit Playing(JobKind which = kBackupJob) : kind(which) {
    rollout.metadata = {.name = "r", .namespace_ = "default"};
  }

  // Does what the step says; the names that were made.
  std::vector<std::string> step() {
    JobStep next =
        next_step({.rollout = rollout, .kind = kind, .cluster = "s1", .config_map = config_map}, state, seen);
    state = next.state;
    for (const auto& each : next.remove) seen.erase(std::string(kube::name_of(*each)));
    std::vector<std::string> made;
    for (json::Object& each : next.create) {
      made.emplace_back(kube::name_of(each));
      seen[made.back()] = std::make_shared<const json::Object>(std::move(each));
    }
    return made;
  }
  void answer(const std::string& view, std::string_view status) {
    json::Object object = *seen.at(view);
    object["status"] = *yaml(status);
    seen[view] = std::make_shared<const json::Object>(std::move(object));
  }
  void show_job(std::string_view status) {
    answer(fmt::format("r-{}-view-job", kind.name), fmt::format("{{result: {{status: {}}}}}", status));
  }
  void start() {
    step();
    answer(fmt::format("r-{}-view-namespace", kind.name),
           "{conditions: [{type: Processing, status: 'False', message: 'namespaces \"x\" not found'}]}");
    step();
    step();
  }

  JobKind kind;
  ClusterGroupUpgrade rollout;
  std::string state = "PreparingToStart";
  json::Object config_map;
  ClusterObjects seen;
};

// K17
TEST(ClusterJobs, FromWhatWasLeftToSuccess) {
  Playing job;
  EXPECT_THAT(job.step(), ElementsAre("r-backup-ns-delete", "r-backup-view-namespace"));
  EXPECT_THAT(job.step(), IsEmpty()) << "nobody has answered";
  job.answer("r-backup-view-namespace", "{result: {metadata: {name: openshift-talo-backup}}}");
  job.step();
  EXPECT_EQ(job.state, "PreparingToStart") << "what an earlier run left is still there";
  job.answer("r-backup-view-namespace",
             "{conditions: [{type: Processing, status: 'False', message: not found}]}");
  job.step();
  EXPECT_EQ(job.state, "Starting");
  EXPECT_EQ(job.seen.size(), 2u) << "they go when the state is on record";
  EXPECT_THAT(job.step(), ElementsAre("r-backup-ns-create", "r-backup-sa-create", "r-backup-crb-create",
                                      "r-backup-job-create", "r-backup-view-job"));
  job.show_job("{active: 1}");
  job.step();
  EXPECT_EQ(job.state, "Active");
  job.show_job("{succeeded: 1, conditions: [{type: Complete, status: 'True'}]}");
  EXPECT_THAT(job.step(), IsEmpty());
  EXPECT_EQ(job.state, "Succeeded");
  EXPECT_THAT(job.step(), ElementsAre("r-backup-ns-delete"));
  EXPECT_EQ(job.seen.size(), 1u) << "views are gone, and the cluster is told to tidy up";
  EXPECT_THAT(job.step(), IsEmpty());
  const json::Object& order = *job.seen.begin()->second;
  EXPECT_EQ(kube::namespace_of(order), "s1");
  EXPECT_EQ(kube::label(order, kRolloutLabel), "r");
  EXPECT_EQ(json::get_string(order, {"spec", "actionType"}), "Delete");
}

// K18, K19 and K22
TEST(ClusterJobs, EndsByWhatTheJobSays) {
  const auto ends = [](JobKind kind, std::string_view reason) {
    Playing job(kind);
    job.start();
    job.show_job(fmt::format("{{conditions: [{{type: Failed, status: 'True', reason: {}}}]}}", reason));
    job.step();
    return job.state;
  };
  EXPECT_EQ(ends(kBackupJob, "BackoffLimitExceeded"), "UnrecoverableError");
  EXPECT_EQ(ends(kBackupJob, "DeadlineExceeded"), "BackupTimeout");
  EXPECT_EQ(ends(kPrecacheJob, "DeadlineExceeded"), "PrecacheTimeout");
}

TEST(ClusterJobs, APreCacheIsGivenWhatToFetch) {
  Playing job(kPrecacheJob);
  job.config_map = json::Object{{"platform.image", "quay.io/x"}};
  job.start();
  ASSERT_TRUE(job.seen.contains("r-precache-spec-create"));
  EXPECT_THAT(json::serialize(*job.seen.at("r-precache-spec-create")), HasSubstr("quay.io/x"));
  EXPECT_THAT(json::serialize(*job.seen.at("r-precache-job-create")), HasSubstr("pre-cache-spec"));
}

std::shared_ptr<const json::Object> policy_with(std::string_view objects) {
  return yaml(fmt::format(
      "{{spec: {{policy-templates: [{{objectDefinition: {{spec: {{object-templates: [{}]}}}}}}]}}}}",
      objects));
}
const std::string kPlatform =
    "{objectDefinition: {kind: ClusterVersion, spec: {desiredUpdate: {image: quay.io/release}}}}";
const std::string kIndex = "{objectDefinition: {kind: CatalogSource, spec: {image: quay.io/index}}}";
const std::string kPackage = "{objectDefinition: {kind: Subscription, spec: {name: ptp, channel: stable}}}";

// K20 and K21
TEST(PrecacheSpec, IsWhatThePoliciesAskFor) {
  const ClusterGroupUpgrade rollout;
  EXPECT_EQ(precache_spec(rollout, {policy_with(kIndex)}, nullptr).problem,
            "inconsistent precaching configuration: olm index provided, but no packages");
  EXPECT_EQ(precache_spec(rollout, {policy_with("")}, nullptr).problem,
            "inconsistent precaching configuration: no software spec provided");
  const auto all = precache_spec(
      rollout, {policy_with(kPlatform), policy_with(kIndex + ", " + kPackage + ", " + kPackage)}, nullptr);
  EXPECT_EQ(all.problem, "");
  EXPECT_EQ(json::serialize(all.spec),
            R"({"platformImage":"quay.io/release","operatorsIndexes":["quay.io/index"],)"
            R"("operatorsPackagesAndChannels":["ptp:stable"]})");
  EXPECT_EQ(precache_config_map(all.spec).at("operators.packagesAndChannels").as_string(), "ptp:stable\n");
}

// K23
TEST(PrecacheSpec, AConfigOverrides) {
  ClusterGroupUpgrade rollout;
  rollout.metadata.namespace_ = "default";
  rollout.spec.unknown["preCachingConfigRef"] = json::Object{{"name", "config"}};
  EXPECT_THAT(precache_spec(rollout, {policy_with(kPlatform)}, nullptr).problem,
              HasSubstr("PreCachingConfig default/config"));
  const auto config = yaml(
      "{spec: {overrides: {platformImage: quay.io/other, preCacheImage: quay.io/job}, additionalImages: "
      "[quay.io/more], "
      "spaceRequired: 40Gi, excludePrecachePatterns: [aws]}}");
  const auto made = precache_spec(rollout, {policy_with(kPlatform)}, config.get());
  EXPECT_EQ(made.problem, "");
  EXPECT_EQ(made.job_image, "quay.io/job");
  EXPECT_EQ(json::get_string(made.spec, {"platformImage"}), "quay.io/other");
  EXPECT_EQ(json::get_string(made.spec, {"spaceRequired"}), "40Gi");
}

}  // namespace
}  // namespace fairway::fleet
