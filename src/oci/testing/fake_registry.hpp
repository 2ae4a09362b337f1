// FakeRegistry: a registry in memory, as the Transport of component tests, with every fault that a test
// thinks of.
//
// It serves what was put into it, pages of tags and ranges of blobs included, and remembers what was asked.
// The test's `intercept` may answer a request instead: with an error, with another answer, or with one that
// breaks off or stalls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "oci/registry.hpp"
#include "oci/testing/images.hpp"

namespace fairway::oci::testing {

struct Served {
  int status = 200;
  http::Headers headers = {};
  std::string body = {};
  std::optional<std::size_t> breaks_after = {};  // bytes, then the connection is lost
  std::optional<std::size_t> stalls_after = {};  // bytes, then nothing comes any more
};

class FakeRegistry final : public http::Transport {
 public:
  using Intercept = std::function<std::optional<Result<Served>>(const http::ClientRequest&)>;

  explicit FakeRegistry(TimerClock& clock) : clock_(clock) {}

  void put(const std::string& repository, const std::string& tag, const TestImage& image);
  void put_tags(const std::string& repository, std::vector<std::string> tags);
  Descriptor put_blob(const std::string& bytes);

  Task<http::Response> send(http::ClientRequest request) override;
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override;

  // What it would answer without interception.
  Served serve(const http::ClientRequest& request) const;
  const std::vector<http::ClientRequest>& requests() const { return requests_; }
  // "GET /v2/ns/repo/tags/list?n=2" for each; a request to another host with its origin.
  std::vector<std::string> asked() const;

  Intercept intercept;

 private:
  Served serve_tags(const std::string& repository, const http::Query& query) const;
  Served serve_manifest(const std::string& repository, const std::string& name) const;
  Served serve_blob(const std::string& digest, const http::Headers& headers) const;

  TimerClock& clock_;
  std::map<std::string, std::vector<std::string>> tags_;
  std::map<std::string, std::pair<std::string, std::string>> manifests_;  // repository/name → type, text
  std::map<std::string, std::string> blobs_;
  std::vector<http::ClientRequest> requests_;
};

// An event loop on a ManualClock with a registry on it; time passes as the tasks need it.
class RegistryFixture {
 public:
  RegistryFixture() : fake(clock) {}

  Registry make(RegistryOptions options = {}) {
    if (options.registry.host.empty()) options.registry = *RegistryHost::parse("registry.example:5000");
    return Registry(fake, clock, std::move(options));
  }

  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> result;
    async::TaskGroup group(loop.executor());
    group.spawn("test", keep(std::move(task), result));
    do {
      loop.run_until_idle();
    } while (!result && clock.advance_to_next());
    if (!result) {
      group.cancel();
      loop.run_until_idle();
      return fail(ErrorCode::Internal, "the task waits for something that never comes");
    }
    loop.run_until_idle();
    return *std::move(result);
  }

  async::EventLoop loop;
  ManualClock clock;
  FakeRegistry fake;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<Result<T>>& into) {
    into.emplace(co_await std::move(task));
    co_return Result<void>{};
  }
};

}  // namespace fairway::oci::testing
