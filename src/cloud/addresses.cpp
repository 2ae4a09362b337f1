#include "cloud/addresses.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/fingerprint.hpp"

namespace fairway::cloud {
namespace {

constexpr Ipv4 mask_of(int prefix) {
  return prefix == 0 ? 0 : ~Ipv4{0} << (32 - prefix);
}

}  // namespace

std::optional<Ipv4> parse_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Ipv4 address = 0;
  for (const std::string_view part : parts) {
    const auto number = parse_unsigned(part);
    if (!number || *number > 255 || (part.size() > 1 && part[0] == '0')) return std::nullopt;
    address = address << 8 | static_cast<Ipv4>(*number);
  }
  return address;
}

std::string format_ipv4(Ipv4 address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

std::uint64_t Network::size() const {
  const std::uint64_t all = std::uint64_t{1} << (32 - prefix);
  return all > 2 ? all - 2 : all;
}

Ipv4 Network::at(std::uint64_t index) const {
  return first + static_cast<Ipv4>(index) + (prefix < 31 ? 1 : 0);
}

bool Network::contains(Ipv4 address) const {
  return (address & mask_of(prefix)) == first;
}

bool Network::contains(std::string_view address) const {
  const auto parsed = parse_ipv4(address);
  return parsed && contains(*parsed);
}

bool Network::overlaps(const Network& other) const {
  return contains(other.first) || other.contains(first);
}

std::string Network::to_string() const {
  return fmt::format("{}/{}", format_ipv4(first), prefix);
}

Result<Network> parse_network(std::string_view text) {
  const auto parts = split(text, '/');
  const auto address = parse_ipv4(parts[0]);
  const auto prefix = parts.size() == 2 ? parse_unsigned(parts[1])
                                        : std::optional<std::uint64_t>(parts.size() == 1 ? 32 : 33);
  if (!address || !prefix || *prefix > 32) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected an IPv4 network such as 127.203.0.0/16, found {}", quoted(text)));
  }
  const int length = static_cast<int>(*prefix);
  return Network{*address & mask_of(length), length};
}

std::optional<std::string> AddressBook::propose(std::string_view holder) const {
  if (const auto own = of_holder_.find(holder); own != of_holder_.end() && !own->second.empty())
    return format_ipv4(*own->second.begin());
  const std::uint64_t size = network_.size();
  const std::uint64_t start = fingerprint(holder) % size;
  for (std::uint64_t i = 0; i < size; ++i) {
    const Ipv4 candidate = network_.at((start + i) % size);
    if (!holders_.contains(candidate)) return format_ipv4(candidate);
  }
  return std::nullopt;
}

bool AddressBook::hold(std::string_view address, std::string_view holder) {
  const auto parsed = parse_ipv4(address);
  if (!parsed || !network_.contains(*parsed)) return false;
  const auto [place, is_new] = holders_.try_emplace(*parsed, holder);
  if (!is_new) return place->second == holder;
  of_holder_[std::string(holder)].insert(*parsed);
  return true;
}

void AddressBook::hold_only(const std::set<std::string>& addresses, std::string_view holder) {
  if (const auto own = of_holder_.find(holder); own != of_holder_.end()) {
    for (const Ipv4 each : own->second) holders_.erase(each);
    of_holder_.erase(own);
  }
  for (const std::string& each : addresses) hold(each, holder);
}

std::optional<std::string_view> AddressBook::holder_of(std::string_view address) const {
  const auto parsed = parse_ipv4(address);
  if (!parsed) return std::nullopt;
  const auto found = holders_.find(*parsed);
  return found == holders_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

}  // namespace fairway::cloud
