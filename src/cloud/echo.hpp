// EchoSession: what a played pod says on one connection. Health where the probes ask, otherwise who asked
// whom.
//
// Bytes in, bytes out; no I/O. Understands HTTP/1.x with bodies of known length, and a PROXY header in front,
// so that a client behind a load balancer is told its own address.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "cloud/proxy_protocol.hpp"

namespace fairway::cloud {

struct EchoIdentity {
  std::string pod;
  std::set<std::string> health_paths = {};  // that are answered with "ok" on this port
};

class EchoSession {
 public:
  struct Output {
    std::string bytes = {};
    bool is_over = false;  // the connection is closed after these bytes
  };

  // `peer` is who connected; the client too, where nobody says otherwise.
  EchoSession(EchoIdentity identity, std::string peer, std::uint16_t peer_port);

  Output feed(std::string_view bytes);

 private:
  bool take_proxy_header(Output& output);
  bool take_request(Output& output);
  std::string answer(std::string_view method, std::string_view path, std::string_view host) const;

  EchoIdentity identity_;
  std::string peer_;
  ProxyAddresses addresses_;
  ProxyHeader proxy_ = ProxyHeader::None;
  bool is_begun_ = false;  // what may stand in front has been read
  std::string pending_;
};

}  // namespace fairway::cloud
