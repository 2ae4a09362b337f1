#include "json/value.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <fmt/format.h>
#include <unordered_set>
#include <vector>

#include "base/text.hpp"

namespace fairway::json {
namespace {

namespace bj = boost::json;

// Builds a value as Boost.JSON's own parser does and counts the members that it met. An object keeps one of
// two equal keys, so a count that differs from the value's tells of a duplicate; only then is the text read
// again with the keys tracked, to name the one.
template <bool kTrackKeys>
class Builder {
 public:
  constexpr static std::size_t max_object_size = std::size_t(-1);
  constexpr static std::size_t max_array_size = std::size_t(-1);
  constexpr static std::size_t max_key_size = std::size_t(-1);
  constexpr static std::size_t max_string_size = std::size_t(-1);

  using error_code = boost::system::error_code;
  using Part = bj::string_view;

  Builder() { stack_.reset(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) {
    if constexpr (kTrackKeys) keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t size, error_code&) {
    members_ += size;
    stack_.push_object(size);
    if constexpr (kTrackKeys) keys_.pop_back();
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) { return stack_.push_array(size), true; }
  bool on_key_part(Part part, std::size_t, error_code&) {
    if constexpr (kTrackKeys) key_.append(part.data(), part.size());
    return stack_.push_chars(part), true;
  }
  bool on_key(Part part, std::size_t, error_code& error) {
    stack_.push_key(part);
    if constexpr (kTrackKeys) {
      key_.append(part.data(), part.size());
      if (!keys_.back().insert(key_).second) {
        error = bj::make_error_code(bj::error::syntax);
        return false;
      }
      key_.clear();
    }
    return true;
  }
  bool on_string_part(Part part, std::size_t, error_code&) { return stack_.push_chars(part), true; }
  bool on_string(Part part, std::size_t, error_code&) { return stack_.push_string(part), true; }
  bool on_number_part(Part, error_code&) { return true; }
  bool on_int64(std::int64_t number, Part, error_code&) { return stack_.push_int64(number), true; }
  bool on_uint64(std::uint64_t number, Part, error_code&) { return stack_.push_uint64(number), true; }
  bool on_double(double number, Part, error_code&) { return stack_.push_double(number), true; }
  bool on_bool(bool value, error_code&) { return stack_.push_bool(value), true; }
  bool on_null(error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(Part, error_code&) { return true; }
  bool on_comment(Part, error_code&) { return true; }

  Value release() { return stack_.release(); }
  std::size_t members() const { return members_; }
  const std::string& key() const { return key_; }

 private:
  bj::value_stack stack_;
  std::size_t members_ = 0;
  std::string key_;
  std::vector<std::unordered_set<std::string>> keys_;
};

std::size_t count_members(const Value& value) {
  std::size_t count = 0;
  if (const Object* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += count_members(member.value());
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) count += count_members(element);
  }
  return count;
}

std::string position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto start = before.rfind('\n');
  const auto column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return fmt::format("line {}, column {}", line, column);
}

// A double that holds a whole number is written as one (3, not 3E0), as other JSON writers do.
void append_double(double number, std::string& out) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  FAIRWAY_CHECK(error == std::errc{}, "a double needs more than 32 characters");
  out.append(buffer, end);
}

void append_text(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t clean = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, clean, i - clean);
    clean = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        (((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15]);
    }
  }
  out.append(text, clean, text.size() - clean).push_back('"');
}

void write(const Value& value, std::string& out);

void write(const Object& object, std::string& out) {
  char separator = '{';
  for (const auto& [key, member] : object) {
    out += separator;
    append_text({key.data(), key.size()}, out);
    out += ':';
    write(member, out);
    separator = ',';
  }
  out += object.empty() ? "{}" : "}";
}

void write(const Value& value, std::string& out) {
  switch (value.kind()) {
    case bj::kind::null:
      out += "null";
      return;
    case bj::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case bj::kind::int64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_int64());
      return;
    case bj::kind::uint64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_uint64());
      return;
    case bj::kind::double_:
      append_double(value.get_double(), out);
      return;
    case bj::kind::string:
      append_text(view(value.get_string()), out);
      return;
    case bj::kind::object:
      write(value.get_object(), out);
      return;
    case bj::kind::array:
      break;
  }
  char separator = '[';
  for (const Value& element : value.get_array()) {
    out += separator;
    write(element, out);
    separator = ',';
  }
  out += value.get_array().empty() ? "[]" : "]";
}

void write_pretty(const Value& value, std::string& out, std::size_t indent) {
  const auto newline = [&](std::size_t depth) { out.append("\n").append(depth * 2, ' '); };
  if (const Object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '{';
    const char* comma = "";
    for (const auto& [key, member] : *object) {
      out += comma;
      newline(indent + 1);
      append_text({key.data(), key.size()}, out);
      out += ": ";
      write_pretty(member, out, indent + 1);
      comma = ",";
    }
    newline(indent);
    out += '}';
  } else if (const Array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += '[';
    const char* comma = "";
    for (const Value& element : *array) {
      out += comma;
      newline(indent + 1);
      write_pretty(element, out, indent + 1);
      comma = ",";
    }
    newline(indent);
    out += ']';
  } else {
    out += serialize(value);
  }
}

}  // namespace

Result<Value> parse(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected at most {} bytes of JSON, found {}", limits.max_bytes, text.size()));
  }
  bj::parse_options options;
  options.max_depth = limits.max_depth;
  bj::basic_parser<Builder<false>> parser(options);
  boost::system::error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = bj::error::extra_data;
  if (error == bj::error::too_deep) {
    return fail(ErrorCode::Invalid, fmt::format("expected JSON nested at most {} deep, found more at {}",
                                                limits.max_depth, position(text, used)));
  }
  if (error) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected JSON, found {} at {}", error.message(), position(text, used)));
  }
  Value value = parser.handler().release();
  if (count_members(value) == parser.handler().members()) return value;
  bj::basic_parser<Builder<true>> tracking(options);
  const std::size_t at = tracking.write_some(false, text.data(), text.size(), error);
  return fail(ErrorCode::Invalid, fmt::format("the key {} stands twice in one object, at {}: keep one",
                                              quoted(tracking.handler().key()), position(text, at)));
}

Result<Object> parse_object(std::string_view text, const ParseLimits& limits) {
  FAIRWAY_TRY(Value value, parse(text, limits));
  if (!value.is_object()) {
    return fail(ErrorCode::Invalid, fmt::format("expected a JSON object, found a {}", kind_name(value)));
  }
  return std::move(value.get_object());
}

std::string serialize(const Value& value) {
  std::string out;
  write(value, out);
  return out;
}

std::string serialize(const Object& object) {
  std::string out;
  write(object, out);
  return out;
}

std::string serialize_pretty(const Value& value) {
  std::string out;
  write_pretty(value, out, 0);
  return out;
}

std::string_view kind_name(const Value& value) {
  switch (value.kind()) {
    case bj::kind::null:
      return "null";
    case bj::kind::bool_:
      return "boolean";
    case bj::kind::int64:
    case bj::kind::uint64:
      return "integer";
    case bj::kind::double_:
      return "number";
    case bj::kind::string:
      return "string";
    case bj::kind::array:
      return "array";
    case bj::kind::object:
      return "object";
  }
  FAIRWAY_CHECK(false, "a JSON kind outside its enumeration");
}

const Value* find(const Object& object, Path path) {
  const Object* here = &object;
  const Value* found = nullptr;
  for (std::string_view key : path) {
    if (here == nullptr) return nullptr;
    found = here->if_contains(key);
    if (found == nullptr) return nullptr;
    here = found->if_object();
  }
  return found;
}

Value* find(Object& object, Path path) {
  return const_cast<Value*>(find(std::as_const(object), path));
}

std::optional<std::string_view> get_string(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return view(value->get_string());
}

std::optional<std::int64_t> get_int(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

std::optional<bool> get_bool(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}

const Object* get_object(const Object& object, Path path) {
  const Value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_object();
}

const Array* get_array(const Object& object, Path path) {
  const Value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_array();
}

Object& ensure_object(Object& object, Path path) {
  Object* here = &object;
  for (std::string_view key : path) {
    Value& next = (*here)[key];
    if (!next.is_object()) next.emplace_object();
    here = &next.get_object();
  }
  return *here;
}

bool remove(Object& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  object.stable_erase(found);
  return true;
}

}  // namespace fairway::json
