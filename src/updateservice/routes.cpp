#include "updateservice/routes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::updateservice {
namespace {

struct Entry {
  std::string_view path;
  Endpoint endpoint;
};

constexpr std::array kEntries{
    Entry{"/graph", Endpoint::Graph},
    Entry{"/v1/graph", Endpoint::Graph},
    Entry{"/openapi", Endpoint::OpenApi},
    Entry{"/v1/openapi", Endpoint::OpenApi},
    Entry{"/graph-data", Endpoint::GraphData},
    Entry{"/channels", Endpoint::Channels},
    Entry{"/explain", Endpoint::Explain},
    Entry{"/path", Endpoint::Path},
    Entry{"/diff", Endpoint::Diff},
    Entry{"/as-of", Endpoint::AsOf},
    Entry{"/revisions", Endpoint::Revisions},
};
constexpr std::string_view kSignatures = "/signatures/";

}  // namespace

Result<std::string> normalise_prefix(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  const auto allowed = [](char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#' && c != '%'; };
  if (!std::ranges::all_of(text, allowed)) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a path such as /api/upgrades_info as prefix, found {}", quoted(text)));
  }
  return text.empty() ? std::string() : fmt::format("/{}", text);
}

Route find_route(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return {};
  path.remove_prefix(prefix.size());
  for (const Entry& entry : kEntries) {
    if (path == entry.path) return {entry.endpoint, {}, entry.path};
  }
  if (path.starts_with(kSignatures)) {
    path.remove_prefix(kSignatures.size());
    return {Endpoint::Signatures, path, "/signatures"};
  }
  return {};
}

}  // namespace fairway::updateservice
