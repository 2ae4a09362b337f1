// YAML to JSON values and back, over libyaml's events.
//
// Plain scalars are read as kubectl reads them (json/yaml_scalar.hpp has the rules): yes/no/on/off are
// booleans, 017 is fifteen, anything quoted is text. Merge keys (`<<`) and aliases are expanded; a key of the
// mapping itself wins over a merged one, wherever it stands. Duplicate keys, keys that are not scalars and
// more than the limits are errors, which name line and column. Unlike kubectl, which keeps the last of two
// equal keys, nothing is dropped silently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::json {

struct YamlOptions {
  std::size_t max_bytes = 16 * 1024 * 1024;
  std::size_t max_depth = 512;
  std::size_t max_documents = 10'000;
  // Values in one text after aliases and merge keys are expanded; a copy that an anchor keeps counts too, and
  // a text counts once more for each 64 bytes. This is what bounds memory.
  std::size_t max_nodes = 2'000'000;
  // Plain scalars that look like numbers stay text as written: 4.10 is a version, not 4.1.
  bool numbers_as_text = false;
};

// The one document of the text; null when there is none, an error when there are several.
Result<Value> parse_yaml(std::string_view text, const YamlOptions& options = {});
// All documents of a stream; empty ones (null) are left out, as kubectl does.
Result<std::vector<Value>> parse_yaml_documents(std::string_view text, const YamlOptions& options = {});

struct YamlStyle {
  bool sort_keys = false;  // kubectl prints keys sorted; otherwise they keep their order
};

// One document in block style, ending in a newline; quotes only where a reader would take the text for
// something else. Long lines are not folded. parse_yaml() gives the same value back.
std::string to_yaml(const Value& value, const YamlStyle& style = {});

}  // namespace fairway::json
