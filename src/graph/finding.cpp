#include "graph/finding.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

// GitHub's own escapes: `%`, line ends and, in properties, the characters that separate them.
std::string escape_data(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "%", "%25"), "\r", "%0D"), "\n", "%0A");
}

std::string escape_property(std::string_view text) {
  return replace_all(replace_all(escape_data(text), ":", "%3A"), ",", "%2C");
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Info:
      return "info";
  }
  return "error";
}

std::size_t count(std::span<const Finding> findings, Severity severity) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [&](const Finding& finding) { return finding.severity == severity; }));
}

bool any_refuses(std::span<const Finding> findings) {
  return std::ranges::any_of(findings, &Finding::refuses);
}

void sort_findings(Findings& findings) {
  std::ranges::sort(findings, [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line, a.id, a.message) < std::tie(b.file, b.line, b.id, b.message);
  });
}

std::string to_text(const Finding& finding) {
  std::string text;
  if (!finding.file.empty()) text += finding.file;
  if (finding.line != 0) text += fmt::format(":{}", finding.line);
  if (!text.empty()) text += ": ";
  text += fmt::format("{}: {}", to_string(finding.severity), finding.message);
  if (!finding.fix.empty()) text += fmt::format("; {}", finding.fix);
  return text + fmt::format(" [{}]", finding.id);
}

std::string to_github(const Finding& finding, std::string_view root) {
  std::string text =
      finding.severity == Severity::Info ? "::notice" : fmt::format("::{}", to_string(finding.severity));
  std::string place;
  if (!finding.file.empty()) {
    const std::string path = root.empty() ? finding.file : fmt::format("{}/{}", root, finding.file);
    place += fmt::format("file={},", escape_property(path));
    if (finding.line != 0) place += fmt::format("line={},", finding.line);
  }
  std::string message = finding.message;
  if (!finding.fix.empty()) message += "; " + finding.fix;
  return fmt::format("{} {}title={}::{}", text, place, escape_property(finding.id), escape_data(message));
}

json::Object to_json(const Finding& finding) {
  json::Object object{{"id", finding.id}, {"severity", to_string(finding.severity)}};
  if (!finding.file.empty()) object["file"] = finding.file;
  if (finding.line != 0) object["line"] = finding.line;
  object["message"] = finding.message;
  if (!finding.fix.empty()) object["fix"] = finding.fix;
  return object;
}

}  // namespace fairway::graph
