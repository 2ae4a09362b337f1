#include "apiserver/protobuf_messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/builtin.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"
#include "kube/core/gvk.hpp"

namespace fairway::apiserver {
namespace {

using fields::copy_at;
using fields::text_at;
using fields::texts_at;
using json::Object;
using json::Value;
using Kind = ProtobufField::Kind;
using Shape = ProtobufField::Shape;

constexpr std::string_view kFile = "builtin/protobuf.yaml";
constexpr std::string_view kApiExtensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
constexpr std::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

void check(bool holds, std::string_view where, std::string_view what) {
  if (!holds) abort_because(fmt::format("api/{}: {}: {}", kFile, where, what), __FILE__, __LINE__);
}

Object read_numbers() {
  for (const auto& [name, text] : embedded_files()) {
    if (name != kFile) continue;
    auto parsed = json::parse_object(text);
    check(parsed.has_value(), "file", "expected a mapping");
    return *std::move(parsed);
  }
  abort_because("api/builtin/protobuf.yaml is not part of the binary", __FILE__, __LINE__);
}

// Types whose JSON form is not that of their message.
std::optional<Kind> special_kind(std::string_view type) {
  static const std::map<std::string, Kind, std::less<>> kSpecial{
      {"io.k8s.apimachinery.pkg.api.resource.Quantity", Kind::Quantity},
      {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", Kind::IntOrString},
      {"io.k8s.apimachinery.pkg.runtime.RawExtension", Kind::RawJson},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", Kind::RawJson},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.Time", Kind::Time},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", Kind::MicroTime},
      {std::string(kApiExtensions) + "JSON", Kind::RawJson},
      {std::string(kApiExtensions) + "JSONSchemaPropsOrArray", Kind::SchemaOrArray},
      {std::string(kApiExtensions) + "JSONSchemaPropsOrBool", Kind::SchemaOrBool},
      {std::string(kApiExtensions) + "JSONSchemaPropsOrStringArray", Kind::SchemaOrTexts},
  };
  const auto found = kSpecial.find(type);
  return found == kSpecial.end() ? std::nullopt : std::optional(found->second);
}

bool is_schema_or_something(Kind kind) {
  return kind == Kind::SchemaOrArray || kind == Kind::SchemaOrBool || kind == Kind::SchemaOrTexts;
}

class Messages {
 public:
  Messages() : numbers_(read_numbers()) {
    for (const auto& [type, definition] : builtin_definitions()) {
      if (!json::get_object(numbers_, {"fields", type})) continue;
      const auto* kinds = json::get_array(definition.as_object(), {"x-kubernetes-group-version-kind"});
      for (std::size_t i = 0; kinds && i < kinds->size(); ++i) {
        const Object& kind = (*kinds)[i].as_object();
        const kube::GroupVersion version{copy_at(kind, {"group"}), copy_at(kind, {"version"})};
        roots_.emplace(std::pair(version.to_string(), copy_at(kind, {"kind"})),
                       message(std::string(type), std::string(type)));
      }
    }
    delete_options_ = message(std::string(kDeleteOptions), std::string(kDeleteOptions));
  }

  const ProtobufMessage* find(std::string_view api_version, std::string_view kind) const {
    // Every group has DeleteOptions under its own name.
    if (kind == "DeleteOptions") return delete_options_;
    const auto found = roots_.find(std::pair(std::string(api_version), std::string(kind)));
    return found == roots_.end() ? nullptr : found->second;
  }

 private:
  // The message whose numbers stand under `type` and whose fields have the schemas of `owner`: the same, but
  // for inline messages. Types refer to themselves, hence the entry before its content.
  const ProtobufMessage* message(const std::string& type, const std::string& owner) {
    const auto [entry, is_new] = messages_.try_emplace(std::pair(type, owner));
    if (!is_new) return &entry->second;
    const Object* numbers = json::get_object(numbers_, {"fields", type});
    const Object* definition = builtin_definition(owner);
    check(numbers && definition, type, "expected field numbers and a schema");
    for (const auto& [name, number] : *numbers) {
      const Object* schema = json::get_object(*definition, {"properties", name});
      check(schema && number.is_int64(), type,
            fmt::format("no field is called {}", quoted(std::string(name))));
      ProtobufField field = typed(*schema, type);
      field.name = std::string(name);
      field.is_required = contains(texts_at(*definition, {"required"}), name);
      field.keeps_zero = contains(texts_at(numbers_, {"optional", type}), name);
      add(entry->second, number.get_int64(), std::move(field), type);
    }
    if (const Object* inlined = json::get_object(numbers_, {"inline", type})) {
      for (const auto& [inner, number] : *inlined) {
        ProtobufField field;
        field.name = std::string(inner);
        field.message = message(std::string(inner), owner);
        field.is_inline = true;
        add(entry->second, number.as_int64(), std::move(field), type);
      }
    }
    return &entry->second;
  }

  static void add(ProtobufMessage& message, std::int64_t number, ProtobufField field, std::string_view type) {
    check(number > 0, type, "expected positive field numbers");
    check(message.fields.emplace(static_cast<std::uint32_t>(number), std::move(field)).second, type,
          fmt::format("number {} stands for two fields", number));
  }

  static bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  ProtobufField typed(const Object& schema, std::string_view where) {
    ProtobufField field;
    const std::string_view type = text_at(schema, {"type"});
    const Object* values = json::get_object(schema, {"additionalProperties"});
    if (const Object* items = json::get_object(schema, {"items"}); items && type == "array") {
      field = typed(*items, where);
      check(field.shape == Shape::One, where, "protobuf has no lists of lists or of maps");
      field.shape = Shape::List;
    } else if (values && type == "object") {
      field = typed(*values, where);
      if (field.shape == Shape::List && field.kind == Kind::Text) {
        field.kind = Kind::Texts;
        field.shape = Shape::One;
      }
      check(field.shape == Shape::One, where, "protobuf has no maps of lists or of maps");
      field.shape = Shape::Map;
    } else if (const auto reference = text_at(schema, {"$ref"}); !reference.empty()) {
      refer(field, std::string(reference.substr(reference.rfind('/') + 1)));
    } else {
      field.kind = scalar(type, text_at(schema, {"format"}), where);
    }
    return field;
  }

  void refer(ProtobufField& field, const std::string& type) {
    const auto special = special_kind(type);
    if (!special) {
      field.message = message(type, type);
      return;
    }
    field.kind = *special;
    if (is_schema_or_something(*special)) {
      const std::string schema = std::string(kApiExtensions) + "JSONSchemaProps";
      field.message = message(schema, schema);
    }
  }

  static Kind scalar(std::string_view type, std::string_view format, std::string_view where) {
    if (type == "string") return format == "byte" ? Kind::Bytes : Kind::Text;
    if (type == "integer") return Kind::Integer;
    if (type == "boolean") return Kind::Boolean;
    check(type == "number", where, fmt::format("no protobuf form for type {}", quoted(type)));
    return Kind::Number;
  }

  Object numbers_;
  std::map<std::pair<std::string, std::string>, ProtobufMessage> messages_;  // addresses are kept
  std::map<std::pair<std::string, std::string>, const ProtobufMessage*> roots_;
  const ProtobufMessage* delete_options_ = nullptr;
};

}  // namespace

const ProtobufMessage* protobuf_message(std::string_view api_version, std::string_view kind) {
  static const Messages kMessages;
  return kMessages.find(api_version, kind);
}

}  // namespace fairway::apiserver
