#include "apiserver/watch.hpp"

#include <fmt/format.h>
#include <limits>
#include <vector>

#include "apiserver/request_info.hpp"
#include "async/notify.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using store::ChangeKind;
using store::ChangePtr;

class WatchSession {
 public:
  WatchSession(store::Store& store, TimerClock& clock, store::Scope scope, Selection selection,
               Presenter presenter, WatchOptions options, WatchLimits limits)
      : store_(store),
        clock_(clock),
        scope_(std::move(scope)),
        selection_(std::move(selection)),
        presenter_(std::move(presenter)),
        options_(options),
        limits_(limits) {}

  Task<void> serve(http::ResponseWriter& writer) {
    begin();
    const SteadyTime end = clock_.steady() + options_.timeout;
    http::Response head{
        200,
        {{"Content-Type", presenter_.form().content_type()}, {"Cache-Control", "no-cache, private"}},
        {}};
    FAIRWAY_CO_CHECKED(co_await writer.start(std::move(head)));
    for (;;) {
      while (!queue_.empty()) FAIRWAY_CO_CHECKED(co_await writer.write(take()));
      if (has_ended_) break;
      const SteadyTime wake = options_.allow_bookmarks ? std::min(end, next_bookmark_) : end;
      auto waited = co_await changed_.wait_until(clock_, wake);
      if (!waited && waited.error().code != ErrorCode::Timeout) co_return co_await writer.finish();
      if (clock_.steady() >= end) break;
      if (options_.allow_bookmarks && clock_.steady() >= next_bookmark_) add_bookmark(false);
    }
    co_return co_await writer.finish();
  }

 private:
  void begin() {
    next_bookmark_ = clock_.steady() + limits_.bookmark_interval;
    const store::Revision now = store_.revision();
    const bool starts_with_state = options_.send_initial_events || !options_.since;
    if (starts_with_state) {
      const store::Query query{
          .cluster = scope_.cluster,
          .resource = scope_.resource,
          .ns = selection_.ns(),
          .matches = [this](const store::Entry& entry) { return selection_.matches(entry); }};
      for (const store::EntryPtr& entry : store_.list(query).entries)
        add(presenter_.event("ADDED", *entry, is_first()));
    }
    if (options_.send_initial_events) add_bookmark(true);
    // What was there when the watch began may be large; what piles up behind a slow client is bounded.
    max_queued_bytes_ = queued_bytes_ + limits_.max_queued_bytes;
    heard_ = starts_with_state ? now : *options_.since;
    subscription_ =
        store_.subscribe(scope_, heard_, [this](Result<ChangePtr> change) { hear(std::move(change)); });
  }

  void hear(Result<ChangePtr> change) {
    if (!change) {
      const std::string message =
          change.error().code == ErrorCode::Gone
              ? fmt::format("too old resource version: {} ({})", heard_, store_.compacted())
              : change.error().describe();
      return end_with(kube::status_expired(message));
    }
    heard_ = (*change)->revision;
    const store::Change& what = **change;
    const bool was_selected = what.before && selection_.matches(*what.before);
    const bool is_selected = what.kind != ChangeKind::Deleted && selection_.matches(*what.now);
    if (is_selected) {
      add(presenter_.event(was_selected ? "MODIFIED" : "ADDED", *what.now, is_first()));
    } else if (was_selected) {
      // An object that leaves the selection is shown as the client last saw it, under the revision of its
      // leaving.
      if (what.kind == ChangeKind::Deleted) {
        add(presenter_.event("DELETED", *what.now, is_first()));
      } else {
        add(presenter_.event("DELETED", under_revision(*what.before, what.revision), is_first()));
      }
    } else {
      return;
    }
    changed_.notify();
  }

  static Text under_revision(const store::Entry& entry, store::Revision revision) {
    json::Object object = parse_stored(entry.value);
    return render(object, revision);
  }

  void add_bookmark(bool ends_initial_events) {
    next_bookmark_ = clock_.steady() + limits_.bookmark_interval;
    add(presenter_.bookmark(store_.revision(), ends_initial_events, is_first()));
  }

  bool is_first() { return std::exchange(first_, false); }

  void add(http::Body pieces) {
    if (has_ended_) return;
    queued_bytes_ += pieces.size();
    queue_.insert(queue_.end(), std::make_move_iterator(pieces.pieces.begin()),
                  std::make_move_iterator(pieces.pieces.end()));
    if (queued_bytes_ > max_queued_bytes_)
      end_with(kube::status_expired("the watch fell behind and was ended: list again"));
  }

  void end_with(const ApiError& error) {
    subscription_.cancel();
    queue_.clear();
    const http::Body pieces = error_event(error);
    queue_.insert(queue_.end(), pieces.pieces.begin(), pieces.pieces.end());
    has_ended_ = true;
    changed_.notify();
  }

  http::Body take() {
    http::Body body;
    body.pieces.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
    queue_.clear();
    queued_bytes_ = 0;
    return body;
  }

  store::Store& store_;
  TimerClock& clock_;
  store::Scope scope_;
  Selection selection_;
  Presenter presenter_;
  WatchOptions options_;
  WatchLimits limits_;
  store::Subscription subscription_;
  store::Revision heard_ = 0;
  std::vector<Text> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t max_queued_bytes_ = std::numeric_limits<std::size_t>::max();
  SteadyTime next_bookmark_{};
  bool first_ = true;
  bool has_ended_ = false;
  async::Notify changed_;
};

}  // namespace

ApiResult<WatchOptions> WatchOptions::parse(const http::Query& query, store::Revision current) {
  WatchOptions options;
  const auto bookmarks = query_flag(query, "allowWatchBookmarks");
  const auto initial = query_flag(query, "sendInitialEvents");
  if (!bookmarks) return refuse(bookmarks.error());
  if (!initial) return refuse(initial.error());
  options.allow_bookmarks = *bookmarks;
  options.send_initial_events = *initial;
  const auto match = query.get("resourceVersionMatch").value_or("");
  if (options.send_initial_events && match != "NotOlderThan") {
    return refuse(invalid_options(
        "ListOptions", json::FieldError::forbidden(
                           "resourceVersionMatch",
                           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")));
  }
  if (!query.has("sendInitialEvents") && !match.empty()) {
    return refuse(invalid_options(
        "ListOptions",
        json::FieldError::forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")));
  }
  const auto text = query.get("resourceVersion").value_or("");
  if (!text.empty() && text != "0") {
    const auto revision = parse_unsigned(text);
    if (!revision)
      return refuse(
          bad_request(fmt::format("resourceVersion: Invalid value: {}: expected a number", quoted(text))));
    if (*revision > current) return refuse(too_large_resource_version(text, fmt::to_string(current)));
    options.since = revision;
  } else if (query.has("sendInitialEvents") && !options.send_initial_events) {
    options.since = current;
  }
  if (const auto seconds = query.get("timeoutSeconds"); seconds && !seconds->empty()) {
    const auto number = parse_unsigned(*seconds);
    if (!number || *number > 86'400 * 365) {
      return refuse(bad_request(
          fmt::format("timeoutSeconds: Invalid value: {}: expected a number of seconds", quoted(*seconds))));
    }
    if (*number > 0) options.timeout = std::chrono::seconds(*number);
  }
  return options;
}

Task<void> serve_watch(store::Store& store, TimerClock& clock, store::Scope scope, Selection selection,
                       Presenter presenter, WatchOptions options, WatchLimits limits,
                       http::ResponseWriter& writer) {
  WatchSession session(store, clock, std::move(scope), std::move(selection), std::move(presenter), options,
                       limits);
  co_return co_await session.serve(writer);
}

}  // namespace fairway::apiserver
