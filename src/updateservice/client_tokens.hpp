// ClientTokens: the bearer tokens with which clients may send an id.
//
// One a line; '#' begins a comment. Kept as digests and compared in constant time. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.hpp"

namespace fairway::updateservice {

class ClientTokens {
 public:
  // Invalid when there is no token in it, or one is shorter than kLeastBytes.
  static Result<ClientTokens> parse(std::string_view text);
  static constexpr std::size_t kLeastBytes = 16;

  // The whole header: "Bearer TOKEN".
  bool accepts(std::string_view authorization) const;

 private:
  // The digest of a guess says nothing about the digests here, so looking one up leaks nothing.
  std::unordered_set<std::string> digests_;
};

}  // namespace fairway::updateservice
