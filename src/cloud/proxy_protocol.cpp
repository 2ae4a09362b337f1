#include "cloud/proxy_protocol.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/addresses.hpp"

namespace fairway::cloud {
namespace {

using Outcome = ProxyParsed::Outcome;

constexpr std::string_view kText = "PROXY ";
constexpr std::size_t kLongestText = 107;  // with its line end
constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kFixedSize = 16;
constexpr char kVersionAndProxy = 0x21;
constexpr char kTcp4 = 0x11;
constexpr std::size_t kIpv4Size = 12;

void append_number(std::string& out, std::uint32_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<unsigned char>(number >> shift & 255));
}

std::uint32_t read_number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char each : bytes) number = number << 8 | static_cast<unsigned char>(each);
  return number;
}

ProxyParsed parse_text(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n");
  if (end == std::string_view::npos)
    return {bytes.size() >= kLongestText ? Outcome::Malformed : Outcome::NeedsMore};
  const auto words = split(bytes.substr(0, end), ' ');
  ProxyParsed parsed{Outcome::Malformed, ProxyHeader::V1, end + 2};
  if (words.size() != 6 || words[1] != "TCP4" || !parse_ipv4(words[2]) || !parse_ipv4(words[3]))
    return parsed;
  const auto client_port = parse_unsigned(words[4]);
  const auto server_port = parse_unsigned(words[5]);
  if (!client_port || !server_port || *client_port > 65535 || *server_port > 65535) return parsed;
  parsed.outcome = Outcome::Present;
  parsed.addresses = {std::string(words[2]), static_cast<std::uint16_t>(*client_port), std::string(words[3]),
                      static_cast<std::uint16_t>(*server_port)};
  return parsed;
}

ProxyParsed parse_binary(std::string_view bytes) {
  if (bytes.size() < kFixedSize) return {Outcome::NeedsMore};
  const std::size_t size = kFixedSize + read_number(bytes.substr(14, 2));
  ProxyParsed parsed{Outcome::Malformed, ProxyHeader::V2, size};
  if (bytes[12] != kVersionAndProxy || bytes[13] != kTcp4 || size < kFixedSize + kIpv4Size) return parsed;
  if (bytes.size() < size) return {Outcome::NeedsMore};
  const auto port = [&](std::size_t at) {
    return static_cast<std::uint16_t>(read_number(bytes.substr(at, 2)));
  };
  parsed.outcome = Outcome::Present;
  parsed.addresses = {format_ipv4(read_number(bytes.substr(16, 4))), port(24),
                      format_ipv4(read_number(bytes.substr(20, 4))), port(26)};
  return parsed;
}

bool may_become(std::string_view bytes, std::string_view start) {
  return bytes.substr(0, start.size()) == start.substr(0, std::min(bytes.size(), start.size()));
}

}  // namespace

std::string proxy_header(ProxyHeader version, const ProxyAddresses& addresses) {
  if (version == ProxyHeader::None) return {};
  if (version == ProxyHeader::V1)
    return fmt::format("PROXY TCP4 {} {} {} {}\r\n", addresses.client, addresses.server,
                       addresses.client_port, addresses.server_port);
  std::string header(kSignature);
  header += kVersionAndProxy;
  header += kTcp4;
  append_number(header, kIpv4Size, 2);
  append_number(header, parse_ipv4(addresses.client).value_or(0), 4);
  append_number(header, parse_ipv4(addresses.server).value_or(0), 4);
  append_number(header, addresses.client_port, 2);
  append_number(header, addresses.server_port, 2);
  return header;
}

ProxyParsed parse_proxy_header(std::string_view bytes) {
  const bool is_text = may_become(bytes, kText);
  const bool is_binary = may_become(bytes, kSignature);
  if (!is_text && !is_binary) return {Outcome::Absent};
  if (is_text && bytes.size() >= kText.size()) return parse_text(bytes);
  if (is_binary && bytes.size() >= kSignature.size()) return parse_binary(bytes);
  return {Outcome::NeedsMore};
}

}  // namespace fairway::cloud
