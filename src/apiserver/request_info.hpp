// RequestInfo: what a request is about, from its method and path alone.
//
//   GET /clusters/edge-7/apis/apps/v1/namespaces/prod/deployments/web/status?watch=true
//
// The cluster is `hub` unless the path begins with /clusters/NAME. Nothing is looked up here; whether the
// resource exists is the catalog's to say.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/api_error.hpp"
#include "http/message.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kHubCluster = "hub";

struct RequestInfo {
  std::string cluster = std::string(kHubCluster);
  std::string path;  // without /clusters/NAME
  http::Query query;

  bool is_resource = false;  // false: discovery, health, OpenAPI, …; only `path` is set
  std::string verb;  // get, list, watch, create, update, patch, delete, deletecollection; else the method
  std::string group;
  std::string version;
  std::string resource;
  std::string ns;
  std::string name;
  std::string selected_name;  // of a list whose field selector lets one name through
  std::string subresource;

  static ApiResult<RequestInfo> parse(std::string_view method, std::string_view target);
};

// true for the values that Kubernetes takes for a query flag: true, 1, t, T, TRUE, True; also the bare name.
ApiResult<bool> query_flag(const http::Query& query, std::string_view name);

}  // namespace fairway::apiserver
