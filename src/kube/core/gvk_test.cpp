#include "kube/core/gvk.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

TEST(GroupVersion, ReadsAnApiVersion) {
  EXPECT_EQ(GroupVersion::parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(GroupVersion::parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(GroupVersion::parse(""), (GroupVersion{"", ""}));
  EXPECT_EQ(GroupVersion::parse("a/b/c").error().message, "unexpected GroupVersion string: a/b/c");
  EXPECT_EQ((GroupVersion{"apps", "v1"}.to_string()), "apps/v1");
  EXPECT_EQ((GroupVersion{"", "v1"}.to_string()), "v1");
}

TEST(GroupVersionKind, HasTheTextsOfKubernetes) {
  const auto gvk = GroupVersionKind::parse("apps/v1", "Deployment");
  ASSERT_TRUE(gvk.has_value());
  EXPECT_EQ(gvk->to_string(), "apps/v1, Kind=Deployment");
  EXPECT_EQ(gvk->api_version(), "apps/v1");
  EXPECT_EQ(gvk->group_kind().to_string(), "Deployment.apps");
  EXPECT_EQ((GroupKind{"", "Pod"}.to_string()), "Pod");
  const GroupVersionResource resource{"apps", "v1", "deployments"};
  EXPECT_EQ(resource.to_string(), "apps/v1, Resource=deployments");
  EXPECT_EQ(resource.group_resource().to_string(), "deployments.apps");
  EXPECT_EQ((GroupResource{"", "pods"}.to_string()), "pods");
  EXPECT_TRUE(GroupResource{}.is_empty());
}

// The example of the documentation of CustomResourceDefinitions.
TEST(VersionPreference, IsThatOfKubernetes) {
  const std::vector<std::string> expected = {"v10",     "v2",        "v1",        "v11beta2", "v10beta3",
                                             "v3beta1", "v12alpha1", "v11alpha2", "foo1",     "foo10"};
  std::vector<std::string> versions = expected;
  std::ranges::reverse(versions);
  std::ranges::sort(versions, [](const std::string& left, const std::string& right) {
    return compare_version_preference(left, right) < 0;
  });
  EXPECT_EQ(versions, expected);
  EXPECT_EQ(compare_version_preference("v1", "v1"), std::strong_ordering::equal);
  EXPECT_TRUE(compare_version_preference("v01", "v1") > 0);
  EXPECT_TRUE(compare_version_preference("v1beta", "v1alpha1") > 0);
}

}  // namespace
}  // namespace fairway::kube
