# The headers that nearly every test includes, compiled once for all of them: parsing them again in each file takes
# longer than the rest of an unoptimised test. Libraries do without, so that each says what it includes.

set(headers
  <algorithm> <array> <chrono> <expected> <functional> <map> <memory> <optional> <ranges> <set> <span> <string>
  <string_view> <unordered_map> <variant> <vector>
  <boost/describe/class.hpp> <boost/json/value.hpp> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
set(source ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
file(CONFIGURE OUTPUT ${source} CONTENT "// Has the headers of all tests compiled.\n")
add_library(fairway_test_headers OBJECT ${source})
target_compile_options(fairway_test_headers PRIVATE -O0 "SHELL:-Xclang -fno-pch-timestamp")
target_link_libraries(fairway_test_headers PRIVATE fairway_flags GTest::gmock GTest::gtest fmt::fmt Boost::json)
target_precompile_headers(fairway_test_headers PRIVATE ${headers})

# ccache looks at this sum instead of the compiled headers, which have the paths of the machine inside: clones share
# their objects. It is that of the headers' text, made again when a package of this machine changes.
set(compiled ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/fairway_test_headers.dir/cmake_pch.hxx.pch)
list(TRANSFORM headers PREPEND "#include " OUTPUT_VARIABLE lines)
list(JOIN lines "\n" text)
file(WRITE ${CMAKE_BINARY_DIR}/generated/test_headers.hpp "${text}\n")
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++23 -E -P -DFMT_SHARED ${CMAKE_BINARY_DIR}/generated/test_headers.hpp
  OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
string(SHA256 sum "${preprocessed}")
file(WRITE ${compiled}.sum "${sum}\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS /var/lib/dpkg/status)
