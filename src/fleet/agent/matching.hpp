// Matching of two lists without order: as many wanted items as possible are given an item of their own.
//
// `fits(i, j)` says whether the j-th item is the i-th wanted one. A greedy choice can take the only item that
// another one fits, so choices are changed along augmenting paths (Kuhn); lists longer than kMostAugmented
// are matched greedily, which for items that fit by being equal gives the same. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace fairway::fleet::agent {

inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
inline constexpr std::size_t kMostAugmented = 500;

// For each wanted item the place of its own, or kNowhere.
std::vector<std::size_t> match_items(std::size_t wanted, std::size_t found,
                                     const std::function<bool(std::size_t, std::size_t)>& fits);

}  // namespace fairway::fleet::agent
