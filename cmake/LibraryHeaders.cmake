# fairway_share_headers(): the headers of others that nearly every library includes, compiled once for all of them.
#
# That halves the time of most files. ./dev check does without (FAIRWAY_SHARED_HEADERS=OFF), so that a file which does
# not say what it includes is found out there. Libraries that wait for something (async) have the headers of Asio too;
# optimised and unoptimised ones cannot share.
include(CompiledHeaders)

set(FAIRWAY_PLAIN_HEADERS
  <algorithm> <array> <chrono> <cstdint> <expected> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <utility> <variant> <vector>
  <boost/describe/class.hpp> <boost/json/value.hpp> <boost/mp11/algorithm.hpp> <fmt/format.h>)
set(FAIRWAY_ASYNC_HEADERS ${FAIRWAY_PLAIN_HEADERS}
  <boost/asio/any_io_executor.hpp> <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/this_coro.hpp>
  <boost/asio/use_awaitable.hpp>)

# The target that has one set of headers compiled, made when the first library asks for it.
function(fairway_headers_for library into)
  get_property(waits TARGET ${library} PROPERTY FAIRWAY_WAITS)
  get_property(quick TARGET ${library} PROPERTY FAIRWAY_QUICK)
  if(waits)
    set(kind ASYNC)
  else()
    set(kind PLAIN)
  endif()
  string(TOLOWER fairway_${kind}_headers name)
  if(quick)
    string(APPEND name _quick)
  endif()
  if(NOT TARGET ${name})
    set(source ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Has the headers of libraries compiled.\n")
    add_library(${name} OBJECT ${source})
    target_link_libraries(${name} PRIVATE fairway_flags fmt::fmt Boost::json)
    if(quick)
      target_compile_options(${name} PRIVATE -O0)
    endif()
    fairway_compile_headers(${name} HEADERS ${FAIRWAY_${kind}_HEADERS})
  endif()
  set(${into} ${name} PARENT_SCOPE)
endfunction()

function(fairway_share_headers)
  if(NOT FAIRWAY_SHARED_HEADERS)
    return()
  endif()
  get_property(libraries GLOBAL PROPERTY FAIRWAY_LIBRARIES)
  foreach(library IN LISTS libraries)
    get_property(own TARGET ${library} PROPERTY PRECOMPILE_HEADERS)
    if(NOT own)
      fairway_headers_for(${library} headers)
      target_compile_options(${library} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
      target_precompile_headers(${library} REUSE_FROM ${headers})
    endif()
  endforeach()
endfunction()
