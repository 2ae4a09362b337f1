// The real graph data, where it is there: ../shared/data beside the project.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>

#include "graph/audit.hpp"
#include "graph/explain.hpp"
#include "graph/generate.hpp"
#include "graph/graph_testing.hpp"
#include "graph/lint.hpp"

namespace fairway::graph {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using testing::edges;
using testing::view;

fs::path data_folder() {
  return fs::path(FAIRWAY_SOURCE_DIR) / "../shared/data";
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

SourceFiles tree_files() {
  const fs::path root = data_folder() / "graph-data";
  SourceFiles files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file())
      files.push_back({fs::relative(entry.path(), root).generic_string(), text_of(entry.path())});
  }
  return files;
}

// Read and built once; the tests only look.
struct RealData {
  GraphDataReading reading;
  Build build;
};

const RealData* real_data() {
  static const auto data = []() -> std::unique_ptr<RealData> {
    if (!fs::exists(data_folder() / "graph-data")) return nullptr;
    auto real = std::make_unique<RealData>();
    real->reading = read_graph_data(tree_files());
    const auto list = read_releases(text_of(data_folder() / "releases.jsonl"));
    if (!real->reading.data || !list) return real;
    const auto releases = for_architectures(list->releases, {"amd64", "arm64", "multi", "ppc64le", "s390x"});
    if (auto build = build_graph(releases, *real->reading.data)) real->build = *std::move(build);
    return real;
  }();
  return data.get();
}

class RealGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    if (real_data() == nullptr) GTEST_SKIP() << "not run: there is no ../shared/data";
    ASSERT_TRUE(real_data()->reading.data);
    ASSERT_TRUE(real_data()->build.graph);
  }
  const Graph& graph() const { return *real_data()->build.graph; }
  std::vector<std::string> edges_of(std::string_view channel, std::string_view arch = "amd64") const {
    return edges(view(graph(), channel, arch));
  }
};

TEST_F(RealGraph, IsReadWithoutARemark) {
  EXPECT_TRUE(real_data()->reading.findings.empty()) << to_text(real_data()->reading.findings.front());
  EXPECT_EQ(real_data()->reading.data->blocks.size(), 1717U);
  EXPECT_EQ(graph().channels().size(), 76U);
  EXPECT_EQ(graph().architectures().size(), 5U);
  const auto& blocks = real_data()->reading.data->blocks;
  EXPECT_EQ(std::ranges::count_if(blocks, &Block::is_unconditional), 116);
}

// Cases 47 and 62 over all 380 answers; case 29: the bytes are those of the values.
TEST_F(RealGraph, Case62_EveryAnswerIsSound) {
  const Outcomes outcomes(graph(), AllowedRules::all());
  ViewRenderer renderer(graph(), AllowedRules::all());
  std::size_t answers = 0;
  std::size_t conditional = 0;
  for (ChannelId channel = 0; channel < graph().channels().size(); ++channel) {
    for (ArchId arch = 0; arch < graph().architectures().size(); ++arch) {
      const Document document = document_of(graph(), channel, arch, outcomes);
      const std::string body = renderer.render(channel, arch);
      if (arch == 0) ASSERT_EQ(to_json(document), body);
      // Strictly ascending: no edge stands twice, in one list or in both.
      const auto ends = [](const Document::Edge& edge) { return std::pair(edge.from, edge.to); };
      ASSERT_EQ(std::ranges::adjacent_find(document.edges, std::ranges::greater_equal{}, ends),
                document.edges.end());
      for (const Document::Edge& edge : document.edges) {
        ASSERT_LT(std::max(edge.from, edge.to), document.nodes.size());
        if (edge.is_conditional()) ++conditional;
      }
      for (const auto& node : document.nodes)
        ASSERT_TRUE(node.version.build.empty()) << "the architecture is not in the answer";
      ++answers;
    }
  }
  EXPECT_EQ(answers, 380U);
  EXPECT_GT(conditional, 100'000U);
  for (NodeId from = 0; from < graph().nodes().size(); ++from) {
    for (const Edge& edge : graph().edges_from(from))
      ASSERT_EQ(graph().node(from).arch, graph().node(edge.to).arch);
  }
}

TEST_F(RealGraph, Case57And58_BlocksOfOneArchitecture) {
  const auto incoming = [&](std::string_view version, std::string_view arch) {
    const Outcomes outcomes(graph(), AllowedRules::all());
    const NodeId to = *graph().find(version, *graph().find_architecture(arch));
    std::size_t open = 0;
    for (NodeId from = 0; from < graph().nodes().size(); ++from) {
      const Edge* edge = graph().find_edge(from, to);
      if (edge != nullptr && outcomes.of(edge->policy).kind != Outcome::Kind::Absent) ++open;
    }
    return open;
  };
  EXPECT_EQ(incoming("4.2.11-s390x", "s390x"), 0U);
  EXPECT_GT(incoming("4.2.11-s390x", "amd64"), 0U);
  EXPECT_EQ(incoming("4.3.29", "ppc64le"), 0U);
  EXPECT_EQ(incoming("4.3.29", "s390x"), 0U);
  EXPECT_GT(incoming("4.3.29", "amd64"), 0U);
}

TEST_F(RealGraph, Case53_VersionsOfOneArchitectureInChannels) {
  const auto channel = *graph().find_channel("stable-4.2");
  const auto amd64 = *graph().find("4.2.14", *graph().find_architecture("amd64"));
  const auto arm64 = *graph().find("4.2.14", *graph().find_architecture("arm64"));
  EXPECT_TRUE(graph().is_member(amd64, channel));
  EXPECT_FALSE(graph().is_member(arm64, channel));
}

TEST_F(RealGraph, Case61_TheSeedsRisksOn474) {
  EXPECT_THAT(edges_of("stable-4.7"),
              Contains("4.6.25-(AuthOAuthProxyLeakedConnections, VSphereHW14CrossNodeNetworkingError, "
                       "VSphereNodeNameChanges)->4.7.4"));
}

TEST_F(RealGraph, Case74_RawMetadataAddsEdgesOnEveryArchitecture) {
  for (const std::string& arch : graph().architectures()) {
    EXPECT_THAT(edges_of("stable-4.1", arch), ::testing::Not(Contains("4.1.0-rc.4->4.1.0")))
        << "not in that channel";
    EXPECT_THAT(edges_of("prerelease-4.1", arch), Contains("4.1.0-rc.4->4.1.0"));
    EXPECT_THAT(edges_of("prerelease-4.1", arch), Contains("4.1.0-rc.9->4.1.0"));
  }
}

TEST_F(RealGraph, Case72_TheLintOfHead) {
  const Findings findings = lint(tree_files(), {});
  EXPECT_EQ(count(findings, Severity::Error), 0U);
  std::map<std::string, std::size_t> warnings;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::Warning) ++warnings[finding.id];
  }
  const std::map<std::string, std::size_t> expected{
      {"block-from-broad", 43}, {"block-to-outside", 3}, {"block-file-name", 164}};
  EXPECT_EQ(warnings, expected);
}

TEST_F(RealGraph, EveryEdgeIsExplainedAsItIsServed) {
  const Outcomes outcomes(graph(), AllowedRules::all());
  const ArchId arch = *graph().find_architecture("s390x");
  std::size_t explained = 0;
  for (NodeId from = 0; from < graph().nodes().size(); from += 97) {
    if (graph().node(from).arch != arch) continue;
    for (const Edge& edge : graph().edges_from(from)) {
      const auto explanation = explain_edge(
          graph(), {.from = graph().node(from).plain, .to = graph().node(edge.to).plain, .arch = "s390x"},
          AllowedRules::all());
      const auto kind = outcomes.of(edge.policy).kind;
      EXPECT_EQ(explanation.verdict == Explanation::Verdict::Blocked, kind == Outcome::Kind::Absent);
      EXPECT_EQ(explanation.verdict == Explanation::Verdict::Conditional, kind == Outcome::Kind::Conditional);
      EXPECT_EQ(explanation.causes.empty(), kind == Outcome::Kind::Recommended);
      if (++explained > 200) return;
    }
  }
}

TEST_F(RealGraph, HeadsOfRecentChannelsAreTheOnlyDeadEnds) {
  for (const char* channel : {"stable-4.18", "stable-4.20"}) {
    const auto document = view(graph(), channel);
    const Audit found = audit(document);
    EXPECT_TRUE(found.without_exit.empty()) << channel << " " << found.without_exit.front();
    EXPECT_EQ(found.head, document.nodes.back().text);
  }
}

TEST_F(RealGraph, Case70_APartOfAnArchitecturesNameIsNone) {
  EXPECT_FALSE(graph().find_architecture("64"));
}

}  // namespace
}  // namespace fairway::graph
