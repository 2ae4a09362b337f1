#include "kube/runtime/control_loop.hpp"

#include "base/log.hpp"

namespace fairway::kube {

void LoopReporter::tell_notes(const ObjectKey& key, const std::vector<std::string>& notes) {
  const auto known = last_.find(key);
  if (known != last_.end() && known->second == notes) return;
  for (const std::string& note : notes) {
    log::info(note, {{"controller", controller_}, {"object", key.to_string()}});
  }
  // Keys without notes, those of deleted objects among them, are not kept.
  if (notes.empty()) {
    last_.erase(key);
  } else {
    last_.insert_or_assign(key, notes);
  }
}

void LoopReporter::tell_step(const std::optional<ObjectReference>& about, const StepReport& step) {
  log_step(step);
  const bool is_failed = step.outcome == StepReport::Outcome::Failed;
  if (!about || has_met_a_change(step) || (!is_failed && step.outcome != StepReport::Outcome::Done)) return;
  EventNote note{.about = *about, .reason = step.reason, .message = step.description};
  if (is_failed) {
    note.type = "Warning";
    note.message = step.error->describe();
  }
  if (note.reason.empty()) note.reason = is_failed ? "ActionFailed" : "ActionDone";
  events_.record(std::move(note));
}

}  // namespace fairway::kube
