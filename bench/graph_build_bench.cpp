// From text to answers: how long a refresh of the real graph data takes, for five architectures.
//
//   graph_build_bench [DATA-FOLDER] [ROUNDS]
//
// DATA-FOLDER has graph-data/ and releases.jsonl; ../shared/data beside the project by default, and a
// generated tree of about the same size where that is absent. Prints the best of the rounds, and the goal for
// building (0.2 s).
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <sys/resource.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/graph_data.hpp"
#include "graph/view.hpp"

namespace fairway {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kArchitectures{"amd64", "arm64", "multi", "ppc64le", "s390x"};

struct Input {
  graph::SourceFiles files;
  std::string releases;  // of all architectures, as text
  std::string name;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Input generated() {
  auto tree = graph::generate_tree(
      {.seed = 1, .minors = 22, .patches = 60, .risks = 130, .architectures = kArchitectures});
  return {std::move(tree.files), graph::to_jsonl(tree.releases), "generated"};
}

std::optional<Input> real(const fs::path& folder) {
  const fs::path root = folder / "graph-data";
  if (!fs::exists(root)) return std::nullopt;
  Input input{.name = folder.string()};
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file())
      input.files.push_back({fs::relative(entry.path(), root).generic_string(), text_of(entry.path())});
  }
  const auto list = graph::read_releases(text_of(folder / "releases.jsonl"));
  if (!list) return std::nullopt;
  input.releases = graph::to_jsonl(graph::for_architectures(list->releases, kArchitectures));
  return input;
}

class Stopwatch {
 public:
  double lap() {
    const SteadyTime now = clock_.steady();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  SystemClock clock_;
  SteadyTime last_ = clock_.steady();
};

struct Times {
  double yaml = 1e9;
  double releases = 1e9;
  double build = 1e9;
  double render = 1e9;
};

int run(const Input& input, std::size_t rounds) {
  Times best;
  std::size_t bytes = 0;
  std::size_t answers = 0;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    Stopwatch watch;
    const auto reading = graph::read_graph_data(input.files);
    best.yaml = std::min(best.yaml, watch.lap());
    const auto list = graph::read_releases(input.releases);
    best.releases = std::min(best.releases, watch.lap());
    if (!reading.data || !list) return 1;
    watch.lap();
    const auto build = graph::build_graph(list->releases, *reading.data);
    best.build = std::min(best.build, watch.lap());
    if (!build) return 1;
    graph::ViewRenderer renderer(*build->graph, graph::AllowedRules::all());
    bytes = answers = 0;
    nodes = build->graph->nodes().size();
    edges = build->graph->edge_count();
    for (graph::ChannelId channel = 0; channel < build->graph->channels().size(); ++channel) {
      for (graph::ArchId arch = 0; arch < build->graph->architectures().size(); ++arch) {
        bytes += renderer.render(channel, arch).size();
        ++answers;
      }
    }
    best.render = std::min(best.render, watch.lap());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("data: {} ({} files, {} nodes, {} edges)\n", input.name, input.files.size(), nodes, edges);
  fmt::print("read graph data   {:8.1f} ms\nread releases     {:8.1f} ms\n", best.yaml * 1e3,
             best.releases * 1e3);
  fmt::print("build the graph   {:8.1f} ms   goal 200 ms, {:.2f} of it\n", best.build * 1e3,
             best.build / 0.2);
  fmt::print("render {} answers {:6.1f} ms   {:.1f} MB, {:.0f} MB/s\n", answers, best.render * 1e3,
             static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / 1e6 / best.render);
  fmt::print("all together      {:8.1f} ms; peak memory {} MB\n",
             (best.yaml + best.releases + best.build + best.render) * 1e3, usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace fairway

int main(int count, char** arguments) {
  using namespace fairway;
  const std::filesystem::path folder = count > 1 ? arguments[1] : FAIRWAY_SOURCE_DIR "/../shared/data";
  const auto rounds = count > 2 ? parse_unsigned(arguments[2]).value_or(5) : 5;
  const auto input = real(folder);
  return run(input ? *input : generated(), std::max<std::size_t>(rounds, 1));
}
