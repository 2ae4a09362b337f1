// Relay: passes a request on to another server and its answer back, as it comes.
//
// What belongs to one connection (Connection, Upgrade, …) stays on it; so do cookies and whatever speaks for
// the client by other means than its token (impersonation, a proxy's word for who it is). The answer is
// streamed: a watch is as live through the relay as without it, and ends when either side goes away.
#pragma once

#include <memory>
#include <string>

#include "async/task.hpp"
#include "http/client.hpp"
#include "http/server.hpp"
#include "json/value.hpp"

namespace fairway::console {

struct Upstream {
  std::string name;  // for messages
  http::Url server = {};
  std::shared_ptr<http::Transport> transport = {};  // without credentials of its own
};

// Pure.
http::Headers forwarded_headers(const http::Headers& request);
http::Headers returned_headers(const http::Headers& answer);

// `target` is the path and query below the upstream's own path; it begins with a slash.
Task<void> relay(const Upstream& upstream, std::string target, const http::Request& request,
                 http::ResponseWriter& writer);

// One whole answer for the relay's own use, asked with what the request carries.
Task<http::Response> fetch(const Upstream& upstream, std::string target, const http::Headers& headers);

// {"kind":"Status",…,"message":…,"code":…}: what clients of Kubernetes understand, and the pages too.
http::Response problem(int status, std::string_view message);
// A document of the console's own; never kept by anybody.
http::Response answer(const json::Object& document);

}  // namespace fairway::console
