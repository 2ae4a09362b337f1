#include "kube/runtime/watcher_state.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {
namespace {

using namespace watcher;
using Phase = WatcherState::Phase;

// A watch that ends sooner than this and without an event is a server that does not want us.
constexpr Duration kShortWatch = std::chrono::seconds(1);
// One that lasted so long has worked, even if nothing happened in it.
constexpr Duration kGoodWatch = std::chrono::seconds(10);
// How often a stream may be unreadable at the same version before everything is listed anew.
constexpr int kMaxUnreadable = 3;

class Machine {
 public:
  Machine(const WatcherOptions& options, WatcherState state) : options_(options), out_{std::move(state)} {}

  WatcherStep take(WatcherInput input) && {
    std::visit([this](auto each) { on(std::move(each)); }, std::move(input));
    return std::move(out_);
  }

 private:
  WatcherState& state() { return out_.state; }

  void on(Begin) { proceed(); }
  void on(Listed listed);
  void on(ListFailed failed);
  void on(Opened) {
    state().has_progressed = false;
    out_.command = DoRead{};
  }
  void on(Received received);
  void on(Ended ended);
  void on(Failed failed);

  // Does what the phase asks for, at once.
  void proceed();
  // The same after a pause; `free` failures are without one.
  void proceed_later(const Error& error, int free = 0);
  void list_anew();
  bool is_usable(const json::Object& object);

  const WatcherOptions& options_;
  WatcherStep out_;
};

void Machine::proceed() {
  if (state().phase == Phase::Listing) {
    out_.command = DoList{{.label_selector = options_.label_selector,
                           .field_selector = options_.field_selector,
                           .limit = state().lists_at_once ? 0 : options_.page_size,
                           .continue_ = state().continue_,
                           .managed_fields = options_.managed_fields}};
    return;
  }
  const double share = 0.8 + 0.2 * state().random.unit();
  const auto timeout = std::chrono::seconds(std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(options_.watch_timeout.count()) * share)));
  out_.command = DoWatch{{.label_selector = options_.label_selector,
                          .field_selector = options_.field_selector,
                          .resource_version = state().version,
                          .timeout = timeout,
                          .managed_fields = options_.managed_fields}};
}

void Machine::proceed_later(const Error& error, int free) {
  ++state().failures;
  Duration pause = options_.backoff.pause(state().failures - free, state().random);
  if (error.retry_after) pause = std::max(pause, Duration(*error.retry_after));
  out_.problem = error;
  if (pause <= Duration::zero()) return proceed();
  out_.command = DoPause{pause};
}

void Machine::list_anew() {
  state().phase = Phase::Listing;
  state().continue_.clear();
  state().unreadable = 0;
}

// An object that we could never address is left out; the others are not its fault.
bool Machine::is_usable(const json::Object& object) {
  if (!name_of(object).empty()) return true;
  out_.problem = Error{ErrorCode::Internal, fmt::format("expected an object with a name, found {}",
                                                        quoted(json::serialize(object)))};
  return false;
}

void Machine::on(Listed listed) {
  if (listed.page.metadata.resource_version.empty()) {
    list_anew();
    return proceed_later({ErrorCode::Internal, "expected a list with a resourceVersion, found none"});
  }
  out_.events.reserve(listed.page.items.size() + 2);
  if (state().continue_.empty()) out_.events.emplace_back(InitStart{});
  for (json::Object& object : listed.page.items) {
    if (is_usable(object)) out_.events.emplace_back(InitObject{std::move(object)});
  }
  state().continue_ = listed.page.metadata.continue_;
  if (state().continue_.empty()) {
    out_.events.emplace_back(InitDone{});
    state().phase = Phase::Watching;
    state().lists_at_once = false;
    state().version = listed.page.metadata.resource_version;
  }
  proceed();
}

void Machine::on(ListFailed failed) {
  // Pages that expire half-way would do so again: everything is asked for at once. Any other failure leaves
  // the token valid, and the same page is asked for again.
  const bool has_expired = failed.error.code == ErrorCode::Gone && !state().continue_.empty();
  if (has_expired) {
    list_anew();
    state().lists_at_once = true;
  }
  proceed_later(failed.error, has_expired ? 1 : 0);
}

void Machine::on(Received received) {
  state().has_progressed = true;
  state().failures = 0;
  state().unreadable = 0;
  out_.command = DoRead{};
  json::Object& object = received.event.object;
  if (const auto version = resource_version_of(object); !version.empty()) state().version = version;
  if (received.event.type == WatchEvent::Type::Bookmark || !is_usable(object)) return;
  if (received.event.type == WatchEvent::Type::Deleted) {
    out_.events.emplace_back(Deleted{std::move(object)});
  } else {
    out_.events.emplace_back(Applied{std::move(object)});
  }
}

void Machine::on(Ended ended) {
  if (state().has_progressed || ended.lasted >= kShortWatch) {
    state().failures = 0;
    return proceed();
  }
  proceed_later({ErrorCode::Unavailable, "the server ended a watch at once and without an event"});
}

void Machine::on(Failed failed) {
  if (failed.lasted >= kGoodWatch) state().failures = 0;
  switch (failed.error.code) {
    case ErrorCode::Gone:
      // At once the first time; a server that answers every list with "too old" gets its pauses.
      list_anew();
      return proceed_later(failed.error, 1);
    case ErrorCode::NotFound:
      // The kind itself is gone, or not there yet.
      list_anew();
      return proceed_later(failed.error);
    case ErrorCode::Internal:
    case ErrorCode::Invalid:
      if (++state().unreadable >= kMaxUnreadable) list_anew();
      return proceed_later(failed.error);
    default:
      return proceed_later(failed.error);
  }
}

}  // namespace

WatcherStep step(const WatcherOptions& options, WatcherState state, WatcherInput input) {
  return Machine(options, std::move(state)).take(std::move(input));
}

}  // namespace fairway::kube
