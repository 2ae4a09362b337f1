// Building API requests; never sending them.
//
// A Resource says where a collection or an object is found; each function below gives the request for one
// verb. Names are checked and escaped, so that no name can reach another path. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/wire.hpp"

namespace fairway::kube {

struct ApiRequest {
  std::string method;
  std::string path_and_query;
  std::string content_type = {};  // empty when there is no body
  std::string accept = std::string(kJson);
  std::string body = {};
  bool is_answer_read = true;
  ManagedFields managed_fields = ManagedFields::Kept;  // of the items of a list

  bool operator==(const ApiRequest&) const = default;
};

// A collection, or with a name an object. Cluster-scoped resources, and lists over all namespaces, have no
// namespace.
struct Resource {
  GroupVersionResource type;
  std::string namespace_ = {};
  std::string name = {};
  std::string subresource = {};

  // /apis/apps/v1/namespaces/prod/deployments/web/status
  Result<std::string> path() const;
};

Result<ApiRequest> get_request(const Resource& resource, const GetOptions& options = {});
Result<ApiRequest> list_request(const Resource& resource, const ListOptions& options = {});
Result<ApiRequest> watch_request(const Resource& resource, const WatchOptions& options = {});
Result<ApiRequest> create_request(const Resource& resource, const json::Object& object,
                                  const WriteOptions& options = {});
Result<ApiRequest> update_request(const Resource& resource, const json::Object& object,
                                  const WriteOptions& options = {});
Result<ApiRequest> patch_request(const Resource& resource, PatchKind kind, const json::Value& patch,
                                 const PatchOptions& options = {});
// Server-side apply; a field manager is required.
Result<ApiRequest> apply_request(const Resource& resource, const json::Object& object,
                                 std::string field_manager, bool force = false, bool dry_run = false);
Result<ApiRequest> delete_request(const Resource& resource, const DeleteOptions& options = {});
Result<ApiRequest> delete_collection_request(const Resource& resource, const DeleteOptions& options = {},
                                             const ListOptions& chosen = {});

}  // namespace fairway::kube
