// The two formats with a grammar of their own: `uri` (as Go's url.ParseRequestURI accepts) and `email` (as
// Go's mail.ParseAddress accepts). For the schema files, and for whoever must know
// beforehand what a schema will refuse.
#pragma once

#include <string_view>

namespace fairway::json {

// An absolute path or a URI with a scheme; a fragment is not split off.
bool is_request_uri(std::string_view text);

// local@domain, optionally as `Display Name <local@domain>`.
bool is_email(std::string_view text);

}  // namespace fairway::json
