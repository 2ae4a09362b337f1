#include "base/semver.hpp"

#include <gtest/gtest.h>
