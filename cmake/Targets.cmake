# The few functions that the CMakeLists below src/ and tests/ are written with.

add_library(fairway_flags INTERFACE)
target_include_directories(fairway_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(fairway_flags INTERFACE -pthread -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                       -Wno-missing-field-initializers -Wno-gnu-zero-variadic-macro-arguments
                       -Wno-deprecated-declarations)  # libstdc++ 12's own algorithms use what C++23 deprecates
# Asio and Beast are compiled once (async/asio.cpp, http/beast.cpp), not in every file that includes them.
target_compile_definitions(fairway_flags INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE
                           BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
target_link_options(fairway_flags INTERFACE -fuse-ld=lld)
if(FAIRWAY_SANITIZE)
  target_compile_options(fairway_flags INTERFACE -fsanitize=${FAIRWAY_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  if(FAIRWAY_SANITIZE_WITHOUT)
    target_compile_options(fairway_flags INTERFACE -fno-sanitize=${FAIRWAY_SANITIZE_WITHOUT})
  endif()
  target_link_options(fairway_flags INTERFACE -fsanitize=${FAIRWAY_SANITIZE})
endif()
if(FAIRWAY_FUZZ)
  target_compile_options(fairway_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# For programs that run for long or allocate much: a third less time than with the C library's allocator where many
# small JSON values come and go. Sanitizers bring their own.
add_library(fairway_allocator INTERFACE)
if(NOT FAIRWAY_SANITIZE AND NOT FAIRWAY_FUZZ)
  target_link_libraries(fairway_allocator INTERFACE PkgConfig::jemalloc)
endif()

# Sources are compiled twelve at a time, which reads their headers and makes their templates once: more than half of a
# clean build's time. They see each other's private names; where two of a target mean different things by one name, a
# better name is the remedy, or a second heap: those listed as APART. ./dev check takes every file alone, so that one which
# leans on its neighbours is found out.
option(FAIRWAY_MERGED_SOURCES "Compile several sources of a target at a time" ON)
function(fairway_merge_sources target)
  if(NOT FAIRWAY_MERGED_SOURCES)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;APART" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(heap SOURCES APART)
    set(place 0)
    foreach(source IN LISTS ARG_${heap})
      math(EXPR batch "${place} / 12")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${heap}_${batch})
      math(EXPR place "${place} + 1")
    endforeach()
  endforeach()
endfunction()

# fairway_library(json DEPENDS base EXTERNAL Boost::json SOURCES value.cpp … [APART codec.cpp …])
# makes the target fairway_json. DEPENDS names other layers; CMake's graph is the dependency rule.
function(fairway_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXTERNAL;SOURCES;APART" ${ARGN})
  add_library(fairway_${name} STATIC ${ARG_SOURCES} ${ARG_APART})
  fairway_merge_sources(fairway_${name} SOURCES ${ARG_SOURCES} APART ${ARG_APART})
  target_link_libraries(fairway_${name} PUBLIC fairway_flags)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(fairway_${name} PUBLIC fairway_${dependency})
  endforeach()
  target_link_libraries(fairway_${name} PUBLIC ${ARG_EXTERNAL})
  set_property(GLOBAL APPEND PROPERTY FAIRWAY_LIBRARIES fairway_${name})
  if(name MATCHES "_testing$")
    fairway_compile_quickly(${name})
  endif()
  if("async" IN_LIST ARG_DEPENDS)
    set_property(TARGET fairway_${name} PROPERTY FAIRWAY_WAITS TRUE)
  endif()
endfunction()

# Libraries of many templates and little work: with sanitizers, optimising them takes longer than it saves the tests.
function(fairway_compile_quickly name)
  if(FAIRWAY_SANITIZE)
    target_compile_options(fairway_${name} PRIVATE -O0)
    set_property(TARGET fairway_${name} PROPERTY FAIRWAY_QUICK TRUE)
  endif()
endfunction()

# Optimising a test takes longer than running it; what it tests is optimised.
function(fairway_compile_as_test target)
  target_compile_options(${target} PRIVATE -O0)
  if(FAIRWAY_SHARED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM fairway_test_headers)
  endif()
endfunction()

# fairway_test(json_test DEPENDS json SOURCES value_test.cpp … [APART …] [LABELS slow] [TIMEOUT 60] [COST 50] [READS_PROJECT])
# makes one executable; every TEST in it is a test of ctest. With READS_PROJECT, FAIRWAY_SOURCE_DIR is the project's root.
# Tests of a high COST (about seconds) begin first: none of the long ones shall be alone at the end.
function(fairway_test name)
  if(NOT FAIRWAY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "READS_PROJECT" "TIMEOUT;COST" "DEPENDS;EXTERNAL;SOURCES;APART;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES} ${ARG_APART})
  fairway_merge_sources(${name} SOURCES ${ARG_SOURCES} APART ${ARG_APART})
  fairway_compile_as_test(${name})
  target_link_libraries(${name} PRIVATE fairway_flags GTest::gmock GTest::gtest_main ${ARG_EXTERNAL})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE fairway_${dependency})
  endforeach()
  if(ARG_READS_PROJECT)
    target_compile_definitions(${name} PRIVATE FAIRWAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
  include(GoogleTest)
  set(properties TIMEOUT ${ARG_TIMEOUT} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  if(ARG_COST)
    list(APPEND properties COST ${ARG_COST})
  endif()
  if(ARG_LABELS)
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  # Names of cases are the ones the tests give; the printed bytes of a parameter differ from run to run.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
