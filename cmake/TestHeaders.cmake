# The headers that nearly every test includes, compiled once for all of them: parsing them again in each file takes
# longer than the rest of an unoptimised test.
include(CompiledHeaders)

set(source ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
file(CONFIGURE OUTPUT ${source} CONTENT "// Has the headers of all tests compiled.\n")
add_library(fairway_test_headers OBJECT ${source})
target_compile_options(fairway_test_headers PRIVATE -O0)
target_link_libraries(fairway_test_headers PRIVATE fairway_flags GTest::gmock GTest::gtest fmt::fmt Boost::json)
fairway_compile_headers(fairway_test_headers HEADERS
  <algorithm> <array> <chrono> <expected> <functional> <map> <memory> <optional> <ranges> <set> <span> <string>
  <string_view> <unordered_map> <variant> <vector>
  <boost/describe/class.hpp> <boost/json/value.hpp> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
