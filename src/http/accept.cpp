#include "http/accept.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::http {
namespace {

bool is_token(std::string_view text) {
  constexpr std::string_view kSymbols = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kSymbols.find(c) != std::string_view::npos;
  });
}

// Splits at a separator that is not inside double quotes.
std::vector<std::string_view> split_unquoted(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool quoted_text = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted_text && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted_text = !quoted_text;
    } else if (text[i] == separator && !quoted_text) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(std::min(start, text.size())));
  return parts;
}

std::string unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

}  // namespace

std::string_view MediaRange::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

bool MediaRange::covers(std::string_view media_type) const {
  const auto slash = media_type.find('/');
  if (slash == std::string_view::npos) return false;
  return (type == "*" || type == media_type.substr(0, slash)) &&
         (subtype == "*" || subtype == media_type.substr(slash + 1));
}

Result<MediaRange> parse_media_type(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a media type like application/json, found {}", quoted(text)));
  };
  const auto parts = split_unquoted(text, ';');
  const std::string_view name = trim(parts.front());
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return bad();
  MediaRange range;
  range.type = to_lower(name.substr(0, slash));
  range.subtype = to_lower(name.substr(slash + 1));
  if (!is_token(range.type) || !is_token(range.subtype)) return bad();
  if (range.type == "*" && range.subtype != "*") return bad();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    if (part.empty()) continue;
    const auto equals = part.find('=');
    const std::string key = to_lower(trim(part.substr(0, equals)));
    if (!is_token(key)) return bad();
    std::string value =
        equals == std::string_view::npos ? std::string() : unquote(trim(part.substr(equals + 1)));
    if (key != "q") {
      range.parameters.emplace_back(key, std::move(value));
      continue;
    }
    const auto quality = parse_double(value);
    if (!quality || !(*quality >= 0) || *quality > 1) return bad();
    range.quality = *quality;
  }
  return range;
}

Result<std::vector<MediaRange>> parse_accept(std::string_view header) {
  std::vector<MediaRange> ranges;
  for (std::string_view part : split_unquoted(header, ',')) {
    if (trim(part).empty()) continue;
    FAIRWAY_TRY(MediaRange range, parse_media_type(part));
    ranges.push_back(std::move(range));
  }
  if (ranges.empty()) ranges.push_back(MediaRange{"*", "*", {}, 1.0});
  std::ranges::stable_sort(ranges, std::greater<>(), &MediaRange::quality);
  return ranges;
}

std::string_view negotiate(const std::vector<MediaRange>& accepted,
                           const std::vector<std::string_view>& offered) {
  // The most specific range that covers a type gives its quality.
  const auto quality_of = [&](std::string_view type) {
    int best_rank = -1;
    double quality = 0;
    for (const MediaRange& range : accepted) {
      if (!range.covers(type)) continue;
      const int rank = (range.type != "*") + (range.subtype != "*");
      if (rank <= best_rank) continue;
      best_rank = rank;
      quality = range.quality;
    }
    return quality;
  };
  std::string_view best;
  double best_quality = 0;
  for (std::string_view type : offered) {
    const double quality = quality_of(type);
    if (quality > best_quality) {
      best = type;
      best_quality = quality;
    }
  }
  return best;
}

}  // namespace fairway::http
