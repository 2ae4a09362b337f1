# fairway_embed(fairway_apiserver FUNCTION fairway::apiserver::embedded_files ROOT api FILES api/crds/a.yaml …)
# compiles text files into a target. The function, which a header of the target declares, returns
#   std::span<const std::pair<std::string_view, std::string_view>>
# name (relative to ROOT) and text of each file, sorted by name. The same file is the generator, run at build time,
# so that a changed file costs one small compilation and no configure run. With AS_JSON, YAML files keep their names and
# become JSON, which takes less to read.
function(fairway_embed target)
  cmake_parse_arguments(ARG "AS_JSON" "FUNCTION;ROOT" "FILES" ${ARGN})
  if(ARG_AS_JSON)
    fairway_make_json(${ARG_ROOT} ${CMAKE_CURRENT_BINARY_DIR}/json "${ARG_FILES}" ARG_FILES)
    set(ARG_ROOT ${CMAKE_CURRENT_BINARY_DIR}/json)
  endif()
  string(MAKE_C_IDENTIFIER "${ARG_FUNCTION}" stem)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp)
  set(generator ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  list(SORT ARG_FILES)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${ARG_FUNCTION} -DROOT=${ARG_ROOT} "-DFILES=${ARG_FILES}"
            -DOUTPUT=${output} -P ${generator}
    DEPENDS ${ARG_FILES} ${generator}
    COMMENT "Embedding files for ${target}"
    VERBATIM)
  # A raw literal longer than the 64 KiB that the standard asks of compilers is fine with ours.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE ${output})
endfunction()

# The YAML files below one folder as JSON files below another, made by a program of our own.
function(fairway_make_json from to files made)
  if(NOT TARGET fairway_yaml_to_json)
    add_executable(fairway_yaml_to_json ${CMAKE_SOURCE_DIR}/tools/yaml_to_json.cpp)
    target_link_libraries(fairway_yaml_to_json PRIVATE fairway_json)
  endif()
  set(names "")
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name ${from} ${file})
    list(APPEND names ${name})
  endforeach()
  list(TRANSFORM names PREPEND ${to}/ OUTPUT_VARIABLE outputs)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND fairway_yaml_to_json ${from} ${to} ${names}
    DEPENDS ${files} fairway_yaml_to_json
    COMMENT "Reading YAML files of ${from}"
    VERBATIM)
  set(${made} ${outputs} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

string(REGEX MATCH "^(.*)::([^:]+)$" matched "${FUNCTION}")
set(space "${CMAKE_MATCH_1}")
set(name "${CMAKE_MATCH_2}")
list(LENGTH FILES count)
set(entries "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  file(RELATIVE_PATH short "${ROOT}" "${file}")
  string(FIND "${text}" ")embedded\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} contains the text that ends a raw literal here")
  endif()
  string(APPEND entries "    {\"${short}\"sv, R\"embedded(${text})embedded\"sv},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/Embed.cmake.
#include <array>
#include <span>
#include <string_view>
#include <utility>

using namespace std::string_view_literals;
using File = std::pair<std::string_view, std::string_view>;

namespace {
constexpr std::array<File, ${count}> kFiles{{
${entries}}};
}  // namespace

namespace ${space} {
std::span<const File> ${name}();
std::span<const File> ${name}() { return kFiles; }
}  // namespace ${space}
")
