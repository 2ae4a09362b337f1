// Challenges: what a registry's WWW-Authenticate asks for (RFC 9110, section 11.6.1). Pure.
//
// One header can carry several challenges, and a challenge several parameters, with the same comma between
// both; a word that no '=' follows begins the next challenge.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::oci {

struct Challenge {
  std::string scheme = {};                                           // lower case: bearer, basic
  std::vector<std::pair<std::string, std::string>> parameters = {};  // names in lower case
  std::string token68 = {};  // what some schemes have instead of parameters

  std::optional<std::string_view> get(std::string_view name) const;
  bool operator==(const Challenge&) const = default;
};

Result<std::vector<Challenge>> parse_challenges(std::string_view header);

// The first challenge of a scheme; null when there is none.
const Challenge* find_challenge(const std::vector<Challenge>& challenges, std::string_view scheme);

}  // namespace fairway::oci
