#include "updateservice/snapshot.hpp"

#include <algorithm>

#include "graph/view.hpp"

namespace fairway::updateservice {

Snapshot::Snapshot(std::shared_ptr<const graph::Graph> graph, Origin origin, const SnapshotOptions& options)
    : graph_(std::move(graph)), origin_(std::move(origin)), options_(options) {
  // What depends on who asks must not be kept for somebody else.
  if (options.decides_by_id) shape_.cache_control = "private, no-cache";
}

std::shared_ptr<const Snapshot> Snapshot::make(std::shared_ptr<const graph::Graph> graph, Origin origin,
                                               const SnapshotOptions& options, const Snapshot* previous) {
  const std::shared_ptr<Snapshot> snapshot(new Snapshot(std::move(graph), std::move(origin), options));
  if (previous && previous->options_.decides_by_id != options.decides_by_id) previous = nullptr;
  snapshot->render(previous);
  return snapshot;
}

void Snapshot::render(const Snapshot* previous) {
  const auto reuse_or_make = [&](const std::string& body, const std::shared_ptr<AnswerForms>& before) {
    if (before && before->size() == body.size() && before->tag() == tag_of(body)) return before;
    return std::make_shared<AnswerForms>(body, shape_);
  };
  const auto allowed = options_.decides_by_id ? graph::AllowedRules::none() : graph::AllowedRules::all();
  const auto channels = graph_->channels();
  const auto architectures = graph_->architectures();
  graph::ViewRenderer renderer(*graph_, allowed);
  views_.reserve(channels.size() * architectures.size());
  for (graph::ChannelId channel = 0; channel < channels.size(); ++channel) {
    channels_.emplace(channels[channel], channel);
    for (graph::ArchId arch = 0; arch < architectures.size(); ++arch) {
      const View* before = previous ? previous->find(channels[channel], architectures[arch]) : nullptr;
      View& view = views_.emplace_back(View{.channel = channel, .arch = arch});
      view.forms = reuse_or_make(renderer.render(channel, arch), before ? before->forms : nullptr);
      if (options_.decides_by_id) view.rules = rules_in_view(*graph_, channel, arch);
    }
  }
  empty_ = reuse_or_make(graph::empty_view(), previous ? previous->empty_ : nullptr);
  if (options_.has_whole_graph)
    whole_ = reuse_or_make(render_whole(*graph_, allowed), previous ? previous->whole_ : nullptr);
}

const Snapshot::View* Snapshot::find(std::string_view channel, std::string_view arch) const {
  const auto found = channels_.find(channel);
  const auto architecture = graph_->find_architecture(arch);
  if (found == channels_.end() || !architecture) return nullptr;
  return &views_[found->second * graph_->architectures().size() + *architecture];
}

std::shared_ptr<const AnswerForms> Snapshot::find_variant(const View& view,
                                                          std::span<const graph::RuleId> allowed) const {
  if (allowed.empty()) return view.forms;
  const std::lock_guard lock(variants_mutex_);
  const auto found = variants_.find(VariantKey(&view, {allowed.begin(), allowed.end()}));
  return found == variants_.end() ? nullptr : found->second;
}

std::shared_ptr<const AnswerForms> Snapshot::make_variant(const View& view,
                                                          std::vector<graph::RuleId> allowed) const {
  if (auto made = find_variant(view, allowed)) return made;
  graph::ViewRenderer renderer(*graph_, graph::AllowedRules::only(allowed));
  const auto forms = std::make_shared<AnswerForms>(renderer.render(view.channel, view.arch), shape_);
  forms->compress();
  const std::lock_guard lock(variants_mutex_);
  // Verdicts come in few combinations; when they do not, starting over is cheaper than growing without end.
  if (variants_.size() >= kMostVariants) variants_.clear();
  return variants_.emplace(VariantKey(&view, std::move(allowed)), forms).first->second;
}

void Snapshot::compress(const std::stop_token& stop) const {
  empty_->compress();
  for (const View& view : views_) {
    if (stop.stop_requested()) return;
    view.forms->compress();
  }
  if (whole_ && !stop.stop_requested()) whole_->compress();
}

std::size_t Snapshot::footprint() const {
  std::size_t bytes = empty_->footprint() + (whole_ ? whole_->footprint() : 0);
  for (const View& view : views_) bytes += view.forms->footprint();
  const std::lock_guard lock(variants_mutex_);
  for (const auto& [key, forms] : variants_) bytes += forms->footprint();
  return bytes;
}

}  // namespace fairway::updateservice
