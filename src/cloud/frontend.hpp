// Frontend: what a load balancer shows to clients: where it listens, whom it admits, where connections go.
// Pure values, made from the Service, its record and the cloud's settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/addresses.hpp"
#include "cloud/load_balancer.hpp"
#include "cloud/profile.hpp"
#include "json/value.hpp"
#include "kube/core/names.hpp"

namespace fairway::cloud {

struct Settings {
  Profile profile;
  Network external{0x7fcb0000, 16};   // 127.203.0.0/16
  Network internal{0x7f4d0000, 16};   // 127.77.0.0/16
  std::vector<Network> inside = {};   // clients of internal ones; empty: `internal`
  std::uint16_t port_offset = 0;      // added to the ports that are listened on
  std::string domain = "cloud.test";  // of host names

  const Network& range(Scope scope) const { return scope == Scope::Internal ? internal : external; }
};

struct FrontendPort {
  std::string name = {};
  std::uint16_t port = 0;    // of the Service
  std::uint16_t listen = 0;  // with the offset
  std::string target = {};   // a number or the name of a container's port
  bool operator==(const FrontendPort&) const = default;
};

struct Frontend {
  std::string uid;  // of the Service
  Scope scope = Scope::External;
  std::string address;
  std::vector<FrontendPort> ports = {};
  std::vector<std::string> source_ranges = {};  // empty: from anywhere
  ProxyHeader proxy = ProxyHeader::None;
  bool keeps_client = false;   // backends see the client's own address
  kube::Labels selector = {};  // of pods; empty: of none
  bool operator==(const Frontend&) const = default;
};

// TCP only; other ports of the Service are left out.
Frontend frontend_of(const json::Object& service, const LoadBalancer& record, const Settings& settings);
// The name or address that the Service's status shows.
std::string published_name(const LoadBalancer& record, const Settings& settings);

// Whether a client from there is served. A range that cannot be read admits nobody.
bool admits(const Frontend& frontend, std::string_view client, const Settings& settings);

// Where a connection to this port can go.
struct Backend {
  std::string pod;
  std::string address;
  std::uint16_t port = 0;
  bool operator==(const Backend&) const = default;
};
// Of those pods that are ready and have such a port.
std::vector<Backend> backends_of(const std::vector<std::shared_ptr<const json::Object>>& pods,
                                 const FrontendPort& port);

// Played pods listen this far above their containers' ports, where low ports need root.
inline constexpr std::string_view kPodPortOffset = "cloud.fairway.dev/port-offset";

}  // namespace fairway::cloud
