#include "apiserver/request_info.hpp"

#include <gtest/gtest.h>

namespace fairway::apiserver {
namespace {

std::string describe(std::string_view method, std::string_view target) {
  const auto info = RequestInfo::parse(method, target);
  if (!info) return "refused " + std::to_string(info.error().code);
  if (!info->is_resource) return info->cluster + " " + info->verb + " " + info->path;
  return info->cluster + " " + info->verb + " " + info->group + "/" + info->version + "/" + info->resource +
         " ns=" + info->ns + " name=" + info->name + " sub=" + info->subresource;
}

TEST(RequestInfo, Paths) {
  struct Case {
    std::string_view method, target, expected;
  };
  for (const Case& test : std::vector<Case>{
           {"GET", "/api/v1/pods", "hub list /v1/pods ns= name= sub="},
           {"GET", "/api/v1/namespaces/a/pods", "hub list /v1/pods ns=a name= sub="},
           {"GET", "/api/v1/namespaces/a/pods/b", "hub get /v1/pods ns=a name=b sub="},
           {"GET", "/api/v1/namespaces/a/pods?watch=true", "hub watch /v1/pods ns=a name= sub="},
           {"GET", "/api/v1/namespaces/a/pods?watch=0", "hub list /v1/pods ns=a name= sub="},
           {"PUT", "/apis/apps/v1/namespaces/a/deployments/b/status",
            "hub update apps/v1/deployments ns=a name=b sub=status"},
           {"POST", "/api/v1/namespaces", "hub create /v1/namespaces ns= name= sub="},
           {"GET", "/api/v1/namespaces/a", "hub get /v1/namespaces ns=a name=a sub="},
           {"PUT", "/api/v1/namespaces/a/finalize", "hub update /v1/namespaces ns=a name=a sub=finalize"},
           {"PATCH", "/api/v1/namespaces/a/status", "hub patch /v1/namespaces ns=a name=a sub=status"},
           {"DELETE", "/api/v1/namespaces/a/pods", "hub deletecollection /v1/pods ns=a name= sub="},
           {"DELETE", "/api/v1/nodes/n", "hub delete /v1/nodes ns= name=n sub="},
           {"GET", "/apis/apps/v1", "hub get /apis/apps/v1"},
           {"GET", "/api/v1", "hub get /api/v1"},
           {"GET", "/clusters/edge/api/v1/pods", "edge list /v1/pods ns= name= sub="},
           {"GET", "/clusters/edge/version", "edge get /version"},
           {"GET", "/clusters/edge", "edge get /"},
           {"GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aview",
            "hub get rbac.authorization.k8s.io/v1/clusterroles ns= name=system:view sub="},
           {"GET", "/api/v1/pods/%zz", "refused 400"},
           {"GET", "/api/v1/pods?watch=perhaps", "refused 400"},
           {"GET", "*", "refused 400"},
       }) {
    EXPECT_EQ(describe(test.method, test.target), test.expected) << test.method << " " << test.target;
  }
}

}  // namespace
}  // namespace fairway::apiserver
