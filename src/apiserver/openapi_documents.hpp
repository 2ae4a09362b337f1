// OpenAPI: the schemas and operations of a catalog, as documents.
//
// Version 3 has one document for each group and version and an index of them; version 2 is one document, as
// JSON and as the protobuf message that old clients read. Documents are made when first asked for and kept as
// text for as long as the resources that they describe are in use. Catalogs that have resources in common
// (those of logical clusters) share their documents. Safe to use from several threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"
#include "base/shared_text.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// Null when the catalog does not serve the version.
std::optional<json::Object> openapi_v3(const Catalog& catalog, std::string_view group,
                                       std::string_view version);
json::Object openapi_v2(const Catalog& catalog);
// gnostic's openapi.v2.Document.
std::string encode_openapi_v2(const json::Object& document);

struct Document {
  Text text;
  std::string hash;
};

class OpenApiDocuments {
 public:
  // /openapi/v3. The prefix stands before the paths of the documents: /clusters/NAME, or nothing.
  json::Object index(const Catalog& catalog, std::string_view prefix = {});
  // "api/v1" or "apis/apps/v1"; nothing when the catalog has no such version.
  std::optional<Document> version_3(const Catalog& catalog, std::string_view path);
  Document version_2(const Catalog& catalog);
  Document version_2_protobuf(const Catalog& catalog);

 private:
  struct Key {
    std::string name;
    std::vector<const Resource*> resources;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::vector<std::weak_ptr<const Resource>>
        resources;  // of the key; the document is stale once one is gone
    Document document;
  };

  template <class Make>
  Document cached(std::string name, const std::vector<ResourcePtr>& resources, const Make& make);

  std::mutex mutex_;
  std::map<Key, Entry> documents_;
};

}  // namespace fairway::apiserver
