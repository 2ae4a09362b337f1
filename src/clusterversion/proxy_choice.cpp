#include "clusterversion/proxy_choice.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The bytes of an IPv4 or IPv6 address; empty for a name.
Bytes address_bytes(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.begin(), bytes.begin() + 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.begin(), bytes.end()};
  return {};
}

bool is_in_network(const Bytes& address, std::string_view network) {
  const auto slash = network.find('/');
  if (slash == std::string_view::npos) return false;
  const Bytes base = address_bytes(std::string(network.substr(0, slash)));
  const auto bits = parse_unsigned(network.substr(slash + 1));
  if (!bits || base.size() != address.size() || *bits > base.size() * 8) return false;
  for (std::size_t bit = 0; bit < *bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((base[bit / 8] & mask) != (address[bit / 8] & mask)) return false;
  }
  return true;
}

bool is_loopback(const std::string& host, const Bytes& address) {
  if (host == "localhost") return true;
  if (address.size() == 4) return address.front() == 127;
  return address_bytes("::1") == address;
}

// One entry of noProxy, without blanks.
bool exempts(std::string_view entry, const http::Url& url, const std::string& host, const Bytes& address) {
  if (entry.empty()) return false;
  if (entry == "*") return true;
  if (!address.empty() && is_in_network(address, entry)) return true;
  std::string name = to_lower(entry);
  // A colon is a port's unless it is one of several of a bare IPv6 address.
  const auto colon = name.rfind(':');
  const bool is_bracketed = name.starts_with('[');
  const bool has_port = is_bracketed ? name.find("]:") != std::string::npos : name.find(':') == colon;
  if (colon != std::string::npos && has_port) {
    if (parse_unsigned(name.substr(colon + 1)) != url.port) return false;
    name.resize(colon);
  }
  if (is_bracketed && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (name.starts_with("*.")) name.erase(0, 1);
  if (!address.empty()) return address_bytes(name) == address;
  if (name.starts_with('.')) return host.ends_with(name);
  return host == name || host.ends_with("." + name);
}

}  // namespace

ProxySettings proxy_settings(const json::Object& proxy) {
  const auto text = [&](std::string_view name) {
    return std::string(json::get_string(proxy, {"status", name}).value_or(""));
  };
  return {text("httpProxy"), text("httpsProxy"), text("noProxy")};
}

Result<std::optional<http::Url>> proxy_for(const http::Url& url, const ProxySettings& settings) {
  const std::string& chosen = url.is_tls() ? settings.https_proxy : settings.http_proxy;
  if (chosen.empty()) return std::nullopt;
  const std::string host = to_lower(url.host);
  const Bytes address = address_bytes(host);
  if (is_loopback(host, address)) return std::nullopt;
  for (const std::string_view entry : split(settings.no_proxy, ',')) {
    if (exempts(trim(entry), url, host, address)) return std::nullopt;
  }
  auto proxy = http::Url::parse(chosen.find("://") == std::string::npos ? "http://" + chosen : chosen);
  if (!proxy) return std::unexpected(std::move(proxy).error().within("in the status of Proxy cluster"));
  return *std::move(proxy);
}

}  // namespace fairway::clusterversion
