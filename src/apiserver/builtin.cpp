#include "apiserver/builtin.hpp"

#include <fmt/format.h>

#include "apiserver/view_fields.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using fields::copy_at;
using fields::flag_at;
using fields::texts_at;
using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kDefinitions = "#/definitions/";

// The files are part of the binary: what is wrong with them is a defect, found by the first test that runs.
void check(bool holds, std::string_view file, std::string_view what) {
  if (!holds) abort_because(fmt::format("api/{}: {}", file, what), __FILE__, __LINE__);
}

Object parse_file(std::string_view name, std::string_view text) {
  auto parsed = json::parse_object(text);
  check(parsed.has_value(), name, parsed ? "" : parsed.error().describe());
  return *std::move(parsed);
}

std::vector<Object> parse_files(std::string_view folder) {
  std::vector<Object> out;
  for (const auto& [name, text] : embedded_files()) {
    if (name.starts_with(folder)) out.push_back(parse_file(name, text));
  }
  return out;
}

PrinterColumn column_of(const Object& source, std::string_view plural) {
  PrinterColumn column{.name = copy_at(source, {"name"}),
                       .type = copy_at(source, {"type"}),
                       .format = copy_at(source, {"format"}),
                       .description = copy_at(source, {"description"}),
                       .priority = static_cast<int>(json::get_int(source, {"priority"}).value_or(0)),
                       .cell = copy_at(source, {"cell"}),
                       .path = std::nullopt};
  if (const auto path = json::get_string(source, {"jsonPath"})) {
    auto parsed = json::JsonPath::parse(*path);
    check(parsed.has_value(), plural, parsed ? "" : parsed.error().describe());
    column.path = *std::move(parsed);
  }
  return column;
}

class Builtin {
 public:
  Builtin() {
    Object index;
    for (const auto& [name, text] : embedded_files()) {
      if (!name.starts_with("builtin/")) continue;
      Object file = parse_file(name, text);
      if (name == "builtin/resources.yaml") {
        index = std::move(file);
      } else if (const Value* found = file.if_contains("definitions"); found && found->is_object()) {
        for (const auto& [type, schema] : found->get_object()) definitions.emplace(type, schema);
      }
    }
    read_subresources(index);
    compile(index);
  }

  Object definitions;
  std::vector<ResourcePtr> resources;
  std::vector<SubresourceKind> subresources;

 private:
  void read_subresources(const Object& index) {
    const Object* kinds = json::get_object(index, {"subresourceKinds"});
    check(kinds, "builtin/resources.yaml", "expected subresourceKinds");
    for (const auto& [name, value] : *kinds) {
      const Object& source = value.as_object();
      subresources.push_back({std::string(name), copy_at(source, {"group"}), copy_at(source, {"version"}),
                              copy_at(source, {"kind"}), copy_at(source, {"type"}),
                              texts_at(source, {"verbs"})});
    }
  }

  // All kinds are compiled as fields of one schema, so that a Pod and the template of a Deployment are the
  // same nodes.
  void compile(const Object& index) {
    const Array* entries = json::get_array(index, {"resources"});
    check(entries, "builtin/resources.yaml", "expected resources");
    Object properties;
    const auto add = [&](const std::string& type) {
      if (!type.empty()) properties[type] = Object{{"$ref", std::string(kDefinitions) + type}};
    };
    for (const Value& entry : *entries) add(copy_at(entry.as_object(), {"type"}));
    for (const SubresourceKind& each : subresources) add(each.definition);
    const auto compiled =
        json::compile_schema(Object{{"type", "object"}, {"properties", std::move(properties)}},
                             {.structural = false, .resource_root = false, .definitions = &definitions});
    check(compiled.has_value(), "builtin", compiled ? "" : compiled.error().describe());
    for (const Value& entry : *entries) resources.push_back(resource_of(entry.as_object(), *compiled));
  }

  static ResourcePtr resource_of(const Object& source, const std::shared_ptr<const json::Schema>& all) {
    auto out = std::make_shared<Resource>();
    out->group = copy_at(source, {"group"});
    out->plural = copy_at(source, {"plural"});
    out->singular = copy_at(source, {"singular"});
    out->kind = copy_at(source, {"kind"});
    out->list_kind = copy_at(source, {"listKind"});
    if (out->list_kind.empty()) out->list_kind = out->kind + "List";
    out->short_names = texts_at(source, {"shortNames"});
    out->categories = texts_at(source, {"categories"});
    out->verbs = texts_at(source, {"verbs"});
    out->is_namespaced = flag_at(source, {"namespaced"});
    out->definition = copy_at(source, {"type"});
    out->stored_as = stored_name(out->group, out->plural);
    if (const Object* other = json::get_object(source, {"stored"})) {
      out->stored_as = stored_name(copy_at(*other, {"group"}), copy_at(*other, {"plural"}));
    }
    for (const std::string& each : texts_at(source, {"subresources"})) {
      out->has_token = out->has_token || each == "token";
    }
    out->versions.push_back(version_of(source, *out, all));
    return out;
  }

  static ServedVersion version_of(const Object& source, const Resource& resource,
                                  const std::shared_ptr<const json::Schema>& all) {
    ServedVersion out;
    out.name = copy_at(source, {"version"});
    const json::Schema* schema = all->property(resource.definition);
    check(schema, resource.plural, "its type names no definition");
    out.schema = std::shared_ptr<const json::Schema>(all, schema);
    out.openapi = Object{{"$ref", std::string(kDefinitions) + resource.definition}};
    out.field_selectors = texts_at(source, {"fieldSelectors"});
    for (const std::string& each : texts_at(source, {"subresources"})) {
      out.has_status = out.has_status || each == "status";
    }
    if (const Object* scale = json::get_object(source, {"scale"})) {
      out.scale = ScalePaths{copy_at(*scale, {"specReplicasPath"}), copy_at(*scale, {"statusReplicasPath"}),
                             copy_at(*scale, {"labelSelectorPath"})};
    }
    if (const Array* columns = json::get_array(source, {"columns"})) {
      for (const Value& each : *columns) out.columns.push_back(column_of(each.as_object(), resource.plural));
    }
    return out;
  }
};

const Builtin& builtin() {
  static const Builtin kBuiltin;
  return kBuiltin;
}

}  // namespace

const json::Object& builtin_definitions() {
  return builtin().definitions;
}

const std::vector<ResourcePtr>& builtin_resources() {
  return builtin().resources;
}

const std::vector<json::Object>& product_crds() {
  static const std::vector<Object> kCrds = parse_files("crds/");
  return kCrds;
}

const SubresourceKind& subresource_kind(std::string_view name) {
  for (const SubresourceKind& each : builtin().subresources) {
    if (each.name == name) return each;
  }
  abort_because(fmt::format("no subresource is called {}", quoted(name)), __FILE__, __LINE__);
}

const json::Object* builtin_definition(std::string_view name) {
  const Value* found = builtin_definitions().if_contains(name);
  return found ? found->if_object() : nullptr;
}

}  // namespace fairway::apiserver
