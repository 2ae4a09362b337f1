// The functions of the language with their signatures; 17 of them are experimental, as in Prometheus 3.
//
// The table is static and sorted by name; a Function's address identifies it. What they compute is the
// evaluator's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "promql/types.hpp"

namespace fairway::promql {

struct Function {
  std::string_view name;
  std::span<const ValueType> arg_types;
  // 0: exactly arg_types.size() arguments. n > 0: the last type may be missing or be repeated, up to
  // arg_types.size() - 1 + n arguments in all. -1: the same without an upper bound.
  int variadic = 0;
  ValueType return_type = ValueType::Vector;
  bool experimental = false;
};

// Case matters, as in the language; nothing for an unknown name.
const Function* find_function(std::string_view name);
std::span<const Function> all_functions();

}  // namespace fairway::promql
