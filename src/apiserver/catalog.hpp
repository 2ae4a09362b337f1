// Catalog: the resources that one logical cluster serves, built-in ones and those of its CRDs alike.
//
// A Catalog is immutable; when a CRD changes a new one is made and the pointer swapped, so that a request
// sees one state from its beginning to its end. Built-in resources come from api/builtin, which is compiled
// into the binary and parsed once. A resource is described in the same way wherever it comes from: nothing
// below asks whether a kind is built in, except where Kubernetes itself treats it differently (strategic
// merge patches, unknown fields of lists, defaulted behaviour such as Service addresses).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "json/json_path.hpp"
#include "json/schema.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

struct PrinterColumn {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  int priority = 0;
  std::string cell;  // a computed cell (api/builtin/resources.yaml lists them); empty: the path
  std::optional<json::JsonPath> path;  // also the argument of some computed cells
};

struct ScalePaths {
  std::string spec_replicas;    // .spec.replicas
  std::string status_replicas;  // .status.replicas
  std::string label_selector;   // .status.selector; empty when there is none
};

// One version of a resource.
struct ServedVersion {
  std::string name;  // v1beta1
  bool is_served = true;
  std::string deprecation_warning;  // sent as a Warning header; empty when not deprecated
  std::shared_ptr<const json::Schema> schema;
  json::Value openapi;                 // the schema as written: for /openapi and explain
  std::vector<PrinterColumn> columns;  // of tables, in order, the name included
  bool has_status = false;
  std::optional<ScalePaths> scale;
  std::vector<std::string> field_selectors;  // dotted paths besides metadata.name and metadata.namespace
};

struct Resource {
  std::string group;  // empty for the core group
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> verbs;
  bool is_namespaced = true;
  bool is_custom = false;       // from a CRD
  bool has_token = false;       // serviceaccounts/token
  std::string definition;       // built-in: the name of its OpenAPI definition
  bool is_terminating = false;  // its definition is being deleted: nothing new is made
  std::string stored_as;        // stored_name() of the objects it shows; its own unless they are another's
  std::vector<ServedVersion> versions;  // in the order of preference
  std::size_t storage = 0;              // the version that is written

  const ServedVersion* version(std::string_view name) const;  // null when unknown or not served
  const ServedVersion& storage_version() const { return versions[storage]; }
  bool has_verb(std::string_view verb) const;
  bool is_stored() const { return has_verb("get"); }            // reviews are answered, never stored
  std::string group_resource() const;                           // deployments.apps; pods in the core group
  std::string api_version(const ServedVersion& version) const;  // apps/v1; v1 in the core group
};

using ResourcePtr = std::shared_ptr<const Resource>;

// The name that the store knows a resource by: "apps/deployments"; "/pods" in the core group.
std::string stored_name(std::string_view group, std::string_view plural);

class Catalog {
 public:
  // The built-in resources and the given ones. A custom resource never shadows a built-in one.
  static std::shared_ptr<const Catalog> make(std::vector<ResourcePtr> custom);

  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const Resource* find(std::string_view group, std::string_view plural) const;
  const Resource* find_kind(std::string_view group, std::string_view kind) const;
  // In the order of discovery: by group, then by name.
  const std::vector<ResourcePtr>& resources() const { return resources_; }
  bool has_group(std::string_view group) const;
  bool has_group_version(std::string_view group, std::string_view version) const;
  // Groups in the order of discovery, with their served versions, preferred first.
  struct Group {
    std::string name;
    std::vector<std::string> versions;
  };
  const std::vector<Group>& groups() const { return groups_; }

 private:
  using Key = std::pair<std::string_view, std::string_view>;

  explicit Catalog(std::vector<ResourcePtr> custom);

  std::vector<ResourcePtr> resources_;
  std::vector<Group> groups_;
  std::map<Key, const Resource*> by_plural_;
  std::map<Key, const Resource*> by_kind_;
};

// The OpenAPI definitions of the built-in kinds, by their dotted names.
const json::Object& builtin_definitions();
const std::vector<ResourcePtr>& builtin_resources();
// The product's CRDs, as objects ready to be created.
const std::vector<json::Object>& product_crds();

// Kubernetes' order of version names: v2 before v1 before v1beta2 before v1beta1 before v1alpha1 before
// others.
bool is_preferred_version(std::string_view left, std::string_view right);

}  // namespace fairway::apiserver
