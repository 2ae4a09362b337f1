// Pages: the console's files, as they are built into the binary, and the headers that they are served with.
//
// A page may load nothing from another host, run no script and use no style that is not a file of ours, and
// be framed by nobody. Files whose name holds a digest of their content are kept by browsers for good; all
// others are asked for again, with an ETag. Pure.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "http/message.hpp"

namespace fairway::console {

using Files = std::span<const std::pair<std::string_view, std::string_view>>;

// What the build put in; "index.html", "assets/console-1a2b.js".
Files embedded_pages();

// The answer to GET or HEAD of a path; 404 where there is no such file.
http::Response serve_page(Files files, const http::Request& request, std::string_view path);

// For everything that the console answers itself.
void add_safety_headers(http::Headers& headers);

}  // namespace fairway::console
