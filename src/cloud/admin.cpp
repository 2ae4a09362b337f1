#include "cloud/admin.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::cloud {
namespace {

constexpr const char* kPaths =
    "this server has /loadbalancers, /hosts, /faults, /metrics, /livez and /readyz\n";

http::Response text(int status, std::string body, std::string_view type = "text/plain; charset=utf-8") {
  return {status, {{"Content-Type", std::string(type)}}, std::move(body)};
}

http::Response as_json(const json::Value& value) {
  return text(200, json::serialize_pretty(value) + "\n", "application/json");
}

json::Value to_value(const Faults& faults) {
  return json::to_object(faults);
}

http::Response change_faults(const http::Request& request, ServiceController& cloud) {
  const auto type = request.headers.find("Content-Type").value_or("");
  if (!type.starts_with("application/json"))
    return text(415, fmt::format("expected Content-Type: application/json, found {}\n", quoted(type)));
  const auto body = json::parse_object(request.body);
  if (!body) return text(400, body.error().describe() + "\n");
  const auto changed = changed_faults(cloud.faults(), *body);
  if (!changed) return text(400, changed.error().describe() + "\n");
  cloud.set_faults(*changed);
  return as_json(to_value(*changed));
}

http::Response answer(const http::Request& request, ServiceController& cloud,
                      const metrics::Registry& registry, bool is_ready) {
  const auto target = http::Target::parse(request.target);
  if (!target) return text(400, target.error().describe() + "\n");
  const std::string& path = target->path;
  if (path == "/faults" && request.method == "POST") return change_faults(request, cloud);
  if (request.method != "GET" && request.method != "HEAD")
    return text(405, fmt::format("{} cannot be sent a {}\n", path, request.method));
  if (path == "/loadbalancers") {
    json::Object list;
    list["platform"] = cloud.settings().profile.platform;
    list["items"] = cloud.describe_all();
    return as_json(list);
  }
  if (path == "/faults") return as_json(to_value(cloud.faults()));
  if (path == "/hosts") return text(200, cloud.hosts());
  if (path == "/metrics") return text(200, registry.expose(), metrics::Registry::kContentType);
  if (path == "/livez" || path == "/healthz") return text(200, "ok");
  if (path == "/readyz") return is_ready ? text(200, "ok") : text(503, "not ready\n");
  return text(404, kPaths);
}

}  // namespace

Result<Faults> changed_faults(const Faults& faults, const json::Object& change) {
  json::Object merged = json::to_object(faults);
  json::Object all = json::to_object(Faults{.quota = 0});
  for (const auto& [key, value] : change) {
    if (!all.contains(key)) {
      std::vector<std::string> known;
      for (const auto& each : all) known.emplace_back(each.key());
      const auto near = nearest(std::string_view(key), known);
      return fail(ErrorCode::Invalid,
                  fmt::format("there is no fault {}{}; there are: {}", quoted(std::string_view(key)),
                              near ? fmt::format(", did you mean {}?", *near) : "", join(known, ", ")));
    }
    merged[key] = value;
  }
  FAIRWAY_TRY(const Faults made, json::from_json<Faults>(merged));
  if (made.slow_watch < Duration::zero())
    return fail(ErrorCode::Invalid, "slowWatch: expected a duration that is not negative");
  return made;
}

http::Handler admin_handler(ServiceController& cloud, const metrics::Registry& registry,
                            std::function<bool()> is_ready) {
  return [&cloud, &registry, is_ready = std::move(is_ready)](const http::Request& request,
                                                             http::ResponseWriter& writer) -> Task<void> {
    return writer.send(answer(request, cloud, registry, is_ready()));
  };
}

}  // namespace fairway::cloud
