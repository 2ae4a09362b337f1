// What a YAML scalar means: the rules of go-yaml v2, which kubectl and every Kubernetes client follow.
//
//   null      "" ~ null Null NULL
//   boolean   y Y yes Yes YES true True TRUE on On ON, and n N no No NO false False FALSE off Off OFF
//   integer   decimal, 0x…, 0o…, 0…, (octal), 0b…, with a sign, `_` between digits; what 64 bits hold
//   number    1.5 .5 5. 1e3 with a sign; what a 64-bit float holds (.inf and .nan have no JSON form: refused)
//   text      all else, among it times (2024-02-29), base 60 (1:30) and whatever is quoted
//
// A tag (!!str, !!int, !!float, !!bool, !!null, !!binary, !!timestamp) overrules; other tags mean text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::json {

struct YamlScalar {
  std::string_view text;
  std::string_view tag = {};  // "tag:yaml.org,2002:int" and so on; empty when there is none
  bool is_plain = true;
};

// An error says what was expected and found, not where.
Result<Value> resolve_scalar(const YamlScalar& scalar, bool numbers_as_text);

// The same for a scalar that stands as key: booleans and numbers become their text, null is refused.
Result<std::string> resolve_key(const YamlScalar& scalar, bool numbers_as_text);

// Whether a plain scalar is read back as this very text, by us and by readers of YAML 1.1 that know times and
// base 60. (Whether its characters may stand unquoted is another question.)
bool is_plain_text(std::string_view text);

}  // namespace fairway::json
