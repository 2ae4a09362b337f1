// gnostic's openapi.v2.Document, as far as a Kubernetes client reads it. The numbers are those of
// OpenAPIv2.proto.

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "apiserver/openapi_documents.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

// Protobuf's wire format: what is appended is complete, so that messages nest by their bytes.
class Message {
 public:
  void add_varint(int field, std::uint64_t value) {
    key(field, 0);
    varint(value);
  }

  void add_double(int field, double value) {
    key(field, 1);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) bytes_ += static_cast<char>(bits & 0xff);
  }

  void add_bytes(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
  }

  void add(int field, const Message& message) { add_bytes(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void key(int field, unsigned wire_type) { varint((static_cast<std::uint64_t>(field) << 3) | wire_type); }

  std::string bytes_;
};

struct Field {
  std::string_view key;
  int number;
};

// openapi.v2.Any: JSON is YAML.
Message any(const Value& value) {
  Message out;
  out.add_bytes(2, json::serialize(value));
  return out;
}

Message named(std::string_view name, const Message& value) {
  Message out;
  out.add_bytes(1, name);
  out.add(2, value);
  return out;
}

void add_texts(const Object& source, std::span<const Field> fields, Message& out) {
  for (const auto& [key, number] : fields) {
    if (const auto text = json::get_string(source, {key})) out.add_bytes(number, *text);
  }
}

void add_flags(const Object& source, std::span<const Field> fields, Message& out) {
  for (const auto& [key, number] : fields) {
    if (json::get_bool(source, {key}).value_or(false)) out.add_varint(number, 1);
  }
}

void add_list(const Object& source, std::string_view key, int number, Message& out) {
  const Array* list = json::get_array(source, {key});
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if (const auto* text = (*list)[i].if_string()) out.add_bytes(number, json::view(*text));
  }
}

void add_extensions(const Object& source, int number, Message& out) {
  for (const auto& [key, value] : source) {
    if (key.starts_with("x-")) out.add(number, named(key, any(value)));
  }
}

Message schema(const Object& source);

void add_numbers(const Object& source, Message& out) {
  constexpr std::array<Field, 3> kDoubles{{{"multipleOf", 6}, {"maximum", 7}, {"minimum", 9}}};
  constexpr std::array<Field, 6> kIntegers{{{"maxLength", 11},
                                            {"minLength", 12},
                                            {"maxItems", 14},
                                            {"minItems", 15},
                                            {"maxProperties", 17},
                                            {"minProperties", 18}}};
  for (const auto& [key, number] : kDoubles) {
    const Value* value = source.if_contains(key);
    if (value && value->is_number()) out.add_double(number, value->to_number<double>());
  }
  for (const auto& [key, number] : kIntegers) {
    if (const auto value = json::get_int(source, {key}))
      out.add_varint(number, static_cast<std::uint64_t>(*value));
  }
}

void add_parts(const Object& source, Message& out) {
  if (const Value* additional = source.if_contains("additionalProperties")) {
    Message item;
    if (additional->is_object()) item.add(1, schema(additional->get_object()));
    if (additional->is_bool() && additional->get_bool()) item.add_varint(2, 1);
    out.add(21, item);
  }
  if (const auto type = json::get_string(source, {"type"})) {
    Message item;
    item.add_bytes(1, *type);
    out.add(22, item);
  }
  if (const Object* items = json::get_object(source, {"items"})) {
    Message item;
    item.add(1, schema(*items));
    out.add(23, item);
  }
  if (const Object* properties = json::get_object(source, {"properties"})) {
    Message list;
    for (const auto& [name, value] : *properties) {
      if (const Object* property = value.if_object()) list.add(1, named(name, schema(*property)));
    }
    out.add(25, list);
  }
}

Message schema(const Object& source) {
  constexpr std::array<Field, 5> kTexts{
      {{"$ref", 1}, {"format", 2}, {"title", 3}, {"description", 4}, {"pattern", 13}}};
  constexpr std::array<Field, 3> kFlags{
      {{"exclusiveMaximum", 8}, {"exclusiveMinimum", 10}, {"uniqueItems", 16}}};
  Message out;
  add_texts(source, kTexts, out);
  if (const Value* value = source.if_contains("default")) out.add(5, any(*value));
  add_numbers(source, out);
  add_flags(source, kFlags, out);
  add_list(source, "required", 19, out);
  if (const Array* values = json::get_array(source, {"enum"})) {
    for (const Value& value : *values) out.add(20, any(value));
  }
  add_parts(source, out);
  add_extensions(source, 31, out);
  return out;
}

Message body_parameter(const Object& source) {
  constexpr std::array<Field, 3> kTexts{{{"description", 1}, {"name", 2}, {"in", 3}}};
  constexpr std::array<Field, 1> kFlags{{{"required", 4}}};
  Message out;
  add_texts(source, kTexts, out);
  add_flags(source, kFlags, out);
  if (const Object* body = json::get_object(source, {"schema"})) out.add(5, schema(*body));
  return out;
}

Message query_parameter(const Object& source) {
  constexpr std::array<Field, 4> kTexts{{{"in", 2}, {"description", 3}, {"name", 4}, {"type", 6}}};
  constexpr std::array<Field, 2> kFlags{{{"required", 1}, {"uniqueItems", 20}}};
  Message out;
  add_texts(source, kTexts, out);
  add_flags(source, kFlags, out);
  return out;
}

Message path_parameter(const Object& source) {
  constexpr std::array<Field, 4> kTexts{{{"in", 2}, {"description", 3}, {"name", 4}, {"type", 5}}};
  constexpr std::array<Field, 2> kFlags{{{"required", 1}, {"uniqueItems", 19}}};
  Message out;
  add_texts(source, kTexts, out);
  add_flags(source, kFlags, out);
  return out;
}

void add_parameters(const Object& source, int number, Message& out) {
  const Array* list = json::get_array(source, {"parameters"});
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const Object* each = (*list)[i].if_object();
    if (!each) continue;
    const auto in = json::get_string(*each, {"in"});
    Message parameter;
    if (in == "body") {
      parameter.add(1, body_parameter(*each));
    } else {
      Message other;
      if (in == "path") other.add(4, path_parameter(*each));
      if (in == "query") other.add(3, query_parameter(*each));
      parameter.add(2, other);
    }
    Message item;
    item.add(1, parameter);
    out.add(number, item);
  }
}

Message responses(const Object& source) {
  Message out;
  for (const auto& [code, value] : source) {
    const Object* each = value.if_object();
    if (!each) continue;
    Message response;
    response.add_bytes(1, json::get_string(*each, {"description"}).value_or(""));
    if (const Object* type = json::get_object(*each, {"schema"})) {
      Message item;
      item.add(1, schema(*type));
      response.add(2, item);
    }
    Message answer;
    answer.add(1, response);
    out.add(1, named(code, answer));
  }
  return out;
}

Message operation(const Object& source) {
  constexpr std::array<Field, 2> kTexts{{{"description", 3}, {"operationId", 5}}};
  Message out;
  add_list(source, "tags", 1, out);
  add_texts(source, kTexts, out);
  add_list(source, "produces", 6, out);
  add_list(source, "consumes", 7, out);
  add_parameters(source, 8, out);
  if (const Object* answers = json::get_object(source, {"responses"})) out.add(9, responses(*answers));
  add_list(source, "schemes", 10, out);
  add_extensions(source, 13, out);
  return out;
}

Message path_item(const Object& source) {
  constexpr std::array<Field, 5> kMethods{{{"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}}};
  Message out;
  for (const auto& [method, number] : kMethods) {
    if (const Object* each = json::get_object(source, {method})) out.add(number, operation(*each));
  }
  add_parameters(source, 9, out);
  return out;
}

}  // namespace

std::string encode_openapi_v2(const json::Object& document) {
  constexpr std::array<Field, 1> kTexts{{{"swagger", 1}}};
  constexpr std::array<Field, 2> kInfo{{{"title", 1}, {"version", 2}}};
  Message out;
  add_texts(document, kTexts, out);
  if (const Object* info = json::get_object(document, {"info"})) {
    Message message;
    add_texts(*info, kInfo, message);
    out.add(2, message);
  }
  if (const Object* paths = json::get_object(document, {"paths"})) {
    Message message;
    for (const auto& [path, value] : *paths) {
      if (const Object* item = value.if_object()) message.add(2, named(path, path_item(*item)));
    }
    out.add(8, message);
  }
  if (const Object* definitions = json::get_object(document, {"definitions"})) {
    Message message;
    for (const auto& [name, value] : *definitions) {
      if (const Object* definition = value.if_object()) message.add(1, named(name, schema(*definition)));
    }
    out.add(9, message);
  }
  return out.take();
}

}  // namespace fairway::apiserver
