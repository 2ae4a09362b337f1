#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kube/core/selector.hpp"

namespace fairway::kube {
namespace {

using Op = SelectorOperator;

enum class Token {
  Error,
  End,
  CloseParenthesis,
  Comma,
  Not,
  DoubleEquals,
  Equals,
  GreaterThan,
  Identifier,
  In,
  LessThan,
  NotEquals,
  NotIn,
  OpenParenthesis,
};

struct Item {
  Token token;
  std::string_view text;
};

constexpr std::array<Item, 11> kKeywords{{{Token::CloseParenthesis, ")"},
                                          {Token::Comma, ","},
                                          {Token::Not, "!"},
                                          {Token::DoubleEquals, "=="},
                                          {Token::Equals, "="},
                                          {Token::GreaterThan, ">"},
                                          {Token::In, "in"},
                                          {Token::LessThan, "<"},
                                          {Token::NotEquals, "!="},
                                          {Token::NotIn, "notin"},
                                          {Token::OpenParenthesis, "("}}};

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),><";

// The next token at the start of `rest`, which it is taken from.
Item take_token(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  if (rest.empty()) return {Token::End, ""};
  const auto take = [&](Token token, std::size_t size) {
    const Item item{token, rest.substr(0, size)};
    rest.remove_prefix(size);
    return item;
  };
  const bool is_symbol = kSymbols.find(rest.front()) != std::string_view::npos;
  if (!is_symbol) {
    const std::size_t size = std::min(rest.find_first_of(" \t\r\n=!(),><"), rest.size());
    const auto* keyword = std::ranges::find(kKeywords, rest.substr(0, size), &Item::text);
    return take(keyword == kKeywords.end() ? Token::Identifier : keyword->token, size);
  }
  // The longest symbol: every symbol of one character is a keyword, so there always is one.
  const auto* longer = std::ranges::find(kKeywords, rest.substr(0, 2), &Item::text);
  if (rest.size() > 1 && longer != kKeywords.end()) return take(longer->token, 2);
  return take(std::ranges::find(kKeywords, rest.substr(0, 1), &Item::text)->token, 1);
}

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

Result<void> check_key(std::string_view key, std::string_view path) {
  if (is_qualified_name(key)) return {};
  return invalid(
      json::FieldError::invalid(std::string(path), json::Value(key), join(validate_qualified_name(key), "; "))
          .text());
}

// A recursive-descent parser after the one of k8s.io/apimachinery/pkg/labels: same grammar, same texts.
class Parser {
 public:
  explicit Parser(std::string_view text) {
    do {
      items_.push_back(take_token(text));
    } while (items_.back().token != Token::End);
  }

  Result<std::vector<Requirement>> parse();

 private:
  // `in` and `notin` are words like any other where a key or a value stands.
  Item look(bool as_word = true) const {
    Item item = items_[position_];
    if (as_word && (item.token == Token::In || item.token == Token::NotIn)) item.token = Token::Identifier;
    return item;
  }
  Item take(bool as_word = true) {
    const Item item = look(as_word);
    if (position_ + 1 < items_.size()) ++position_;
    return item;
  }

  Result<Requirement> parse_requirement();
  Result<Op> parse_operator();
  Result<std::vector<std::string>> parse_values();
  Result<std::vector<std::string>> parse_list();
  Result<std::vector<std::string>> parse_exact_value();

  std::vector<Item> items_;
  std::size_t position_ = 0;
};

Result<std::vector<Requirement>> Parser::parse() {
  std::vector<Requirement> requirements;
  for (;;) {
    const Item first = look();
    if (first.token == Token::End) return requirements;
    if (first.token != Token::Identifier && first.token != Token::Not) {
      return invalid(fmt::format("found '{}', expected: !, identifier, or 'end of string'", first.text));
    }
    auto requirement = parse_requirement();
    if (!requirement) {
      return invalid(fmt::format("unable to parse requirement: {}", requirement.error().message));
    }
    requirements.push_back(*std::move(requirement));
    const Item separator = take();
    if (separator.token == Token::End) return requirements;
    if (separator.token != Token::Comma) {
      return invalid(fmt::format("found '{}', expected: ',' or 'end of string'", separator.text));
    }
    if (look().token != Token::Identifier && look().token != Token::Not) {
      return invalid(fmt::format("found '{}', expected: identifier after ','", look().text));
    }
  }
}

Result<Requirement> Parser::parse_requirement() {
  Item key = take();
  const bool is_negated = key.token == Token::Not;
  if (is_negated) key = take();
  if (key.token != Token::Identifier)
    return invalid(fmt::format("found '{}', expected: identifier", key.text));
  FAIRWAY_CHECKED(check_key(key.text, "<nil>"));
  const Token next = look().token;
  if (is_negated || next == Token::End || next == Token::Comma) {
    return Requirement::make(std::string(key.text), is_negated ? Op::DoesNotExist : Op::Exists, {});
  }
  FAIRWAY_TRY(const Op op, parse_operator());
  const bool is_set = op == Op::In || op == Op::NotIn;
  FAIRWAY_TRY(std::vector<std::string> values, is_set ? parse_values() : parse_exact_value());
  return Requirement::make(std::string(key.text), op, std::move(values));
}

Result<Op> Parser::parse_operator() {
  const Item item = take(false);
  switch (item.token) {
    case Token::In:
      return Op::In;
    case Token::NotIn:
      return Op::NotIn;
    case Token::Equals:
      return Op::Equals;
    case Token::DoubleEquals:
      return Op::DoubleEquals;
    case Token::NotEquals:
      return Op::NotEquals;
    case Token::GreaterThan:
      return Op::GreaterThan;
    case Token::LessThan:
      return Op::LessThan;
    default:
      return invalid(fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", item.text));
  }
}

Result<std::vector<std::string>> Parser::parse_values() {
  const Item open = take();
  if (open.token != Token::OpenParenthesis)
    return invalid(fmt::format("found '{}' expected: '('", open.text));
  const Item first = look();
  if (first.token == Token::CloseParenthesis) {
    take();
    return std::vector<std::string>{""};
  }
  if (first.token != Token::Identifier && first.token != Token::Comma) {
    return invalid(fmt::format("found '{}', expected: ',', ')' or identifier", first.text));
  }
  FAIRWAY_TRY(std::vector<std::string> values, parse_list());
  take();  // parse_list() ends before the closing parenthesis
  return values;
}

Result<std::vector<std::string>> Parser::parse_list() {
  std::vector<std::string> values;
  for (;;) {
    const Item item = take();
    if (item.token == Token::Identifier) {
      values.emplace_back(item.text);
      const Item next = look();
      if (next.token == Token::CloseParenthesis) return values;
      if (next.token != Token::Comma)
        return invalid(fmt::format("found '{}', expected: ',' or ')'", next.text));
    } else if (item.token == Token::Comma) {
      // A missing value is the empty one: (,a) (a,,b) (a,)
      if (values.empty()) values.emplace_back();
      if (look().token == Token::CloseParenthesis) {
        values.emplace_back();
        return values;
      }
      if (look().token == Token::Comma) {
        take();
        values.emplace_back();
      }
    } else {
      return invalid(fmt::format("found '{}', expected: ',', or identifier", item.text));
    }
  }
}

Result<std::vector<std::string>> Parser::parse_exact_value() {
  const Token next = look().token;
  if (next == Token::End || next == Token::Comma) return std::vector<std::string>{""};
  const Item item = take();
  if (item.token != Token::Identifier)
    return invalid(fmt::format("found '{}', expected: identifier", item.text));
  return std::vector<std::string>{std::string(item.text)};
}

std::string_view symbol(Op op) {
  switch (op) {
    case Op::In:
      return " in ";
    case Op::NotIn:
      return " notin ";
    case Op::Equals:
      return "=";
    case Op::DoubleEquals:
      return "==";
    case Op::NotEquals:
      return "!=";
    case Op::GreaterThan:
      return ">";
    case Op::LessThan:
      return "<";
    case Op::Exists:
    case Op::DoesNotExist:
      return "";
  }
  FAIRWAY_CHECK(false, "a selector operator outside its enumeration");
}

// How many values the operator takes; nothing when it is so many.
std::optional<std::string_view> wrong_count(Op op, std::size_t count) {
  switch (op) {
    case Op::In:
    case Op::NotIn:
      if (count == 0) return "for 'in', 'notin' operators, values set can't be empty";
      return std::nullopt;
    case Op::Equals:
    case Op::DoubleEquals:
    case Op::NotEquals:
      if (count != 1) return "exact-match compatibility requires one single value";
      return std::nullopt;
    case Op::Exists:
    case Op::DoesNotExist:
      if (count != 0) return "values set must be empty for exists and does not exist";
      return std::nullopt;
    case Op::GreaterThan:
    case Op::LessThan:
      if (count != 1) return "for 'Gt', 'Lt' operators, exactly one value is required";
      return std::nullopt;
  }
  FAIRWAY_CHECK(false, "a selector operator outside its enumeration");
}

// Go's strconv.ParseInt: a plus sign is allowed.
std::optional<std::int64_t> parse_go_int(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return parse_signed(text);
}

Result<Op> operator_of(std::string_view name) {
  if (name == "In") return Op::In;
  if (name == "NotIn") return Op::NotIn;
  if (name == "Exists") return Op::Exists;
  if (name == "DoesNotExist") return Op::DoesNotExist;
  return invalid(fmt::format("{} is not a valid label selector operator", json::go_quoted(name)));
}

}  // namespace

Result<Requirement> Requirement::make(std::string key, SelectorOperator op, std::vector<std::string> values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  std::vector<std::string> problems;
  if (const auto checked = check_key(key, "key"); !checked) problems.push_back(checked.error().message);
  if (const auto wrong = wrong_count(op, values.size())) {
    std::vector<std::string> shown;
    for (const std::string& value : values) shown.push_back(json::go_quoted(value));
    problems.push_back(
        fmt::format("values: Invalid value: []string{{{}}}: {}", fmt::join(shown, ", "), *wrong));
  }
  Requirement requirement{std::move(key), op, std::move(values)};
  const bool is_bound = op == Op::GreaterThan || op == Op::LessThan;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const auto bound = parse_go_int(requirement.values[i]);
    if (is_bound && !bound) {
      problems.push_back(json::FieldError::invalid(fmt::format("values[{}]", i),
                                                   json::Value(requirement.values[i]),
                                                   "for 'Gt', 'Lt' operators, the value must be an integer")
                             .text());
    }
    requirement.bound = is_bound ? bound.value_or(0) : 0;
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string& value = requirement.values[i];
    if (is_label_value(value)) continue;
    problems.push_back(json::FieldError::invalid(fmt::format("values[{}][{}]", i, requirement.key),
                                                 json::Value(value), join(validate_label_value(value), "; "))
                           .text());
  }
  if (problems.size() == 1) return invalid(std::move(problems.front()));
  if (!problems.empty()) return invalid(fmt::format("[{}]", fmt::join(problems, ", ")));
  return requirement;
}

bool Requirement::matches(std::optional<std::string_view> value) const {
  switch (op) {
    case Op::In:
    case Op::Equals:
    case Op::DoubleEquals:
      return value && std::ranges::binary_search(values, *value, std::less<>{});
    case Op::NotIn:
    case Op::NotEquals:
      return !value || !std::ranges::binary_search(values, *value, std::less<>{});
    case Op::Exists:
      return value.has_value();
    case Op::DoesNotExist:
      return !value;
    case Op::GreaterThan:
    case Op::LessThan: {
      const auto number = value ? parse_go_int(*value) : std::nullopt;
      return number && (op == Op::GreaterThan ? *number > bound : *number < bound);
    }
  }
  FAIRWAY_CHECK(false, "a selector operator outside its enumeration");
}

std::string Requirement::to_string() const {
  const bool is_set = op == Op::In || op == Op::NotIn;
  return fmt::format("{}{}{}{}{}{}", op == Op::DoesNotExist ? "!" : "", key, symbol(op), is_set ? "(" : "",
                     fmt::join(values, ","), is_set ? ")" : "");
}

Selector::Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {
  std::ranges::stable_sort(requirements_, {}, &Requirement::key);
}

Selector Selector::nothing() {
  Selector selector;
  selector.is_nothing_ = true;
  return selector;
}

Result<Selector> Selector::parse(std::string_view text) {
  FAIRWAY_TRY(std::vector<Requirement> requirements, Parser(text).parse());
  return Selector(std::move(requirements));
}

Result<Selector> Selector::from(const LabelSelector& selector) {
  std::vector<Requirement> requirements;
  for (const auto& [key, value] : selector.match_labels) {
    FAIRWAY_TRY(Requirement requirement, Requirement::make(key, Op::Equals, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    FAIRWAY_TRY(const Op op, operator_of(expression.operator_));
    FAIRWAY_TRY(Requirement requirement, Requirement::make(expression.key, op, expression.values));
    requirements.push_back(std::move(requirement));
  }
  return Selector(std::move(requirements));
}

Selector Selector::from_labels(const Labels& labels) {
  std::vector<Requirement> requirements;
  for (const auto& [key, value] : labels) requirements.push_back({key, Op::Equals, {value}});
  return Selector(std::move(requirements));
}

bool Selector::matches(const Labels& labels) const {
  return !is_nothing_ && std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
    const auto found = labels.find(requirement.key);
    return requirement.matches(found == labels.end() ? std::nullopt
                                                     : std::optional<std::string_view>(found->second));
  });
}

bool Selector::matches(const json::Object& labels) const {
  return !is_nothing_ && std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
    const json::Value* found = labels.if_contains(requirement.key);
    const json::String* text = found == nullptr ? nullptr : found->if_string();
    return requirement.matches(text == nullptr ? std::nullopt
                                               : std::optional<std::string_view>(json::view(*text)));
  });
}

bool Selector::matches_object(const json::Object& object) const {
  const json::Object* labels = json::get_object(object, {"metadata", "labels"});
  return labels == nullptr ? matches(json::Object{}) : matches(*labels);
}

std::optional<std::string_view> Selector::required_value(std::string_view key) const {
  for (const Requirement& requirement : requirements_) {
    if (requirement.key != key || requirement.values.size() != 1) continue;
    if (requirement.op == Op::In || requirement.op == Op::Equals || requirement.op == Op::DoubleEquals) {
      return requirement.values.front();
    }
  }
  return std::nullopt;
}

std::string Selector::to_string() const {
  std::vector<std::string> parts;
  for (const Requirement& requirement : requirements_) parts.push_back(requirement.to_string());
  return join(parts, ",");
}

}  // namespace fairway::kube
