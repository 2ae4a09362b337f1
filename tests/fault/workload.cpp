#include "tests/fault/workload.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/text.hpp"

namespace fairway::fault {
namespace {

using store::ChangeKind;

// A value begins with its token; the rest is there for its size.
std::string_view token_of(const store::Entry& entry) {
  return split(*entry.value, ' ').front();
}

std::string sight(const store::Change& change, std::string_view token) {
  return fmt::format("{} {} {}/{} {}", change.revision, to_string(change.kind), change.now->key.ns,
                     change.now->key.name, token);
}

}  // namespace

Workload::Workload(store::Store& store, WorkloadOptions options,
                   std::function<void(const std::string&)> report)
    : store_(store),
      options_(std::move(options)),
      report_(std::move(report)),
      random_(options_.seed),
      last_seen_(options_.resume) {}

void Workload::start() {
  list();
  watch_ = store_.subscribe({}, options_.resume, [this](const Result<store::ChangePtr>& change) {
    if (!change) {
      // Closing ends the watch as well; anything else is a gap.
      if (change.error().code != ErrorCode::Cancelled) report_("failed watch: " + change.error().describe());
      has_failed_ = true;
      return;
    }
    last_seen_ = (*change)->revision;
    const store::EntryPtr& before = (*change)->before;
    report_(
        fmt::format("saw {} {}", sight(**change, token_of(*(*change)->now)), before ? before->revision : 0));
  });
  for (std::size_t writer = 0; writer < options_.writers; ++writer) write(writer);
}

bool Workload::is_finished() const {
  return stopped_ == options_.writers && (has_failed_ || last_seen_ >= store_.revision());
}

void Workload::list() {
  const store::Page page = store_.list({.cluster = "hub", .resource = "/configmaps"});
  report_(fmt::format("list {} {}", page.revision, page.entries.size()));
  for (const store::EntryPtr& entry : page.entries)
    report_(
        fmt::format("item {}/{} {} {}", entry->key.ns, entry->key.name, entry->revision, token_of(*entry)));
}

store::Write Workload::next_write(std::size_t writer, std::string& token) {
  const bool is_shared = random_() % 8 == 0;
  store::Key key{.cluster = "hub",
                 .resource = "/configmaps",
                 .ns = is_shared ? "shared" : fmt::format("writer{}", writer),
                 .name = is_shared ? "one" : fmt::format("k{}", random_() % options_.keys_per_writer)};
  token = fmt::format("{}-{}", options_.run, ++attempts_);
  const store::EntryPtr head = store_.head(key).entry;
  const ChangeKind kind = !head                ? ChangeKind::Created
                          : random_() % 5 == 0 ? ChangeKind::Deleted
                                               : ChangeKind::Updated;
  std::string value = token + " " + std::string(random_() % options_.largest_value, 'x');
  return {.kind = kind,
          .key = std::move(key),
          .value = std::make_shared<const std::string>(std::move(value)),
          .labels = {{"writer", std::to_string(writer)}},
          .expected = head ? head->revision : 0};
}

void Workload::write(std::size_t writer) {
  if (attempts_ >= options_.writes || has_failed_) {
    ++stopped_;
    return;
  }
  std::string token;
  store::Write next = next_write(writer, token);
  report_(fmt::format("try {}/{} {}", next.key.ns, next.key.name, token));
  store_.submit(std::move(next), [this, writer, token](const Result<store::ChangePtr>& done) {
    on_written(writer, done, token);
  });
}

void Workload::on_written(std::size_t writer, const Result<store::ChangePtr>& done,
                          const std::string& token) {
  if (done) {
    last_acknowledged_ = (*done)->revision;
    report_("ack " + sight(**done, token));
  } else if (done.error().code == ErrorCode::Unavailable) {
    has_failed_ = true;  // whether it happened is not known; whoever runs this starts over
  }
  write(writer);
}

}  // namespace fairway::fault
