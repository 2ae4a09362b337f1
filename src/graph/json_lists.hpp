// Lists of texts as JSON, for the writers of this folder.
#pragma once

#include <span>
#include <string>

#include "json/value.hpp"

namespace fairway::graph {

inline json::Array to_array(std::span<const std::string> texts) {
  json::Array array;
  array.reserve(texts.size());
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

}  // namespace fairway::graph
