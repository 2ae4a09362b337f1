// Navigation: where a registry's answer points to, by Location or by Link. Pure.
//
// Credentials and pages stay with the origin that was asked (same scheme, host and port); what leads
// elsewhere is for the caller to judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/message.hpp"

namespace fairway::oci {

bool is_redirect(int status);

// A reference in an answer from `base`: absolute, //host/path, /path, ?query or relative to the last slash.
Result<http::Url> resolve(const http::Url& base, std::string_view reference);

// The target of rel="next" in the Link headers (RFC 8288); nothing on the last page.
Result<std::optional<std::string>> next_link(const http::Headers& headers);

}  // namespace fairway::oci
