#include "http/message.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::http {

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equals_ignoring_case(field, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (equals_ignoring_case(field, name)) values.push_back(value);
  }
  return values;
}

std::string Headers::joined(std::string_view name) const {
  return fmt::format("{}", fmt::join(all(name), ", "));
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  for (std::string_view value : all(name)) {
    for (std::string_view part : split(value, ',')) {
      if (equals_ignoring_case(trim(part), token)) return true;
    }
  }
  return false;
}

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string_view name, std::string value) {
  remove(name);
  add(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return equals_ignoring_case(field.first, name); });
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  if (text.empty()) return query;
  for (std::string_view part : split(text, '&')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    auto name = percent_decode(part.substr(0, equals), true);
    auto value =
        equals == std::string_view::npos ? std::string() : percent_decode(part.substr(equals + 1), true);
    if (!name || !value) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected percent-encoding as %XX in the query, found {}", quoted(part)));
    }
    query.add(*std::move(name), *std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (field == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (field == name) values.push_back(value);
  }
  return values;
}

void Query::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

std::string Query::to_string() const {
  std::string text;
  for (const auto& [name, value] : fields_) {
    if (!text.empty()) text += '&';
    text += percent_encode(name) + "=" + percent_encode(value);
  }
  return text;
}

Result<Target> Target::parse(std::string_view text) {
  if (!text.starts_with('/')) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a request target that begins with '/', found {}", quoted(text)));
  }
  const auto mark = text.find('?');
  Target target;
  target.path = std::string(text.substr(0, mark));
  if (mark != std::string_view::npos) {
    FAIRWAY_TRY(target.query, Query::parse(text.substr(mark + 1)));
  }
  return target;
}

Result<Url> Url::parse(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a URL like https://host:6443/path, found {}: {}", quoted(text), why));
  };
  Url url;
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return bad("the scheme is missing");
  url.scheme = to_lower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return bad("the scheme is neither http nor https");
  std::string_view rest = text.substr(colon + 3);
  const auto slash = rest.find_first_of("/?#");
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) {
    const std::string_view path = rest.substr(slash);
    url.path = (path.front() == '/' ? "" : "/") + std::string(path.substr(0, path.find('#')));
  }
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    url.user_info = std::string(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return bad("the bracket of the IPv6 address is not closed");
    url.host = std::string(authority.substr(1, close - 1));
    const std::string_view after = authority.substr(close + 1);
    if (!after.empty() && after.front() != ':') return bad("a port is expected after the address");
    if (!after.empty()) port = after.substr(1);
  } else {
    const auto separator = authority.find(':');
    url.host = std::string(authority.substr(0, separator));
    if (separator != std::string_view::npos) port = authority.substr(separator + 1);
  }
  if (url.host.empty()) return bad("the host is missing");
  url.port = url.is_tls() ? 443 : 80;
  if (!port.empty()) {
    const auto number = parse_unsigned(port);
    if (!number || *number == 0 || *number > 65535) return bad("the port is not a number from 1 to 65535");
    url.port = static_cast<std::uint16_t>(*number);
  }
  return url;
}

std::string Url::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::string Url::origin() const {
  return scheme + "://" + authority();
}

Body::Body(std::string text) {
  if (!text.empty()) pieces.push_back(share(std::move(text)));
}

std::size_t Body::size() const {
  std::size_t size = 0;
  for (const Text& piece : pieces) size += piece->size();
  return size;
}

std::string Body::to_string() const {
  std::string text;
  text.reserve(size());
  for (const Text& piece : pieces) text += *piece;
  return text;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace fairway::http
