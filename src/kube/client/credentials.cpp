#include "kube/client/credentials.hpp"

#include <fmt/format.h>

#include "async/files.hpp"
#include "async/worker_pool.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fairway::kube {
namespace {

constexpr Duration kReadFilesEvery = std::chrono::minutes(1);

Task<ProcessResult> run_in_pool(async::WorkerPool& pool, Process& process, Command command) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  co_return co_await pool.run([&process, command = std::move(command)] { return process.run(command); });
}

}  // namespace

RunCommand run_on(async::WorkerPool& pool, Process& process) {
  return [&pool, &process](Command command) { return run_in_pool(pool, process, std::move(command)); };
}

Credentials::Credentials(ClientConfig config, TimerClock& clock, RunCommand run)
    : config_(std::move(config)), clock_(clock), run_(std::move(run)) {}

Task<CredentialPtr> Credentials::current() {
  if (uses_plugin()) FAIRWAY_CO_CHECKED(co_await refresh_plugin());
  FAIRWAY_CO_TRY(Credential credential, assemble());
  if (!last_ || *last_ != credential) last_ = std::make_shared<const Credential>(std::move(credential));
  co_return last_;
}

bool Credentials::forget(const CredentialPtr& refused) {
  const Authentication& auth = config_.authentication;
  // Another request may have renewed them since.
  if (refused != last_) return true;
  if (from_plugin_) {
    from_plugin_.reset();
    return true;
  }
  files_read_.reset();
  return !auth.token_file.empty() || !auth.certificate.path.empty();
}

bool Credentials::uses_plugin() const {
  const Authentication& auth = config_.authentication;
  return auth.exec && auth.token.empty() && auth.token_file.empty() && auth.username.empty();
}

bool Credentials::is_plugin_due() const {
  return !from_plugin_ || (from_plugin_->expires && clock_.now() >= *from_plugin_->expires);
}

Task<void> Credentials::refresh_plugin() {
  while (is_plugin_due()) {
    if (is_running_) {
      FAIRWAY_CO_CHECKED(co_await ran_.wait());
      continue;
    }
    is_running_ = true;
    auto done = co_await run_plugin();
    is_running_ = false;
    ran_.notify();
    if (!done) co_return done;
  }
  co_return Result<void>{};
}

Task<void> Credentials::run_plugin() {
  const ExecPlugin& plugin = *config_.authentication.exec;
  if (!run_) {
    co_return fail(ErrorCode::Unsupported,
                   fmt::format("the user of the context {} needs the credential plugin {}, "
                               "and running programs is not allowed here",
                               quoted(config_.name), quoted(plugin.command)));
  }
  std::string authority = config_.authority.text;
  if (plugin.provide_cluster_info && !config_.authority.path.empty()) {
    FAIRWAY_CO_TRY(authority, read_file(config_.authority.path));
  }
  auto result = co_await run_(exec_command(plugin, config_, authority));
  if (!result) {
    Error error = std::move(result.error());
    if (error.code == ErrorCode::NotFound && !plugin.install_hint.empty())
      error.message += ": " + plugin.install_hint;
    co_return std::unexpected(std::move(error).within("running the credential plugin"));
  }
  FAIRWAY_CO_TRY(ExecCredential credential, read_exec_credential(plugin, *result));
  if (credential.expires && clock_.now() >= *credential.expires) {
    co_return fail(ErrorCode::Forbidden,
                   fmt::format("the credential plugin {} gave a credential that expired at {}",
                               quoted(plugin.command), format_rfc3339(*credential.expires)));
  }
  from_plugin_ = std::move(credential);
  co_return Result<void>{};
}

// The file's content as of the last minute; the last good one when it cannot be read now.
Result<std::string> Credentials::text_of(const PemSource& source, std::optional<std::string>& last) {
  if (source.path.empty()) return source.text;
  const bool is_due = !files_read_ || clock_.steady() - *files_read_ >= kReadFilesEvery;
  if (last && !is_due) return *last;
  auto text = read_file(source.path);
  if (text) {
    last = *text;
  } else if (last) {
    log::warning("a credential file cannot be read, the last content stays in use",
                 {{"file", source.path}, {"error", text.error().describe()}});
    return *last;
  }
  return text;
}

Result<std::string> Credentials::bearer_token() {
  const Authentication& auth = config_.authentication;
  if (auth.token_file.empty()) return auth.token;
  auto text = text_of({.path = auth.token_file}, last_token_);
  if (text && trim(*text).empty()) {
    text = fail(ErrorCode::Invalid,
                fmt::format("expected a token in {}, found nothing", quoted(auth.token_file)));
  }
  if (!text && !auth.token.empty()) return auth.token;
  if (!text) return text;
  return std::string(trim(*text));
}

Result<Credential> Credentials::assemble() {
  const Authentication& auth = config_.authentication;
  Credential credential;
  FAIRWAY_TRY(credential.certificate_pem, text_of(auth.certificate, last_certificate_));
  FAIRWAY_TRY(credential.key_pem, text_of(auth.key, last_key_));
  FAIRWAY_TRY(std::string token, bearer_token());
  if (!files_read_ || clock_.steady() - *files_read_ >= kReadFilesEvery) files_read_ = clock_.steady();
  if (uses_plugin() && from_plugin_) {
    token = from_plugin_->token;
    if (!from_plugin_->certificate_pem.empty()) {
      credential.certificate_pem = from_plugin_->certificate_pem;
      credential.key_pem = from_plugin_->key_pem;
    }
  }
  if (!token.empty()) {
    credential.authorization = "Bearer " + token;
  } else if (!auth.username.empty()) {
    credential.authorization = "Basic " + encode_base64(auth.username + ":" + auth.password);
  }
  return credential;
}

}  // namespace fairway::kube
