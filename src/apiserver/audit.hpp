// Audit: who did what, in the format of audit.k8s.io/v1 at level Metadata. Bodies never appear.
//
// audit_event() is pure. AuditLog appends events to a file, one a line, on a thread of its own: a request
// never waits for the disk. What cannot be kept (the queue is full, the disk is full) is dropped, counted and
// said in the server's log, once when it begins and once when it is over. Files are readable by their owner
// only and rotate by size: audit.log, audit.log.1, audit.log.2, …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/identity.hpp"
#include "apiserver/request_info.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

enum class AuditStage { ResponseStarted, ResponseComplete, Panic };
std::string_view to_string(AuditStage stage);

// What is known of a request before it is answered.
struct AuditedRequest {
  std::string id;
  std::string uri;
  RequestInfo info;
  Caller caller;
  std::vector<std::string> source_ips;
  std::string user_agent;
  WallTime received = {};
  std::optional<AccessDecision> decision = std::nullopt;  // nothing: it did not come to that

  // The id is the client's own (header Audit-ID) or, without one, `new_id`.
  static AuditedRequest of(const http::Request& request, RequestInfo info, WallTime received,
                           std::string new_id);
};

struct AuditOutcome {
  int code = 0;
  std::string status = {};  // Success or Failure, where the answer was a Status
  std::string reason = {};
  std::string message = {};
  std::string object_name = {};  // of an object that was created without a name in the URL
};

// Probes and version queries would drown the rest.
bool is_audited(const RequestInfo& info);

json::Object audit_event(const AuditedRequest& request, AuditStage stage, WallTime at,
                         const AuditOutcome& outcome);

struct AuditLogOptions {
  std::string path;
  std::uint64_t max_bytes = 100 << 20;  // of one file
  std::size_t max_files = 10;           // rotated ones that are kept
  std::size_t max_waiting = 10'000;
};

struct AuditStats {
  std::uint64_t written = 0;
  std::uint64_t dropped_waiting = 0;  // too many waited
  std::uint64_t dropped_disk = 0;     // the file could not be written
};

class AuditLog {
 public:
  static Result<std::unique_ptr<AuditLog>> open(AuditLogOptions options);
  // Writes what still waits.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void write(const json::Object& event);
  // Opens the file anew, for those who rotate it themselves.
  void reopen();
  // Until all that was given so far is written or dropped. Blocks.
  void flush();
  AuditStats stats() const;

 private:
  struct Impl;
  explicit AuditLog(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::apiserver
