// Snapshot: a graph and every answer that it gives, made once and never changed.
//
// Server threads read it while the next one is made; whoever holds the pointer sees one graph from its first
// to its last byte. Bodies that did not change are taken over from the snapshot before, compressed forms
// included. With targeted blocks decided by id, the answer without an id (all such blocks hold) is made
// beforehand, and the others when the first client needs them: clients with the same verdicts share one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "graph/graph.hpp"
#include "graph/outcome.hpp"
#include "updateservice/answer_forms.hpp"

namespace fairway::updateservice {

// Where a snapshot's inputs came from, for people.
struct Origin {
  std::string graph_data;  // "./graph-data at 4f2c9a1"
  std::string releases;
  WallTime loaded = {};
};

struct SnapshotOptions {
  bool decides_by_id = false;    // off: targeted blocks hold for nobody, as seed 000 says
  bool has_whole_graph = false;  // the builder's document as well
};

class Snapshot {
 public:
  struct View {
    graph::ChannelId channel = 0;
    graph::ArchId arch = 0;
    std::shared_ptr<AnswerForms> forms;
    std::vector<graph::RuleId> rules = {};  // targeted ones that matter here; empty when not decided by id
  };

  static std::shared_ptr<const Snapshot> make(std::shared_ptr<const graph::Graph> graph, Origin origin,
                                              const SnapshotOptions& options,
                                              const Snapshot* previous = nullptr);

  // Nothing for a channel or architecture that does not exist; the client then gets empty().
  const View* find(std::string_view channel, std::string_view arch) const;
  const AnswerForms& empty() const { return *empty_; }
  const AnswerForms* whole() const { return whole_.get(); }

  const graph::Graph& graph() const { return *graph_; }
  const Origin& origin() const { return origin_; }
  std::span<const View> views() const { return views_; }

  // The answer for clients that exactly these of the view's rules allow; nothing when it has not been made.
  std::shared_ptr<const AnswerForms> find_variant(const View& view,
                                                  std::span<const graph::RuleId> allowed) const;
  // Makes it; takes milliseconds. At most kMostVariants are kept.
  std::shared_ptr<const AnswerForms> make_variant(const View& view, std::vector<graph::RuleId> allowed) const;
  static constexpr std::size_t kMostVariants = 1024;

  // Takes seconds; for a worker.
  void compress(const std::stop_token& stop) const;
  // Bytes of all bodies; shared ones once.
  std::size_t footprint() const;

 private:
  Snapshot(std::shared_ptr<const graph::Graph> graph, Origin origin, const SnapshotOptions& options);
  void render(const Snapshot* previous);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using VariantKey = std::pair<const View*, std::vector<graph::RuleId>>;

  std::shared_ptr<const graph::Graph> graph_;
  Origin origin_;
  SnapshotOptions options_;
  AnswerForms::Shape shape_;
  std::unordered_map<std::string, graph::ChannelId, Hash, std::equal_to<>> channels_;
  std::vector<View> views_;  // by channel, then architecture
  std::shared_ptr<AnswerForms> empty_;
  std::shared_ptr<AnswerForms> whole_;
  mutable std::mutex variants_mutex_;
  mutable std::map<VariantKey, std::shared_ptr<AnswerForms>> variants_;
};

}  // namespace fairway::updateservice
