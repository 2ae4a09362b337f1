#include "updateservice/status_page.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::updateservice {
namespace {

bool is_stale(const Health& health) {
  return health.stale_after > Duration::zero() && health.refresh.last_success_steady &&
         health.now - *health.refresh.last_success_steady > health.stale_after;
}

}  // namespace

bool Health::is_ready() const {
  return refresh.last_success_steady && !is_stale(*this);
}

std::string Health::verbose() const {
  std::string text;
  if (!refresh.last_success_steady) {
    text += "[-]graph: none has been built yet\n";
  } else {
    const auto age = std::chrono::floor<std::chrono::milliseconds>(now - *refresh.last_success_steady);
    text += fmt::format("[{}]graph: checked {} ago{}\n", is_stale(*this) ? '-' : '+', format_duration(age),
                        is_stale(*this) ? fmt::format(", more than {}", format_duration(stale_after)) : "");
    text += fmt::format("[+]graph data: {}\n[+]releases: {} from {}\n", refresh.graph_data,
                        refresh.release_count, refresh.releases);
  }
  if (refresh.failure) text += fmt::format("[-]refresh: {}\n", *refresh.failure);
  for (const std::string& alert : refresh.alerts) text += fmt::format("[!]left out: {}\n", alert);
  if (decides_by_id && failing_queries.empty()) text += "[+]targeted blocks: every query answered\n";
  for (const auto& [query, why] : failing_queries)
    text += fmt::format("[!]targeted block holds for everyone: {} ({})\n", why, query);
  return text + (is_ready() ? "readyz check passed\n" : "readyz check failed\n");
}

}  // namespace fairway::updateservice
