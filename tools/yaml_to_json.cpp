// yaml_to_json FROM TO FILE…: writes TO/FILE, as JSON, for each YAML file FROM/FILE.
//
// Run while building, for files that are part of the binary: a server reads them at every start.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "json/value.hpp"
#include "json/yaml.hpp"

namespace {

bool convert(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::ifstream in(from, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto parsed =
      in ? fairway::json::parse_yaml(text) : fairway::fail(fairway::ErrorCode::NotFound, "cannot be read");
  if (!parsed) {
    std::fprintf(stderr, "%s: %s\n", from.c_str(), parsed.error().describe().c_str());
    return false;
  }
  std::filesystem::create_directories(to.parent_path());
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out << fairway::json::serialize(*parsed) << std::flush;
  if (!out) std::fprintf(stderr, "%s: cannot be written\n", to.c_str());
  return out.good();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: yaml_to_json FROM TO FILE...\n");
    return 2;
  }
  for (int i = 3; i < count; ++i) {
    if (!convert(std::filesystem::path(arguments[1]) / arguments[i],
                 std::filesystem::path(arguments[2]) / arguments[i]))
      return 1;
  }
  return 0;
}
