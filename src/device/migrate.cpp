#include "device/migrate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/programs.hpp"
#include "device/step_file.hpp"
#include "json/yaml.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxObjectBytes = 16 * 1024 * 1024;
constexpr std::string_view kDraftSuffix = ".fairway-draft";

// Objects in files below a folder.
class FolderRewrite {
 public:
  FolderRewrite(const RewriteStep& step, bool writes) : step_(step), writes_(writes) {}

  Result<void> run(const std::string& folder) {
    FAIRWAY_TRY(const auto names, list_if_exists(folder));
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      const std::string path = folder + "/" + name;
      FAIRWAY_TRY(const auto facts, stat_if_exists(path));
      if (facts && S_ISDIR(facts->st_mode)) FAIRWAY_CHECKED(run(path));
      if (!facts || !S_ISREG(facts->st_mode)) continue;
      if (writes_ && name.ends_with(kDraftSuffix)) FAIRWAY_CHECKED(remove_file(path));
      if (is_object_file(name)) FAIRWAY_CHECKED(rewrite(path, *facts));
    }
    return {};
  }

  const RewriteReport& report() const { return report_; }

 private:
  Result<void> rewrite(const std::string& path, const struct stat& facts) {
    FAIRWAY_TRY(const auto text, read_if_exists(path, kMaxObjectBytes));
    auto changed = rewrite_objects(path, text.value_or(""), step_, report_);
    if (!changed) return std::unexpected(std::move(changed).error().within(path));
    if (!*changed || !writes_) return {};
    return replace_file(path, path + std::string(kDraftSuffix), **changed, facts.st_mode & 07777);
  }

  const RewriteStep& step_;
  bool writes_;
  RewriteReport report_ = {};
};

std::string file_of(const Place& place, const MigrationStep& step) {
  return place.root.real(place.settings.migrations + "/" + step.hook);
}

Result<StepFile> read_step(const Place& place, const MigrationStep& step) {
  FAIRWAY_TRY(const auto text, read_if_exists(file_of(place, step), kMaxObjectBytes));
  auto file = parse_step_file(text.value_or(""));
  if (!file) return std::unexpected(std::move(file).error().within(step.hook));
  return file;
}

Result<std::vector<json::Object>> read_definitions(const std::string& folder) {
  std::vector<json::Object> found;
  FAIRWAY_TRY(const auto names, list_if_exists(folder));
  if (!names) return fail(ErrorCode::NotFound, fmt::format("expected {} to exist", quoted(folder)));
  for (const std::string& name : *names) {
    if (!is_object_file(name)) continue;
    FAIRWAY_TRY(const auto text, read_if_exists(folder + "/" + name, kMaxObjectBytes));
    auto documents = json::parse_yaml_documents(text.value_or(""));  // JSON is YAML
    if (!documents) return std::unexpected(std::move(documents).error().within(name));
    for (json::Value& document : *documents) {
      if (document.is_object()) found.push_back(std::move(document.get_object()));
    }
  }
  return found;
}

// A file as it stands; stores can be larger than memory.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts{};
    if (!file || ::fstat(file.get(), &facts) != 0) return system_failure("read", path);
    MappedFile mapped;
    mapped.size_ = static_cast<std::size_t>(facts.st_size);
    if (mapped.size_ == 0) return mapped;
    void* start = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) return system_failure("read", path);
    mapped.start_ = static_cast<const char*>(start);
    return mapped;
  }
  MappedFile(MappedFile&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile(const MappedFile&) = delete;
  ~MappedFile() {
    if (start_ != nullptr) ::munmap(const_cast<char*>(start_), size_);
  }
  std::string_view bytes() const { return {start_, start_ == nullptr ? 0 : size_}; }

 private:
  MappedFile() = default;
  const char* start_ = nullptr;
  std::size_t size_ = 0;
};

Result<std::string> look_at_etcd(const std::string& data, const EtcdStep& step) {
  const std::string path = data + "/" + step.file;
  FAIRWAY_TRY(const auto facts, stat_if_exists(path));
  if (!facts) return std::string("there is no etcd store");
  FAIRWAY_TRY(const MappedFile file, MappedFile::open(path));
  auto said = check_etcd(step, file.bytes());
  if (!said) return std::unexpected(std::move(said).error().within(path));
  return said;
}

// One kind each.
class StepRunner {
 public:
  StepRunner(const Place& place, const MigrationStep& step, const StepRun& run)
      : place_(place), step_(step), run_(run) {}

  Result<std::string> operator()(const RewriteStep& rewrite) const {
    FolderRewrite folder(rewrite, true);
    FAIRWAY_CHECKED(folder.run(place_.in_data(rewrite.folder)));
    return to_text(folder.report());
  }

  Result<std::string> operator()(const StorageStep& storage) const {
    if (!run_.migrate_storage)
      return fail(ErrorCode::Unsupported,
                  fmt::format("migration step {} needs a client of API servers, and there is none here",
                              quoted(step_.name)));
    StorageWork work{.step = storage, .data = place_.data(), .position = run_.position};
    if (!storage.kubeconfig.empty()) work.step.kubeconfig = place_.root.real(storage.kubeconfig);
    if (!storage.definitions.empty()) {
      FAIRWAY_TRY(work.definitions,
                  read_definitions(parent_of(file_of(place_, step_)) + "/" + storage.definitions));
    }
    work.save = run_.save_position;
    auto report = run_.migrate_storage(work);
    if (!report) return std::unexpected(std::move(report).error().within(step_.name));
    return to_text(*report);
  }

  Result<std::string> operator()(const EtcdStep& etcd) const { return look_at_etcd(place_.data(), etcd); }

 private:
  const Place& place_;
  const MigrationStep& step_;
  const StepRun& run_;
};

Result<std::string> run_hook(const Place& place, const MigrationStep& step) {
  FAIRWAY_TRY(
      const ProgramResult result,
      run_program({file_of(place, step)}, {{"FROM", step.from}, {"TO", step.to}, {"DATA", place.data()}}));
  if (result.exit_code == 0) return std::string(trim(result.output));
  return fail(ErrorCode::Unavailable,
              fmt::format("migration step {} failed with exit code {}", quoted(step.name), result.exit_code));
}

bool is_built_in(const MigrationStep& step) {
  return step.hook.ends_with(".yaml");
}

}  // namespace

Result<std::string> run_migration_step(const Place& place, const MigrationStep& step, const StepRun& run) {
  std::string said;
  if (is_built_in(step)) {
    FAIRWAY_TRY(const StepFile file, read_step(place, step));
    FAIRWAY_TRY(said, std::visit(StepRunner(place, step, run), file));
  } else {
    FAIRWAY_TRY(said, run_hook(place, step));
  }
  FAIRWAY_CHECKED(sync_file_system(place.data()));
  return said;
}

Result<std::string> preview_migration_step(const Place& place, const MigrationStep& step,
                                           const std::string& tree) {
  if (!is_built_in(step)) return std::string();
  FAIRWAY_TRY(const StepFile file, read_step(place, step));
  if (const auto* rewrite = std::get_if<RewriteStep>(&file)) {
    FolderRewrite folder(*rewrite, false);
    FAIRWAY_CHECKED(folder.run(tree + "/" + rewrite->folder));
    return to_text(folder.report());
  }
  if (const auto* etcd = std::get_if<EtcdStep>(&file)) return look_at_etcd(tree, *etcd);
  return std::string();
}

}  // namespace fairway::device
