#include "store/store.hpp"

#include <utility>

#include "base/log.hpp"
#include "store/core.hpp"

namespace fairway::store {

Result<std::unique_ptr<Store>> Store::open(StoreOptions options) {
  FAIRWAY_TRY(std::shared_ptr<Core> core, Core::open(std::move(options)));
  return std::unique_ptr<Store>(new Store(std::move(core)));
}

Store::Store(std::shared_ptr<Core> core) : core_(std::move(core)) {}

Store::~Store() {
  if (const Result<void> closed = close(); !closed)
    log::error("closing the store failed", {{"error", closed.error().describe()}});
}

Revision Store::revision() const {
  return core_->revision();
}

EntryPtr Store::get(const Key& key) const {
  return core_->state().get(key);
}

Page Store::list(const Query& query) const {
  Page page = core_->state().list(query);
  page.revision = core_->revision();
  return page;
}

std::size_t Store::count(const Scope& resource, const std::optional<std::string>& ns) const {
  return core_->state().count(resource, ns);
}

std::vector<ResourceCount> Store::resources() const {
  return core_->state().resources();
}

void Store::list_at(Revision revision, Query query, Done<Page> done) {
  core_->list_at(revision, std::move(query), std::move(done));
}

void Store::changes_since(const Scope& scope, Revision since, Done<std::vector<ChangePtr>> done) {
  core_->changes_since(scope, since, std::move(done));
}

Subscription Store::subscribe(const Scope& scope, Revision since, Listener listener) {
  return core_->subscribe(scope, since, std::move(listener));
}

Revision Store::compacted() const {
  return core_->stats().compacted;
}

Head Store::head(const Key& key) const {
  return core_->head(key);
}

Revision Store::next_revision() const {
  return core_->next_revision();
}

void Store::submit(Write write, Completion done) {
  core_->submit(std::move(write), std::move(done));
}

void Store::settle(Done<void> done) {
  core_->settle(std::move(done));
}

void Store::maintain() {
  core_->maintain();
}

void Store::compact(Revision up_to, Done<void> done) {
  core_->compact(up_to, std::move(done));
}

void Store::backup(std::string path, Done<void> done) {
  core_->backup(std::move(path), std::move(done));
}

StoreStats Store::stats() const {
  return core_->stats();
}

Result<void> Store::close() {
  return core_->close();
}

std::string store_file(const std::string& directory) {
  return directory + "/fairway.db";
}

}  // namespace fairway::store
