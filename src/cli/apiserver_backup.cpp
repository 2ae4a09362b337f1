// fairway apiserver backup: one file with everything in the store, taken while the server runs or without it.
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "async/callback.hpp"
#include "async/event_loop.hpp"
#include "base/text.hpp"
#include "cli/backup_download.hpp"
#include "cli/command.hpp"
#include "cli/data_directory.hpp"
#include "cli/serve.hpp"
#include "kube/client/client_config.hpp"
#include "store/check.hpp"
#include "store/store.hpp"

namespace fairway::cli {
namespace {

struct BackupSettings {
  std::string file;
  std::string data;
  std::string kubeconfig;
  std::string context;
};

Task<void> copy_store(store::Store& store, std::string file) {
  return async::await_callback<void>(
      [&store, file = std::move(file)](auto done) { store.backup(file, std::move(done)); });
}

// Of a store that no server uses.
Result<void> back_up_directory(async::EventLoop& loop, const std::string& directory,
                               const std::string& file) {
  FAIRWAY_TRY(auto store,
              store::Store::open({.directory = directory, .clock = loop.clock(), .post = [&](store::Job job) {
                                    loop.post(std::move(job));
                                  }}));
  const auto copied = loop.block_on(copy_store(*store, file));
  FAIRWAY_CHECKED(store->close());
  return copied;
}

Result<void> back_up_server(async::EventLoop& loop, const std::string& kubeconfig, const std::string& context,
                            const std::string& file) {
  kube::ConfigSources sources = kube::ConfigSources::from_environment();
  sources.kubeconfig.explicit_file = kubeconfig;
  sources.choice.context = context;
  FAIRWAY_TRY(const auto config, kube::load_client_config(sources));
  return loop.block_on(download_backup(loop, config, file));
}

Result<void> back_up_data(async::EventLoop& loop, const std::string& data, const std::string& file) {
  std::error_code ignored;
  const std::string directory = store_directory(data);
  if (!std::filesystem::exists(store::store_file(directory), ignored)) {
    return fail(
        ErrorCode::NotFound,
        fmt::format("expected a store in {}, found none: say with --data where the server keeps its data, "
                    "or with --kubeconfig where it answers",
                    quoted(directory)));
  }
  const auto done = back_up_directory(loop, directory, file);
  const bool is_in_use = !done && done.error().code == ErrorCode::Unavailable;
  return is_in_use ? back_up_server(loop, kubeconfig_file(data), "", file) : done;
}

// A backup that cannot be restored is worse than none: it is read whole before this says that it is there.
Result<void> verify(const std::string& file, Invocation& invocation) {
  FAIRWAY_TRY(const auto report, store::check(file));
  if (!report.findings.empty()) {
    return fail(ErrorCode::Internal,
                fmt::format("the backup {} is damaged: {}", quoted(file), report.findings.front()));
  }
  invocation.out << fmt::format("{}: {} objects, revision {}\n", file, report.objects, report.revision);
  return {};
}

Result<void> run_backup(const BackupSettings& settings, Invocation& invocation) {
  async::EventLoop loop;
  if (!settings.kubeconfig.empty() || !settings.context.empty()) {
    FAIRWAY_CHECKED(back_up_server(loop, settings.kubeconfig, settings.context, settings.file));
  } else {
    const std::string data =
        settings.data.empty() ? default_data_directory(process_environment()) : settings.data;
    FAIRWAY_CHECKED(back_up_data(loop, data, settings.file));
  }
  return verify(settings.file, invocation);
}

constexpr const char* kApiserverBackupDescription =
    "Write everything that the server holds into one file, while it runs\n"
    "\n"
    "The file holds all writes that were acknowledged before it was finished, secrets included; it is "
    "readable by\n"
    "its owner only. To restore, stop the server, put the file in the place of DIR/store/fairway.db and "
    "start again.\n"
    "Keys and certificates (DIR/pki) are not part of it.";

}  // namespace

void add_apiserver_backup(CLI::App& apiserver, Invocation& invocation) {
  CLI::App& command = *apiserver.add_subcommand("backup", kApiserverBackupDescription);
  command.group(kSubcommands);
  command.footer(
      "# Of the server that keeps its data in ./data, whether it runs or not\n"
      "fairway apiserver backup ./backup.db --data ./data\n"
      "\n"
      "# Of a server elsewhere\n"
      "fairway apiserver backup ./backup.db --kubeconfig ./kubeconfig");
  auto settings = std::make_shared<BackupSettings>();
  command.add_option("FILE", settings->file, "The file to write; replaced if it exists")
      ->type_name("FILE")
      ->required();
  CLI::Option& data = add_data_option(command, settings->data, "The data directory of the server");
  auto* kubeconfig = command.add_option("--kubeconfig", settings->kubeconfig, "How to reach the server");
  kubeconfig->type_name("FILE")->excludes(&data);
  command.add_option("--context", settings->context, "The context of the kubeconfig to use")
      ->type_name("NAME")
      ->excludes(&data);
  on_chosen(command, invocation, std::move(settings), run_backup);
}

}  // namespace fairway::cli
