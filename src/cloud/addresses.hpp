// Addresses: IPv4 networks, and who holds which address of a network. Pure.
//
// An AddressBook never gives one address to two holders. It is not a memory of its own: what it holds is read
// from the objects that the addresses are written on, and a proposal becomes a holding when it is written.
// Where the search for a free address begins follows from the holder, so that a successor seldom gets the
// address of its predecessor, as on real clouds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway::cloud {

using Ipv4 = std::uint32_t;  // in the machine's order
std::optional<Ipv4> parse_ipv4(std::string_view text);
std::string format_ipv4(Ipv4 address);

// 127.203.0.0/16. Bits behind the prefix are cut off.
struct Network {
  Ipv4 first = 0;
  int prefix = 32;

  // Usable addresses: all but the network's own and its last, where it is large enough to have any besides.
  std::uint64_t size() const;
  Ipv4 at(std::uint64_t index) const;
  bool contains(Ipv4 address) const;
  bool contains(std::string_view address) const;
  bool overlaps(const Network& other) const;
  std::string to_string() const;
  bool operator==(const Network&) const = default;
};
Result<Network> parse_network(std::string_view text);

class AddressBook {
 public:
  explicit AddressBook(Network network) : network_(network) {}

  const Network& network() const { return network_; }
  // An address that `holder` may have: one that it holds already, else a free one; none when all are taken.
  std::optional<std::string> propose(std::string_view holder) const;
  // False, and nothing changes, when somebody else holds it or it is not of this network.
  bool hold(std::string_view address, std::string_view holder);
  // Exactly these of this network; what else it held is free again.
  void hold_only(const std::set<std::string>& addresses, std::string_view holder);
  std::optional<std::string_view> holder_of(std::string_view address) const;
  std::size_t held() const { return holders_.size(); }

 private:
  Network network_;
  std::map<Ipv4, std::string> holders_;
  std::map<std::string, std::set<Ipv4>, std::less<>> of_holder_;
};

}  // namespace fairway::cloud
