// SourceFile: one file of a graph-data tree, as whoever does I/O read it.
//
// Paths are relative to the tree's root, with '/' between their parts. The line functions find where
// something stands in a YAML file of block style, as people write it; 0 when it is not found, which only
// costs a finding its line number.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::graph {

struct SourceFile {
  std::string path;
  std::string text;
};

// In any order; readers go by the path.
using SourceFiles = std::vector<SourceFile>;

// 4.7.4-Name.yaml for blocked-edges/4.7.4-Name.yaml.
std::string_view file_name(std::string_view path);
// .yaml; empty when there is none.
std::string_view extension(std::string_view path);

// The line of the last of the keys, each looked for after the one before; the first stands at the margin.
std::size_t line_of_key(std::string_view text, std::initializer_list<std::string_view> path);
// The line of a list item with this text, quoted or not.
std::size_t line_of_item(std::string_view text, std::string_view item);

}  // namespace fairway::graph
