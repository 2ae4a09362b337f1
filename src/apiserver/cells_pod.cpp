#include <algorithm>
#include <fmt/format.h>

#include "apiserver/cells_kinds.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver::cells {
namespace {

using fields::each_object;
using fields::flag_at;
using fields::has_true_condition;
using fields::text_at;
using json::Array;
using json::Object;
using json::Value;

// An init container that stays: it is started before the others and runs beside them.
bool is_sidecar(const Object& pod, std::string_view name) {
  bool found = false;
  each_object(pod, {"spec", "initContainers"}, [&](const Object& container) {
    found =
        found || (text_at(container, {"name"}) == name && text_at(container, {"restartPolicy"}) == "Always");
  });
  return found;
}

// "Signal:9" or "ExitCode:1".
std::string exit_text(const Object& terminated) {
  const auto signal = json::get_int(terminated, {"signal"}).value_or(0);
  return signal != 0 ? fmt::format("Signal:{}", signal)
                     : fmt::format("ExitCode:{}", json::get_int(terminated, {"exitCode"}).value_or(0));
}

struct Restarts {
  std::int64_t count = 0;
  std::optional<WallTime> last;

  void add(const Object& status) {
    count += json::get_int(status, {"restartCount"}).value_or(0);
    const auto finished = parse_rfc3339(text_at(status, {"lastState", "terminated", "finishedAt"}));
    if (finished && (!last || *last < *finished)) last = finished;
  }
};

// What the table says of a pod, found in one walk over its containers, which is printPod() of kube-apiserver.
class PodSummary {
 public:
  explicit PodSummary(const Object& pod) : pod_(pod) {
    reason = text_at(pod, {"status", "phase"});
    if (const auto given = text_at(pod, {"status", "reason"}); !given.empty()) reason = given;
    each_object(pod, {"status", "conditions"}, [&](const Object& condition) {
      const bool is_gated = text_at(condition, {"type"}) == "PodScheduled" &&
                            text_at(condition, {"reason"}) == "SchedulingGated";
      if (is_gated) reason = "SchedulingGated";
    });
    count_containers();
    walk_init_containers();
    if (!is_initializing_ || has_true_condition(pod, "Initialized")) walk_containers();
    if (!kube::is_being_deleted(pod)) return;
    const std::string_view phase = text_at(pod, {"status", "phase"});
    if (text_at(pod, {"status", "reason"}) == "NodeLost") {
      reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      reason = "Terminating";
    }
  }

  std::string reason;
  std::size_t ready = 0;
  std::size_t total = 0;
  Restarts restarts;

 private:
  void count_containers() {
    each_object(pod_, {"spec", "containers"}, [&](const Object&) { ++total; });
    each_object(pod_, {"spec", "initContainers"}, [&](const Object& container) {
      ++init_total_;
      if (text_at(container, {"restartPolicy"}) == "Always") ++total;
    });
  }

  void walk_init_containers() {
    std::size_t position = 0;
    each_object(pod_, {"status", "initContainerStatuses"}, [&](const Object& status) {
      if (is_initializing_) return;
      const std::size_t done = position++;
      const bool stays = is_sidecar(pod_, text_at(status, {"name"}));
      restarts.add(status);
      if (stays) sidecar_restarts_.add(status);
      const Object* terminated = json::get_object(status, {"state", "terminated"});
      if (terminated && json::get_int(*terminated, {"exitCode"}).value_or(0) == 0) return;
      if (stays && flag_at(status, {"started"})) {
        if (flag_at(status, {"ready"})) ++ready;
        return;
      }
      is_initializing_ = true;
      const std::string_view waiting = text_at(status, {"state", "waiting", "reason"});
      if (terminated) {
        const std::string_view why = text_at(*terminated, {"reason"});
        reason = "Init:" + (why.empty() ? exit_text(*terminated) : std::string(why));
      } else if (!waiting.empty() && waiting != "PodInitializing") {
        reason = fmt::format("Init:{}", waiting);
      } else {
        reason = fmt::format("Init:{}/{}", done, init_total_);
      }
    });
  }

  void walk_containers() {
    restarts = sidecar_restarts_;
    bool has_running = false;
    const Array* list = json::get_array(pod_, {"status", "containerStatuses"});
    for (std::size_t i = list ? list->size() : 0; i-- > 0;) {
      const Object* status = (*list)[i].if_object();
      if (!status) continue;
      restarts.add(*status);
      const std::string_view waiting = text_at(*status, {"state", "waiting", "reason"});
      const Object* terminated = json::get_object(*status, {"state", "terminated"});
      if (!waiting.empty()) {
        reason = waiting;
      } else if (terminated) {
        const std::string_view why = text_at(*terminated, {"reason"});
        reason = why.empty() ? exit_text(*terminated) : std::string(why);
      } else if (flag_at(*status, {"ready"}) && json::get_object(*status, {"state", "running"})) {
        has_running = true;
        ++ready;
      }
    }
    if (reason == "Completed" && has_running)
      reason = has_true_condition(pod_, "Ready") ? "Running" : "NotReady";
  }

  const Object& pod_;
  bool is_initializing_ = false;
  std::size_t init_total_ = 0;
  Restarts sidecar_restarts_;
};

}  // namespace

json::Value pod_ready(const CellInput& input) {
  const PodSummary pod(input.object());
  return Value(fmt::format("{}/{}", pod.ready, pod.total));
}

json::Value pod_status(const CellInput& input) {
  return Value(PodSummary(input.object()).reason);
}

json::Value pod_restarts(const CellInput& input) {
  const Restarts restarts = PodSummary(input.object()).restarts;
  if (restarts.count == 0 || !restarts.last) return Value(fmt::format("{}", restarts.count));
  return Value(fmt::format("{} ({} ago)", restarts.count, age_text(restarts.last, input.now)));
}

json::Value pod_ip(const CellInput& input) {
  const Array* addresses = json::get_array(input.object(), {"status", "podIPs"});
  const Object* first = addresses && !addresses->empty() ? addresses->front().if_object() : nullptr;
  const std::string_view address = first ? text_at(*first, {"ip"}) : std::string_view();
  return Value(address.empty() ? "<none>" : address);
}

json::Value pod_readiness_gates(const CellInput& input) {
  std::size_t gates = 0, open = 0;
  each_object(input.object(), {"spec", "readinessGates"}, [&](const Object& gate) {
    ++gates;
    if (has_true_condition(input.object(), text_at(gate, {"conditionType"}))) ++open;
  });
  return Value(gates == 0 ? "<none>" : fmt::format("{}/{}", open, gates));
}

}  // namespace fairway::apiserver::cells
