#include "oci/body.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kMostComplaintBytes = 64 * 1024;

std::string complaint_of(const std::string& body) {
  const auto object = json::parse_object(body, {.max_depth = 32, .max_bytes = kMostComplaintBytes});
  if (!object) return {};
  // The token services of some registries answer flatly: {"details": …} or {"message": …}.
  for (const std::string_view name : {"message", "details", "error"}) {
    if (const auto text = json::get_string(*object, {name})) return std::string(*text);
  }
  const json::Array* errors = json::get_array(*object, {"errors"});
  if (errors == nullptr || errors->empty() || !errors->front().is_object()) return {};
  const json::Object& first = errors->front().get_object();
  const auto message = json::get_string(first, {"message"});
  return std::string(message ? *message : json::get_string(first, {"code"}).value_or(""));
}

}  // namespace

Task<std::string> read_body(http::ResponseStream& stream, std::size_t most_bytes, Duration timeout) {
  std::string body;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream.read(timeout));
    if (piece.empty()) co_return body;
    if (piece.size() > most_bytes - body.size()) {
      co_return fail(ErrorCode::Invalid,
                     fmt::format("expected an answer of at most {} bytes, found more", most_bytes));
    }
    body += piece;
  }
}

Task<std::string> read_complaint(http::ResponseStream& stream, Duration timeout) {
  auto body = co_await read_body(stream, kMostComplaintBytes, timeout);
  if (!body) {
    if (body.error().code == ErrorCode::Cancelled) co_return body;
    co_return std::string();
  }
  co_return complaint_of(*body);
}

}  // namespace fairway::oci
