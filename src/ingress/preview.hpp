// What a change of scope would cost, before anybody makes it; and where every controller stands. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ingress/observed.hpp"
#include "json/value.hpp"

namespace fairway::ingress {

struct ScopePreview {
  enum class Way {
    Nothing,      // it has that scope already
    InPlace,      // the cloud changes the load balancer
    Recreate,     // a new Service and load balancer
    Unsupported,  // the platform has no notion of it
    NotPublished  // by a load balancer
  };
  std::string controller;
  std::string platform;
  Way way = Way::Nothing;
  Scope have = Scope::External;
  Scope want = Scope::External;
  std::string address = {};            // that it has now
  bool is_consented = false;           // the operator deletes the Service by itself …
  std::string held_back = {};          // … but not now
  std::vector<std::string> lost = {};  // what was set on the Service by hand
  std::vector<std::string> warnings = {};
  bool operator==(const ScopePreview&) const = default;
};
std::string_view to_string(ScopePreview::Way way);

// `seen` has the controller, the configuration with a platform, and the Service where there is one.
ScopePreview preview_scope(const Observed& seen, Scope scope);
// For people: what happens, what becomes of the address, who has to do what, how to go back.
std::string to_text(const ScopePreview& preview);
json::Object to_json(const ScopePreview& preview);

// One line of the overview.
struct Standing {
  std::string name;
  std::string domain;
  std::string type;         // of the strategy
  std::string wanted = {};  // scope; empty where there is none
  std::string has = {};     // what the Service asks of the cloud; empty without one
  std::string address = {};
  std::string available = {};
  std::string progressing = {};  // the reason, "False", or "Unknown" where nothing is said
  std::string message = {};      // of Progressing
  bool operator==(const Standing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Standing, (),
                      (name, domain, type, wanted, has, address, available, progressing, message))

Standing standing_of(const Observed& seen);
// A table, and below it what waits for somebody.
std::string to_text(const std::vector<Standing>& all);

}  // namespace fairway::ingress
