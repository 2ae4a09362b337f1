#include "cli/example_graph_data.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace fairway::cli {

std::span<const std::pair<std::string_view, std::string_view>> example_graph_data();

namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(const fs::path& path, const std::error_code& error) {
  return fail(ErrorCode::Unavailable, fmt::format("cannot write the example graph data to {}: {}",
                                                  quoted(path.string()), error.message()));
}

}  // namespace

Result<void> write_example_graph_data(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) return {};
  const fs::path partial = folder + ".new";
  fs::remove_all(partial, error);
  for (const auto& [name, text] : example_graph_data()) {
    const fs::path path = partial / name;
    fs::create_directories(path.parent_path(), error);
    if (error) return failed(path, error);
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) return failed(path, std::make_error_code(std::errc::io_error));
  }
  fs::rename(partial, folder, error);
  if (error) return failed(folder, error);
  return {};
}

}  // namespace fairway::cli
