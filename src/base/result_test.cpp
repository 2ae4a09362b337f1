#include "base/result.hpp"

#include <gtest/gtest.h>
