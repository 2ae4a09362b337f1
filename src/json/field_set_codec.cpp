#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/field_set.hpp"
#include "json/schema_errors.hpp"
#include "json/write.hpp"

namespace fairway::json {
namespace {

// The place of a value's kind in the order of values.
int rank(const Value& value) {
  if (value.is_number()) return 0;
  if (value.is_string()) return 1;
  if (value.is_bool()) return 2;
  if (value.is_array()) return 3;
  if (value.is_object()) return 4;
  return 5;
}

template <class T>
int three_way(const T& left, const T& right) {
  return left < right ? -1 : right < left ? 1 : 0;
}

int compare_numbers(const Value& left, const Value& right) {
  if (left.is_int64() && right.is_int64()) return three_way(left.get_int64(), right.get_int64());
  return three_way(left.to_number<double>(), right.to_number<double>());
}

int compare_lists(const Array& left, const Array& right) {
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const int order = compare_values(left[i], right[i])) return order;
  }
  return three_way(left.size(), right.size());
}

std::vector<std::string_view> sorted_keys(const Object& object) {
  std::vector<std::string_view> keys;
  for (const auto& member : object) keys.push_back(member.key());
  std::ranges::sort(keys);
  return keys;
}

int compare_objects(const Object& left, const Object& right) {
  const auto left_keys = sorted_keys(left);
  const auto right_keys = sorted_keys(right);
  for (std::size_t i = 0; i < left_keys.size() && i < right_keys.size(); ++i) {
    if (const int order = three_way(left_keys[i], right_keys[i])) return order;
    if (const int order = compare_values(left.at(left_keys[i]), right.at(right_keys[i]))) return order;
  }
  return three_way(left_keys.size(), right_keys.size());
}

int compare_fields(const PathElement::KeyFields& left, const PathElement::KeyFields& right) {
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const int order = three_way(left[i].first, right[i].first)) return order;
    if (const int order = compare_values(left[i].second, right[i].second)) return order;
  }
  return three_way(left.size(), right.size());
}

// JSON inside an element is written with the characters that HTML knows escaped, as Go does by default.
std::string escaped_json(const Value& value) {
  std::string out;
  for (const char c : serialize(value)) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return replace_all(replace_all(out, "\xE2\x80\xA8", "\\u2028"), "\xE2\x80\xA9", "\\u2029");
}

std::string shown(const Value& value) {
  if (value.is_string()) return go_quoted(view(value.get_string()));
  if (value.is_null()) return "null";
  return value.is_structured() ? serialize(value) : go_plain(value);
}

Result<PathElement> decode_key(std::string_view text) {
  FAIRWAY_TRY(const Object object, parse_object(text));
  PathElement::KeyFields fields;
  for (const auto& [name, value] : object) fields.emplace_back(std::string(name), value);
  return PathElement::key(std::move(fields));
}

struct DecodedSet {
  FieldSet set;
  bool is_member = false;
};

Result<DecodedSet> decode_set(const Value& fields, std::size_t depth) {
  if (depth > kMaxSchemaDepth) return fail(ErrorCode::Invalid, "managed fields are nested too deep");
  const Object* object = fields.if_object();
  if (!object) {
    return fail(ErrorCode::Invalid,
                fmt::format("managed fields: expected an object, found {}", a_kind(fields)));
  }
  DecodedSet out;
  FieldSet::Entries entries;
  entries.reserve(object->size());
  for (const auto& [key, value] : *object) {
    if (key == ".") {
      out.is_member = true;
      continue;
    }
    auto element = PathElement::decode(key);
    if (!element && element.error().code == ErrorCode::Unsupported) continue;
    if (!element) return std::unexpected(std::move(element).error());
    FAIRWAY_TRY(DecodedSet below, decode_set(value, depth + 1));
    entries.push_back({*std::move(element), below.is_member, std::move(below.set)});
  }
  out.set = FieldSet::from_entries(std::move(entries));
  out.is_member = out.is_member || out.set.empty();
  return out;
}

}  // namespace

int compare_values(const Value& left, const Value& right) {
  if (const int order = three_way(rank(left), rank(right))) return order;
  if (left.is_number()) return compare_numbers(left, right);
  if (left.is_string()) return three_way(view(left.get_string()), view(right.get_string()));
  if (left.is_bool()) return three_way(left.get_bool(), right.get_bool());
  if (left.is_array()) return compare_lists(left.get_array(), right.get_array());
  if (left.is_object()) return compare_objects(left.get_object(), right.get_object());
  return 0;
}

PathElement PathElement::field(std::string name) {
  return PathElement(Content(std::move(name)));
}

PathElement PathElement::key(KeyFields fields) {
  std::ranges::stable_sort(fields, {}, &KeyFields::value_type::first);
  return PathElement(Content(std::move(fields)));
}

PathElement PathElement::value(Value value) {
  return PathElement(Content(Item{std::move(value)}));
}

PathElement PathElement::index(std::int64_t index) {
  return PathElement(Content(index));
}

std::weak_ordering PathElement::operator<=>(const PathElement& other) const {
  if (content_ == other.content_) return std::weak_ordering::equivalent;
  const auto order = [&]() -> int {
    if (content_->index() != other.content_->index())
      return three_way(content_->index(), other.content_->index());
    if (const auto* name = std::get_if<std::string>(content_.get())) {
      return three_way(*name, std::get<std::string>(*other.content_));
    }
    if (const auto* fields = std::get_if<KeyFields>(content_.get())) {
      return compare_fields(*fields, std::get<KeyFields>(*other.content_));
    }
    if (const auto* item = std::get_if<Item>(content_.get())) {
      return compare_values(item->value, std::get<Item>(*other.content_).value);
    }
    return three_way(std::get<std::int64_t>(*content_), std::get<std::int64_t>(*other.content_));
  }();
  return order <=> 0;
}

std::string PathElement::text() const {
  if (const auto* name = std::get_if<std::string>(content_.get())) return "." + *name;
  if (const auto* fields = std::get_if<KeyFields>(content_.get())) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : *fields) parts.push_back(name + "=" + shown(value));
    return "[" + join(parts, ",") + "]";
  }
  if (const auto* item = std::get_if<Item>(content_.get())) return "[=" + shown(item->value) + "]";
  return fmt::format("[{}]", std::get<std::int64_t>(*content_));
}

std::string PathElement::encode() const {
  if (const auto* name = std::get_if<std::string>(content_.get())) return "f:" + *name;
  if (const auto* fields = std::get_if<KeyFields>(content_.get())) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : *fields)
      parts.push_back(serialize(Value(name)) + ":" + escaped_json(value));
    return "k:{" + join(parts, ",") + "}";
  }
  if (const auto* item = std::get_if<Item>(content_.get())) return "v:" + escaped_json(item->value);
  return fmt::format("i:{}", std::get<std::int64_t>(*content_));
}

Result<PathElement> PathElement::decode(std::string_view text) {
  const auto refuse = [&](std::string_view problem) {
    return fail(ErrorCode::Invalid, fmt::format("managed field {}: {}", quoted(text), problem));
  };
  if (text.size() < 2) return refuse("key must be 2 characters long");
  if (text[1] != ':') return refuse("missing colon");
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return field(std::string(rest));
    case 'k':
      return decode_key(rest);
    case 'v': {
      FAIRWAY_TRY(Value parsed, parse(rest));
      return value(std::move(parsed));
    }
    case 'i': {
      const auto number = parse_signed(rest);
      if (!number) return refuse("expected an index");
      return index(*number);
    }
    default:
      return fail(ErrorCode::Unsupported,
                  fmt::format("managed field {} is of an unknown kind", quoted(text)));
  }
}

std::string path_text(const FieldPath& path) {
  std::string out;
  for (const PathElement& element : path) out += element.text();
  return out;
}

namespace {

Object encoded(const FieldSet& set, bool has_itself, const Storage& storage) {
  Object out(storage);
  out.reserve(set.entries().size() + (has_itself ? 1 : 0));
  if (has_itself) out.emplace(".", boost::json::object_kind);
  for (const FieldSet::Entry& entry : set.entries()) {
    out.emplace(entry.element.encode(),
                encoded(entry.below, entry.is_member && !entry.below.empty(), storage));
  }
  return out;
}

}  // namespace

Value FieldSet::encode(const Storage& storage) const {
  return encoded(*this, false, storage);
}

Result<FieldSet> FieldSet::decode(const Value& fields) {
  FAIRWAY_TRY(DecodedSet decoded, decode_set(fields, 0));
  return std::move(decoded.set);
}

}  // namespace fairway::json
