// Rest: the verbs of the API on resources: get, list, watch, create, update, patch, delete, deletecollection,
// and the scale subresource. Who may do what has been decided before; what is answered, and in which form, is
// decided here.
#pragma once

#include <memory>
#include <string>

#include "apiserver/identity.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/output.hpp"
#include "apiserver/request_info.hpp"
#include "apiserver/watch.hpp"
#include "http/server.hpp"

namespace fairway::apiserver {

struct RestRequest {
  const http::Request& http;
  const RequestInfo& info;
  std::shared_ptr<const Catalog> catalog;  // kept for as long as the request runs
  const Resource& resource;
  const ServedVersion& version;
  Admission admission = {};
  // What was stored before this was stored under another schema, and is shown as the present one has it.
  store::Revision schema_since = 0;
};

class Rest {
 public:
  Rest(Objects& objects, TimerClock& clock, WatchLimits watch_limits = {})
      : objects_(objects), clock_(clock), watch_limits_(watch_limits) {}

  // Answers the request, errors included. An error of the Task means that the client has gone.
  Task<void> serve(RestRequest request, http::ResponseWriter& writer);

 private:
  struct Call;  // a request whose resource and version are known

  ApiResult<Call> resolve(const RestRequest& request) const;
  Task<void> watch(const Call& call, http::ResponseWriter& writer);
  ApiTask<http::Response> answer(const Call& call);
  ApiTask<http::Response> get(const Call& call);
  ApiTask<http::Response> list(const Call& call);
  ApiTask<http::Response> create(const Call& call);
  ApiTask<http::Response> update(const Call& call);
  ApiTask<http::Response> patch(const Call& call);
  ApiTask<http::Response> remove(const Call& call);
  ApiTask<http::Response> remove_collection(const Call& call);
  ApiTask<http::Response> scale(const Call& call);

  Objects& objects_;
  TimerClock& clock_;
  WatchLimits watch_limits_;
};

// `299 - "text"`: what kubectl prints as a warning.
void add_warnings(http::Response& response, const std::vector<std::string>& warnings);

}  // namespace fairway::apiserver
