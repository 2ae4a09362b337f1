#include "base/text.hpp"

#include <gtest/gtest.h>
