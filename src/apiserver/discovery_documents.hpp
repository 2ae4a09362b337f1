// Discovery: what a catalog serves, in the documents that clients find their way by.
//
// Pure functions from the catalog to JSON: the separate documents that every client knows (/api, /apis and
// below), and the aggregated one that current clients ask for, which says all of it at once. Order and
// content are those of kube-apiserver; storageVersionHash is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/catalog.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// /api. The address is what the client reached the server by.
json::Object api_versions(std::string_view server_address);
// /apis
json::Object api_group_list(const Catalog& catalog);
// /apis/GROUP
std::optional<json::Object> api_group(const Catalog& catalog, std::string_view group);
// /api/v1 and /apis/GROUP/VERSION
std::optional<json::Object> api_resource_list(const Catalog& catalog, std::string_view group,
                                              std::string_view version);

// apidiscovery.k8s.io: of the core group (for /api) or of all others (for /apis). The version is v2 or
// v2beta1.
json::Object aggregated_discovery(const Catalog& catalog, bool core_group, std::string_view version);

// /version
json::Object version_info();
// The Kubernetes version whose API is served: v1.35.0.
std::string_view kubernetes_version();
// /: every path that answers to a get.
json::Object root_paths(const Catalog& catalog);

// A short text that changes with the document, for ETags and the like.
std::string document_hash(std::string_view text);

}  // namespace fairway::apiserver
