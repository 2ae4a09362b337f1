#include "promql/parser.hpp"

#include <gtest/gtest.h>

#include "promql/functions.hpp"
#include "promql/printer.hpp"

namespace fairway::promql {
namespace {

TEST(Functions, AreSortedAndComplete) {
  EXPECT_EQ(all_functions().size(), 89U);
  EXPECT_EQ(std::ranges::count_if(all_functions(), &Function::experimental), 17);
  for (const Function& function : all_functions()) EXPECT_EQ(find_function(function.name), &function);
  EXPECT_EQ(find_function("Rate"), nullptr);
  EXPECT_EQ(find_function(""), nullptr);
}

}  // namespace
}  // namespace fairway::promql
