// Authorizer: how one registry is told who asks. Not for use outside this folder.
//
// Nothing is sent until the registry challenges; from then on its scheme is known and sent unasked. Bearer
// tokens are for pulling from one repository, kept until shortly before they expire, and fetched once however
// many tasks need them. A secret goes to the registry or to the token service that it names, and to that one
// only over TLS, unless the registry itself is asked in plain.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "oci/credentials.hpp"
#include "oci/reference.hpp"
#include "oci/retry.hpp"

namespace fairway::oci {

struct Challenge;

class Authorizer {
 public:
  struct Settings {
    RegistryHost registry = {};
    Credentials credentials = {};
    RetryPolicy retry = {};
    Duration timeout = std::chrono::seconds(30);
  };

  Authorizer(http::Transport& transport, TimerClock& clock, Settings settings);

  // The Authorization header for a repository as far as it is known; empty: none.
  Task<std::string> header_for(std::string repository);
  // The one to answer a 401 with. `rejected` is what was sent; it is not offered again.
  Task<std::string> header_after(std::string repository, http::Headers challenge, std::string rejected);

  // "the credentials of entry "quay.io/ns"" or "no credentials": for messages.
  std::string whose(std::string_view repository) const;

 private:
  struct Bearer {
    http::Url realm;
    std::string service;
  };
  struct Flight {
    std::optional<Error> failure;
    async::Notify ended;
  };
  struct Token {
    std::string text;
    SteadyTime good_until;
    std::shared_ptr<Flight> flight;  // set while it is being fetched
  };
  struct Grant {
    std::string token;
    Duration lifetime;
  };

  Result<Bearer> read_bearer(const Challenge& challenge) const;
  const Credential* credential_for(std::string_view repository) const;
  Task<std::string> token_for(std::string repository, Bearer from, std::string rejected);
  Task<Grant> fetch_token(std::string repository, Bearer from);
  Task<Grant> fetch_token_once(std::string repository, Bearer from);
  http::ClientRequest token_request(const std::string& repository, const Bearer& from) const;

  http::Transport& transport_;
  TimerClock& clock_;
  Settings settings_;
  bool asks_for_basic_ = false;
  std::optional<Bearer> bearer_;
  std::map<std::string, Token> tokens_;  // by repository
};

}  // namespace fairway::oci
