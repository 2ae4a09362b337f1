// Session: requests to one registry, with authentication, redirects, retries and errors that say what to do.
// Not for use outside this folder.
//
// Redirects are followed here and not by the transport, because credentials must not follow them to another
// host, and a registry that is asked over TLS must not lead to plain HTTP.
#pragma once

#include <memory>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "oci/authorizer.hpp"
#include "oci/registry_options.hpp"

namespace fairway::oci {

struct Ask {
  std::string repository = {};
  std::string what = {};  // tag "4.7.4": for messages
  http::Url url = {};     // at the registry
  http::Headers headers = {};
};

struct Answer {
  int status = 0;
  http::Headers headers = {};
  std::string body = {};
};

class Session {
 public:
  Session(http::Transport& transport, TimerClock& clock, RegistryOptions options);

  // A 2xx answer whose body is still to be read.
  Task<std::unique_ptr<http::ResponseStream>> open(Ask ask);
  // The same, read whole.
  Task<Answer> fetch(Ask ask, std::size_t most_bytes);

  const RegistryOptions& options() const { return options_; }
  TimerClock& clock() { return clock_; }
  // "tag "4.7.4" of quay.io/ns/repo": where an error happened.
  std::string place(const Ask& ask) const;

 private:
  struct Arrival {
    std::unique_ptr<http::ResponseStream> stream;
    http::Url url;  // where the redirects led
  };

  Task<std::unique_ptr<http::ResponseStream>> open_once(Ask ask);
  Task<Answer> fetch_once(Ask ask, std::size_t most_bytes);
  Task<Arrival> follow(Ask ask, std::string authorization);
  Task<std::unique_ptr<http::ResponseStream>> knock(http::ClientRequest request);
  Error refusal(const Ask& ask, const Arrival& arrival, const std::string& complaint) const;
  Error explained(Error error, const http::Url& url) const;

  http::Transport& transport_;
  TimerClock& clock_;
  RegistryOptions options_;
  Authorizer authorizer_;
};

}  // namespace fairway::oci
