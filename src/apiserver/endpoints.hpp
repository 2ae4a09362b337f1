// Endpoints: everything under the server's root that is not about one resource: health, version, discovery,
// OpenAPI, metrics, and the backup.
#pragma once

#include <memory>

#include "apiserver/openapi.hpp"
#include "apiserver/request_info.hpp"
#include "async/task.hpp"
#include "base/metrics.hpp"
#include "http/server.hpp"
#include "store/store.hpp"

namespace fairway::apiserver {

class Endpoints {
 public:
  Endpoints(store::Store& store, metrics::Registry& metrics);
  ~Endpoints();

  Task<void> serve(const http::Request& request, const RequestInfo& info,
                   std::shared_ptr<const Catalog> catalog, http::ResponseWriter& writer);
  void set_ready(bool is_ready) { is_ready_ = is_ready; }

 private:
  ApiResult<http::Response> answer(const http::Request& request, const RequestInfo& info,
                                   const std::shared_ptr<const Catalog>& catalog);
  ApiResult<http::Response> health(const RequestInfo& info) const;
  http::Response metrics_text();
  Task<void> send_backup(http::ResponseWriter& writer);

  store::Store& store_;
  metrics::Registry& metrics_;
  bool is_ready_ = false;
  OpenApi openapi_;
};

}  // namespace fairway::apiserver
