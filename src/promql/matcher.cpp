#include "promql/matcher.hpp"

#include <algorithm>

namespace fairway::promql {
namespace {

constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";

// Reads literals: plain characters, \. and the like, and classes of one character such as [.].
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view pattern) : rest_(pattern) {}

  bool done() const { return rest_.empty(); }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool is_last(std::string_view text) const { return rest_ == text; }

  // As much literal text as there is; nothing when a repetition follows its last character.
  std::optional<std::string> literal() {
    std::string text;
    while (const auto c = next_character()) text += *c;
    if (!rest_.empty() && std::string_view("+*?{").find(rest_.front()) != std::string_view::npos) {
      return std::nullopt;
    }
    return text;
  }

 private:
  std::optional<char> next_character() {
    if (rest_.empty()) return std::nullopt;
    const char c = rest_.front();
    if (c == '\\' && rest_.size() > 1 && kSpecial.find(rest_[1]) != std::string_view::npos)
      return taken(2, rest_[1]);
    if (c == '[' && rest_.size() > 2 && rest_[2] == ']' && rest_[1] != '^' && rest_[1] != '\\' &&
        static_cast<unsigned char>(rest_[1]) < 0x80) {
      return taken(3, rest_[1]);
    }
    if (kSpecial.find(c) != std::string_view::npos) return std::nullopt;
    return taken(1, c);
  }

  char taken(std::size_t bytes, char c) {
    rest_.remove_prefix(bytes);
    return c;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<CompiledMatcher::Shape> CompiledMatcher::simple_shape(std::string_view pattern) {
  Shape shape;
  LiteralReader reader(pattern);
  for (;;) {
    auto text = reader.literal();
    if (!text) return std::nullopt;
    shape.literals.push_back(*std::move(text));
    if (reader.done()) return shape;
    if (reader.take("|")) continue;
    if (shape.literals.size() == 1 && reader.is_last(".*")) {
      shape.is_prefix = true;
      return shape;
    }
    return std::nullopt;
  }
}

Result<CompiledMatcher> CompiledMatcher::compile(std::string_view name, MatchOp op, std::string_view value) {
  CompiledMatcher matcher;
  matcher.name_ = name;
  matcher.value_ = value;
  matcher.op_ = op;
  if (op == MatchOp::Equal || op == MatchOp::NotEqual) return matcher;
  if (auto shape = simple_shape(value)) {
    matcher.shape_ = std::make_shared<const Shape>(*std::move(shape));
  } else {
    FAIRWAY_TRY(matcher.regex_, Regex::compile(value));
  }
  return matcher;
}

bool CompiledMatcher::matches(std::string_view value) const {
  if (op_ == MatchOp::Equal) return value == value_;
  if (op_ == MatchOp::NotEqual) return value != value_;
  bool found = false;
  if (shape_ && shape_->is_prefix) {
    found = value.starts_with(shape_->literals.front());
  } else if (shape_) {
    found = std::find(shape_->literals.begin(), shape_->literals.end(), value) != shape_->literals.end();
  } else {
    found = regex_->matches(value);
  }
  return found == (op_ == MatchOp::Regex);
}

Result<std::vector<CompiledMatcher>> compile_matchers(const VectorSelector& selector) {
  std::vector<CompiledMatcher> matchers;
  matchers.reserve(selector.matchers.size() + 1);
  if (!selector.name.empty()) {
    FAIRWAY_TRY(auto matcher, CompiledMatcher::compile(kMetricName, MatchOp::Equal, selector.name));
    matchers.push_back(std::move(matcher));
  }
  for (const Matcher& written : selector.matchers) {
    FAIRWAY_TRY(auto matcher, CompiledMatcher::compile(written.name, written.op, written.value));
    matchers.push_back(std::move(matcher));
  }
  return matchers;
}

bool matches(std::span<const CompiledMatcher> matchers, const Labels& labels) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const CompiledMatcher& matcher) {
    return matcher.matches(labels.get(matcher.name()));
  });
}

const CompiledMatcher* find_exact_name(std::span<const CompiledMatcher> matchers) {
  const auto found = std::find_if(matchers.begin(), matchers.end(), [](const CompiledMatcher& matcher) {
    return matcher.op() == MatchOp::Equal && matcher.name() == kMetricName;
  });
  return found == matchers.end() ? nullptr : &*found;
}

bool may_be_named(std::span<const CompiledMatcher> matchers, std::string_view name) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const CompiledMatcher& matcher) {
    return matcher.name() != kMetricName || matcher.matches(name);
  });
}

}  // namespace fairway::promql
