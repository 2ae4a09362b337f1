#include "base/log.hpp"

#include <gtest/gtest.h>
