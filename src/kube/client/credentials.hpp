// Credentials: what a request must show, kept fresh.
//
// Tokens and certificates that are in files are read again once a minute, because kubelets and administrators
// replace them; a file that cannot be read for a moment leaves the last good content in use. An exec plugin
// runs when there is no credential, when it has expired, or after the server refused it; however many
// requests wait, it runs once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "kube/client/client_config.hpp"
#include "kube/client/exec_credential.hpp"

namespace fairway::async {
class WorkerPool;
}

namespace fairway::kube {

struct Credential {
  std::string authorization = {};  // the header's value; empty: none
  std::string certificate_pem = {};
  std::string key_pem = {};

  bool operator==(const Credential&) const = default;
};
// The same pointer as before means that nothing has changed.
using CredentialPtr = std::shared_ptr<const Credential>;

// Runs a program and gives what it printed, without blocking the event loop.
using RunCommand = std::function<Task<ProcessResult>(Command)>;
RunCommand run_on(async::WorkerPool& pool, Process& process);

class Credentials {
 public:
  // Without `run`, a configuration with an exec plugin is refused when it is needed.
  Credentials(ClientConfig config, TimerClock& clock, RunCommand run = {});

  Task<CredentialPtr> current();
  // The server did not accept it. Whether asking again may give another one.
  bool forget(const CredentialPtr& refused);

 private:
  bool uses_plugin() const;
  bool is_plugin_due() const;
  Task<void> refresh_plugin();
  Task<void> run_plugin();
  Result<Credential> assemble();
  Result<std::string> text_of(const PemSource& source, std::optional<std::string>& last);
  Result<std::string> bearer_token();

  ClientConfig config_;
  TimerClock& clock_;
  RunCommand run_;
  CredentialPtr last_;

  std::optional<SteadyTime> files_read_;
  std::optional<std::string> last_token_;
  std::optional<std::string> last_certificate_;
  std::optional<std::string> last_key_;

  std::optional<ExecCredential> from_plugin_;
  bool is_running_ = false;
  async::Notify ran_;
};

}  // namespace fairway::kube
