#include "cli/promql_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <istream>
#include <iterator>

#include "async/files.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "json/yaml.hpp"

namespace fairway::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // metrics of a large cluster

constexpr std::array<std::string_view, 5> kQueryKeys = {"promql", "query", "expr", "q", "promQL"};

// Where a value lies, with its parents; the walk is as deep as the parsers allow.
void collect(const json::Value& value, const std::string& where, bool is_query,
             std::vector<QuerySource>& out) {
  if (value.is_string()) {
    if (is_query) out.push_back({where, std::string(json::view(value.as_string()))});
    return;
  }
  if (value.is_array()) {
    std::size_t index = 0;
    for (const json::Value& item : value.as_array()) {
      collect(item, fmt::format("{}[{}]", where, index++), is_query, out);
    }
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, item] : value.as_object()) {
    const std::string_view name(key.data(), key.size());
    const bool names_query = std::ranges::find(kQueryKeys, name) != kQueryKeys.end();
    collect(item, fmt::format("{}.{}", where, name), names_query, out);
  }
}

std::string title(std::string_view file, const json::Value& value) {
  if (!value.is_object()) return std::string(file);
  const auto name = json::get_string(value.as_object(), {"name"});
  return name ? fmt::format("{} ({})", file, *name) : std::string(file);
}

bool is_file_of_queries(std::string_view path) {
  return path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml") ||
         path.ends_with(".promql");
}

Result<std::vector<QuerySource>> read_one(const std::string& path) {
  FAIRWAY_TRY(const std::string text, read_file(path));
  if (path.ends_with(".json")) return queries_in_json(path, text);
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return queries_in_yaml(path, text);
  return std::vector<QuerySource>{{path, text}};
}

Result<std::vector<QuerySource>> read_folder(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (is_file_of_queries(entry.path().native())) files.push_back(entry.path().native());
  }
  if (error) {
    return fail(ErrorCode::Unavailable, fmt::format("cannot read {}: {}", quoted(path), error.message()));
  }
  std::ranges::sort(files);
  std::vector<QuerySource> out;
  for (const std::string& file : files) {
    FAIRWAY_TRY(auto queries, read_one(file));
    std::ranges::move(queries, std::back_inserter(out));
  }
  return out;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  return fairway::read_file(path, kMostBytes);
}

Result<std::vector<QuerySource>> queries_in_json(std::string_view name, std::string_view text) {
  auto value = json::parse(text);
  if (!value)
    return std::unexpected(std::move(value).error().within(fmt::format("while reading {}", quoted(name))));
  std::vector<QuerySource> out;
  collect(*value, title(name, *value), true, out);
  return out;
}

Result<std::vector<QuerySource>> queries_in_yaml(std::string_view name, std::string_view text) {
  auto documents = json::parse_yaml_documents(text, {.numbers_as_text = true});
  if (!documents) {
    return std::unexpected(
        std::move(documents).error().within(fmt::format("while reading {}", quoted(name))));
  }
  std::vector<QuerySource> out;
  for (const json::Value& document : *documents) collect(document, title(name, document), false, out);
  return out;
}

Result<std::vector<QuerySource>> read_queries(const std::string& argument, std::istream& in) {
  if (argument == "-") {
    return std::vector<QuerySource>{{"stdin", {std::istreambuf_iterator<char>(in), {}}}};
  }
  std::error_code error;
  const auto status = std::filesystem::status(argument, error);
  if (!error && std::filesystem::is_directory(status)) return read_folder(argument);
  if (!error && std::filesystem::exists(status)) return read_one(argument);
  if (is_file_of_queries(argument)) {
    return fail(ErrorCode::NotFound,
                fmt::format("expected a query or a file, found {}, which does not exist", quoted(argument)));
  }
  return std::vector<QuerySource>{{"query", argument}};
}

}  // namespace fairway::cli
