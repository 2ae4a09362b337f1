#include "updateservice/media.hpp"

#include <array>

#include "base/text.hpp"
#include "http/accept.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kCincinnatiV1 = "application/vnd.redhat.cincinnati.v1+json";

}  // namespace

std::string_view to_string(Media media) {
  return media == Media::Json ? kJson : kCincinnatiV1;
}

Judged<Media> choose_media(std::optional<std::string_view> accept) {
  if (!accept) return Media::CincinnatiV1;
  const std::string_view header = trim(*accept);
  if (header.empty() || header == kCincinnatiV1) return Media::CincinnatiV1;
  // "*" alone is no media range, but curl's and the reference's clients have sent it.
  if (header == kJson || header == "*/*" || header == "*") return Media::Json;
  const auto ranges = http::parse_accept(header);
  if (!ranges) return std::unexpected(invalid_content_type());
  const std::string_view best = http::negotiate(*ranges, {kJson, kCincinnatiV1});
  if (best.empty()) return std::unexpected(invalid_content_type());
  return best == kJson ? Media::Json : Media::CincinnatiV1;
}

Judged<void> require_json(std::optional<std::string_view> accept) {
  if (!accept) return {};
  const std::string_view header = trim(*accept);
  if (header.empty() || header == "*") return {};
  const auto ranges = http::parse_accept(header);
  if (!ranges || http::negotiate(*ranges, {kJson}).empty()) return std::unexpected(invalid_content_type());
  return {};
}

}  // namespace fairway::updateservice
