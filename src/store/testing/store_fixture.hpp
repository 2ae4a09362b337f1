// StoreFixture: a store in a directory of its own (or in memory), with a loop and a clock that a test
// controls.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "store/store.hpp"
#include "store/testing/test_loop.hpp"

namespace fairway::store {

// Removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Key key_of(std::string name, std::string ns = "default", std::string resource = "/configmaps");
Text text_of(std::string text);
// "created a@1=x": kind, name, revision, value, and "(was v@r)" where there was something before.
std::string describe(const Change& change);
std::vector<std::string> describe(const std::vector<ChangePtr>& changes);
// "a@1=x b@2=y"
std::string describe(const Page& page);

class StoreFixture : public ::testing::Test {
 protected:
  StoreFixture();
  ~StoreFixture() override;

  // Closes what is open and opens it again, with options_.
  void open();
  void close();

  // These wait for the completion.
  Result<ChangePtr> write(Write write);
  Result<ChangePtr> create(const std::string& name, const std::string& value);
  Result<ChangePtr> update(const std::string& name, const std::string& value, Revision expected = 0);
  Result<ChangePtr> remove(const std::string& name, Revision expected = 0);
  Result<void> settle();
  Result<void> compact(Revision up_to);
  Result<void> backup(const std::string& path);
  Result<Page> list_at(Revision revision, Query query);
  Result<std::vector<ChangePtr>> changes_since(Revision since, const Scope& scope = {});

  // Calls `start` with a completion and runs the loop until that is called.
  template <class T>
  Result<T> wait_for(const std::function<void(Store::Done<T>)>& start) {
    std::optional<Result<T>> result;
    start([&result](Result<T> done) { result = std::move(done); });
    loop_.run_until([&result] { return result.has_value(); });
    return *std::move(result);
  }

  TemporaryDirectory directory_;
  ManualClock clock_;
  TestLoop loop_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

}  // namespace fairway::store
