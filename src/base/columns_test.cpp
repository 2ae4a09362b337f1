#include "base/columns.hpp"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(Columns, AreAsWideAsTheirWidestCell) {
  EXPECT_EQ(in_columns({{"NAME", "STATE"}, {"a", "in progress"}, {"longer", ""}}),
            "NAME    STATE\n"
            "a       in progress\n"
            "longer  -\n");
  EXPECT_EQ(in_columns({}), "");
  EXPECT_EQ(in_columns({{"", "x"}, {"only"}}), "-     x\nonly\n");
}

}  // namespace
}  // namespace fairway
