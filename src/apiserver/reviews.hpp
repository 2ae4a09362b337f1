// Reviews: questions about access, asked by creating an object and answered in its status. Nothing is stored.
//
// The answers are pure functions of the question, of who asks and of what is asked to decide. Which access a
// question means, what is refused as malformed and what the status says is as in kube-apiserver.
#pragma once

#include <functional>
#include <string_view>

#include "apiserver/api_error.hpp"
#include "apiserver/identity.hpp"
#include "apiserver/rbac.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// May this user do this? Of oneself the answer also knows where the credential is good for.
using Decide = std::function<AccessDecision(const User& user, const AccessRequest& request)>;

ApiResult<json::Object> answer_self_access_review(const Resource& resource, json::Object review,
                                                  const User& asker, const Decide& decide);
ApiResult<json::Object> answer_access_review(const Resource& resource, json::Object review,
                                             const Decide& decide);
// `ns` is that of the request.
ApiResult<json::Object> answer_local_access_review(const Resource& resource, json::Object review,
                                                   std::string_view ns, const Decide& decide);
ApiResult<json::Object> answer_self_rules_review(json::Object review, const User& asker,
                                                 const RbacState& state);
ApiResult<json::Object> answer_self_review(json::Object review, const User& asker);

// username, uid, groups, extra: also what the audit log says about a user.
json::Object user_info(const User& user);

}  // namespace fairway::apiserver
