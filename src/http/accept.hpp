// Accept: content negotiation as RFC 9110 defines it, with media-type parameters (Kubernetes asks for
// application/json;as=Table;v=v1;g=meta.k8s.io).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::http {

struct MediaRange {
  std::string type;                                             // lower case; * for any
  std::string subtype;                                          // lower case; * for any
  std::vector<std::pair<std::string, std::string>> parameters;  // without q; names in lower case
  double quality = 1.0;

  std::string_view parameter(std::string_view name) const;  // empty when absent
  bool covers(std::string_view media_type) const;           // "application/json"
};

// A header that is absent or empty accepts everything. Ranges come most preferred first: by quality, then by
// their place in the header; refused ones (q=0) are kept last.
Result<std::vector<MediaRange>> parse_accept(std::string_view header);

// One media type with parameters, as Content-Type has it.
Result<MediaRange> parse_media_type(std::string_view text);

// The best of `offered` (in the server's order of preference), or nothing when none is acceptable.
std::string_view negotiate(const std::vector<MediaRange>& accepted,
                           const std::vector<std::string_view>& offered);

}  // namespace fairway::http
