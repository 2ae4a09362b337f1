// What an Expr owns. Only the parser writes one; everybody else sees it through Expr.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "promql/ast.hpp"

namespace fairway::promql {

struct Expr::Tree {
  explicit Tree(std::size_t arena_bytes) : arena(std::max<std::size_t>(arena_bytes, 64)) {}
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  std::pmr::monotonic_buffer_resource arena;
  std::string_view text;
  std::vector<Node> nodes;
  std::vector<DurationNode> durations;
  std::size_t depth = 0;

  std::string_view keep(std::string_view bytes) {
    if (bytes.empty()) return {};
    auto* copy = static_cast<char*>(arena.allocate(bytes.size(), 1));
    std::ranges::copy(bytes, copy);
    return {copy, bytes.size()};
  }
  template <class T>
  std::span<const T> keep(std::span<const T> items) {
    if (items.empty()) return {};
    auto* copy = static_cast<T*>(arena.allocate(items.size_bytes(), alignof(T)));
    std::ranges::uninitialized_copy(items, std::span(copy, items.size()));
    return {copy, items.size()};
  }
};

}  // namespace fairway::promql
