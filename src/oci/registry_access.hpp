// RegistryAccess: how a service reaches registries: credentials, trusted authorities.
//
// Files are read each time a registry is opened, so that rotated credentials and authorities count from then
// on, without a restart. What is opened lives on the executor's event loop; the clock outlives it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "oci/reference.hpp"
#include "oci/registry.hpp"

namespace fairway::oci {

struct RegistrySettings {
  std::string credentials_file = {};  // docker's config.json; empty: anonymous
  std::string ca_file = {};           // PEM; empty: the system's authorities
};

// A registry and the connections to it.
struct OpenRegistry {
  std::unique_ptr<http::Client> client;
  std::unique_ptr<Registry> registry;
};

class RegistryAccess {
 public:
  RegistryAccess(RegistrySettings settings, boost::asio::any_io_executor executor, TimerClock& clock);

  Result<OpenRegistry> open(const RegistryHost& host) const;

 private:
  RegistrySettings settings_;
  boost::asio::any_io_executor executor_;
  TimerClock& clock_;
};

}  // namespace fairway::oci
