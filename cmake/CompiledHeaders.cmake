# fairway_compile_headers(TARGET HEADERS <a> <b> …): headers that nearly every file of a target includes, compiled once.
#
# Clones and build folders share their objects through ccache: it looks at a sum of the headers' text instead of the
# compiled headers, which have the paths of the machine inside. The sum is made again when a package of this machine
# changes. FAIRWAY_SHARED_HEADERS=OFF parses them in every file again.
option(FAIRWAY_SHARED_HEADERS "Compile headers that many files include once for all" ON)

function(fairway_compile_headers target)
  if(NOT FAIRWAY_SHARED_HEADERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
  list(TRANSFORM ARG_HEADERS PREPEND "#include " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" text)
  set(listed ${CMAKE_BINARY_DIR}/generated/${target}_headers.hpp)
  file(WRITE ${listed} "${text}\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++23 -E -P -DFMT_SHARED ${listed}
                  OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 sum "${preprocessed}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum "${sum}\n")
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS /var/lib/dpkg/status)
endfunction()
