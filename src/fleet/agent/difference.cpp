#include "fleet/agent/difference.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr std::size_t kContext = 3;
// Beyond this many comparisons what differs is shown as replaced as a whole.
constexpr std::size_t kMostComparisons = 1'000'000;

struct Line {
  char mark = ' ';  // ' ', '-', '+'
  std::string text;
};
using Lines = std::vector<std::string>;

Lines yaml_lines(json::Object object) {
  if (json::Value* metadata = json::find(object, {"metadata"});
      metadata != nullptr && metadata->is_object()) {
    for (const std::string_view key : {"managedFields", "resourceVersion", "generation"})
      json::remove(metadata->get_object(), key);
  }
  const std::string text = json::to_yaml(json::Value(std::move(object)), {.sort_keys = true});
  Lines lines;
  for (const std::string_view each : split(text, '\n')) lines.emplace_back(each);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The longest common subsequence of what lies between a common start and a common end.
std::vector<Line> edit_script(const Lines& before, const Lines& after) {
  std::size_t start = 0;
  while (start < before.size() && start < after.size() && before[start] == after[start]) ++start;
  std::size_t end = 0;
  while (end < before.size() - start && end < after.size() - start &&
         before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  const std::size_t rows = before.size() - start - end;
  const std::size_t columns = after.size() - start - end;
  const bool is_small = rows == 0 || columns <= kMostComparisons / rows;
  std::vector<std::uint32_t> common(is_small ? (rows + 1) * (columns + 1) : 0, 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return common[i * (columns + 1) + j];
  };
  const auto same = [&](std::size_t i, std::size_t j) { return before[start + i] == after[start + j]; };
  for (std::size_t i = is_small ? rows : 0; i-- > 0;)
    for (std::size_t j = columns; j-- > 0;)
      at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<Line> script;
  script.reserve(before.size() + columns);
  for (std::size_t i = 0; i < start; ++i) script.push_back({' ', before[i]});
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (is_small && i < rows && j < columns && same(i, j)) {
      script.push_back({' ', before[start + i]});
      ++i, ++j;
    } else if (i < rows && (j == columns || !is_small || at(i + 1, j) >= at(i, j + 1))) {
      script.push_back({'-', before[start + i++]});
    } else {
      script.push_back({'+', after[start + j++]});
    }
  }
  for (std::size_t k = before.size() - end; k < before.size(); ++k) script.push_back({' ', before[k]});
  return script;
}

// Stretches of the script with their surroundings, each below its heading.
Lines hunks(const std::vector<Line>& script) {
  Lines out;
  std::size_t before = 1;
  std::size_t after = 1;
  std::size_t i = 0;
  while (i < script.size()) {
    std::size_t next = i;
    while (next < script.size() && script[next].mark == ' ') ++next;
    if (next == script.size()) break;
    const std::size_t from = next - std::min(kContext, next - i);
    before += from - i;
    after += from - i;
    std::size_t to = next;
    for (std::size_t quiet = 0; to < script.size() && quiet <= 2 * kContext; ++to)
      quiet = script[to].mark == ' ' ? quiet + 1 : 0;
    while (to > next && script[to - 1].mark == ' ') --to;
    to = std::min(script.size(), to + kContext);
    std::size_t removed = 0;
    std::size_t added = 0;
    for (std::size_t k = from; k < to; ++k) {
      removed += script[k].mark != '+';
      added += script[k].mark != '-';
    }
    out.push_back(fmt::format("@@ -{},{} +{},{} @@", before, removed, after, added));
    for (std::size_t k = from; k < to; ++k)
      out.push_back(fmt::format("{}{}", script[k].mark, script[k].text));
    before += removed;
    after += added;
    i = to;
  }
  return out;
}

}  // namespace

std::string difference(const json::Object& existing, const json::Object& updated) {
  Lines lines = hunks(edit_script(yaml_lines(existing), yaml_lines(updated)));
  if (lines.empty()) return "";
  const std::string name = kube::key_of(existing).to_string();
  lines.insert(lines.begin(),
               {fmt::format("--- {} : existing", name), fmt::format("+++ {} : updated", name)});
  if (lines.size() <= kMostDiffLines) return join(lines, "\n");
  const std::size_t all = lines.size();
  lines.resize(kMostDiffLines);
  return fmt::format("# Truncated: showing {}/{} diff lines:\n{}", kMostDiffLines, all, join(lines, "\n"));
}

bool is_sensitive(const json::Object& object) {
  const std::string_view kind = kube::kind_of(object);
  const std::string_view api = kube::api_version_of(object);
  if (api == "v1") return kind == "Secret" || kind == "ConfigMap";
  if (api.starts_with("route.openshift.io/")) return kind == "Route";
  return api.starts_with("oauth.openshift.io/") &&
         (kind == "OAuthAccessToken" || kind == "OAuthAuthorizeToken");
}

}  // namespace fairway::fleet::agent
