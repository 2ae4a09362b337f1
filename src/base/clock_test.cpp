#include "base/clock.hpp"

#include <gtest/gtest.h>
