#include "apiserver/openapi_operations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

#include "apiserver/builtin.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

constexpr QueryParameter kDryRun{"dryRun", "string", "All: everything is done but the storing."};
constexpr QueryParameter kFieldManager{"fieldManager", "string", "Name of the party that makes the change."};
constexpr QueryParameter kFieldValidation{
    "fieldValidation", "string", "What to do about unknown and repeated fields: Ignore, Warn or Strict."};
constexpr QueryParameter kResourceVersion{"resourceVersion", "string",
                                          "The version of the store to show or start from."};

constexpr std::array kRead{kResourceVersion};
constexpr std::array kList{
    QueryParameter{"allowWatchBookmarks", "boolean", "Whether a watch may contain events of type BOOKMARK."},
    QueryParameter{"continue", "string", "Token of the previous page, for the next one."},
    QueryParameter{"fieldSelector", "string", "Shows only objects with these values in their fields."},
    QueryParameter{"labelSelector", "string", "Shows only objects with these labels."},
    QueryParameter{"limit", "integer", "Most objects of one page."},
    kResourceVersion,
    QueryParameter{"resourceVersionMatch", "string", "How resourceVersion is meant: NotOlderThan or Exact."},
    QueryParameter{"sendInitialEvents", "boolean", "Whether a watch begins with the objects that there are."},
    QueryParameter{"timeoutSeconds", "integer", "When the call ends at the latest."},
    QueryParameter{"watch", "boolean", "Follows the changes instead of listing."},
};
constexpr std::array kWrite{kDryRun, kFieldManager, kFieldValidation};
constexpr std::array kPatch{
    kDryRun, kFieldManager, kFieldValidation,
    QueryParameter{"force", "boolean", "Takes over the fields that another manager of an apply has."}};
constexpr std::array kDelete{
    kDryRun,
    QueryParameter{"gracePeriodSeconds", "integer", "Seconds that the object has to end itself."},
    QueryParameter{"orphanDependents", "boolean", "Deprecated; propagationPolicy replaces it."},
    QueryParameter{"propagationPolicy", "string",
                   "What becomes of dependents: Orphan, Background or Foreground."},
};
constexpr std::array kDeleteCollection{
    kList[1],   kDryRun,    kList[2],         kDelete[1], kList[3], kList[4],
    kDelete[2], kDelete[3], kResourceVersion, kList[6],   kList[8],
};

std::string capitalized(std::string_view word) {
  std::string out(word);
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

std::string sibling(std::string_view name, std::string_view last) {
  return fmt::format("{}.{}", name.substr(0, name.rfind('.')), last);
}

// rbac.authorization.k8s.io is RbacAuthorization, the core group Core.
std::string group_word(std::string_view group) {
  if (group.empty()) return "Core";
  if (group.ends_with(".k8s.io")) group.remove_suffix(7);
  std::string out;
  for (const std::string_view part : split(group, '.')) out += capitalized(part);
  return out;
}

class Builder {
 public:
  Builder(const Resource& resource, const ServedVersion& version) : resource_(resource), version_(version) {
    root_ = fmt::format("{}/{}", resource.group.empty() ? "/api" : fmt::format("/apis/{}", resource.group),
                        version.name);
    tag_ = replace_all(fmt::format("{}_{}", resource.group.empty() ? "core" : resource.group, version.name),
                       ".", "_");
    own_ = {resource.group, version.name, resource.kind};
    definition_ = definition_name(resource, version);
  }

  std::vector<Operation> run() {
    const std::string collection = fmt::format(
        "{}/{}{}", root_, resource_.is_namespaced ? "namespaces/{namespace}/" : "", resource_.plural);
    if (resource_.is_namespaced && resource_.has_verb("list")) {
      add("get", fmt::format("{}/{}", root_, resource_.plural), "list", list_name(), "", "ForAllNamespaces",
          false);
    }
    if (resource_.has_verb("list")) add("get", collection, "list", list_name());
    if (resource_.has_verb("create")) add("post", collection, "post", definition_, definition_);
    if (resource_.has_verb("deletecollection")) {
      add("delete", collection, "deletecollection", status_name(), delete_options_name(), "", true,
          "Collection");
    }
    const std::string one = collection + "/{name}";
    if (resource_.has_verb("get")) add("get", one, "get", definition_);
    if (resource_.has_verb("update")) add("put", one, "put", definition_, definition_);
    if (resource_.has_verb("patch")) add("patch", one, "patch", definition_, patch_name());
    if (resource_.has_verb("delete")) add("delete", one, "delete", status_name(), delete_options_name());
    if (version_.has_status) add_subresource(one, subresource_kind("status"));
    if (version_.scale) add_subresource(one, subresource_kind("scale"));
    if (resource_.has_token) add_subresource(one, subresource_kind("token"));
    return std::move(out_);
  }

 private:
  static std::string status_name() { return std::string(kMetaPrefix) + "Status"; }
  static std::string patch_name() { return std::string(kMetaPrefix) + "Patch"; }
  static std::string delete_options_name() { return std::string(kMetaPrefix) + "DeleteOptions"; }
  std::string list_name() const { return list_definition_name(resource_, version_); }

  static std::string_view word_of(std::string_view action) {
    if (action == "get") return "read";
    if (action == "put") return "replace";
    if (action == "post") return "create";
    if (action == "deletecollection") return "delete";
    return action;
  }

  std::string description(std::string_view action, std::string_view subresource) const {
    const std::string of = subresource.empty() ? "" : fmt::format(" {} of", subresource);
    if (action == "list") return fmt::format("list or watch objects of kind {}", resource_.kind);
    if (action == "patch") return fmt::format("partially update{} the specified {}", of, resource_.kind);
    if (action == "deletecollection") return fmt::format("delete collection of {}", resource_.kind);
    const bool is_specified = action == "get" || action == "put";
    return fmt::format("{}{} {} {}", word_of(action), of, is_specified ? "the specified" : "a",
                       resource_.kind);
  }

  Operation& add(std::string_view method, std::string path, std::string_view action, std::string response,
                 std::string body = {}, std::string_view suffix = {}, bool in_namespace = true,
                 std::string_view infix = {}) {
    const std::string id = fmt::format(
        "{}{}{}{}{}{}{}", word_of(action), group_word(resource_.group), capitalized(version_.name), infix,
        resource_.is_namespaced && in_namespace ? "Namespaced" : "", resource_.kind, suffix);
    return out_.emplace_back(
        Operation{.method = std::string(method),
                  .path = std::move(path),
                  .action = std::string(action),
                  .id = id,
                  .description = description(action, to_lower(infix.empty() ? suffix : "")),
                  .tag = tag_,
                  .kind = own_,
                  .body = std::move(body),
                  .response = std::move(response),
                  .is_custom = resource_.is_custom});
  }

  void add_subresource(const std::string& one, const SubresourceKind& sub) {
    const std::string type = sub.definition.empty() ? definition_ : sub.definition;
    for (const std::string& verb : sub.verbs) {
      const std::string action = verb == "update" ? "put" : verb == "create" ? "post" : verb;
      const std::string body = action == "get" ? "" : action == "patch" ? patch_name() : type;
      Operation& made =
          add(action, fmt::format("{}/{}", one, sub.name), action, type, body, capitalized(sub.name));
      if (!sub.kind.empty()) made.kind = {sub.group, sub.version, sub.kind};
    }
  }

  const Resource& resource_;
  const ServedVersion& version_;
  std::string root_, tag_, definition_;
  OperationKind own_;
  std::vector<Operation> out_;
};

}  // namespace

std::vector<Operation> operations_of(const Resource& resource, const ServedVersion& version) {
  return Builder(resource, version).run();
}

std::span<const QueryParameter> query_parameters(std::string_view action) {
  if (action == "get") return kRead;
  if (action == "list") return kList;
  if (action == "patch") return kPatch;
  if (action == "delete") return kDelete;
  if (action == "deletecollection") return kDeleteCollection;
  return kWrite;
}

std::vector<std::string_view> patch_types(bool is_custom) {
  std::vector<std::string_view> out{"application/apply-patch+yaml", "application/json-patch+json",
                                    "application/merge-patch+json"};
  if (!is_custom) out.push_back("application/strategic-merge-patch+json");
  return out;
}

std::string definition_name(const Resource& resource, const ServedVersion& version) {
  if (!resource.definition.empty()) return resource.definition;
  auto parts = split(resource.group, '.');
  std::ranges::reverse(parts);
  return fmt::format("{}.{}.{}", fmt::join(parts, "."), version.name, resource.kind);
}

std::string list_definition_name(const Resource& resource, const ServedVersion& version) {
  return sibling(definition_name(resource, version), resource.list_kind);
}

}  // namespace fairway::apiserver
