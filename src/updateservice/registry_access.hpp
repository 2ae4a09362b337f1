// RegistryAccess: how this service reaches registries: credentials, trusted authorities.
//
// Files are read each time a registry is opened, so that rotated credentials and authorities count from the
// next refresh on, without a restart.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "oci/reference.hpp"
#include "oci/registry.hpp"

namespace fairway::updateservice {

struct RegistrySettings {
  std::string credentials_file = {};  // docker's config.json; empty: anonymous
  std::string ca_file = {};           // PEM; empty: the system's authorities
};

// A registry and the connections to it.
struct OpenRegistry {
  std::unique_ptr<http::Client> client;
  std::unique_ptr<oci::Registry> registry;
};

class RegistryAccess {
 public:
  RegistryAccess(RegistrySettings settings, boost::asio::any_io_executor executor, TimerClock& clock);

  Result<OpenRegistry> open(const oci::RegistryHost& host) const;

 private:
  RegistrySettings settings_;
  boost::asio::any_io_executor executor_;
  TimerClock& clock_;
};

}  // namespace fairway::updateservice
