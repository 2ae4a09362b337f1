// What a registry is asked with. Plain values.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "oci/credentials.hpp"
#include "oci/reference.hpp"
#include "oci/retry.hpp"

namespace fairway::oci {

struct RegistryOptions {
  RegistryHost registry = {};
  Credentials credentials = {};
  RetryPolicy retry = {};
  Duration request_timeout = std::chrono::seconds(30);  // to the head of an answer
  Duration read_timeout = std::chrono::seconds(30);     // for each piece of a body
  Duration blob_timeout = std::chrono::minutes(30);     // for all of a blob
  int page_size = 1000;                                 // tags asked for at once
  // How the user makes an authority known, for the message about a certificate that is not trusted: the flag
  // or the file that the program has for it.
  std::string trust_hint = "add the PEM certificate of its authority to the trusted ones";
};

}  // namespace fairway::oci
