#include "oci/reference.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestTag = 128;
// Docker Hub's references say docker.io, its registry answers elsewhere, and its unqualified names are in
// library/.
constexpr std::string_view kHub = "docker.io";
constexpr std::string_view kHubRegistry = "registry-1.docker.io";

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alnum(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

// The distribution specification's: runs of letters and digits, held together by one '.', one or two '_', or
// any number of '-'.
bool is_name_component(std::string_view text) {
  if (text.empty() || !is_lower_alnum(text.front()) || !is_lower_alnum(text.back())) return false;
  for (std::size_t at = 0; at < text.size();) {
    if (is_lower_alnum(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = text.find_first_not_of(text[at], at);
    const std::size_t length = end - at;  // the last character is no separator, so there is an end
    const bool is_joint =
        text[at] == '-' || (text[at] == '.' && length == 1) || (text[at] == '_' && length <= 2);
    if (!is_joint || !is_lower_alnum(text[end])) return false;
    at = end;
  }
  return true;
}

std::unexpected<Error> bad_reference(std::string_view text, std::string_view why) {
  return fail(
      ErrorCode::Invalid,
      fmt::format("expected an image reference like registry.example.com/namespace/repo:tag, found {}: {}",
                  quoted(text), why));
}

bool is_host_name(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && text.size() <= kLongestName &&
         std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_ipv6_text(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
  };
  return text.size() >= 2 && std::ranges::count(text, ':') >= 2 && std::ranges::all_of(text, is_part);
}

Result<RegistryHost> parse_authority(std::string_view authority, std::string_view whole) {
  RegistryHost registry;
  std::string_view port;
  bool has_port = false;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos)
      return bad_reference(whole, "the bracket of the IPv6 address is not closed");
    const std::string_view address = authority.substr(1, close - 1);
    if (!is_ipv6_text(address)) return bad_reference(whole, "there is no IPv6 address in the brackets");
    registry.host = to_lower(address);
    const std::string_view after = authority.substr(close + 1);
    if (!after.empty() && after.front() != ':')
      return bad_reference(whole, "a port is expected after the address");
    has_port = !after.empty();
    if (has_port) port = after.substr(1);
  } else {
    const auto colon = authority.find(':');
    const std::string_view name = authority.substr(0, colon);
    if (!is_host_name(name)) return bad_reference(whole, fmt::format("{} is not a host name", quoted(name)));
    registry.host = to_lower(name);
    has_port = colon != std::string_view::npos;
    if (has_port) port = authority.substr(colon + 1);
  }
  if (has_port) {
    const auto number = parse_unsigned(port);
    if (!number || *number == 0 || *number > 65535)
      return bad_reference(whole, "the port is not a number from 1 to 65535");
    registry.port = static_cast<std::uint16_t>(*number);
  }
  return registry;
}

// Takes the scheme off the text; whether it allows plain HTTP.
Result<bool> take_scheme(std::string_view& text) {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return false;
  const std::string scheme = to_lower(text.substr(0, colon));
  if (scheme != "http" && scheme != "https")
    return bad_reference(text, fmt::format("the scheme {} is neither http nor https", quoted(scheme)));
  text.remove_prefix(colon + 3);
  return scheme == "http";
}

}  // namespace

bool is_repository_name(std::string_view text) {
  return text.size() <= kLongestName && std::ranges::all_of(split(text, '/'), is_name_component);
}

bool is_tag(std::string_view text) {
  if (text.empty() || text.size() > kLongestTag) return false;
  return (is_alnum(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; });
}

Result<RegistryHost> RegistryHost::parse(std::string_view text) {
  std::string_view rest = text;
  FAIRWAY_TRY(const bool is_plain, take_scheme(rest));
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos)
    return bad_reference(text, "only a host and a port are expected here, without a repository");
  FAIRWAY_TRY(RegistryHost registry, parse_authority(rest, text));
  registry.is_plain = is_plain;
  return registry;
}

std::string RegistryHost::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port) text += fmt::format(":{}", *port);
  return text;
}

std::string RegistryHost::to_string() const {
  return (is_plain ? "http://" : "") + authority();
}

http::Url RegistryHost::url(std::string path) const {
  const std::uint16_t usual = is_plain ? 80 : 443;
  return {.scheme = is_plain ? "http" : "https",
          .host = host == kHub ? std::string(kHubRegistry) : host,
          .port = port.value_or(usual),
          .path = std::move(path),
          .user_info = {}};
}

Result<Reference> Reference::parse(std::string_view text) {
  std::string_view rest = text;
  FAIRWAY_TRY(const bool is_plain, take_scheme(rest));
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return bad_reference(text, "the repository is missing after the host");
  Reference reference;
  FAIRWAY_TRY(reference.registry, parse_authority(rest.substr(0, slash), text));
  reference.registry.is_plain = is_plain;
  std::string_view name = rest.substr(slash + 1);
  if (const auto at = name.find('@'); at != std::string_view::npos) {
    auto digest = Digest::parse(name.substr(at + 1));
    if (!digest)
      return std::unexpected(std::move(digest.error()).within(fmt::format("image {}", quoted(text))));
    reference.digest = *std::move(digest);
    name = name.substr(0, at);
  }
  if (const auto colon = name.find(':'); colon != std::string_view::npos) {
    reference.tag = std::string(name.substr(colon + 1));
    if (!is_tag(reference.tag))
      return bad_reference(text, fmt::format("{} is not a tag", quoted(reference.tag)));
    name = name.substr(0, colon);
  }
  reference.repository = std::string(name);
  if (reference.registry.host == kHub && name.find('/') == std::string_view::npos)
    reference.repository.insert(0, "library/");
  if (!is_repository_name(reference.repository)) {
    return bad_reference(text,
                         fmt::format("{} is not a repository: its names are lower-case letters and digits, "
                                     "held together by '.', '_' or '-'",
                                     quoted(name)));
  }
  return reference;
}

std::string Reference::to_string() const {
  std::string text = registry.to_string() + "/" + repository;
  if (!tag.empty()) text += ":" + tag;
  if (digest) text += "@" + digest->text();
  return text;
}

std::string payload_of(const RegistryHost& registry, std::string_view repository, const Digest& digest) {
  return fmt::format("{}/{}@{}", registry.authority(), repository, digest.text());
}

}  // namespace fairway::oci
