#include "cli/promql_batch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <ostream>
#include <vector>

#include "base/text.hpp"
#include "json/value.hpp"
#include "promql/printer.hpp"

namespace fairway::cli {
namespace {

// In quotes and escaped; bytes that are not UTF-8 become U+FFFD, which JSON demands.
void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t plain = 0;
  const auto flush = [&](std::size_t until) { out.append(text.substr(plain, until - plain)); };
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(text.substr(at));
      if (length > 0) {
        at += length;
        continue;
      }
      flush(at);
      out.append("\xEF\xBF\xBD");
    } else {
      flush(at);
      constexpr std::string_view kDigits = "0123456789abcdef";
      switch (byte) {
        case '"':
          out.append("\\\"");
          break;
        case '\\':
          out.append("\\\\");
          break;
        case '\n':
          out.append("\\n");
          break;
        case '\t':
          out.append("\\t");
          break;
        default:
          out.append("\\u00");
          out.push_back(kDigits[byte >> 4U]);
          out.push_back(kDigits[byte & 15U]);
      }
    }
    plain = ++at;
  }
  flush(text.size());
  out.push_back('"');
}

// The usual escapes of a JSON string's inside; false for anything that is better left to the JSON parser.
bool unescape(std::string_view inside, std::string& out) {
  for (std::size_t at = 0; at < inside.size();) {
    const auto next = std::min(inside.find_first_of("\\\"", at), inside.size());
    out.append(inside.substr(at, next - at));
    if (next == inside.size()) return true;
    if (inside[next] == '"' || next + 1 == inside.size()) return false;
    switch (inside[next + 1]) {
      case '"':
      case '\\':
      case '/':
        out.push_back(inside[next + 1]);
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'r':
        out.push_back('\r');
        break;
      default:
        return false;
    }
    at = next + 2;
  }
  return true;
}

void append_error(std::string& out, std::string_view error, std::size_t position) {
  out.append("{\"ok\":false,\"error\":");
  append_json_string(out, error);
  out.append(",\"position\":");
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), position).ptr);
  out.push_back('}');
}

}  // namespace

void append_answer(std::string& out, std::string_view line, const promql::ParseOptions& options) {
  thread_local std::string query;
  query.clear();
  // Raw bytes that are not UTF-8 pass here, so that parsers can be compared on them too.
  const bool quoted_line = line.size() >= 2 && line.front() == '"' && line.back() == '"';
  if (!quoted_line || !unescape(line.substr(1, line.size() - 2), query)) {
    auto value = json::parse(line);
    if (!value || !value->is_string()) {
      return append_error(out, "expected one JSON string a line, found " + quoted(line), 0);
    }
    query = json::view(value->as_string());
  }
  const auto parsed = promql::parse(query, options);
  if (!parsed) return append_error(out, parsed.error().describe(query), parsed.error().span.start);
  thread_local std::string canonical;
  canonical.clear();
  promql::append_canonical(canonical, *parsed, parsed->root_id());
  out.append("{\"ok\":true,\"canon\":");
  append_json_string(out, canonical);
  out.append(",\"type\":\"").append(promql::to_string(parsed->type())).append("\"}");
}

Result<void> run_batch(std::istream& in, std::ostream& out, const promql::ParseOptions& options) {
  constexpr std::size_t kChunk = 256 * 1024;
  std::vector<char> buffer(kChunk);
  std::string pending;  // the line that the last chunk began
  std::string answers;
  const auto answer = [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return;
    append_answer(answers, line, options);
    answers.push_back('\n');
  };
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    std::string_view rest(buffer.data(), static_cast<std::size_t>(in.gcount()));
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (pending.empty()) {
        answer(rest.substr(0, end));
      } else {
        pending.append(rest.substr(0, end));
        answer(pending);
        pending.clear();
      }
      rest.remove_prefix(end + 1);
    }
    pending.append(rest);
    out << answers;
    answers.clear();
    if (!out) return fail(ErrorCode::Unavailable, "standard output could not be written");
  }
  answer(pending);
  out << answers;
  return {};
}

}  // namespace fairway::cli
