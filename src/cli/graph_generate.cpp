// fairway graph generate: graph data and releases of any size, to try things out with.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "graph/generate.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct GraphGenerateSettings {
  std::string folder;
  std::size_t seed = 1;
  std::size_t minors = 4;
  std::size_t patches = 10;
  std::size_t risks = 8;
  std::size_t targeted = 0;
  std::vector<std::string> architectures;
};

Result<void> write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (error || !file)
    return fail(ErrorCode::Unavailable, fmt::format("cannot write {}", quoted(path.string())));
  return {};
}

Result<void> run_generate(const GraphGenerateSettings& settings, Invocation& invocation) {
  std::error_code ignored;
  if (fs::exists(settings.folder, ignored) && !fs::is_empty(settings.folder, ignored)) {
    return fail(ErrorCode::AlreadyExists,
                fmt::format("expected a folder that is new or empty, found {} with something in it",
                            quoted(settings.folder)));
  }
  graph::GenerateOptions options{.seed = settings.seed,
                                 .minors = settings.minors,
                                 .patches = settings.patches,
                                 .risks = settings.risks,
                                 .targeted = settings.targeted};
  if (!settings.architectures.empty()) options.architectures = settings.architectures;
  const graph::GeneratedTree tree = generate_tree(options);
  const fs::path root(settings.folder);
  for (const graph::SourceFile& file : tree.files) FAIRWAY_CHECKED(write_file(root / file.path, file.text));
  FAIRWAY_CHECKED(write_file(root / "releases.jsonl", to_jsonl(tree.releases)));
  invocation.out << fmt::format("{} files and {} releases in {}\n", tree.files.size(), tree.releases.size(),
                                settings.folder);
  return {};
}

}  // namespace

void add_graph_generate(CLI::App& graph, Invocation& invocation) {
  CLI::App& command =
      *graph.add_subcommand("generate",
                            "Make graph data and releases of any size\n"
                            "\n"
                            "Made up but lifelike; the same numbers always give the same files.");
  command.group(kSubcommands);
  command.footer(
      "fairway graph generate ./made-up --minors 20 --patches 50 --risks 100 --arch amd64 --arch arm64");
  auto settings = std::make_shared<GraphGenerateSettings>();
  command.add_option("DIR", settings->folder, "A folder that is new or empty")->type_name("DIR")->required();
  number_option(command, "--seed", settings->seed, {0, 1'000'000'000}, "Another number, another tree");
  number_option(command, "--minors", settings->minors, {1, 200}, "How many minor versions");
  number_option(command, "--patches", settings->patches, {1, 1000},
                "Releases of each, candidates not counted");
  number_option(command, "--risks", settings->risks, {0, 10'000}, "How many risks");
  number_option(command, "--targeted", settings->targeted, {0, 10'000},
                "Blocks that the service decides by the client's id");
  command
      .add_option("--arch", settings->architectures,
                  "An architecture; repeatable, amd64 and arm64 by default")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  on_chosen(command, invocation, std::move(settings), run_generate);
}

}  // namespace fairway::cli
