#include "apiserver/endpoints.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "apiserver/discovery.hpp"
#include "apiserver/openapi.hpp"
#include "async/callback.hpp"
#include "base/text.hpp"
#include "http/accept.hpp"

namespace fairway::apiserver {
namespace {

http::Response plain_text(int status, std::string text) {
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
          std::move(text)};
}

constexpr std::string_view kBackupPath = "/fairway/backup";
constexpr std::size_t kBackupBlock = 256 * 1024;

}  // namespace

Endpoints::Endpoints(store::Store& store, metrics::Registry& metrics) : store_(store), metrics_(metrics) {}
Endpoints::~Endpoints() = default;

Task<void> Endpoints::serve(const http::Request& request, const RequestInfo& info,
                            std::shared_ptr<const Catalog> catalog, http::ResponseWriter& writer) {
  if (info.path == kBackupPath && request.method == "POST") co_return co_await send_backup(writer);
  auto response = answer(request, info, catalog);
  co_return co_await writer.send(response ? *std::move(response) : response_of(response.error()));
}

ApiResult<http::Response> Endpoints::answer(const http::Request& request, const RequestInfo& info,
                                            const std::shared_ptr<const Catalog>& catalog) {
  if (request.method != "GET" && request.method != "HEAD") return refuse(method_not_allowed(request.method));
  const std::string_view path = info.path;
  if (path == "/healthz" || path.starts_with("/livez") || path.starts_with("/readyz")) return health(info);
  if (path == "/version" || path == "/version/") return json_response(200, version_info());
  if (path == "/metrics") return metrics_text();
  if (path == "/") return json_response(200, root_paths(*catalog));
  if (path.starts_with("/openapi/")) return openapi_.answer(request, info, catalog);
  return discovery_answer(request, info, *catalog);
}

ApiResult<http::Response> Endpoints::health(const RequestInfo& info) const {
  const bool is_live_question = info.path.starts_with("/livez");
  const bool is_fine = is_live_question || is_ready_;
  std::string text;
  if (info.query.has("verbose") || !is_fine) {
    const store::StoreStats stats = store_.stats();
    text += "[+]ping ok\n";
    text += fmt::format("[+]store ok: revision {}, {} objects, {} writes waiting\n", stats.revision,
                        stats.objects, stats.waiting_writes);
    text += fmt::format("[{}]ready {}\n", is_ready_ ? '+' : '-',
                        is_ready_ ? "ok" : "failed: starting or stopping");
    text +=
        fmt::format("{} check {}\n", std::string_view(info.path).substr(1, 5), is_fine ? "passed" : "failed");
  } else {
    text = "ok";
  }
  return plain_text(is_fine ? 200 : 500, std::move(text));
}

http::Response Endpoints::metrics_text() {
  const store::StoreStats stats = store_.stats();
  const auto set = [&](std::string_view name, std::string_view help, double value) {
    metrics_.gauge(name, help, {}).with().set(value);
  };
  set("fairway_store_revision", "The newest revision of the store.", static_cast<double>(stats.revision));
  set("fairway_store_compacted_revision", "History up to here is no longer kept.",
      static_cast<double>(stats.compacted));
  set("fairway_store_objects", "Objects in the store.", static_cast<double>(stats.objects));
  set("fairway_store_waiting_writes", "Writes that wait for their commit.",
      static_cast<double>(stats.waiting_writes));
  set("fairway_store_watches", "Subscriptions to changes.", static_cast<double>(stats.watches));
  set("fairway_store_file_bytes", "Size of the store's file.", static_cast<double>(stats.file_bytes));
  set("fairway_store_commits", "Groups of writes that were committed.", static_cast<double>(stats.commits));
  set("fairway_store_committed_writes", "Writes that were committed.",
      static_cast<double>(stats.committed_writes));
  set("fairway_store_failed_commits", "Groups of writes that could not be committed.",
      static_cast<double>(stats.failed_commits));
  return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.expose()};
}

// The copy is made beside the temporary files of the system, sent, and taken away again.
Task<void> Endpoints::send_backup(http::ResponseWriter& writer) {
  std::string pattern = (std::filesystem::temp_directory_path() / "fairway-backup-XXXXXX").string();
  const bool is_made = mkdtemp(pattern.data()) != nullptr;
  const std::string file = pattern + "/store.db";
  Result<void> copied = fail(ErrorCode::Unavailable, "no temporary folder can be made for the backup");
  if (is_made)
    copied = co_await async::await_callback<void>([&](auto done) { store_.backup(file, std::move(done)); });
  if (!copied) {
    std::error_code ignored;
    std::filesystem::remove_all(pattern, ignored);
    co_return co_await writer.send(response_of(kube::status_internal(copied.error().describe())));
  }
  std::ifstream input(file, std::ios::binary);
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);  // what is open stays readable
  FAIRWAY_CO_CHECKED(co_await writer.start({200, {{"Content-Type", "application/vnd.sqlite3"}}, {}}));
  while (input) {
    std::string block(kBackupBlock, '\0');
    input.read(block.data(), static_cast<std::streamsize>(block.size()));
    block.resize(static_cast<std::size_t>(input.gcount()));
    if (!block.empty()) FAIRWAY_CO_CHECKED(co_await writer.write(std::move(block)));
  }
  if (!input.eof()) co_return fail(ErrorCode::Unavailable, "the backup could not be read back");
  co_return co_await writer.finish();
}

}  // namespace fairway::apiserver
