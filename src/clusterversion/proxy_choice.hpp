// ProxyChoice: which proxy, if any, a request to a host goes through, by what the cluster's Proxy object
// says. Pure.
//
// noProxy is a comma list of `*`, host names, domains (with all below them) and addresses, each with or
// without a port; networks in CIDR notation. Loopback addresses never go through a proxy.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/message.hpp"
#include "json/value.hpp"

namespace fairway::clusterversion {

struct ProxySettings {
  std::string http_proxy = {};
  std::string https_proxy = {};
  std::string no_proxy = {};
};

// Of status.
ProxySettings proxy_settings(const json::Object& proxy);

// Nothing: directly.
Result<std::optional<http::Url>> proxy_for(const http::Url& url, const ProxySettings& settings);

}  // namespace fairway::clusterversion
