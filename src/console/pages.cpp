#include "console/pages.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "http/crypto.hpp"

namespace fairway::console {
namespace {

constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view content_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".svg", "image/svg+xml"},
      {".txt", "text/plain; charset=utf-8"},
      {".webmanifest", "application/manifest+json"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

// assets/console-1A2B3C4D.js: the build names assets after what is in them.
bool is_named_by_content(std::string_view name) {
  constexpr std::size_t kLeastDigest = 8;
  if (!name.starts_with("assets/")) return false;
  const std::size_t dash = name.rfind('-');
  const std::size_t dot = name.find('.', dash == std::string_view::npos ? 0 : dash);
  return dash != std::string_view::npos && dot != std::string_view::npos && dot - dash > kLeastDigest;
}

}  // namespace

void add_safety_headers(http::Headers& headers) {
  headers.set("Content-Security-Policy", std::string(kContentSecurityPolicy));
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
}

http::Response serve_page(Files files, const http::Request& request, std::string_view path) {
  const std::string_view name = path == "/" ? "index.html" : path.substr(1);
  const auto file = std::ranges::find(files, name, &Files::value_type::first);
  http::Response response;
  add_safety_headers(response.headers);
  if (file == files.end()) {
    response.status = 404;
    response.headers.set("Content-Type", "text/plain; charset=utf-8");
    response.body = fmt::format("the console has no {}\n", quoted(path));
    return response;
  }
  const std::string etag = fmt::format("\"{}\"", encode_hex(http::sha256(file->second)).substr(0, 32));
  response.headers.set("ETag", etag);
  response.headers.set("Cache-Control",
                       is_named_by_content(name) ? "public, max-age=31536000, immutable" : "no-cache");
  if (request.headers.has_token("If-None-Match", etag)) {
    response.status = 304;
    return response;
  }
  response.headers.set("Content-Type", std::string(content_type(name)));
  response.body = std::string(file->second);
  return response;
}

}  // namespace fairway::console
