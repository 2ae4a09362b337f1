// fairway apiserver check: examines a store that no server uses.
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/data_directory.hpp"
#include "store/check.hpp"

namespace fairway::cli {
namespace {

struct CheckSettings {
  std::string path;
};

// A data directory holds the store in a folder of its own; a store's folder or a backup is taken as it is.
std::string store_in(const std::string& path) {
  std::error_code ignored;
  const std::string inner = store_directory(path);
  return std::filesystem::is_directory(inner, ignored) ? inner : path;
}

Result<void> run_check(const CheckSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto report, store::check(store_in(settings.path)));
  invocation.out << fmt::format("objects: {}\nrows: {}\nrevision: {}\nhistory since: {}\n", report.objects,
                                report.rows, report.revision, report.compacted);
  for (const std::string& finding : report.findings) invocation.out << fmt::format("damaged: {}\n", finding);
  if (!report.findings.empty()) {
    return fail(ErrorCode::Invalid, fmt::format("{} is damaged; restore a backup", quoted(settings.path)));
  }
  invocation.out << "sound\n";
  return {};
}

constexpr const char* kApiserverCheckDescription =
    "Check a data directory or a backup for damage\n"
    "\n"
    "Reads every page and every row and changes nothing. Stop the server first.";

}  // namespace

void add_apiserver_check(CLI::App& apiserver, Invocation& invocation) {
  CLI::App& command = *apiserver.add_subcommand("check", kApiserverCheckDescription);
  command.group(kSubcommands);
  command.footer("fairway apiserver check ./data\nfairway apiserver check ./backup.fairway");
  auto settings = std::make_shared<CheckSettings>();
  command.add_option("DIR", settings->path, "A data directory, or the file of a backup")
      ->type_name("FILE")
      ->required();
  on_chosen(command, invocation, std::move(settings), run_check);
}

}  // namespace fairway::cli
