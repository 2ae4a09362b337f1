#include "oci/testing/fake_registry.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/notify.hpp"
#include "base/text.hpp"

namespace fairway::oci::testing {
namespace {

constexpr std::size_t kPiece = 1000;  // small, so that everything comes in pieces

class FakeStream final : public http::ResponseStream {
 public:
  FakeStream(TimerClock& clock, Served served) : clock_(clock), served_(std::move(served)) {}

  int status() const override { return served_.status; }
  const http::Headers& headers() const override { return served_.headers; }

  Task<std::string> read(Duration timeout) override {
    if (co_await async::is_cancelled()) co_return async::cancelled();
    const std::size_t end = std::min(served_.breaks_after.value_or(served_.body.size()),
                                     served_.stalls_after.value_or(served_.body.size()));
    const std::string piece = served_.body.substr(at_, std::min(kPiece, end - at_));
    at_ += piece.size();
    if (!piece.empty()) co_return piece;
    if (served_.breaks_after) co_return fail(ErrorCode::Unavailable, "the server closed the connection");
    if (served_.stalls_after) {
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, timeout));
      co_return fail(ErrorCode::Timeout, "the server did not answer in time");
    }
    co_return piece;
  }

 private:
  TimerClock& clock_;
  Served served_;
  std::size_t at_ = 0;
};

Served not_found(std::string_view code) {
  return {
      .status = 404,
      .headers = {{"Content-Type", "application/json"}},
      .body = fmt::format(R"({{"errors":[{{"code":"{}","message":"{} unknown"}}]}})", code, to_lower(code))};
}

}  // namespace

void FakeRegistry::put(const std::string& repository, const std::string& tag, const TestImage& image) {
  tags_[repository].push_back(tag);
  const auto name = [&](const std::string& version) { return fmt::format("{}/{}", repository, version); };
  manifests_[name(tag)] = {image.media_type, image.text};
  manifests_[name(image.digest().text())] = {image.media_type, image.text};
  for (const auto& [digest, text] : image.manifests) {
    const auto document = parse_manifest(text);
    manifests_[name(digest)] = {document ? document->media_type : "application/json", text};
  }
  blobs_.insert(image.blobs.begin(), image.blobs.end());
}

void FakeRegistry::put_tags(const std::string& repository, std::vector<std::string> tags) {
  tags_[repository] = std::move(tags);
}

Descriptor FakeRegistry::put_blob(const std::string& bytes) {
  const Digest digest = Digest::of(bytes);
  blobs_[digest.text()] = bytes;
  return {"application/vnd.oci.image.layer.v1.tar+gzip", digest, bytes.size()};
}

Task<http::Response> FakeRegistry::send(http::ClientRequest request) {
  const Duration timeout = request.timeout;
  FAIRWAY_CO_TRY(const auto stream, co_await open(std::move(request)));
  std::string body;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(timeout));
    if (piece.empty()) co_return http::Response{stream->status(), stream->headers(), std::move(body)};
    body += piece;
  }
}

Task<std::unique_ptr<http::ResponseStream>> FakeRegistry::open(http::ClientRequest request) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  requests_.push_back(request);
  std::optional<Result<Served>> answer;
  if (intercept) answer = intercept(request);
  if (!answer) answer = serve(request);
  if (!*answer) co_return std::unexpected(std::move(*answer).error());
  co_return std::make_unique<FakeStream>(clock_, **std::move(answer));
}

Served FakeRegistry::serve(const http::ClientRequest& request) const {
  const auto target = http::Target::parse(request.url.path);
  if (!target || !target->path.starts_with("/v2/")) return not_found("NAME");
  const std::string path = target->path.substr(4);
  for (const std::string_view kind : {"/tags/list", "/manifests/", "/blobs/"}) {
    const auto at = path.find(kind);
    if (at == std::string::npos) continue;
    const std::string repository = path.substr(0, at);
    const std::string rest = path.substr(at + kind.size());
    if (kind == "/tags/list") return serve_tags(repository, target->query);
    return kind == "/blobs/" ? serve_blob(rest, request.headers) : serve_manifest(repository, rest);
  }
  return not_found("NAME");
}

Served FakeRegistry::serve_tags(const std::string& repository, const http::Query& query) const {
  const auto found = tags_.find(repository);
  if (found == tags_.end()) return not_found("NAME");
  const std::size_t count = parse_unsigned(query.get("n").value_or("100")).value_or(100);
  const std::vector<std::string>& all = found->second;
  auto first = all.begin();
  if (const auto last = query.get("last")) first = std::next(std::ranges::find(all, *last));
  const auto end = first + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(count), all.end() - first);
  Served page{.headers = {{"Content-Type", "application/json"}}};
  page.body = fmt::format(R"({{"name":"{}","tags":[{}]}})", repository,
                          first == end ? "" : fmt::format("\"{}\"", fmt::join(first, end, "\",\"")));
  if (end != all.end()) {
    page.headers.add(
        "Link", fmt::format("</v2/{}/tags/list?n={}&last={}>; rel=\"next\"", repository, count, *(end - 1)));
  }
  return page;
}

Served FakeRegistry::serve_manifest(const std::string& repository, const std::string& name) const {
  const auto found = manifests_.find(repository + "/" + name);
  if (found == manifests_.end()) return not_found("MANIFEST");
  const auto& [type, text] = found->second;
  return {.headers = {{"Content-Type", type}, {"Docker-Content-Digest", Digest::of(text).text()}},
          .body = text};
}

Served FakeRegistry::serve_blob(const std::string& digest, const http::Headers& headers) const {
  const auto found = blobs_.find(digest);
  if (found == blobs_.end()) return not_found("BLOB");
  const std::string& bytes = found->second;
  const std::string_view range = headers.find("range").value_or("");
  if (!range.starts_with("bytes=")) {
    return {.headers = {{"Content-Length", fmt::to_string(bytes.size())}}, .body = bytes};
  }
  const std::size_t start = parse_unsigned(range.substr(6, range.size() - 7)).value_or(0);
  return {
      .status = 206,
      .headers = {{"Content-Length", fmt::to_string(bytes.size() - start)},
                  {"Content-Range", fmt::format("bytes {}-{}/{}", start, bytes.size() - 1, bytes.size())}},
      .body = bytes.substr(start)};
}

std::vector<std::string> FakeRegistry::asked() const {
  std::vector<std::string> lines;
  for (const http::ClientRequest& request : requests_) {
    const bool is_ours = request.url.host == "registry.example";
    lines.push_back(request.method + " " + (is_ours ? "" : request.url.origin()) + request.url.path);
  }
  return lines;
}

}  // namespace fairway::oci::testing
