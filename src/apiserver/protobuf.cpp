#include "apiserver/protobuf.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "apiserver/protobuf_messages.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Kind = ProtobufField::Kind;
using Shape = ProtobufField::Shape;

constexpr std::string_view kMagic{"k8s\0", 4};
constexpr std::size_t kMaxBytes = 3 * 1024 * 1024;
constexpr int kMaxDepth = 256;
// Two bytes can stand for an object of a hundred: the bound on bytes alone is not one on memory.
constexpr std::size_t kMaxValues = 500'000;
// The years that RFC 3339 can write, within those that WallTime can hold.
constexpr std::int64_t kFirstSecond = -9'200'000'000;
constexpr std::int64_t kLastSecond = 9'200'000'000;

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::Invalid, "protobuf body: " + std::move(message));
}

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field as it stands in a message: a number or bytes, by its wire type.
struct Item {
  std::uint32_t field = 0;
  std::uint32_t type = kBytes;
  std::uint64_t number = 0;
  std::string_view bytes;
};

class Wire {
 public:
  explicit Wire(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) return wrong("a number is cut off at the end");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return wrong("a number is longer than 64 bits");
  }

  Result<std::uint64_t> fixed(std::size_t size) {
    FAIRWAY_TRY(const std::string_view bytes, take(size));
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  Result<Item> next() {
    FAIRWAY_TRY(const std::uint64_t key, varint());
    if (key >> 3 == 0 || key >> 3 >= 1U << 29)
      return wrong(fmt::format("{} is not a field number", key >> 3));
    Item item{.field = static_cast<std::uint32_t>(key >> 3),
              .type = static_cast<std::uint32_t>(key & 7),
              .bytes = {}};
    switch (item.type) {
      case kVarint: {
        FAIRWAY_TRY(item.number, varint());
        return item;
      }
      case kFixed64: {
        FAIRWAY_TRY(item.number, fixed(8));
        return item;
      }
      case kFixed32: {
        FAIRWAY_TRY(item.number, fixed(4));
        return item;
      }
      case kBytes: {
        FAIRWAY_TRY(const std::uint64_t size, varint());
        FAIRWAY_TRY(item.bytes, take(size));
        return item;
      }
      default:
        return wrong(fmt::format("field {} has the unknown wire type {}", item.field, item.type));
    }
  }

 private:
  Result<std::string_view> take(std::uint64_t size) {
    if (size > rest_.size()) return wrong(fmt::format("expected {} bytes, found {}", size, rest_.size()));
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

std::uint32_t wire_type(Kind kind) {
  if (kind == Kind::Integer || kind == Kind::Boolean) return kVarint;
  return kind == Kind::Number ? kFixed64 : kBytes;
}

Result<void> expect(const Item& item, std::uint32_t type) {
  if (item.type == type) return {};
  return wrong(fmt::format("field {}: expected wire type {}, found {}", item.field, type, item.type));
}

Result<Value> text(std::string_view bytes) {
  if (!is_valid_utf8(bytes)) return wrong("expected text in UTF-8, found " + quoted(bytes));
  return Value(bytes);
}

// The messages with a few scalar fields and a JSON form of their own read into this.
struct Small {
  std::uint64_t numbers[4] = {};
  std::string_view texts[4] = {};

  static Result<Small> read(std::string_view bytes) {
    Small out;
    for (Wire wire(bytes); !wire.at_end();) {
      FAIRWAY_TRY(const Item item, wire.next());
      if (item.field >= 4) continue;
      out.numbers[item.field] = item.number;
      out.texts[item.field] = item.bytes;
    }
    return out;
  }
};

Result<Value> time(std::string_view bytes, bool with_micros) {
  if (bytes.empty()) return Value(nullptr);
  FAIRWAY_TRY(const Small fields, Small::read(bytes));
  const auto seconds = static_cast<std::int64_t>(fields.numbers[1]);
  const auto nanos = static_cast<std::int64_t>(fields.numbers[2]);
  if (seconds < kFirstSecond || seconds > kLastSecond || nanos < 0 || nanos >= 1'000'000'000)
    return wrong(fmt::format("{} s and {} ns are not a time that is kept here", seconds, nanos));
  const WallTime at{std::chrono::seconds{seconds} + std::chrono::nanoseconds{nanos}};
  return Value(with_micros ? format_rfc3339_micro(at) : format_rfc3339(at));
}

Result<Value> quantity(std::string_view bytes) {
  FAIRWAY_TRY(const Small fields, Small::read(bytes));
  return text(fields.texts[1].empty() ? "0" : fields.texts[1]);
}

Result<Value> int_or_string(std::string_view bytes) {
  FAIRWAY_TRY(const Small fields, Small::read(bytes));
  if (fields.numbers[1] != 0) return text(fields.texts[3]);
  return Value(static_cast<std::int64_t>(fields.numbers[2]));
}

Result<Value> texts(std::string_view bytes) {
  Array out;
  for (Wire wire(bytes); !wire.at_end();) {
    FAIRWAY_TRY(const Item item, wire.next());
    if (item.field != 1) continue;
    FAIRWAY_CHECKED(expect(item, kBytes));
    FAIRWAY_TRY(Value each, text(item.bytes));
    out.push_back(std::move(each));
  }
  return Value(std::move(out));
}

Result<Value> raw_json(std::string_view bytes, int depth) {
  FAIRWAY_TRY(const Small fields, Small::read(bytes));
  if (fields.texts[1].empty()) return Value(nullptr);
  return json::parse(fields.texts[1],
                     {.max_depth = static_cast<std::size_t>(kMaxDepth - depth), .max_bytes = kMaxBytes});
}

// Whether a value is what a field holds that nobody set. A null stands for an unset time or raw value.
bool is_unset(const Value& value, Kind kind) {
  switch (kind) {
    case Kind::Text:
    case Kind::Bytes:
      return value.get_string().empty();
    case Kind::Integer:
      return value.get_int64() == 0;
    case Kind::Boolean:
      return !value.get_bool();
    case Kind::Number:
      return value.get_double() == 0;
    case Kind::IntOrString:
      return value.is_int64() && value.get_int64() == 0;
    default:
      return value.is_null();
  }
}

class Decoder {
 public:
  // Fields are added to the object; those that come twice are merged or replaced, as protobuf has it.
  Result<void> message(std::string_view bytes, const ProtobufMessage& type, Object& out, int depth) {
    if (depth >= kMaxDepth) return wrong(fmt::format("nested deeper than {} messages", kMaxDepth));
    for (Wire wire(bytes); !wire.at_end();) {
      FAIRWAY_TRY(const Item item, wire.next());
      const auto found = type.fields.find(item.field);
      if (found == type.fields.end()) continue;
      if (auto added = add(item, found->second, out, depth); !added)
        return std::unexpected(std::move(added).error().within(found->second.name));
    }
    // An empty list is not written at all: where it must be there, it is empty.
    for (const auto& [number, field] : type.fields) {
      if (!field.is_required || out.contains(field.name)) continue;
      if (field.shape == Shape::List) out[field.name] = Array{};
      if (field.shape == Shape::Map) out[field.name] = Object{};
    }
    return {};
  }

 private:
  Result<void> count() {
    if (++values_ > kMaxValues) return wrong(fmt::format("expected at most {} values", kMaxValues));
    return {};
  }

  Result<void> add(const Item& item, const ProtobufField& field, Object& out, int depth) {
    FAIRWAY_CHECKED(count());
    if (field.shape == Shape::List) return add_to_list(item, field, out, depth);
    if (field.shape == Shape::Map) return add_to_map(item, field, out, depth);
    if (field.kind == Kind::Message) {
      FAIRWAY_CHECKED(expect(item, kBytes));
      Object& inner = field.is_inline ? out : json::ensure_object(out, {field.name});
      return message(item.bytes, *field.message, inner, depth + 1);
    }
    FAIRWAY_TRY(Value found, value(item, field, depth));
    if (!field.is_required && !field.keeps_zero && is_unset(found, field.kind)) {
      json::remove(out, field.name);
    } else {
      out[field.name] = std::move(found);
    }
    return {};
  }

  Result<void> add_to_list(const Item& item, const ProtobufField& field, Object& out, int depth) {
    Value& list = out[field.name];
    if (!list.is_array()) list = Array{};
    const std::uint32_t type = wire_type(field.kind);
    if (type == kBytes || item.type == type) {
      FAIRWAY_TRY(Value each, value(item, field, depth));
      list.get_array().push_back(std::move(each));
      return {};
    }
    FAIRWAY_CHECKED(expect(item, kBytes));
    for (Wire packed(item.bytes); !packed.at_end();) {
      FAIRWAY_CHECKED(count());
      Item each{.field = item.field, .type = type, .bytes = {}};
      FAIRWAY_TRY(each.number, type == kVarint ? packed.varint() : packed.fixed(8));
      FAIRWAY_TRY(Value found, value(each, field, depth));
      list.get_array().push_back(std::move(found));
    }
    return {};
  }

  Result<void> add_to_map(const Item& item, const ProtobufField& field, Object& out, int depth) {
    FAIRWAY_CHECKED(expect(item, kBytes));
    Item key;
    Item content{.field = 2, .type = wire_type(field.kind), .bytes = {}};
    for (Wire wire(item.bytes); !wire.at_end();) {
      FAIRWAY_TRY(const Item each, wire.next());
      if (each.field == 1) key = each;
      if (each.field == 2) content = each;
    }
    FAIRWAY_CHECKED(expect(key, kBytes));
    FAIRWAY_TRY(const Value name, text(key.bytes));
    FAIRWAY_TRY(Value found, value(content, field, depth));
    json::ensure_object(out, {field.name})[name.get_string()] = std::move(found);
    return {};
  }

  // One value, whatever the shape of its field.
  Result<Value> value(const Item& item, const ProtobufField& field, int depth) {
    FAIRWAY_CHECKED(expect(item, wire_type(field.kind)));
    switch (field.kind) {
      case Kind::Text:
        return text(item.bytes);
      case Kind::Bytes:
        return Value(encode_base64(item.bytes));
      case Kind::Integer:
        return Value(static_cast<std::int64_t>(item.number));
      case Kind::Boolean:
        return Value(item.number != 0);
      case Kind::Number:
        return number(std::bit_cast<double>(item.number));
      case Kind::Texts:
        return texts(item.bytes);
      case Kind::Time:
        return time(item.bytes, false);
      case Kind::MicroTime:
        return time(item.bytes, true);
      case Kind::Quantity:
        return quantity(item.bytes);
      case Kind::IntOrString:
        return int_or_string(item.bytes);
      case Kind::RawJson:
        return raw_json(item.bytes, depth);
      case Kind::Message:
        return object(item.bytes, *field.message, depth);
      default:
        return schema_or_something(item.bytes, field, depth);
    }
  }

  static Result<Value> number(double found) {
    if (!std::isfinite(found)) return wrong("expected a finite number");
    return Value(found);
  }

  Result<Value> object(std::string_view bytes, const ProtobufMessage& type, int depth) {
    Object out;
    FAIRWAY_CHECKED(message(bytes, type, out, depth + 1));
    return Value(std::move(out));
  }

  // JSONSchemaPropsOrArray {schema = 1, schemas = 2}, …OrBool {allows = 1, schema = 2} and …OrStringArray
  // {schema = 1, texts = 2}: the list wins when there is one, then the schema.
  Result<Value> schema_or_something(std::string_view bytes, const ProtobufField& field, int depth) {
    const bool or_bool = field.kind == Kind::SchemaOrBool;
    Value out = or_bool ? Value(false) : Value(nullptr);
    Array list;
    for (Wire wire(bytes); !wire.at_end();) {
      FAIRWAY_TRY(const Item item, wire.next());
      if (item.field > 2) continue;
      FAIRWAY_CHECKED(expect(item, or_bool && item.field == 1 ? kVarint : kBytes));
      if (or_bool && item.field == 1) {
        if (!out.is_object()) out = item.number != 0;
      } else if (or_bool || item.field == 1) {
        FAIRWAY_TRY(out, object(item.bytes, *field.message, depth));
      } else {
        FAIRWAY_CHECKED(count());
        FAIRWAY_TRY(Value each, field.kind == Kind::SchemaOrTexts
                                    ? text(item.bytes)
                                    : object(item.bytes, *field.message, depth));
        list.push_back(std::move(each));
      }
    }
    return list.empty() ? std::move(out) : Value(std::move(list));
  }

  std::size_t values_ = 0;
};

// What stands around every body: runtime.Unknown.
struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view content;

  static Result<Envelope> read(std::string_view bytes) {
    FAIRWAY_TRY(const Small unknown, Small::read(bytes));
    FAIRWAY_TRY(const Small type, Small::read(unknown.texts[1]));
    for (const std::string_view each : {type.texts[1], type.texts[2]}) FAIRWAY_CHECKED(text(each));
    if (!unknown.texts[3].empty())
      return wrong("expected no content encoding, found " + quoted(unknown.texts[3]));
    return Envelope{std::string(type.texts[1]), std::string(type.texts[2]), unknown.texts[2]};
  }
};

}  // namespace

Result<Object> decode_protobuf_body(std::string_view bytes) {
  if (bytes.size() > kMaxBytes)
    return wrong(fmt::format("expected at most {} bytes, found {}", kMaxBytes, bytes.size()));
  if (!bytes.starts_with(kMagic)) return wrong("expected the four bytes \"k8s\\0\" at its start");
  FAIRWAY_TRY(const Envelope envelope, Envelope::read(bytes.substr(kMagic.size())));
  const ProtobufMessage* type = protobuf_message(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("protobuf body: {} {} has no protobuf form here: send it as JSON",
                            quoted(envelope.api_version), quoted(envelope.kind)));
  }
  Object out{{"apiVersion", envelope.api_version}, {"kind", envelope.kind}};
  FAIRWAY_CHECKED(Decoder().message(envelope.content, *type, out, 0));
  return out;
}

}  // namespace fairway::apiserver
