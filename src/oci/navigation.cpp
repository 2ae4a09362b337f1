#include "oci/navigation.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::oci {
namespace {

bool is_absolute(std::string_view reference) {
  const auto colon = reference.find(':');
  return colon != std::string_view::npos &&
         reference.substr(0, colon).find_first_of("/?#") == std::string_view::npos &&
         reference.substr(colon).starts_with("://");
}

// One link after its '>': whether its parameters say rel="next".
bool is_next(std::string_view parameters) {
  for (std::string_view part : split(parameters, ';')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || !equals_ignoring_case(trim(part.substr(0, equals)), "rel"))
      continue;
    std::string_view value = trim(part.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
      value = value.substr(1, value.size() - 2);
    for (std::string_view relation : split_words(value)) {
      if (equals_ignoring_case(relation, "next")) return true;
    }
  }
  return false;
}

}  // namespace

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<http::Url> resolve(const http::Url& base, std::string_view reference) {
  reference = trim(reference.substr(0, reference.find('#')));
  if (reference.empty()) return fail(ErrorCode::Invalid, "expected a URL to go on with, found an empty one");
  if (is_absolute(reference)) return http::Url::parse(reference);
  if (reference.starts_with("//")) return http::Url::parse(base.scheme + ":" + std::string(reference));
  http::Url url = base;
  url.user_info.clear();
  if (reference.front() == '/') {
    url.path = std::string(reference);
    return url;
  }
  std::string path = base.path.substr(0, base.path.find('?'));
  if (reference.front() != '?') path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  if (path.empty()) path = "/";
  url.path = path + std::string(reference);
  return url;
}

Result<std::optional<std::string>> next_link(const http::Headers& headers) {
  const std::string all = headers.joined("link");
  std::string_view rest = all;
  for (;;) {
    const auto open = rest.find('<');
    if (open == std::string_view::npos) return std::nullopt;
    const auto close = rest.find('>', open);
    if (close == std::string_view::npos)
      return fail(ErrorCode::Invalid,
                  fmt::format("expected a link like <URL>; rel=\"next\", found {}", quoted(all)));
    // A comma begins the next link; inside the angle brackets it belongs to the URL.
    const std::string_view target = rest.substr(open + 1, close - open - 1);
    rest.remove_prefix(close + 1);
    const auto comma = rest.find(',');
    if (is_next(rest.substr(0, comma))) return std::string(target);
    if (comma == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace fairway::oci
