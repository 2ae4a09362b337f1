// The past: from the ring where it reaches back far enough, from the log otherwise, up to the present.
#include <fmt/format.h>
#include <utility>

#include "store/core.hpp"

namespace fairway::store {

Subscription Core::subscribe(const Scope& scope, Revision since, Listener listener) {
  auto watch =
      start_watch({.scope = scope, .since = since, .listener = std::move(listener), .caught_up = nullptr});
  return Subscription(std::move(watch), watchers_);
}

void Core::changes_since(const Scope& scope, Revision since, Done<std::vector<ChangePtr>> done) {
  struct Collected {
    std::vector<ChangePtr> changes;
    Done<std::vector<ChangePtr>> done;
  };
  auto collected = std::make_shared<Collected>(Collected{.changes = {}, .done = std::move(done)});
  start_watch({.scope = scope,
               .since = since,
               .listener =
                   [collected](Result<ChangePtr> change) {
                     if (!change) return collected->done(std::unexpected(std::move(change).error()));
                     collected->changes.push_back(*std::move(change));
                   },
               .caught_up = [collected] { collected->done(std::move(collected->changes)); }});
}

// The state at a revision is the present one with each object that changed since as its first change found
// it.
void Core::list_at(Revision revision, Query query, Done<Page> done) {
  struct Rewound {
    Overlay earlier;
    Query query;
    Done<Page> done;
  };
  auto rewound = std::make_shared<Rewound>(Rewound{{}, std::move(query), std::move(done)});
  start_watch({.scope = {.cluster = rewound->query.cluster, .resource = rewound->query.resource},
               .since = revision,
               .listener =
                   [rewound](Result<ChangePtr> change) {
                     if (!change) return rewound->done(std::unexpected(std::move(change).error()));
                     const Key& key = (*change)->now->key;
                     rewound->earlier.try_emplace({.ns = key.ns, .name = key.name}, (*change)->before);
                   },
               .caught_up =
                   [this, rewound, revision] {
                     Page page = state_.list(rewound->query, rewound->earlier);
                     page.revision = revision;
                     rewound->done(std::move(page));
                   }});
}

std::shared_ptr<Watch> Core::start_watch(Watch watch) {
  auto started = std::make_shared<Watch>(std::move(watch));
  later([started](Core& core) {
    if (started->is_cancelled) return;
    if (started->since > core.stats_.revision)
      return started->listener(
          fail(ErrorCode::Invalid, fmt::format("expected a revision up to {}, the present one, found {}",
                                               core.stats_.revision, started->since)));
    core.advance(started);
  });
  return started;
}

// No commit is applied while this runs, so the step from the end of the ring to going live leaves no gap.
void Core::advance(const std::shared_ptr<Watch>& watch) {
  while (!watch->is_cancelled && ring_.covers(watch->since)) {
    const ChangePtr change = ring_.next(watch->scope, watch->since);
    if (!change) {
      watch->since = stats_.revision;
      return watch->caught_up ? watch->caught_up() : watchers_->add(watch);
    }
    watch->since = change->revision;
    watch->listener(change);
  }
  if (!watch->is_cancelled) read_log(watch);
}

void Core::read_log(const std::shared_ptr<Watch>& watch) {
  if (is_closed_) return watch->listener(fail(ErrorCode::Cancelled, "the store is closing"));
  // Only up to what the state shows by now: nobody hears of a change before it can be read.
  HistoryRequest request{.scope = watch->scope, .since = watch->since, .until = stats_.revision};
  worker_->run([back = way_back(), watch, request = std::move(request)](LogFile& log, bool is_stopping) {
    Result<HistoryBatch> batch =
        is_stopping ? fail(ErrorCode::Cancelled, "the store is closing") : log.read(request);
    back([watch, batch = std::move(batch)](Core& core) mutable { core.on_history(watch, std::move(batch)); });
    return true;
  });
}

void Core::on_history(const std::shared_ptr<Watch>& watch, Result<HistoryBatch> batch) {
  if (watch->is_cancelled) return;
  if (!batch) return watch->listener(std::unexpected(std::move(batch).error()));
  for (const ChangePtr& change : batch->changes) {
    watch->since = change->revision;
    watch->listener(change);
    if (watch->is_cancelled) return;
  }
  watch->since = batch->through;
  advance(watch);
}

}  // namespace fairway::store
