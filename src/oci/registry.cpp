#include "oci/registry.hpp"

#include <fmt/format.h>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "oci/navigation.hpp"
#include "oci/session.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kMostPages = 10'000;
constexpr std::size_t kMostTags = 1'000'000;
constexpr std::size_t kMostPageBytes = 16 * 1024 * 1024;
constexpr std::size_t kMostConfigBytes = 4 * 1024 * 1024;

Result<void> check_repository(const std::string& repository) {
  if (is_repository_name(repository)) return {};
  return fail(ErrorCode::Invalid,
              fmt::format("expected a repository like namespace/name, found {}", quoted(repository)));
}

std::string describe(const Version& version) {
  if (const auto* digest = std::get_if<Digest>(&version)) return fmt::format("manifest {}", digest->text());
  return fmt::format("tag {}", quoted(std::get<std::string>(version)));
}

// Adds the page's tags; those that cannot be asked for are left out.
Result<void> read_page(const std::string& body, std::set<std::string>& seen, std::vector<std::string>& into) {
  FAIRWAY_TRY(const json::Object page,
              json::parse_object(body, {.max_depth = 32, .max_bytes = kMostPageBytes}));
  const json::Value* tags = json::find(page, {"tags"});
  if (tags == nullptr || tags->is_null()) return {};  // a repository whose tags were all deleted
  if (!tags->is_array())
    return fail(ErrorCode::Invalid,
                fmt::format("expected \"tags\" to be a list, found {}", json::a_kind(*tags)));
  for (const json::Value& tag : tags->get_array()) {
    if (!tag.is_string())
      return fail(ErrorCode::Invalid,
                  fmt::format("expected a tag to be a string, found {}", json::a_kind(tag)));
    std::string text(json::view(tag.get_string()));
    if (!is_tag(text)) {
      log::warning("a registry lists a tag that is none", {{"tag", quoted(text)}});
      continue;
    }
    if (!seen.insert(text).second) continue;
    into.push_back(std::move(text));
    if (into.size() > kMostTags)
      return fail(ErrorCode::Invalid, fmt::format("expected at most {} tags, found more", kMostTags));
  }
  return {};
}

// The next page's URL, which must lead on and stay with the registry.
Result<std::optional<http::Url>> next_page(const http::Url& current, const http::Headers& headers,
                                           std::set<std::string>& visited) {
  FAIRWAY_TRY(const auto link, next_link(headers));
  if (!link) return std::nullopt;
  FAIRWAY_TRY(http::Url next, resolve(current, *link));
  if (next.origin() != current.origin()) {
    return fail(ErrorCode::Forbidden,
                fmt::format("the next page of tags is said to be at {}, which is another host: "
                            "it is not followed",
                            next.authority()));
  }
  if (!visited.insert(next.path).second)
    return fail(ErrorCode::Invalid, fmt::format("the pages of tags go in a circle at {}", quoted(next.path)));
  if (visited.size() > kMostPages)
    return fail(ErrorCode::Invalid, fmt::format("expected at most {} pages of tags, found more", kMostPages));
  return next;
}

Result<void> check_digest(const Version& version, const Digest& found, const http::Headers& headers) {
  if (const auto* asked = std::get_if<Digest>(&version); asked != nullptr && *asked != found) {
    return fail(ErrorCode::Invalid,
                fmt::format("its bytes have the digest {}: they are not what was asked for", found.text()));
  }
  const auto header = headers.find("docker-content-digest");
  if (!header || trim(*header) == found.text()) return {};
  return fail(ErrorCode::Invalid, fmt::format("the registry says that its digest is {} and its bytes have {}",
                                              quoted(trim(*header)), found.text()));
}

}  // namespace

Version version_of(const Reference& reference) {
  if (reference.digest) return *reference.digest;
  return reference.tag.empty() ? std::string("latest") : reference.tag;
}

Registry::Registry(http::Transport& transport, TimerClock& clock, RegistryOptions options)
    : session_(std::make_unique<Session>(transport, clock, std::move(options))) {}
Registry::~Registry() = default;

const RegistryHost& Registry::host() const {
  return session_->options().registry;
}

Task<std::vector<std::string>> Registry::tags(std::string repository) {
  FAIRWAY_CO_CHECKED(check_repository(repository));
  Ask ask{.repository = repository, .what = "the tags"};
  ask.url = host().url(fmt::format("/v2/{}/tags/list?n={}", repository, session_->options().page_size));
  ask.headers.add("Accept", "application/json");
  std::vector<std::string> all;
  std::set<std::string> seen;
  std::set<std::string> visited{ask.url.path};
  for (;;) {
    FAIRWAY_CO_TRY(const Answer answer, co_await session_->fetch(ask, kMostPageBytes));
    auto page = read_page(answer.body, seen, all);
    if (!page) co_return std::unexpected(std::move(page.error()).within(session_->place(ask)));
    auto next = next_page(ask.url, answer.headers, visited);
    if (!next) co_return std::unexpected(std::move(next.error()).within(session_->place(ask)));
    if (!*next) co_return all;
    ask.url = **std::move(next);
  }
}

Task<FetchedManifest> Registry::manifest(std::string repository, Version version) {
  FAIRWAY_CO_CHECKED(check_repository(repository));
  const auto* digest = std::get_if<Digest>(&version);
  const std::string name = digest != nullptr ? digest->text() : std::get<std::string>(version);
  if (digest == nullptr && !is_tag(name))
    co_return fail(
        ErrorCode::Invalid,
        fmt::format("expected a tag of letters, digits, '_', '.' and '-', found {}", quoted(name)));
  Ask ask{.repository = repository, .what = describe(version)};
  ask.url = host().url(fmt::format("/v2/{}/manifests/{}", repository, name));
  ask.headers.add("Accept", std::string(accepted_manifest_types()));
  FAIRWAY_CO_TRY(Answer answer, co_await session_->fetch(ask, kMostManifestBytes));
  Digest found = Digest::of(answer.body);
  if (auto checked = check_digest(version, found, answer.headers); !checked)
    co_return std::unexpected(std::move(checked.error()).within(session_->place(ask)));
  auto document = parse_manifest(answer.body, answer.headers.find("content-type").value_or(""));
  if (!document) co_return std::unexpected(std::move(document.error()).within(session_->place(ask)));
  co_return FetchedManifest{*std::move(document), std::move(found), std::move(answer.body)};
}

Task<BlobReader> Registry::open_blob(std::string repository, Descriptor blob) {
  FAIRWAY_CO_CHECKED(check_repository(repository));
  BlobReader reader(*session_, std::move(repository), std::move(blob));
  FAIRWAY_CO_CHECKED(co_await reader.open());
  co_return reader;
}

Task<std::string> Registry::blob(std::string repository, Descriptor blob, std::size_t most_bytes) {
  if (blob.size > most_bytes) {
    co_return fail(ErrorCode::Invalid, fmt::format("expected the blob {} to have at most {} bytes, it has {}",
                                                   blob.digest.text(), most_bytes, blob.size));
  }
  FAIRWAY_CO_TRY(BlobReader reader, co_await open_blob(std::move(repository), std::move(blob)));
  std::string bytes;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await reader.read());
    if (piece.empty()) co_return bytes;
    bytes += piece;
  }
}

Task<Platform> Registry::platform_of(std::string repository, Manifest manifest) {
  FAIRWAY_CO_TRY(const std::string config,
                 co_await blob(std::move(repository), manifest.config, kMostConfigBytes));
  co_return parse_platform(config);
}

}  // namespace fairway::oci
