// What the files of the service share; not for others.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "graph/outcome.hpp"
#include "http/prepared_server.hpp"
#include "updateservice/service.hpp"

namespace fairway::updateservice {

inline constexpr const char* kJson = "application/json";

inline std::optional<std::string_view> accept_of(const http::RequestView& request) {
  return request.has_header("Accept") ? std::optional(request.header("Accept")) : std::nullopt;
}

// Any origin may read, as with the reference; browsers insist on being told their own.
inline std::string cors_headers(const http::RequestView& request) {
  const std::string_view origin = request.header("Origin");
  return origin.empty() ? std::string() : fmt::format("Access-Control-Allow-Origin: {}\r\n", origin);
}

// What is left of a request when its connection's bytes are gone.
struct Service::Waiting {
  http::Responder responder;
  std::string more_headers;
  std::string method;
  std::string target;
  std::string query;
  std::string peer;
  std::string accept_encoding;
  std::string if_none_match;
  Media media = Media::Json;
  IdKey id = {};
  std::shared_ptr<const Published> published = {};
  const Snapshot::View* view = nullptr;

  void send(Reply answer) { responder.send({std::move(answer), std::move(more_headers)}); }
};

}  // namespace fairway::updateservice
