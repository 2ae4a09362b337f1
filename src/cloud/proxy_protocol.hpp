// The PROXY protocol: how a load balancer tells a backend who the client is, in front of the client's bytes.
// Pure: bytes to values and back. Version 1 is text, version 2 is binary; TCP over IPv4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cloud/profile.hpp"

namespace fairway::cloud {

struct ProxyAddresses {
  std::string client;
  std::uint16_t client_port = 0;
  std::string server;  // that the client connected to
  std::uint16_t server_port = 0;
  bool operator==(const ProxyAddresses&) const = default;
};

// Empty for ProxyHeader::None.
std::string proxy_header(ProxyHeader version, const ProxyAddresses& addresses);

struct ProxyParsed {
  enum class Outcome { NeedsMore, Absent, Present, Malformed };
  Outcome outcome = Outcome::NeedsMore;
  ProxyHeader version = ProxyHeader::None;
  std::size_t size = 0;  // of the header
  ProxyAddresses addresses = {};
};
// Of the first bytes of a connection.
ProxyParsed parse_proxy_header(std::string_view bytes);

}  // namespace fairway::cloud
