#include "cloud/echo.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::cloud {
namespace {

constexpr std::size_t kMostBytes = 1024 * 1024;  // of a request, its body included
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Of the first header of that name in a request's head.
std::string_view header(std::string_view head, std::string_view name) {
  for (const std::string_view line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equals_ignoring_case(trim(line.substr(0, colon)), name))
      return trim(line.substr(colon + 1));
  }
  return {};
}

std::string response(std::string_view status, std::string_view type, std::string_view body, bool is_last) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", status, type,
                     body.size(), is_last ? "Connection: close\r\n" : "", body);
}

}  // namespace

EchoSession::EchoSession(EchoIdentity identity, std::string peer, std::uint16_t peer_port)
    : identity_(std::move(identity)),
      peer_(peer),
      addresses_{.client = std::move(peer), .client_port = peer_port} {}

EchoSession::Output EchoSession::feed(std::string_view bytes) {
  Output output;
  pending_ += bytes;
  if (!is_begun_ && !take_proxy_header(output)) return output;
  while (!output.is_over && take_request(output)) {
  }
  if (pending_.size() > kMostBytes) {
    output.bytes += response("413 Content Too Large", "text/plain", "too much\n", true);
    output.is_over = true;
  }
  return output;
}

// False while more is needed, or the connection ends here.
bool EchoSession::take_proxy_header(Output& output) {
  const ProxyParsed parsed = parse_proxy_header(pending_);
  if (parsed.outcome == ProxyParsed::Outcome::NeedsMore) return false;
  if (parsed.outcome == ProxyParsed::Outcome::Malformed) {
    output.is_over = true;
    return false;
  }
  if (parsed.outcome == ProxyParsed::Outcome::Present) {
    addresses_ = parsed.addresses;
    proxy_ = parsed.version;
    pending_.erase(0, parsed.size);
  }
  is_begun_ = true;
  return true;
}

// False when no whole request is there.
bool EchoSession::take_request(Output& output) {
  const std::size_t end = pending_.find(kHeadEnd);
  if (end == std::string::npos) return false;
  const std::string_view head = std::string_view(pending_).substr(0, end);
  const auto words = split_words(head.substr(0, head.find("\r\n")));
  const std::string_view length_text = header(head, "Content-Length");
  const auto length = length_text.empty() ? std::optional<std::uint64_t>(0) : parse_unsigned(length_text);
  const bool is_request = words.size() == 3 && words[2].starts_with("HTTP/1.");
  if (!is_request || !length || *length > kMostBytes || !header(head, "Transfer-Encoding").empty()) {
    output.bytes += response("400 Bad Request", "text/plain", "expected a plain request\n", true);
    output.is_over = true;
    return false;
  }
  const std::size_t size = end + kHeadEnd.size() + *length;
  if (pending_.size() < size) return false;
  const bool is_last = words[2] == "HTTP/1.0" || equals_ignoring_case(header(head, "Connection"), "close");
  const std::string path(words[1].substr(0, words[1].find('?')));
  const bool is_health = identity_.health_paths.contains(path);
  std::string said = is_health ? response("200 OK", "text/plain", "ok\n", is_last)
                               : response("200 OK", "application/json",
                                          answer(words[0], words[1], header(head, "Host")), is_last);
  if (words[0] == "HEAD") said.erase(said.find(kHeadEnd) + kHeadEnd.size());
  output.bytes += said;
  output.is_over = is_last;
  pending_.erase(0, size);
  return true;
}

std::string EchoSession::answer(std::string_view method, std::string_view path, std::string_view host) const {
  json::Object said{{"pod", identity_.pod},
                    {"client", addresses_.client},
                    {"clientPort", addresses_.client_port},
                    {"via", peer_},
                    {"method", method},
                    {"path", path},
                    {"host", host}};
  if (proxy_ != ProxyHeader::None) said["proxyProtocol"] = proxy_ == ProxyHeader::V1 ? 1 : 2;
  return json::serialize(said) + "\n";
}

}  // namespace fairway::cloud
