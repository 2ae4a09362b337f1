#include "apiserver/crd_resource.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apiserver/crd_resource_rules.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"
#include "json/write.hpp"

namespace fairway::apiserver {
namespace {

using fields::copy_at;
using fields::flag_at;
using fields::has_true_condition;
using fields::texts_at;
using json::Array;
using json::Object;
using json::Value;

const Object& names_of(const Object& crd, const Object& spec) {
  static const Object kNone;
  const Object* accepted = json::get_object(crd, {"status", "acceptedNames"});
  if (accepted && !json::get_string(*accepted, {"plural"}).value_or("").empty()) return *accepted;
  const Object* names = json::get_object(spec, {"names"});
  return names ? *names : kNone;
}

std::string deprecation_of(const Object& version, const Object& spec) {
  if (!flag_at(version, {"deprecated"})) return {};
  if (const auto text = json::get_string(version, {"deprecationWarning"})) return std::string(*text);
  const std::string name = copy_at(version, {"name"});
  const std::string group = copy_at(spec, {"group"}), kind = copy_at(spec, {"names", "kind"});
  std::string better;
  for (const Value& each : *json::get_array(spec, {"versions"})) {
    const Object* other = each.if_object();
    if (!other || !flag_at(*other, {"served"})) continue;
    if (flag_at(*other, {"deprecated"})) continue;
    const std::string candidate = copy_at(*other, {"name"});
    if (!is_preferred_version(candidate, name)) continue;
    if (better.empty() || is_preferred_version(candidate, better)) better = candidate;
  }
  std::string text = fmt::format("{}/{} {} is deprecated", group, name, kind);
  if (!better.empty()) text += fmt::format("; use {}/{} {}", group, better, kind);
  return text;
}

// What the description of a field of metadata is, in the words of this API.
std::string metadata_description(std::string_view field) {
  const Object* meta =
      json::get_object(builtin_definitions(), {"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"});
  return meta ? copy_at(*meta, {"properties", field, "description"}) : std::string();
}

// A path that kubectl's notation has and JsonPath has not leaves its cells empty, as an unreadable one does.
PrinterColumn column_of(std::string name, std::string type, std::string description, std::string_view path) {
  PrinterColumn out{.name = std::move(name), .type = std::move(type), .description = std::move(description)};
  if (auto parsed = json::JsonPath::parse(path)) out.path = *std::move(parsed);
  return out;
}

std::vector<PrinterColumn> columns_of(const Object& version) {
  std::vector<PrinterColumn> out;
  out.push_back(column_of("Name", "string", metadata_description("name"), ".metadata.name"));
  out.back().format = "name";
  const Array* written = json::get_array(version, {"additionalPrinterColumns"});
  for (std::size_t i = 0; written && i < written->size(); ++i) {
    const Object* source = (*written)[i].if_object();
    if (!source) continue;
    const std::string path = copy_at(*source, {"jsonPath"});
    std::string description = copy_at(*source, {"description"});
    if (description.empty()) {
      description = fmt::format("Custom resource definition column (in JSONPath format): {}", path);
    }
    out.push_back(
        column_of(copy_at(*source, {"name"}), copy_at(*source, {"type"}), std::move(description), path));
    out.back().format = copy_at(*source, {"format"});
    out.back().priority = static_cast<int>(json::get_int(*source, {"priority"}).value_or(0));
  }
  if (out.size() == 1) {
    out.push_back(
        column_of("Age", "date", metadata_description("creationTimestamp"), ".metadata.creationTimestamp"));
  }
  return out;
}

Result<ServedVersion> version_of(const Object& source, const Object& spec) {
  ServedVersion out;
  out.name = copy_at(source, {"name"});
  out.is_served = flag_at(source, {"served"});
  out.deprecation_warning = deprecation_of(source, spec);
  const Value* schema = json::find(source, {"schema", "openAPIV3Schema"});
  if (!schema) return fail(ErrorCode::Invalid, fmt::format("version {} has no schema", quoted(out.name)));
  out.openapi = *schema;
  FAIRWAY_TRY(out.schema, json::compile_schema(*schema));
  out.columns = columns_of(source);
  const Object* subresources = json::get_object(source, {"subresources"});
  const Value* status = subresources ? subresources->if_contains("status") : nullptr;
  out.has_status = status && !status->is_null();
  if (const Object* scale = subresources ? json::get_object(*subresources, {"scale"}) : nullptr) {
    out.scale = ScalePaths{copy_at(*scale, {"specReplicasPath"}), copy_at(*scale, {"statusReplicasPath"}),
                           copy_at(*scale, {"labelSelectorPath"})};
  }
  const Array* selectable = json::get_array(source, {"selectableFields"});
  for (std::size_t i = 0; selectable && i < selectable->size(); ++i) {
    const Object* field = (*selectable)[i].if_object();
    const std::string path = field ? copy_at(*field, {"jsonPath"}) : "";
    if (path.starts_with('.')) out.field_selectors.push_back(path.substr(1));
  }
  return out;
}

Result<void> read_versions(const Object& spec, Resource& into) {
  const Array* versions = json::get_array(spec, {"versions"});
  std::string stored;
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    const Object* source = (*versions)[i].if_object();
    if (!source) return fail(ErrorCode::Invalid, fmt::format("spec.versions[{}]: expected an object", i));
    FAIRWAY_TRY(ServedVersion version, version_of(*source, spec));
    if (flag_at(*source, {"storage"})) stored = version.name;
    into.versions.push_back(std::move(version));
  }
  std::ranges::sort(into.versions, is_preferred_version, &ServedVersion::name);
  const auto storage = std::ranges::find(into.versions, stored, &ServedVersion::name);
  if (storage == into.versions.end()) return fail(ErrorCode::Invalid, "no version is the storage version");
  into.storage = static_cast<std::size_t>(storage - into.versions.begin());
  return {};
}

}  // namespace

Result<ResourcePtr> resource_of_crd(const json::Object& crd) {
  const std::string place =
      fmt::format("custom resource definition {}", quoted(copy_at(crd, {"metadata", "name"})));
  const Object* spec = json::get_object(crd, {"spec"});
  if (!spec) return fail(ErrorCode::Invalid, fmt::format("{}: expected a spec", place));
  const Object& names = names_of(crd, *spec);
  auto out = std::make_shared<Resource>();
  out->is_custom = true;
  out->group = copy_at(*spec, {"group"});
  out->plural = copy_at(names, {"plural"});
  out->kind = copy_at(names, {"kind"});
  out->singular = copy_at(names, {"singular"});
  if (out->singular.empty()) out->singular = to_lower(out->kind);
  out->list_kind = copy_at(names, {"listKind"});
  if (out->list_kind.empty()) out->list_kind = out->kind + "List";
  out->short_names = texts_at(names, {"shortNames"});
  out->categories = texts_at(names, {"categories"});
  out->is_namespaced = copy_at(*spec, {"scope"}) == "Namespaced";
  out->stored_as = stored_name(out->group, out->plural);
  // While its objects are being deleted no new ones may come, and nothing needs to change any more.
  out->verbs = has_true_condition(crd, "Terminating")
                   ? std::vector<std::string>{"delete", "deletecollection", "get", "list", "watch"}
                   : std::vector<std::string>{"delete", "deletecollection", "get",    "list",
                                              "patch",  "create",           "update", "watch"};
  if (auto read = read_versions(*spec, *out); !read) {
    return std::unexpected(std::move(read).error().within(place));
  }
  return out;
}

Result<ResourcePtr> ResourceCache::resource(const json::Object& crd) {
  std::string key(has_true_condition(crd, "Terminating") ? "-" : "+");
  const auto add = [&](const Value* part) {
    if (part) json::append(*part, key);
    key += '\n';
  };
  add(json::find(crd, {"spec"}));
  add(json::find(crd, {"status", "acceptedNames"}));
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(key); known != known_.end()) {
    if (auto alive = known->second.lock()) return alive;
  }
  FAIRWAY_TRY(ResourcePtr made, resource_of_crd(crd));
  std::erase_if(known_, [](const auto& each) { return each.second.expired(); });
  known_[std::move(key)] = made;
  return made;
}

bool is_established(const json::Object& crd) {
  return has_true_condition(crd, "Established");
}

}  // namespace fairway::apiserver
