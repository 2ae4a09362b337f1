// Where queries come from: the command line, stdin, and files of several kinds.
//
// A .json file holds a list of texts or of objects; a .yaml file is graph data (a blocked edge with
// matchingRules, or the older clusters.promql) or a file of rules; any other file is one query as it stands.
// A folder stands for the .yaml and .json files in it, in the order of their names.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway::cli {

struct QuerySource {
  std::string name;  // of the file and the place in it; "query" for one of the command line
  std::string text;
};

// `argument` is a file or folder that exists, "-" for `in`, or the query itself. What ends like a file of
// queries must exist.
Result<std::vector<QuerySource>> read_queries(const std::string& argument, std::istream& in);

// From a parsed JSON or YAML text: every query in it. Exposed for its tests.
Result<std::vector<QuerySource>> queries_in_json(std::string_view name, std::string_view text);
Result<std::vector<QuerySource>> queries_in_yaml(std::string_view name, std::string_view text);

Result<std::string> read_file(const std::string& path);

}  // namespace fairway::cli
