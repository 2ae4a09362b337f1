#include "kube/runtime/watcher.hpp"

#include "async/notify.hpp"
#include "base/log.hpp"

namespace fairway::kube {

using namespace watcher;

Watcher::Watcher(Client& client, Resource collection, WatcherOptions options, Sink sink,
                 ProblemHandler on_problem)
    : client_(client),
      collection_(std::move(collection)),
      options_(std::move(options)),
      sink_(std::move(sink)),
      on_problem_(std::move(on_problem)) {}

Task<void> Watcher::run() {
  WatcherState state{.random = Random(options_.seed)};
  WatcherInput input = Begin{};
  for (;;) {
    WatcherStep next = step(options_, std::move(state), std::move(input));
    if (next.problem) report(*next.problem);
    for (WatcherEvent& event : next.events) sink_(std::move(event));
    state = std::move(next.state);
    auto happened = co_await perform(std::move(next.command));
    // Only our own end comes back as an error; all else is an input.
    if (!happened) {
      stream_.reset();
      co_return std::unexpected(std::move(happened.error()));
    }
    input = *std::move(happened);
  }
}

void Watcher::report(const Error& error) const {
  if (on_problem_) return on_problem_(error);
  log::warning("watching has a problem", {{"resource", collection_.type.group_resource().to_string()},
                                          {"namespace", collection_.namespace_},
                                          {"error", error.describe()}});
}

Task<WatcherInput> Watcher::perform(WatcherCommand command) {
  if (auto* to_list = std::get_if<DoList>(&command)) co_return co_await list(std::move(to_list->options));
  if (auto* to_watch = std::get_if<DoWatch>(&command)) co_return co_await open(std::move(to_watch->options));
  if (std::holds_alternative<DoRead>(command)) co_return co_await read();
  stream_.reset();
  FAIRWAY_CO_CHECKED(co_await async::sleep_for(client_.clock(), std::get<DoPause>(command).duration));
  co_return Begin{};
}

Task<WatcherInput> Watcher::list(ListOptions options) {
  stream_.reset();
  auto page = co_await client_.list(collection_, std::move(options));
  if (page) co_return Listed{*std::move(page)};
  if (page.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(page.error()));
  co_return ListFailed{std::move(page.error())};
}

Task<WatcherInput> Watcher::open(WatchOptions options) {
  stream_.reset();
  opened_ = client_.clock().steady();
  auto stream = co_await client_.watch(collection_, std::move(options));
  if (stream) {
    stream_ = *std::move(stream);
    co_return Opened{};
  }
  if (stream.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(stream.error()));
  co_return Failed{std::move(stream.error())};
}

Task<WatcherInput> Watcher::read() {
  FAIRWAY_CHECK(stream_ != nullptr, "a watcher reads without an open watch");
  auto event = co_await stream_->next();
  if (!event && event.error().code == ErrorCode::Cancelled)
    co_return std::unexpected(std::move(event.error()));
  const Duration lasted = client_.clock().steady() - opened_;
  if (!event) co_return Failed{std::move(event.error()), lasted};
  if (!*event) co_return Ended{lasted};
  co_return Received{**std::move(event)};
}

}  // namespace fairway::kube
