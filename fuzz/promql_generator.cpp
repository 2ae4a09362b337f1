#include "promql_generator.hpp"

#include <fmt/format.h>

#include "promql/functions.hpp"

namespace fairway::fuzz {
namespace {

constexpr std::size_t kMaxDepth = 6;

}  // namespace

std::size_t QueryGenerator::choose(std::size_t count) {
  if (at_ >= choices_.size()) return 0;
  return choices_[at_++] % count;
}

bool QueryGenerator::chance(std::size_t one_in) {
  return choose(one_in) == one_in - 1;
}

std::string_view QueryGenerator::pick(std::initializer_list<std::string_view> words) {
  return *(words.begin() + choose(words.size()));
}

std::string QueryGenerator::query() {
  std::string out;
  switch (choose(8)) {
    case 6:
      out = scalar(0);
      break;
    case 7:
      out = matrix(0);
      break;
    default:
      out = vector(0);
  }
  if (flaws_ && chance(2)) spoil(out);
  return out;
}

std::string QueryGenerator::vector(std::size_t depth) {
  if (depth >= kMaxDepth || at_ >= choices_.size()) return selector();
  switch (choose(10)) {
    case 0:
    case 1:
      return selector() + modifiers();
    case 2:
    case 3:
      return aggregate(depth + 1);
    case 4:
    case 5:
      return call(depth + 1);
    case 6:
      return "(" + blank() + vector(depth + 1) + ")";
    case 7:
      return std::string(pick({"-", "+"})) + vector(depth + 1);
    default:
      return vector_binary(depth + 1);
  }
}

std::string QueryGenerator::scalar(std::size_t depth) {
  if (depth >= kMaxDepth || at_ >= choices_.size()) return number();
  switch (choose(6)) {
    case 0:
      return fmt::format("scalar({})", vector(depth + 1));
    case 1:
      return fmt::format("{}{}{}{}{}", scalar(depth + 1), blank(),
                         pick({"+", "-", "*", "/", "%", "^", " atan2 ", "</", "== bool", "> bool"}), " ",
                         scalar(depth + 1));
    case 2:
      return "(" + scalar(depth + 1) + ")";
    case 3:
      return std::string(pick({"time()", "pi()", "step()", "range()", "start()", "max_of(1, 2)"}));
    case 4:
      return "-" + scalar(depth + 1);
    default:
      return number();
  }
}

std::string QueryGenerator::matrix(std::size_t depth) {
  const std::string range = duration(0);
  if (chance(3)) {
    return fmt::format("{}[{}:{}]{}", vector(depth + 1), range, chance(2) ? duration(0) : "", modifiers());
  }
  return fmt::format("{}{}[{}]{}{}", selector(), blank(), range, pick({"", "", "", " anchored", " smoothed"}),
                     modifiers());
}

std::string QueryGenerator::selector() {
  std::string out(pick({"foo", "up", "cluster_operator_conditions", "a:b", "sum", "offset", "start", "by",
                        "fill", "NaN_total", "", ""}));
  if (out.empty() || chance(2)) {
    out += blank() + "{";
    if (out == "{" || chance(3))
      out += pick({"\"foo\"", "\"a.b\", ", "__name__=\"x\"", "__name__=~\"a.+\","});
    out += matchers() + "}";
  }
  return out;
}

std::string QueryGenerator::matchers() {
  std::string out;
  for (std::size_t i = 0, count = choose(4); i < count; ++i) {
    if (!out.empty()) out += "," + blank();
    out += pick({"a", "b", "_id", "instance", "and", "\"x y\"", "`é`", "le"});
    out += blank();
    out += pick({"=", "!=", "=~", "!~"});
    out += text();
  }
  if (!out.empty()) out = (chance(8) ? "" : ",") + out;
  if (!out.empty() && chance(6)) out += ",";
  return out;
}

std::string QueryGenerator::text() {
  return std::string(
      pick({"\"\"", "\"a\"", "'b'", "`c\\d`", "\"a|b\"", "\".*\"", "\"4[.]1[0-9]+\"", "\"\\xff\"", "'\\''",
            "\"\\u00e9\\n\"", "\"(?i)x\"", "\"a{2,3}\"", "\"(?<n>y)\"", "\"\\\\pL+\"", "\"$1\""}));
}

std::string QueryGenerator::number() {
  return std::string(pick({"0", "1", "2.5", "1e3", ".5", "0x1f", "0755", "1_000", "Inf", "NaN", "1e-9", "3",
                           "5m", "1h30m", "1e300"}));
}

std::string QueryGenerator::duration(std::size_t depth) {
  if (depth >= 4 || at_ >= choices_.size()) return "5m";
  switch (choose(10)) {
    case 0:
      return fmt::format("{} {} {}", duration(depth + 1), pick({"+", "-", "*", "/", "%", "^"}),
                         duration(depth + 1));
    case 1:
      return fmt::format("({})", duration(depth + 1));
    case 2:
      return fmt::format("{}({}, {})", pick({"max_of", "min_of"}), duration(depth + 1), duration(depth + 1));
    case 3:
      return std::string(pick({"step()", "range()", "-step()", "+range()"}));
    case 4:
      return "-" + duration(depth + 1);
    default:
      return std::string(pick({"5m", "1h", "30s", "1d12h", "300", "0.5", "1w", "1y", "1ms", "0.0001"}));
  }
}

std::string QueryGenerator::modifiers() {
  std::string out;
  if (chance(4)) out += fmt::format(" offset {}{}", pick({"", "-", "+"}), duration(2));
  if (chance(5))
    out += fmt::format(" @ {}", pick({"start()", "end()", "1609746000", "-1.5", "+3", "1m", "1e18"}));
  if (chance(12)) out += " offset 1m";
  return out;
}

std::string QueryGenerator::labels() {
  std::string out;
  for (std::size_t i = 0, count = choose(4); i < count; ++i) {
    if (!out.empty()) out += ", ";
    out += pick({"a", "b", "_id", "instance", "on", "\"x y\"", "without", "bool"});
  }
  return "(" + out + (!out.empty() && chance(5) ? ",)" : ")");
}

std::string QueryGenerator::matching(bool set_operator) {
  std::string out;
  if (chance(2)) {
    out += fmt::format(" {}{}", pick({"on", "ignoring"}), labels());
    if (!set_operator && chance(3)) {
      out += fmt::format(" {}{}", pick({"group_left", "group_right"}), chance(2) ? " (c, d)" : "");
      if (out.ends_with("t")) out += "()";
    }
  }
  if (!set_operator && chance(6)) {
    out +=
        pick({" fill(0)", " fill_left(1)", " fill_right (-2)", " fill_left(1) fill_right(1)", " fill(1e9)"});
  }
  return out + " ";
}

std::string QueryGenerator::vector_binary(std::size_t depth) {
  switch (choose(4)) {
    case 0:
      return fmt::format("{} {} {}", scalar(depth + 1), pick({"+", "*", "^", "==", "> bool", "atan2", ">/"}),
                         vector(depth + 1));
    case 1:
      return fmt::format("{} {} {}", vector(depth + 1), pick({"-", "/", "%", "^", "!=", "<= bool", "</"}),
                         scalar(depth + 1));
    case 2: {
      const std::string left = vector(depth + 1);
      const std::string_view op = pick({"and", "or", "unless", "OR"});
      return fmt::format("{} {}{}{}", left, op, matching(true), vector(depth + 1));
    }
    default: {
      const std::string left = vector(depth + 1);
      const std::string_view op = pick({"+", "-", "*", "/", "==", "> bool", "atan2", "^"});
      return fmt::format("{} {}{}{}", left, op, matching(false), vector(depth + 1));
    }
  }
}

std::string QueryGenerator::aggregate(std::size_t depth) {
  const std::string_view op = pick({"sum", "avg", "count", "min", "max", "group", "stddev", "stdvar", "topk",
                                    "bottomk", "quantile", "limitk", "limit_ratio", "count_values", "MAX"});
  std::string arguments;
  if (op == "topk" || op == "bottomk" || op == "quantile" || op == "limitk" || op == "limit_ratio") {
    arguments = scalar(depth + 2) + ", ";
  } else if (op == "count_values") {
    arguments = "\"v\", ";
  }
  arguments = fmt::format("({}{})", arguments, vector(depth));
  const std::string grouping =
      chance(2) ? fmt::format(" {} {}", pick({"by", "without", "BY"}), labels()) : "";
  return chance(2) ? fmt::format("{}{}{}", op, grouping, arguments)
                   : fmt::format("{}{}{}", op, arguments, grouping);
}

std::string QueryGenerator::call(std::size_t depth) {
  const auto functions = promql::all_functions();
  const promql::Function& function = functions[choose(functions.size())];
  if (function.return_type != promql::ValueType::Vector) return fmt::format("vector({})", scalar(depth));
  std::size_t count = function.arg_types.size();
  if (function.variadic != 0)
    count = count - 1 + choose(function.variadic < 0 ? 3 : static_cast<std::size_t>(function.variadic) + 1);
  std::string out = std::string(function.name) + "(";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += "," + blank();
    switch (function.arg_types[std::min(i, function.arg_types.size() - 1)]) {
      case promql::ValueType::Scalar:
        out += scalar(depth + 1);
        break;
      case promql::ValueType::Matrix:
        out += matrix(depth + 1);
        break;
      case promql::ValueType::String:
        out += text();
        break;
      default:
        out += function.name == "info" && i == 1 ? "{a=\"b\"}" : vector(depth + 1);
    }
  }
  return out + ")";
}

std::string QueryGenerator::blank() {
  return std::string(pick({"", "", "", " ", "\n", "\t", " # note\n"}));
}

void QueryGenerator::spoil(std::string& query) {
  const std::size_t at = query.empty() ? 0 : (choose(256) * 256 + choose(256)) % query.size();
  switch (choose(5)) {
    case 0:
      query.erase(at, 1 + choose(3));
      break;
    case 1:
      query.insert(at, std::string(pick({"(", ")", "[", "]", "{", "}", ",", ":", "@", "!", "=~", "by", "5m",
                                         "\"", "\xff", "é"})));
      break;
    case 2:
      query.insert(at, query.substr(at / 2, choose(16)));
      break;
    case 3:
      query.resize(at);
      break;
    default:
      query = fmt::format("rate({}) + {}", query, text());
  }
}

}  // namespace fairway::fuzz
