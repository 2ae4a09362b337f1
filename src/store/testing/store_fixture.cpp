#include "store/testing/store_fixture.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <stdlib.h>

namespace fairway::store {

TemporaryDirectory::TemporaryDirectory() : path_(::testing::TempDir() + "fairway-store-XXXXXX") {
  FAIRWAY_CHECK(::mkdtemp(path_.data()) != nullptr, "a temporary directory cannot be made");
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Key key_of(std::string name, std::string ns, std::string resource) {
  return {.cluster = "hub", .resource = std::move(resource), .ns = std::move(ns), .name = std::move(name)};
}

Text text_of(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string describe(const Change& change) {
  const Entry& now = *change.now;
  std::string text =
      fmt::format("{} {}@{}={}", to_string(change.kind), now.key.name, now.revision, *now.value);
  if (change.before) text += fmt::format(" (was {}@{})", *change.before->value, change.before->revision);
  return text;
}

std::vector<std::string> describe(const std::vector<ChangePtr>& changes) {
  std::vector<std::string> texts;
  for (const ChangePtr& change : changes) texts.push_back(describe(*change));
  return texts;
}

std::string describe(const Page& page) {
  std::string text;
  for (const EntryPtr& entry : page.entries)
    text +=
        fmt::format("{}{}@{}={}", text.empty() ? "" : " ", entry->key.name, entry->revision, *entry->value);
  return text;
}

StoreFixture::StoreFixture()
    : options_{.directory = directory_.path() + "/store", .clock = clock_, .post = loop_.poster()} {}

StoreFixture::~StoreFixture() {
  store_.reset();
  loop_.run_ready();
}

void StoreFixture::open() {
  close();
  Result<std::unique_ptr<Store>> opened = Store::open(options_);
  ASSERT_TRUE(opened.has_value()) << opened.error().describe();
  store_ = *std::move(opened);
}

void StoreFixture::close() {
  if (!store_) return;
  const Result<void> closed = store_->close();
  EXPECT_TRUE(closed.has_value()) << closed.error().describe();
  store_.reset();
}

Result<ChangePtr> StoreFixture::write(Write write) {
  return wait_for<ChangePtr>([&](auto done) { store_->submit(std::move(write), std::move(done)); });
}

Result<ChangePtr> StoreFixture::create(const std::string& name, const std::string& value) {
  return write({.kind = ChangeKind::Created, .key = key_of(name), .value = text_of(value)});
}

Result<ChangePtr> StoreFixture::update(const std::string& name, const std::string& value, Revision expected) {
  return write(
      {.kind = ChangeKind::Updated, .key = key_of(name), .value = text_of(value), .expected = expected});
}

Result<ChangePtr> StoreFixture::remove(const std::string& name, Revision expected) {
  return write({.kind = ChangeKind::Deleted, .key = key_of(name), .value = nullptr, .expected = expected});
}

Result<void> StoreFixture::settle() {
  return wait_for<void>([&](auto done) { store_->settle(std::move(done)); });
}

Result<void> StoreFixture::compact(Revision up_to) {
  return wait_for<void>([&](auto done) { store_->compact(up_to, std::move(done)); });
}

Result<void> StoreFixture::backup(const std::string& path) {
  return wait_for<void>([&](auto done) { store_->backup(path, std::move(done)); });
}

Result<Page> StoreFixture::list_at(Revision revision, Query query) {
  return wait_for<Page>([&](auto done) { store_->list_at(revision, std::move(query), std::move(done)); });
}

Result<std::vector<ChangePtr>> StoreFixture::changes_since(Revision since, const Scope& scope) {
  return wait_for<std::vector<ChangePtr>>(
      [&](auto done) { store_->changes_since(scope, since, std::move(done)); });
}

}  // namespace fairway::store
