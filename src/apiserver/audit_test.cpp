#include "apiserver/audit.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"

namespace fairway::apiserver {
namespace {

using testing::HasSubstr;

constexpr WallTime kStart{std::chrono::microseconds{1'700'000'000'123'456}};

AuditedRequest audited(std::string_view method, std::string target) {
  http::Request request;
  request.method = std::string(method);
  request.target = target;
  request.peer.address = "127.0.0.1";
  request.headers = {{"User-Agent", "kubectl/v1.20"}, {"X-Forwarded-For", "10.0.0.9, 10.0.0.8"}};
  AuditedRequest made = AuditedRequest::of(request, *RequestInfo::parse(method, target), kStart, "new-id");
  made.caller.user = {"jane", "", {"dev"}, {}};
  made.decision = AccessDecision{true, "RBAC: allowed"};
  return made;
}

TEST(Audit, AnEventSaysWhoDidWhat) {
  const AuditedRequest request =
      audited("PUT", "/clusters/edge/apis/apps/v1/namespaces/prod/deployments/web/scale?x=1");
  const json::Object event =
      audit_event(request, AuditStage::ResponseComplete, kStart + std::chrono::seconds(1), {.code = 200});
  EXPECT_EQ(
      json::serialize(event),
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"new-id","stage":"ResponseComplete",)"
      R"("requestURI":"/clusters/edge/apis/apps/v1/namespaces/prod/deployments/web/scale?x=1","verb":"update",)"
      R"("user":{"username":"jane","groups":["dev"]},"sourceIPs":["10.0.0.9","10.0.0.8","127.0.0.1"],)"
      R"("userAgent":"kubectl/v1.20","objectRef":{"resource":"deployments","namespace":"prod","name":"web",)"
      R"("apiGroup":"apps","apiVersion":"v1","subresource":"scale"},"responseStatus":{"metadata":{},"code":200},)"
      R"("requestReceivedTimestamp":"2023-11-14T22:13:20.123456Z","stageTimestamp":"2023-11-14T22:13:21.123456Z",)"
      R"("annotations":{"fairway.io/cluster":"edge","authorization.k8s.io/decision":"allow",)"
      R"("authorization.k8s.io/reason":"RBAC: allowed"}})");
}

TEST(Audit, ImpersonationAndRefusalsAreShown) {
  AuditedRequest request = audited("POST", "/api/v1/namespaces/a/pods");
  request.caller.impersonator = User{"root", "", {}, {}};
  request.decision = AccessDecision{false, ""};
  const json::Object event = audit_event(request, AuditStage::ResponseComplete, kStart,
                                         {403, "Failure", "Forbidden", "no", "generated-x"});
  EXPECT_EQ(json::get_string(event, {"user", "username"}), "root");
  EXPECT_EQ(json::get_string(event, {"impersonatedUser", "username"}), "jane");
  EXPECT_EQ(json::get_string(event, {"objectRef", "name"}), "generated-x");
  EXPECT_EQ(json::serialize(event.at("responseStatus")),
            R"({"metadata":{},"status":"Failure","message":"no","reason":"Forbidden","code":403})");
  EXPECT_EQ(json::get_string(event, {"annotations", "authorization.k8s.io/decision"}), "forbid");
}

TEST(Audit, AClientMayChooseTheId) {
  http::Request request;
  request.target = "/api";
  request.headers = {{"Audit-ID", "mine"}};
  EXPECT_EQ(AuditedRequest::of(request, *RequestInfo::parse("GET", "/api"), kStart, "new").id, "mine");
  request.headers = {{"Audit-ID", std::string(65, 'x')}};
  EXPECT_EQ(AuditedRequest::of(request, *RequestInfo::parse("GET", "/api"), kStart, "new").id, "new");
}

TEST(Audit, ProbesAreNotAudited) {
  for (const auto* path : {"/livez", "/readyz/ping", "/version", "/healthz"})
    EXPECT_FALSE(is_audited(*RequestInfo::parse("GET", path))) << path;
  for (const auto* path : {"/api/v1/pods", "/metrics", "/livezz"})
    EXPECT_TRUE(is_audited(*RequestInfo::parse("GET", path))) << path;
}

class AuditLogTest : public testing::Test {
 protected:
  AuditLogTest() {
    std::string pattern = testing::TempDir() + "audit-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    options_.path = root_ + "/audit.log";
  }
  ~AuditLogTest() override { std::filesystem::remove_all(root_); }

  std::unique_ptr<AuditLog> open() {
    auto log = AuditLog::open(options_);
    EXPECT_TRUE(log) << (log ? "" : log.error().describe());
    return log ? *std::move(log) : nullptr;
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::vector<std::string> found;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) found.push_back(line);
    return found;
  }
  static json::Object numbered(int number) { return {{"n", number}}; }

  std::string root_;
  AuditLogOptions options_;
};

TEST_F(AuditLogTest, LinesComeInOrderAndThePrivateFileIsKept) {
  {
    const auto log = open();
    for (int i = 0; i < 3; ++i) log->write(numbered(i));
  }
  {
    const auto log = open();
    log->write(numbered(3));
    log->flush();
    EXPECT_EQ(log->stats().written, 1U);
  }
  EXPECT_EQ(lines(options_.path),
            (std::vector<std::string>{R"({"n":0})", R"({"n":1})", R"({"n":2})", R"({"n":3})"}));
  struct stat found{};
  ASSERT_EQ(::stat(options_.path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(AuditLogTest, RotatesBySizeAndKeepsAFew) {
  options_.max_bytes = 20;  // two lines of eight bytes
  options_.max_files = 2;
  const auto log = open();
  for (int i = 0; i < 9; ++i) log->write(numbered(i));
  log->flush();
  EXPECT_EQ(lines(options_.path), std::vector<std::string>{R"({"n":8})"});
  EXPECT_EQ(lines(options_.path + ".1"), (std::vector<std::string>{R"({"n":6})", R"({"n":7})"}));
  EXPECT_EQ(lines(options_.path + ".2"), (std::vector<std::string>{R"({"n":4})", R"({"n":5})"}));
  EXPECT_FALSE(std::filesystem::exists(options_.path + ".3"));
  EXPECT_EQ(log->stats().written, 9U);
}

TEST_F(AuditLogTest, ReopensOnRequest) {
  const auto log = open();
  log->write(numbered(1));
  log->flush();
  std::filesystem::rename(options_.path, options_.path + ".old");
  log->reopen();
  log->flush();
  EXPECT_TRUE(std::filesystem::exists(options_.path));
  log->write(numbered(2));
  log->flush();
  EXPECT_EQ(lines(options_.path), std::vector<std::string>{R"({"n":2})"});
  EXPECT_EQ(lines(options_.path + ".old"), std::vector<std::string>{R"({"n":1})"});
}

TEST_F(AuditLogTest, AFullDiskIsCountedAndSaidOnce) {
  std::mutex mutex;
  std::vector<std::string> said;
  auto old = log::set_sink([&](log::Level, std::string_view message, const log::Fields&) {
    const std::lock_guard lock(mutex);
    said.emplace_back(message);
  });
  options_.path = "/dev/full";
  {
    const auto log = open();
    for (int i = 0; i < 5; ++i) log->write(numbered(i));
    log->flush();
    EXPECT_EQ(log->stats().dropped_disk, 5U);
    EXPECT_EQ(log->stats().written, 0U);
  }
  log::set_sink(std::move(old));
  EXPECT_EQ(said, std::vector<std::string>{"audit events are being lost"});
}

TEST_F(AuditLogTest, WhatDoesNotFitTheQueueIsCounted) {
  ASSERT_EQ(::mkfifo(options_.path.c_str(), 0600), 0);
  const int reader = ::open(options_.path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  ASSERT_GT(::fcntl(reader, F_SETPIPE_SZ, 4096), 0);
  options_.max_waiting = 10;
  constexpr std::uint64_t kCount = 1000;
  const std::string padding(1000, 'x');
  std::uint64_t kept = 0;
  {
    const auto log = open();
    for (std::uint64_t i = 0; i < kCount; ++i) log->write({{"padding", padding}});
    const std::uint64_t dropped = log->stats().dropped_waiting;
    // The pipe holds four lines, one batch of ten is being written and ten wait.
    EXPECT_GE(dropped, kCount - 24);
    kept = kCount - dropped;
    std::uint64_t newlines = 0;
    std::string buffer(4096, '\0');
    while (newlines < kept) {
      const ssize_t count = ::read(reader, buffer.data(), buffer.size());
      ASSERT_GT(count, 0);
      newlines += static_cast<std::uint64_t>(std::count(buffer.begin(), buffer.begin() + count, '\n'));
    }
    log->flush();
    EXPECT_EQ(log->stats().written, kept);
  }
  ::close(reader);
}

TEST_F(AuditLogTest, APathThatCannotBeOpenedIsAnError) {
  options_.path = root_ + "/missing/audit.log";
  const auto log = AuditLog::open(options_);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().describe(), HasSubstr("missing/audit.log"));
}

}  // namespace
}  // namespace fairway::apiserver
