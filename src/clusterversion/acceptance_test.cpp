#include "clusterversion/acceptance.hpp"

#include <gtest/gtest.h>

#include "clusterversion/acceptance_upstream.hpp"

namespace fairway::clusterversion {
namespace {

constexpr const char* kId = "b9fd5b5f-1d1a-4d4e-9f4e-0123456789ab";

std::string image(std::string_view name) {
  return "quay.example/release@sha256:" + std::string(name);
}

ClusterVersionSpec asking(DesiredUpdate update) {
  return {.cluster_id = kId, .channel = "stable-4.6", .desired_update = std::move(update)};
}

// Runs 4.6.23; 4.6.43 is available, 4.7.4 conditional and not recommended, 4.6.20 past, 4.8.1 twice there.
ClusterVersionStatus status() {
  ClusterVersionStatus status;
  status.desired = {.version = "4.6.23", .image = image("2323")};
  status.history = {{.state = "Completed", .version = "4.6.23", .image = image("2323")},
                    {.state = "Completed", .version = "4.6.20", .image = image("2020")},
                    {.state = "Partial", .version = "4.6.19", .image = ""}};
  status.available_updates = {{.version = "4.8.1", .image = image("8181")},
                              {.version = "4.8.1", .image = image("8182")},
                              {.version = "4.6.43", .image = image("4343"), .url = "https://e/43"}};
  status.conditional_updates = {
      {.release = {.version = "4.7.4", .image = image("7474")},
       .conditions = {{.type = "Recommended", .status = "False", .reason = "X", .message = "m"}}}};
  return status;
}

std::string only_error(const ClusterVersionSpec& spec, AcceptanceSettings settings = {}) {
  const auto errors = validate(spec, status(), settings);
  if (errors.size() != 1) return std::to_string(errors.size()) + " errors";
  const Request request = judge_request(spec, status(), settings);
  if (spec.desired_update && errors[0].field.starts_with("spec.desiredUpdate")) {
    EXPECT_EQ(request, Request(InvalidRequest{errors}));
  }
  return errors[0].to_string();
}

TEST(JudgeRequest, NothingAskedForStays) {
  EXPECT_EQ(judge_request({.cluster_id = kId}, status(), {}), Request(Stay{}));
}

TEST(JudgeRequest, AVersionAloneIsAnAvailableUpdate) {  // case 59
  const Request request = judge_request(asking({.version = "4.6.43"}), status(), {});
  EXPECT_EQ(request, Request(Wanted{{.version = "4.6.43", .image = image("4343")}, false}));
}

TEST(JudgeRequest, AVersionAloneThatIsConditionalIsInvalid) {  // case 60
  EXPECT_EQ(only_error(asking({.version = "4.7.4"})),
            "spec.desiredUpdate.version: Invalid value: \"4.7.4\": "
            "when image is empty the update must be an available update");
}

TEST(JudgeRequest, AnImageIsTakenAsItIs) {  // case 61
  EXPECT_EQ(judge_request(asking({.version = "4.7.4", .image = image("7474")}), status(), {}),
            Request(Wanted{{.version = "4.7.4", .image = image("7474")}, false}));
  EXPECT_EQ(judge_request(asking({.image = "mirror/x:tag", .force = true}), status(), {}),
            Request(Wanted{{.version = "", .image = "mirror/x:tag"}, true}));
}

TEST(JudgeRequest, TheReleaseThatIsDesiredAlreadyStays) {
  EXPECT_EQ(judge_request(asking({.version = "4.6.23"}), status(), {}), Request(Stay{}));
  EXPECT_EQ(judge_request(asking({.image = image("2323")}), status(), {}), Request(Stay{}));
  // But a version that is not the image's is still a request, which verification will refuse (case 64).
  EXPECT_EQ(judge_request(asking({.version = "4.6.24", .image = image("2323")}), status(), {}),
            Request(Wanted{{.version = "4.6.24", .image = image("2323")}, false}));
}

TEST(JudgeRequest, APastReleaseWithoutItsImageIsValidAndDoesNothing) {
  EXPECT_TRUE(validate(asking({.version = "4.6.20"}), status(), {}).empty());
  EXPECT_EQ(judge_request(asking({.version = "4.6.20"}), status(), {}), Request(Stay{}));
  EXPECT_EQ(only_error(asking({.version = "4.6.19"})),
            "spec.desiredUpdate.version: Invalid value: \"4.6.19\": "
            "when image is empty the update must be an available update");
}

TEST(JudgeRequest, MultiIsOfTheVersionThatRuns) {
  auto seen = status();
  const auto spec = asking({.architecture = "Multi", .version = "4.6.43"});
  EXPECT_EQ(judge_request(spec, seen, {}), Request(Stay{})) << "4.6.23 is not offered as Multi yet";
  seen.available_updates.push_back({.version = "4.6.23", .image = image("aaaa"), .architecture = "Multi"});
  EXPECT_EQ(judge_request(spec, seen, {}),
            Request(Wanted{{.version = "4.6.23", .image = image("aaaa"), .architecture = "Multi"}, false}));
  seen.desired.architecture = "Multi";
  EXPECT_EQ(judge_request(spec, seen, {}),
            Request(Wanted{{.version = "4.6.43", .image = image("4343")}, false}));
}

TEST(JudgeRequest, SaysWhatIsWrong) {
  const std::pair<DesiredUpdate, const char*> cases[] = {
      {{}, "spec.desiredUpdate: Required value: must specify architecture, version, or image"},
      {{.version = "4.6"},
       "spec.desiredUpdate.version: Invalid value: \"4.6\": must be a semantic version (1.2.3[-...])"},
      {{.version = "4.\"6", .image = "x"},
       "spec.desiredUpdate.version: Invalid value: \"4.\\\"6\": must be a semantic version (1.2.3[-...])"},
      {{.version = "4.8.1"},
       "spec.desiredUpdate.version: Invalid value: \"4.8.1\": there are multiple possible payloads for this "
       "version, specify the exact image"},
      {{.version = "9.9.9"},
       "spec.desiredUpdate.version: Invalid value: \"9.9.9\": "
       "when image is empty the update must be an available update"},
      {{.version = "4.6.43", .accept_risks = {{"X"}}},
       "spec.desiredUpdate.acceptRisks: Forbidden: acceptRisks must not be specified"},
      {{.architecture = "Multi", .image = "x"},
       "spec.desiredUpdate: Invalid value: \"object\": cannot set both Architecture and Image"},
      {{.architecture = "Multi"},
       "spec.desiredUpdate: Invalid value: \"object\": Version must be set if Architecture is set"},
  };
  for (const auto& [update, text] : cases) EXPECT_EQ(only_error(asking(update)), text);
}

TEST(JudgeRequest, AcceptedRisksAloneAreARequestWhereTheyMeanSomething) {
  EXPECT_EQ(only_error(asking({}), {.accepts_risks = true}),
            "spec.desiredUpdate: Required value: must specify architecture, version, image, or acceptRisks");
  const auto spec = asking({.accept_risks = {{"X"}}});
  EXPECT_TRUE(validate(spec, status(), {.accepts_risks = true}).empty());
  EXPECT_EQ(judge_request(spec, status(), {.accepts_risks = true}), Request(Stay{}));
}

TEST(Validate, ClusterIdAndUpstreamDoNotStopAnUpdate) {
  auto spec = asking({.version = "4.6.43"});
  spec.cluster_id = "not-valid-cluster-id";
  EXPECT_EQ(only_error(spec),
            "spec.clusterID: Invalid value: \"not-valid-cluster-id\": must be an RFC4122-variant UUID");
  EXPECT_TRUE(std::holds_alternative<Wanted>(judge_request(spec, status(), {})));
  spec.cluster_id = "b9fd5b5f-1d1a-1d4e-9f4e-0123456789ab";
  EXPECT_EQ(only_error(spec),
            "spec.clusterID: Invalid value: \"b9fd5b5f-1d1a-1d4e-9f4e-0123456789ab\": "
            "must be a version-4 UUID");
  spec.cluster_id = "";
  spec.upstream = "#%GG";
  EXPECT_EQ(only_error(spec), "spec.upstream: Invalid value: \"#%GG\": must be a valid URL or empty");
}

TEST(InvalidCondition, IsThereOnlyWhileSomethingIsWrong) {
  EXPECT_FALSE(invalid_condition({}));
  const auto one = invalid_condition({{"spec.a", "Invalid value: \"x\": no"}});
  EXPECT_EQ(one->type, "Invalid");
  EXPECT_EQ(one->status, "True");
  EXPECT_EQ(one->reason, "InvalidClusterVersion");
  EXPECT_EQ(one->message, "The cluster version is invalid: spec.a: Invalid value: \"x\": no");
  auto spec = asking({});
  spec.upstream = "#%GG";
  spec.cluster_id = "abc";
  EXPECT_EQ(invalid_condition(validate(spec, status(), {}))->message,
            "The cluster version is invalid:\n"
            "* spec.upstream: Invalid value: \"#%GG\": must be a valid URL or empty\n"
            "* spec.clusterID: Invalid value: \"abc\": must be an RFC4122-variant UUID\n"
            "* spec.desiredUpdate: Required value: must specify architecture, version, or image\n");
}

TEST(Upstream, IsWhatGoParses) {
  for (const char* good :
       {"", "https://api.openshift.com/api/upgrades_info/v1/graph", "http://h/g?x=%zz", "//h/p", "/p", "p/q",
        "http://[::1]:8080/g", "http://u:p%40@h:1/", "http://h:/", "mailto:a%zz", "http://h/%41#f", "a+b://h",
        "h/a:b", "http://münchen.example/", "http://m%C3%BCnchen.example/", "///p:q"}) {
    EXPECT_TRUE(is_parsable_url(good)) << good;
  }
  for (const char* bad :
       {"#%GG", ":foo", "1:2", "a:b:c/../x y:z\n", "http://h:80a/", "http://a b/", "http://h/%4",
        "http://[::1/", "http://[::1]x/", "a_b:c", "http://h%41/", "http://u ser@h/", "http://h/\x7f"}) {
    EXPECT_FALSE(is_parsable_url(bad)) << bad;
  }
}

}  // namespace
}  // namespace fairway::clusterversion
