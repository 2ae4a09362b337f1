// Access: who a request comes from and whether it may do what it asks, for all logical clusters.
//
// Roles, bindings and tokens are followed as they change in the store. Secrets of type service-account-token
// are given their token, and issued tokens end with what they are bound to.
#pragma once

#include <set>
#include <string>

#include "apiserver/authentication.hpp"
#include "apiserver/authorization.hpp"
#include "apiserver/clusters.hpp"
#include "apiserver/key_queue.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/tokens.hpp"

namespace fairway::apiserver {

class Access {
 public:
  Access(Objects& objects, Clusters& clusters, TimerClock& clock, std::string ca_pem)
      : objects_(objects), clusters_(clusters), clock_(clock), ca_pem_(std::move(ca_pem)) {}

  Result<void> load_token_file(const std::string& path);
  void load();
  void hear(const store::Change& change);
  // Fills in the tokens of Secrets, until it is cancelled.
  Task<void> run();
  // Deletes the records of tokens that have expired, now and then, until it is cancelled.
  Task<void> expire_tokens();

  // 401 or the caller, with impersonation already checked.
  ApiResult<Caller> admit(const http::Request& request, const std::string& cluster) const;
  AccessDecision decide(const std::string& cluster, const Caller& caller,
                        const AccessRequest& request) const {
    return authorizer_.authorize(cluster, caller, request);
  }
  const RbacState& rbac(const std::string& cluster) const { return authorizer_.state(cluster); }

  // serviceaccounts/token: a new token, durable before it is told.
  ApiTask<json::Object> issue(const Place& account, json::Object request);

 private:
  void learn(const store::Entry& entry, bool is_gone);
  boost::asio::awaitable<bool> fill_secret(const store::Key& key);
  void forget_records(const std::string& cluster, const std::set<std::string>& sources);

  Objects& objects_;
  Clusters& clusters_;
  TimerClock& clock_;
  std::string ca_pem_;
  Authorizer authorizer_;
  TokenTable tokens_;
  KeyQueue secrets_;
};

}  // namespace fairway::apiserver
