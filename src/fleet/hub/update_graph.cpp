#include "fleet/hub/update_graph.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

Task<std::set<std::string>> UpdateGraph::fetch(std::string upstream, std::string channel) {
  FAIRWAY_CO_TRY(http::Url url, http::Url::parse(upstream));
  url.path += fmt::format("{}channel={}", url.path.find('?') == std::string::npos ? "?" : "&",
                          percent_encode(channel));
  http::ClientRequest request{.url = std::move(url), .headers = {{"Accept", "application/json"}}};
  FAIRWAY_CO_TRY(const http::Response answer, co_await transport_->send(std::move(request)));
  if (answer.status != 200)
    co_return fail(ErrorCode::Unavailable, fmt::format("expected a graph, found status {}", answer.status));
  FAIRWAY_CO_TRY(const json::Object graph, json::parse_object(answer.body.to_string()));
  std::set<std::string> versions;
  if (const json::Array* nodes = json::get_array(graph, {"nodes"})) {
    for (const json::Value& each : *nodes) {
      if (!each.is_object()) continue;
      if (const auto version = json::get_string(each.get_object(), {"version"})) versions.emplace(*version);
    }
  }
  co_return versions;
}

Task<bool> UpdateGraph::has_release(PlatformFields asked) {
  const std::pair key(asked.upstream, asked.channel);
  const auto known = answers_.find(key);
  if (known != answers_.end() && clock_.steady() < known->second.at + kGraphLifetime)
    co_return known->second.versions.contains(asked.version);
  auto versions = co_await fetch(asked.upstream, asked.channel);
  if (!versions) {
    if (co_await async::is_cancelled()) co_return async::cancelled();
    log::warning(
        "the update graph could not be read",
        {{"upstream", asked.upstream}, {"channel", asked.channel}, {"error", versions.error().describe()}});
    versions = std::set<std::string>{};
  }
  Answer& answer =
      answers_.insert_or_assign(key, Answer{clock_.steady(), *std::move(versions)}).first->second;
  co_return answer.versions.contains(asked.version);
}

}  // namespace fairway::fleet
