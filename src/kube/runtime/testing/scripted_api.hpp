// ScriptedApi: the far end of component tests, with faults on demand.
//
// It keeps objects with versions and a history, answers lists (with pages), watches (with resume, bookmarks
// and 410) and plain writes, and on request fails requests, cuts connections in the middle of an event, chops
// events into pieces and forgets its history. All from a seed, so that a failing test can be replayed. It
// knows nothing of schemas, validation or access: those are tested against the real server.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "http/client.hpp"
#include "json/value.hpp"
#include "kube/client/backoff.hpp"
#include "kube/client/testing/scripted_transport.hpp"
#include "kube/core/object.hpp"
#include "kube/core/request.hpp"
#include "kube/core/watch_event.hpp"

namespace fairway::kube::testing {

class ScriptedApi {
 public:
  // Shares of 1.
  struct Faults {
    double failing = 0;  // requests that end in a lost connection, half of them after they were carried out
    double overloaded = 0;  // requests that are answered with 429 and Retry-After
    double cut = 0;         // events in the middle of which the watch's connection breaks
    double chopped = 0;     // events that arrive in two pieces
    double forgetting = 0;  // watches and pages that find their version gone
  };
  struct Counts {
    int lists = 0;
    int watches = 0;
    int writes = 0;
    int failures = 0;
    int cuts = 0;
    int gone = 0;
  };

  explicit ScriptedApi(TimerClock& clock, std::uint64_t seed = 1);

  std::shared_ptr<ScriptedTransport> transport() { return transport_; }

  // Directly, as if another client did it.
  void put(const GroupVersionResource& type, json::Object object);
  void remove(const GroupVersionResource& type, const ObjectKey& key);
  std::optional<json::Object> get(const GroupVersionResource& type, const ObjectKey& key) const;
  std::vector<json::Object> all(const GroupVersionResource& type) const;
  // Forgets all history: what is older than now is gone.
  void compact() { oldest_ = version_; }
  void send_bookmarks();
  // As a restart of the server does.
  void cut_all_watches();
  std::uint64_t version() const { return version_; }

  Faults faults;
  Counts counts;

 private:
  struct Stored {
    json::Object object;
    std::uint64_t version = 0;
  };
  struct Past {
    std::uint64_t version;
    GroupVersionResource type;
    WatchEvent::Type event;
    json::Object object;
  };
  struct Watch {
    GroupVersionResource type;
    std::string ns;
    std::shared_ptr<StreamScript> stream;
  };
  struct Asked;

  bool happens(double share) { return share > 0 && random_.unit() < share; }
  Result<http::Response> answer(const http::ClientRequest& request);
  Result<std::unique_ptr<http::ResponseStream>> open(const http::ClientRequest& request);
  http::Response carry_out(const http::ClientRequest& request, const Asked& asked);
  http::Response list(const Asked& asked);
  http::Response write(const http::ClientRequest& request, const Asked& asked);
  http::Response patch(const Asked& asked, const json::Object& change);
  http::Response store(const GroupVersionResource& type, json::Object object, WatchEvent::Type event);
  void announce(const GroupVersionResource& type, WatchEvent::Type event, const json::Object& object);
  void deliver(Watch& watch, WatchEvent::Type event, const json::Object& object);

  TimerClock& clock_;
  Random random_;
  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;
  std::uint64_t uids_ = 0;
  std::map<std::pair<GroupVersionResource, ObjectKey>, Stored> objects_;
  std::vector<Past> history_;
  std::vector<Watch> watches_;
  std::shared_ptr<ScriptedTransport> transport_;
};

}  // namespace fairway::kube::testing
