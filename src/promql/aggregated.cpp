#include "promql/aggregated.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "promql/ast.hpp"
#include "promql/parser.hpp"

namespace fairway::promql {
namespace {

constexpr std::string_view kIdLabel = "_id";

std::vector<Span> empty_id_matchers(const Expr& expr) {
  std::vector<Span> spans;
  for (const Node& node : expr.nodes()) {
    const auto* selector = std::get_if<VectorSelector>(&node.kind);
    if (selector == nullptr) continue;
    for (const Matcher& matcher : selector->matchers) {
      if (matcher.name == kIdLabel && matcher.op == MatchOp::Equal && matcher.value.empty())
        spans.push_back(matcher.span);
    }
  }
  std::ranges::sort(spans, {}, &Span::start);
  return spans;
}

Result<std::string> with_matcher(std::string_view query, std::string_view matcher) {
  const auto expr = parse(query);
  if (!expr) return std::unexpected(expr.error().to_error(query));
  std::string text;
  std::size_t done = 0;
  for (const Span& span : empty_id_matchers(*expr)) {
    text += query.substr(done, span.start - done);
    text += matcher;
    done = span.end;
  }
  text += query.substr(done);
  return text;
}

}  // namespace

Result<std::string> for_all_clusters(std::string_view query) {
  return with_matcher(query, "_id!=\"\"");
}

Result<std::string> for_cluster(std::string_view query, std::string_view id) {
  if (id.empty()) return fail(ErrorCode::Invalid, "expected the id of a cluster, found an empty text");
  std::string matcher = "_id=\"";
  for (const char c : id) {
    // What a PromQL string cannot hold as it is; everything else, UTF-8 included, stands for itself.
    if (c == '"' || c == '\\') matcher += '\\';
    if (c == '\n') {
      matcher += "\\n";
    } else {
      matcher += c;
    }
  }
  return with_matcher(query, matcher + "\"");
}

}  // namespace fairway::promql
