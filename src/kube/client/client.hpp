// Client: the verbs of the Kubernetes API against one server, on objects as JSON. Api<T> (api.hpp) is the
// same for described structs.
//
// A failure is an Error made of the server's metav1.Status, with the request in its context. Requests are
// sent again only where retry.hpp allows it, never faster than the rate limit, and never change another path
// than the one asked for: the base path of the server's URL is kept, because a logical cluster lives below
// one. Belongs to one event loop; arguments are values because a task starts when it is awaited.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/client.hpp"
#include "json/value.hpp"
#include "kube/client/backoff.hpp"
#include "kube/client/retry.hpp"
#include "kube/client/watch_stream.hpp"
#include "kube/core/object.hpp"
#include "kube/core/request.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::kube {

struct ObjectList {
  std::vector<json::Object> items;
  ListMeta metadata = {};
};

struct ApplyOptions {
  std::string field_manager = {};  // the client's own when empty
  bool force = false;
  bool dry_run = false;
};

struct ClientOptions {
  std::string user_agent = "fairway";
  std::string field_manager = "fairway";  // of writes that name none
  double requests_per_second = 50;        // 0: no limit
  double burst = 100;
  Duration timeout = std::chrono::seconds(30);  // of one attempt
  std::int64_t page_size = 500;                 // of list_all()
  RetryPolicy retry = {};
  std::uint64_t seed = 1;                // of the jitter
  metrics::Registry* metrics = nullptr;  // rest_client_*; none when null
};

class Discovery;

class Client {
 public:
  // `server` is scheme, host, port and base path.
  Client(std::shared_ptr<http::Transport> transport, TimerClock& clock, http::Url server,
         ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Task<json::Object> get(Resource resource, GetOptions options = {});
  // One page, as the options ask for.
  Task<ObjectList> list(Resource resource, ListOptions options = {});
  // All pages. When the server forgets the list half-way (410), it is asked once more for everything at once.
  Task<ObjectList> list_all(Resource resource, ListOptions options = {});
  Task<std::unique_ptr<WatchStream>> watch(Resource resource, WatchOptions options = {});

  Task<json::Object> create(Resource resource, json::Object object, WriteOptions options = {});
  Task<json::Object> update(Resource resource, json::Object object, WriteOptions options = {});
  Task<json::Object> update_status(Resource resource, json::Object object, WriteOptions options = {});
  Task<json::Object> patch(Resource resource, PatchKind kind, json::Value patch, PatchOptions options = {});
  Task<json::Object> apply(Resource resource, json::Object object, ApplyOptions options = {});
  // What the server says of it: the object while finalizers hold it, else a Status.
  Task<json::Object> remove(Resource resource, DeleteOptions options = {});
  Task<json::Object> remove_collection(Resource resource, DeleteOptions options = {},
                                       ListOptions chosen = {});

  // Any request; the answer must be a JSON object.
  Task<json::Object> call(ApiRequest request);
  // Any request; the answer as text (/version, /metrics, logs).
  Task<std::string> call_text(ApiRequest request);

  // Where objects of this kind are found; asked of the server and remembered.
  Discovery& discovery() { return *discovery_; }
  // Where this object is found. One without a namespace is in `default_namespace` if its kind lives in
  // namespaces.
  Task<Resource> locate(json::Object object, std::string default_namespace = "default");

  const http::Url& server() const { return server_; }
  TimerClock& clock() { return clock_; }

 private:
  struct Metrics;

  http::ClientRequest http_request(const ApiRequest& request) const;
  Task<http::Response> exchange(ApiRequest request);
  Task<json::Object> send(Result<ApiRequest> request);
  Task<void> throttle();
  void count(const ApiRequest& request, std::string code, SteadyTime started);
  Error failure(const ApiRequest& request, int status, const http::Headers& headers,
                std::string_view body) const;

  std::shared_ptr<http::Transport> transport_;
  TimerClock& clock_;
  http::Url server_;
  ClientOptions options_;
  TokenBucket bucket_;
  Random random_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Discovery> discovery_;
};

}  // namespace fairway::kube
