#include "json/value.hpp"

#include <gtest/gtest.h>
