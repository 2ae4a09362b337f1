#include "json/json_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace fairway::json {

using Steps = std::vector<JsonPath::Step>;

namespace {

enum class StepKind { Field, Index, Slice, Wildcard, Filter };
enum class Comparison { Exists, Equal, NotEqual, LessEqual, Less, GreaterEqual, Greater };

struct Filter {
  Steps left;
  Comparison comparison = Comparison::Exists;
  Value right = {};
};

}  // namespace

struct JsonPath::Step {
  StepKind kind;
  std::string name = {};
  std::int64_t first = 0;  // the index, or where a slice starts
  std::optional<std::int64_t> last = {};
  std::shared_ptr<const Filter> filter = {};
};

namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr int kMaxFilterDepth = 4;

class Parser {
 public:
  Parser(std::string_view whole, std::string_view text, int depth)
      : whole_(whole), rest_(text), depth_(depth) {}

  Result<Steps> parse() {
    Steps steps;
    while (!rest_.empty()) {
      if (rest_.front() == '[') {
        FAIRWAY_TRY(Step step, parse_bracket());
        steps.push_back(std::move(step));
      } else if (rest_.starts_with("..")) {
        return fail(
            ErrorCode::Unsupported,
            fmt::format("recursive descent (..) is not supported in the JSONPath {}: write the path out",
                        quoted(whole_)));
      } else if (rest_.front() == '.') {
        rest_.remove_prefix(1);
        if (rest_.starts_with('[') || (rest_.empty() && steps.empty())) continue;
        FAIRWAY_TRY(Step step, parse_field());
        steps.push_back(std::move(step));
      } else {
        return malformed("a step starting with '.' or '['");
      }
    }
    return steps;
  }

 private:
  using Step = JsonPath::Step;

  std::unexpected<Error> malformed(std::string_view expected) const {
    return fail(ErrorCode::Invalid, fmt::format("expected {} in the JSONPath {}, found {}", expected,
                                                quoted(whole_), rest_.empty() ? "its end" : quoted(rest_)));
  }

  Result<Step> parse_field() {
    std::string name;
    std::size_t i = 0;
    for (; i < rest_.size() && rest_[i] != '.' && rest_[i] != '['; ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      name += rest_[i];
    }
    if (name.empty()) return malformed("a name after '.'");
    rest_.remove_prefix(i);
    if (name == "*") return Step{StepKind::Wildcard};
    return Step{StepKind::Field, std::move(name)};
  }

  // Where the bracket that opens the rest closes, quotes and inner brackets skipped.
  std::size_t closing_bracket() const {
    char quote = '\0';
    int open = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != '\0') {
        if (c == '\\')
          ++i;
        else if (c == quote)
          quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[') {
        ++open;
      } else if (c == ']' && --open == 0) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  Result<Step> parse_bracket() {
    const std::size_t end = closing_bracket();
    if (end == std::string_view::npos) return malformed("a closing bracket");
    const std::string_view inside = trim(rest_.substr(1, end - 1));
    FAIRWAY_TRY(Step step, parse_inside(inside));
    rest_.remove_prefix(end + 1);
    return step;
  }

  Result<Step> parse_inside(std::string_view inside) {
    if (inside == "*") return Step{StepKind::Wildcard};
    if (inside.starts_with("?(") && inside.ends_with(')')) {
      return parse_filter(trim(inside.substr(2, inside.size() - 3)));
    }
    if (inside.starts_with('\'') || inside.starts_with('"')) {
      FAIRWAY_TRY(std::string name, parse_quoted(inside));
      return Step{StepKind::Field, std::move(name)};
    }
    if (inside.find(',') != std::string_view::npos) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("unions ([a,b]) are not supported in the JSONPath {}: use one path for each",
                              quoted(whole_)));
    }
    const auto colon = inside.find(':');
    const auto number = [](std::string_view text) { return parse_signed(trim(text)); };
    if (colon == std::string_view::npos) {
      const auto index = number(inside);
      if (!index) return malformed("an index, '*', a quoted name or a filter in brackets");
      return Step{StepKind::Index, {}, *index};
    }
    const std::string_view from = trim(inside.substr(0, colon)), to = trim(inside.substr(colon + 1));
    const auto first = from.empty() ? std::optional<std::int64_t>(0) : number(from);
    const auto last = number(to);
    if (!first || (!last && !to.empty())) return malformed("a slice like [1:3]");
    return Step{StepKind::Slice, {}, *first, last};
  }

  Result<std::string> parse_quoted(std::string_view text) const {
    std::string result;
    std::size_t i = 1;
    for (; i < text.size() && text[i] != text.front(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      result += text[i];
    }
    if (i + 1 != text.size()) return malformed("one quoted text");
    return result;
  }

  Result<Step> parse_filter(std::string_view condition) {
    if (depth_ >= kMaxFilterDepth) return malformed("fewer filters inside one another");
    const auto [at, op] = find_operator(condition);
    auto filter = std::make_shared<Filter>();
    std::string_view left = trim(condition.substr(0, at));
    if (!left.starts_with('@')) return malformed("a filter on the element, starting with '@'");
    FAIRWAY_TRY(filter->left, Parser(whole_, left.substr(1), depth_ + 1).parse());
    if (op != nullptr) {
      filter->comparison = op->second;
      FAIRWAY_TRY(filter->right, parse_literal(trim(condition.substr(at + op->first.size()))));
    }
    Step step{StepKind::Filter};
    step.filter = std::move(filter);
    return step;
  }

  using Operator = std::pair<std::string_view, Comparison>;
  static constexpr std::array<Operator, 6> kOperators{{{"==", Comparison::Equal},
                                                       {"!=", Comparison::NotEqual},
                                                       {"<=", Comparison::LessEqual},
                                                       {">=", Comparison::GreaterEqual},
                                                       {"<", Comparison::Less},
                                                       {">", Comparison::Greater}}};

  // The first comparison outside quotes.
  static std::pair<std::size_t, const Operator*> find_operator(std::string_view condition) {
    char quote = '\0';
    for (std::size_t i = 0; i < condition.size(); ++i) {
      const char c = condition[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else {
        for (const Operator& op : kOperators) {
          if (condition.substr(i).starts_with(op.first)) return {i, &op};
        }
      }
    }
    return {std::string_view::npos, nullptr};
  }

  Result<Value> parse_literal(std::string_view text) const {
    if (text.starts_with('\'') || text.starts_with('"')) {
      FAIRWAY_TRY(const std::string unquoted, parse_quoted(text));
      return Value(unquoted);
    }
    if (text == "true" || text == "false") return Value(text == "true");
    if (const auto integer = parse_signed(text)) return Value(*integer);
    if (const auto number = parse_double(text); number && std::isfinite(*number)) return Value(*number);
    return malformed("a quoted text, a number, true or false to compare with");
  }

  std::string_view whole_;
  std::string_view rest_;
  int depth_;
};

std::optional<std::partial_ordering> order(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) {
    return left.to_number<double>() <=> right.to_number<double>();
  }
  if (left.is_string() && right.is_string()) {
    return view(left.get_string()).compare(view(right.get_string())) <=> 0;
  }
  return std::nullopt;
}

bool compares(const Value& left, Comparison comparison, const Value& right) {
  if (comparison == Comparison::Equal) return same_value(left, right);
  if (comparison == Comparison::NotEqual) return !same_value(left, right);
  const auto found = order(left, right);
  if (!found) return false;
  switch (comparison) {
    case Comparison::Less:
      return *found < 0;
    case Comparison::LessEqual:
      return *found <= 0;
    case Comparison::Greater:
      return *found > 0;
    default:
      return *found >= 0;
  }
}

using Visit = std::function<bool(const Value&)>;

bool walk(const Value& value, const Steps& steps, std::size_t at, const Visit& visit);

bool passes(const Value& element, const Filter& filter) {
  bool passed = false;
  walk(element, filter.left, 0, [&](const Value& found) {
    passed = filter.comparison == Comparison::Exists || compares(found, filter.comparison, filter.right);
    return !passed;
  });
  return passed;
}

bool walk_array(const Array& array, const Steps& steps, std::size_t at, const Visit& visit) {
  const JsonPath::Step& step = steps[at];
  const auto size = static_cast<std::int64_t>(array.size());
  std::int64_t first = 0;
  std::int64_t last = size;
  if (step.kind == StepKind::Index || step.kind == StepKind::Slice) {
    const auto from_start = [&](std::int64_t index) { return index < 0 ? index + size : index; };
    first = from_start(step.first);
    if (step.kind == StepKind::Index) {
      if (first < 0 || first >= size) return true;
      last = first + 1;
    } else {
      first = std::max<std::int64_t>(first, 0);
      last = std::min(step.last ? from_start(*step.last) : size, size);
    }
  }
  for (; first < last; ++first) {
    const Value& element = array[static_cast<std::size_t>(first)];
    if (step.kind == StepKind::Filter && !passes(element, *step.filter)) continue;
    if (!walk(element, steps, at + 1, visit)) return false;
  }
  return true;
}

// Visits what the steps from `at` on find; false when the visitor has had enough.
bool walk(const Value& value, const Steps& steps, std::size_t at, const Visit& visit) {
  if (at == steps.size()) return visit(value);
  const JsonPath::Step& step = steps[at];
  if (const Array* array = value.if_array()) {
    return step.kind == StepKind::Field || walk_array(*array, steps, at, visit);
  }
  const Object* object = value.if_object();
  if (object == nullptr) return true;
  if (step.kind == StepKind::Field) {
    const Value* member = object->if_contains(step.name);
    return member == nullptr || walk(*member, steps, at + 1, visit);
  }
  if (step.kind != StepKind::Wildcard) return true;
  return std::ranges::all_of(*object,
                             [&](const auto& member) { return walk(member.value(), steps, at + 1, visit); });
}

}  // namespace

JsonPath::JsonPath(std::vector<Step> steps) : steps_(std::make_shared<const Steps>(std::move(steps))) {}

Result<JsonPath> JsonPath::parse(std::string_view text) {
  std::string_view path = trim(text);
  if (path.size() > kMaxLength) {
    return fail(ErrorCode::Invalid, fmt::format("expected a JSONPath of at most {} characters", kMaxLength));
  }
  if (path.starts_with('{') && path.ends_with('}')) {
    path = trim(path.substr(1, path.size() - 2));
    if (path.starts_with("range ") || path.find('}') != std::string_view::npos) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("templates are not supported, found {}: give one path", quoted(text)));
    }
  }
  if (path.starts_with('$')) path.remove_prefix(1);
  if (path.empty() && trim(text).empty()) {
    return fail(ErrorCode::Invalid, "expected a JSONPath like .metadata.name, found nothing");
  }
  // kubectl takes `metadata.name` for `.metadata.name`.
  const std::string relaxed = path.starts_with('.') || path.starts_with('[') || path.empty()
                                  ? std::string(path)
                                  : "." + std::string(path);
  FAIRWAY_TRY(Steps steps, Parser(text, relaxed, 0).parse());
  return JsonPath(std::move(steps));
}

const Value* JsonPath::first(const Value& document) const {
  const Value* found = nullptr;
  walk(document, *steps_, 0, [&](const Value& value) {
    found = &value;
    return false;
  });
  return found;
}

std::vector<const Value*> JsonPath::all(const Value& document) const {
  std::vector<const Value*> found;
  walk(document, *steps_, 0, [&](const Value& value) {
    found.push_back(&value);
    return true;
  });
  return found;
}

std::string JsonPath::text(const Value& document) const {
  std::string result;
  for (const Value* value : all(document)) {
    if (!result.empty()) result += ' ';
    result += value->is_string() ? std::string(view(value->get_string())) : serialize(*value);
  }
  return result;
}

}  // namespace fairway::json
