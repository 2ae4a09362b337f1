#include "updateservice/release_source.hpp"

#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "updateservice/answer_forms.hpp"
#include "updateservice/release_files.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::updateservice {
namespace {

constexpr const char* kReleasesFile = "/releases.jsonl";
constexpr const char* kImagesFile = "/images.jsonl";

Result<LoadedReleases> tagged(Result<graph::ReleaseList> list) {
  if (!list) return std::unexpected(std::move(list).error());
  LoadedReleases loaded{.list = *std::move(list), .tag = {}};
  loaded.tag = tag_of(to_jsonl(loaded.list.releases));
  return loaded;
}

}  // namespace

Result<ReleasePlace> ReleasePlace::parse(std::string_view text) {
  ReleasePlace place{.text = std::string(text)};
  for (const std::string_view scheme : {"oci:", "docker://"}) {
    if (!text.starts_with(scheme)) continue;
    FAIRWAY_TRY(place.repository, oci::Reference::parse(text.substr(scheme.size())));
    if (!place.repository->tag.empty() || place.repository->digest) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected a repository of releases without a tag, found {}", quoted(text)));
    }
    return place;
  }
  if (text.empty())
    return fail(ErrorCode::Invalid, "expected a file, a folder or oci:REPOSITORY with releases");
  place.path = text;
  return place;
}

ReleaseSource::ReleaseSource(ReleasePlace place, Parts parts)
    : place_(std::move(place)), parts_(std::move(parts)) {}

std::vector<std::string> ReleaseSource::watched() const {
  return place_.repository ? std::vector<std::string>{} : std::vector{place_.path};
}

Task<LoadedReleases> ReleaseSource::load() {
  if (place_.repository) co_return co_await load_repository();
  co_return co_await parts_.pool.run([this] { return tagged(read_release_files(place_.path)); });
}

Task<LoadedReleases> ReleaseSource::load_kept() {
  if (!place_.repository) co_return co_await load();
  if (parts_.kept.empty()) co_return fail(ErrorCode::NotFound, "nothing is kept: there is no --state folder");
  co_return co_await parts_.pool.run(
      [this] { return tagged(read_release_files(parts_.kept + kReleasesFile)); });
}

Task<LoadedReleases> ReleaseSource::load_repository() {
  if (!repository_) {
    ScrapedImages known;
    if (!parts_.kept.empty()) {
      const auto text =
          co_await parts_.pool.run([this] { return read_file(parts_.kept + kImagesFile, kMostSourceBytes); });
      if (text) known = from_lines(*text);
    }
    repository_.emplace(*place_.repository, parts_.registries, parts_.pool, std::move(known), parts_.scrape);
  }
  FAIRWAY_CO_TRY(LoadedReleases loaded, tagged(co_await repository_->scrape()));
  if (!parts_.kept.empty()) {
    FAIRWAY_CO_CHECKED(
        co_await parts_.pool.run([this, images = to_lines(repository_->known()),
                                  releases = to_jsonl(loaded.list.releases)]() -> Result<void> {
          FAIRWAY_CHECKED(replace_file(parts_.kept + kImagesFile, images));
          return replace_file(parts_.kept + kReleasesFile, releases);
        }));
  }
  co_return loaded;
}

}  // namespace fairway::updateservice
