#include "device/migrate.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/object_rewrite.hpp"
#include "device/programs.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxObjectBytes = 16 * 1024 * 1024;
constexpr std::string_view kDraftSuffix = ".fairway-draft";

Result<void> rewrite_file(const std::string& path, const struct stat& facts, const RewriteStep& step,
                          RewriteReport& report) {
  FAIRWAY_TRY(const auto text, read_if_exists(path, kMaxObjectBytes));
  auto changed = rewrite_objects(path, text.value_or(""), step, report);
  if (!changed) return std::unexpected(std::move(changed).error().within(path));
  if (!*changed) return {};
  return replace_file(path, path + std::string(kDraftSuffix), **changed, facts.st_mode & 07777);
}

Result<void> rewrite_below(const std::string& folder, const RewriteStep& step, RewriteReport& report) {
  FAIRWAY_TRY(const auto names, list_if_exists(folder));
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    const std::string path = folder + "/" + name;
    FAIRWAY_TRY(const auto facts, stat_if_exists(path));
    if (facts && S_ISDIR(facts->st_mode)) FAIRWAY_CHECKED(rewrite_below(path, step, report));
    if (facts && S_ISREG(facts->st_mode) && name.ends_with(kDraftSuffix)) FAIRWAY_CHECKED(remove_file(path));
    if (facts && S_ISREG(facts->st_mode) && is_object_file(name))
      FAIRWAY_CHECKED(rewrite_file(path, *facts, step, report));
  }
  return {};
}

Result<void> run_rewrite(const Place& place, const MigrationStep& step, const std::string& file) {
  FAIRWAY_TRY(const auto text, read_if_exists(file, kMaxObjectBytes));
  auto rewrite = RewriteStep::parse(text.value_or(""));
  if (!rewrite) return std::unexpected(std::move(rewrite).error().within(step.hook));
  RewriteReport report;
  FAIRWAY_CHECKED(rewrite_below(place.in_data(rewrite->folder), *rewrite, report));
  log::info("migration", {{"step", step.name}, {"objects", to_text(report)}});
  return {};
}

Result<void> run_hook(const Place& place, const MigrationStep& step, const std::string& program) {
  FAIRWAY_TRY(const ProgramResult result,
              run_program({program}, {{"FROM", step.from}, {"TO", step.to}, {"DATA", place.data()}}));
  if (!trim(result.output).empty()) log::info("migration", {{"step", step.name}, {"said", result.output}});
  if (result.exit_code == 0) return {};
  return fail(ErrorCode::Unavailable,
              fmt::format("migration step {} failed with exit code {}", quoted(step.name), result.exit_code));
}

}  // namespace

Result<void> run_migration_step(const Place& place, const MigrationStep& step) {
  const std::string file = place.root.real(place.settings.migrations + "/" + step.hook);
  FAIRWAY_CHECKED(step.hook.ends_with(".yaml") ? run_rewrite(place, step, file)
                                               : run_hook(place, step, file));
  return sync_file_system(place.data());
}

}  // namespace fairway::device
