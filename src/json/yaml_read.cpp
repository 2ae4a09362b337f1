#include <array>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <utility>
#include <yaml.h>

#include "base/text.hpp"
#include "json/position.hpp"
#include "json/yaml.hpp"
#include "json/yaml_scalar.hpp"

namespace fairway::json {
namespace {

// A finished value and what it costs to copy.
struct Node {
  Value value;
  std::size_t weight = 1;
  std::size_t height = 0;  // levels of collections in it
};

// A collection that is still open.
struct Frame {
  bool is_mapping = false;
  std::string anchor;
  Node node;
  std::optional<std::string> key = {};  // set between a key and its value
  bool is_merge = false;                // that key is `<<`
  std::vector<Object> merged = {};      // in order of precedence
};

std::string at(const yaml_mark_t& mark) {
  return fmt::format("at line {}, column {}", mark.line + 1, mark.column + 1);
}

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : std::string_view(reinterpret_cast<const char*>(text));
}

std::unexpected<Error> invalid(std::string what, const yaml_mark_t& mark) {
  return fail(ErrorCode::Invalid, fmt::format("{} {}", what, at(mark)));
}

std::size_t weight_of(std::string_view text) {
  return 1 + text.size() / 64;
}

struct Remedy {
  std::string_view problem;
  std::string_view advice;
};
constexpr std::array<Remedy, 7> kRemedies{{
    {"found character that cannot start any token",
     "indent with blanks, not tabs, and quote text that starts "
     "with one of @ ` %"},
    {"mapping values are not allowed",
     "quote text that holds a colon and a blank, or indent the key below its "
     "parent"},
    {"did not find expected key", "check the indentation, and the quotes before this line"},
    {"did not find expected '-' indicator", "indent all items of the list alike"},
    {"did not find expected ',' or", "separate the items by commas and close the bracket"},
    {"could not find expected ':'", "end the key with a colon and a blank"},
    {"found unexpected end of stream", "close the quote or the bracket"},
}};

// One event; freed with its owner.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }
  yaml_event_t* get() { return &event_; }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  yaml_event_t event_{};
};

class Reader {
 public:
  Reader(std::string_view text, const YamlOptions& options) : text_(text), options_(options) {
    FAIRWAY_CHECK(yaml_parser_initialize(&parser_) != 0, "out of memory");
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  Result<std::vector<Value>> read();

 private:
  Result<void> take(const Event& event);
  Result<void> take_scalar(const Event& event);
  Result<void> take_alias(const Event& event);
  Result<void> open(const Event& event, std::string_view anchor, bool is_mapping);
  Result<void> close(const yaml_mark_t& mark);
  Result<void> finish(Node node, std::string_view anchor, const yaml_mark_t& mark);
  Result<void> add_merge(Frame& frame, Value value, const yaml_mark_t& mark) const;
  Result<void> set_key(const YamlScalar& scalar, const yaml_mark_t& mark);
  Result<void> spend(std::size_t weight, const yaml_mark_t& mark);
  bool expects_key() const { return !frames_.empty() && frames_.back().is_mapping && !frames_.back().key; }
  Error syntax_error() const;

  std::string_view text_;
  const YamlOptions& options_;
  yaml_parser_t parser_{};
  std::vector<Frame> frames_;
  std::unordered_map<std::string, Node> anchors_;
  std::size_t spent_ = 0;
  Value root_;
};

Error Reader::syntax_error() const {
  if (parser_.error == YAML_READER_ERROR) {
    return {ErrorCode::Invalid, fmt::format("expected printable UTF-8 text, found {} at {}", parser_.problem,
                                            position(text_, parser_.problem_offset))};
  }
  const std::string_view problem = parser_.problem == nullptr ? "out of memory" : parser_.problem;
  std::string message =
      fmt::format("expected YAML, found an error {}: {}", at(parser_.problem_mark), problem);
  if (parser_.context != nullptr) {
    message += fmt::format(" {} that starts {}", parser_.context, at(parser_.context_mark));
  }
  for (const Remedy& remedy : kRemedies) {
    if (problem.starts_with(remedy.problem))
      return {ErrorCode::Invalid, message + "; " + std::string(remedy.advice)};
  }
  return {ErrorCode::Invalid, std::move(message)};
}

Result<void> Reader::spend(std::size_t weight, const yaml_mark_t& mark) {
  spent_ += weight;
  if (spent_ <= options_.max_nodes) return {};
  return invalid(
      fmt::format("expected at most {} values with aliases expanded, found more", options_.max_nodes), mark);
}

Result<std::vector<Value>> Reader::read() {
  std::vector<Value> documents;
  std::size_t seen = 0;
  for (;;) {
    Event event;
    if (yaml_parser_parse(&parser_, event.get()) == 0) return std::unexpected(syntax_error());
    if (event->type == YAML_STREAM_END_EVENT) return documents;
    if (event->type == YAML_DOCUMENT_START_EVENT) {
      anchors_.clear();
      root_ = nullptr;
      if (++seen > options_.max_documents) {
        return invalid(fmt::format("expected at most {} YAML document{}, found another",
                                   options_.max_documents, options_.max_documents == 1 ? "" : "s"),
                       event->start_mark);
      }
    } else if (event->type == YAML_DOCUMENT_END_EVENT) {
      if (!root_.is_null()) documents.push_back(std::exchange(root_, nullptr));
    } else {
      FAIRWAY_CHECKED(take(event));
    }
  }
}

Result<void> Reader::take(const Event& event) {
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      return take_scalar(event);
    case YAML_ALIAS_EVENT:
      return take_alias(event);
    case YAML_SEQUENCE_START_EVENT:
      return open(event, text_of(event->data.sequence_start.anchor), false);
    case YAML_MAPPING_START_EVENT:
      return open(event, text_of(event->data.mapping_start.anchor), true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return close(event->start_mark);
    default:
      return {};
  }
}

Result<void> Reader::take_scalar(const Event& event) {
  const auto& data = event->data.scalar;
  const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
  const YamlScalar scalar{text, text_of(data.tag), data.style == YAML_PLAIN_SCALAR_STYLE};
  const std::string_view anchor = text_of(data.anchor);
  FAIRWAY_CHECKED(spend(weight_of(text), event->start_mark));
  if (expects_key() && anchor.empty()) return set_key(scalar, event->start_mark);
  auto value = resolve_scalar(scalar, options_.numbers_as_text);
  if (!value) return invalid(value.error().message, event->start_mark);
  Node node{*std::move(value), weight_of(text)};
  if (!expects_key()) return finish(std::move(node), anchor, event->start_mark);
  FAIRWAY_CHECKED(spend(node.weight, event->start_mark));
  anchors_.insert_or_assign(std::string(anchor), std::move(node));
  return set_key(scalar, event->start_mark);
}

Result<void> Reader::take_alias(const Event& event) {
  const std::string_view name = text_of(event->data.alias.anchor);
  const auto found = anchors_.find(std::string(name));
  if (found == anchors_.end()) {
    return invalid(
        fmt::format("expected an anchor &{} that is complete before its alias *{}, found none", name, name),
        event->start_mark);
  }
  const Node& node = found->second;
  FAIRWAY_CHECKED(spend(node.weight, event->start_mark));
  if (frames_.size() + node.height > options_.max_depth) {
    return invalid(fmt::format("expected YAML nested at most {} deep, found more", options_.max_depth),
                   event->start_mark);
  }
  if (!expects_key()) return finish(node, {}, event->start_mark);
  if (!node.value.is_string()) {
    return invalid(fmt::format("expected a text as key, found an alias of {}", a_kind(node.value)),
                   event->start_mark);
  }
  return set_key({view(node.value.get_string()), {}, false}, event->start_mark);
}

Result<void> Reader::open(const Event& event, std::string_view anchor, bool is_mapping) {
  if (expects_key()) {
    return invalid(fmt::format("expected a text as key, found {}", is_mapping ? "a mapping" : "a list"),
                   event->start_mark);
  }
  if (frames_.size() >= options_.max_depth) {
    return invalid(fmt::format("expected YAML nested at most {} deep, found more", options_.max_depth),
                   event->start_mark);
  }
  FAIRWAY_CHECKED(spend(1, event->start_mark));
  Node node{is_mapping ? Value(Object{}) : Value(Array{}), 1, 1};
  frames_.push_back({.is_mapping = is_mapping, .anchor = std::string(anchor), .node = std::move(node)});
  return {};
}

Result<void> Reader::close(const yaml_mark_t& mark) {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  for (Object& source : frame.merged) {
    Object& target = frame.node.value.get_object();
    for (auto& member : source) target.emplace(member.key(), std::move(member.value()));
  }
  return finish(std::move(frame.node), frame.anchor, mark);
}

Result<void> Reader::set_key(const YamlScalar& scalar, const yaml_mark_t& mark) {
  Frame& frame = frames_.back();
  frame.is_merge = scalar.text == "<<" && scalar.is_plain && scalar.tag.empty();
  if (frame.is_merge) {
    frame.key.emplace();
    return {};
  }
  auto key = resolve_key(scalar, options_.numbers_as_text);
  if (!key) return invalid(key.error().message, mark);
  if (frame.node.value.get_object().contains(*key)) {
    return invalid(
        fmt::format("the key {} stands twice in one mapping: keep one; the second is", quoted(*key)), mark);
  }
  frame.node.weight += weight_of(*key);
  frame.key = *std::move(key);
  return {};
}

Result<void> Reader::finish(Node node, std::string_view anchor, const yaml_mark_t& mark) {
  if (!anchor.empty()) {
    FAIRWAY_CHECKED(spend(node.weight, mark));
    anchors_.insert_or_assign(std::string(anchor), node);
  }
  if (frames_.empty()) {
    root_ = std::move(node.value);
    return {};
  }
  Frame& frame = frames_.back();
  frame.node.weight += node.weight;
  frame.node.height = std::max(frame.node.height, node.height + 1);
  if (!frame.is_mapping) {
    frame.node.value.get_array().push_back(std::move(node.value));
    return {};
  }
  const std::string key = *std::exchange(frame.key, std::nullopt);
  if (std::exchange(frame.is_merge, false)) return add_merge(frame, std::move(node.value), mark);
  frame.node.value.get_object().emplace(key, std::move(node.value));
  return {};
}

Result<void> Reader::add_merge(Frame& frame, Value value, const yaml_mark_t& mark) const {
  if (value.is_object()) value = Array{std::move(value)};
  const Array* sources = value.if_array();
  const auto is_object = [](const Value& source) { return source.is_object(); };
  if (sources == nullptr || !std::ranges::all_of(*sources, is_object)) {
    return invalid("expected a mapping, or a list of mappings, after the merge key <<, found something else",
                   mark);
  }
  for (Value& source : value.get_array()) frame.merged.push_back(std::move(source.get_object()));
  return {};
}

}  // namespace

Result<std::vector<Value>> parse_yaml_documents(std::string_view text, const YamlOptions& options) {
  if (text.size() > options.max_bytes) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected at most {} bytes of YAML, found {}", options.max_bytes, text.size()));
  }
  return Reader(text, options).read();
}

Result<Value> parse_yaml(std::string_view text, const YamlOptions& options) {
  YamlOptions one = options;
  one.max_documents = 1;
  FAIRWAY_TRY(std::vector<Value> documents, parse_yaml_documents(text, one));
  if (documents.empty()) return Value(nullptr);
  return std::move(documents.front());
}

}  // namespace fairway::json
