// Authentication: from an HTTP request to the caller.
//
// A verified client certificate names its user (CN) and groups (O); otherwise a bearer token does; otherwise
// the caller is anonymous. Credentials that are not understood or not known are refused, never taken for
// anonymous. A caller may ask to act as somebody else (Impersonate-User and its companions), which the verb
// `impersonate` must allow.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "apiserver/api_error.hpp"
#include "apiserver/identity.hpp"
#include "apiserver/tokens.hpp"
#include "base/clock.hpp"
#include "http/message.hpp"

namespace fairway::apiserver {

// 401 for credentials that are no good. Impersonation is not looked at.
ApiResult<Caller> authenticate(const http::Request& request, const TokenTable& tokens, WallTime now);

// Whom the headers ask to act as, and all that must be allowed for it.
struct Impersonation {
  User user;
  std::vector<AccessRequest> needs;
};
ApiResult<std::optional<Impersonation>> impersonation_in(const http::Headers& headers);

// The caller as whom the request acts: itself, or whom it asks to be and may be. `decide` is asked as the
// caller.
using DecideForCaller = std::function<AccessDecision(const Caller& caller, const AccessRequest& request)>;
ApiResult<Caller> impersonate(Caller caller, const http::Headers& headers, const DecideForCaller& decide);

}  // namespace fairway::apiserver
