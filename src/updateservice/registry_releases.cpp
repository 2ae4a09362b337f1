#include "updateservice/registry_releases.hpp"

#include <fmt/format.h>
#include <functional>
#include <set>

#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "oci/image.hpp"

namespace fairway::updateservice {
namespace {

constexpr const char* kMetadataPath = "release-manifests/release-metadata";
constexpr std::string_view kSignatureTag = ".sig";

// Whether an error is about this one image and stays; any other is about the registry and may pass.
bool is_about_the_image(const Error& error) {
  switch (error.code) {
    case ErrorCode::NotFound:
    case ErrorCode::Invalid:
    case ErrorCode::Unsupported:
      return true;
    default:
      return false;
  }
}

bool is_metadata(const std::string& text) {
  return graph::read_release_metadata(text).has_value();
}

// Reads the items, several at a time, until all are read or one failed.
template <class Item>
class Readers {
 public:
  using Read = std::function<Task<void>(const Item&)>;
  Readers(const std::vector<Item>& items, Read read) : items_(items), read_(std::move(read)) {}

  Task<void> run(std::size_t concurrency) {
    async::TaskGroup tasks(co_await boost::asio::this_coro::executor,
                           [this](const std::string&, const Error& error) { failure_ = error; });
    for (std::size_t i = 0; i < concurrency; ++i) tasks.spawn("read", read_some());
    auto joined = co_await tasks.join();
    co_await tasks.stop();
    FAIRWAY_CO_CHECKED(joined);
    if (failure_) co_return std::unexpected(*failure_);
    co_return Result<void>{};
  }

 private:
  Task<void> read_some() {
    while (next_ < items_.size() && !failure_) FAIRWAY_CO_CHECKED(co_await read_(items_[next_++]));
    co_return Result<void>{};
  }

  const std::vector<Item>& items_;
  Read read_;
  std::size_t next_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

struct RegistryReleases::Round {
  oci::Registry& registry;
  std::vector<std::string> tags = {};
  std::map<std::string, oci::Digest> digests = {};  // by tag
  std::vector<oci::Digest> unread = {};
  std::size_t passed_over = 0;
};

std::string to_lines(const ScrapedImages& images) {
  std::string text;
  for (const auto& [digest, image] : images) {
    json::Object line{{"digest", digest.text()}};
    if (image.metadata) {
      line["architecture"] = image.architecture;
      line["release-metadata"] = *image.metadata;
    }
    text += json::serialize(line) + '\n';
  }
  return text;
}

ScrapedImages from_lines(std::string_view text) {
  ScrapedImages images;
  for (const std::string_view line : split(text, '\n')) {
    const auto object = json::parse_object(line);
    if (!object) continue;
    const auto digest = oci::Digest::parse(json::get_string(*object, {"digest"}).value_or(""));
    if (!digest) continue;
    ScrapedImage image;
    const auto metadata = json::get_string(*object, {"release-metadata"});
    const auto architecture = json::get_string(*object, {"architecture"});
    if (metadata && architecture && !architecture->empty()) {
      image = {std::string(*architecture), std::string(*metadata)};
      if (!is_metadata(*image.metadata)) continue;
    }
    images.emplace(*digest, std::move(image));
  }
  return images;
}

RegistryReleases::RegistryReleases(oci::Reference repository, const oci::RegistryAccess& registries,
                                   async::WorkerPool& pool, ScrapedImages known,
                                   const ScrapeSettings& settings)
    : repository_(std::move(repository)),
      registries_(registries),
      pool_(pool),
      known_(std::move(known)),
      settings_(settings) {}

Task<graph::ReleaseList> RegistryReleases::scrape() {
  FAIRWAY_CO_TRY(const oci::OpenRegistry open, registries_.open(repository_.registry));
  Round round{.registry = *open.registry};
  FAIRWAY_CO_TRY(round.tags, co_await round.registry.tags(repository_.repository));
  Readers<std::string> tags(round.tags, [&](const std::string& tag) { return read_tag(round, tag); });
  FAIRWAY_CO_CHECKED(co_await tags.run(settings_.concurrency));
  std::set<oci::Digest> unread;
  for (const auto& [tag, digest] : round.digests) {
    if (!known_.contains(digest)) unread.insert(digest);
  }
  round.unread.assign(unread.begin(), unread.end());
  Readers<oci::Digest> images(round.unread,
                              [&](const oci::Digest& digest) { return read_image(round, digest); });
  FAIRWAY_CO_CHECKED(co_await images.run(settings_.concurrency));
  // What no tag names any more need not be remembered.
  std::set<oci::Digest> named;
  for (const auto& [tag, digest] : round.digests) named.insert(digest);
  std::erase_if(known_, [&](const auto& entry) { return !named.contains(entry.first); });
  co_return releases_of(round);
}

Task<void> RegistryReleases::read_tag(Round& round, const std::string& tag) {
  const auto fetched = co_await round.registry.manifest(repository_.repository, tag);
  if (!fetched && !is_about_the_image(fetched.error())) co_return std::unexpected(fetched.error());
  if (!fetched) {
    ++round.passed_over;
    if (tag.find(kSignatureTag) == std::string::npos)
      log::warning("a tag was passed over", {{"tag", tag}, {"why", fetched.error().describe()}});
    co_return Result<void>{};
  }
  round.digests.emplace(tag, fetched->digest);
  co_return Result<void>{};
}

Task<void> RegistryReleases::read_image(Round& round, const oci::Digest& digest) {
  const auto image = co_await oci::open_image(round.registry, repository_.repository, digest);
  if (!image && !is_about_the_image(image.error())) co_return std::unexpected(image.error());
  if (!image) {
    known_[digest] = {};  // a digest never changes, so this image stays no release
    co_return Result<void>{};
  }
  std::vector<std::string> architectures;
  for (const oci::Platform& platform : image->platforms) architectures.push_back(platform.architecture);
  if (image->platforms.empty()) {
    const auto platform = co_await round.registry.platform_of(repository_.repository, image->manifest);
    if (!platform && !is_about_the_image(platform.error())) co_return std::unexpected(platform.error());
    if (platform) architectures.push_back(platform->architecture);
  }
  const auto architecture = graph::image_architecture(architectures);
  FAIRWAY_CO_TRY(const auto found,
                 co_await oci::find_in_layers({round.registry, pool_}, *image, kMetadataPath, is_metadata));
  if (found && !architecture)
    log::warning("a release was passed over",
                 {{"digest", digest.text()}, {"why", "its architecture cannot be told"}});
  known_[digest] = found && architecture ? ScrapedImage{*architecture, found->bytes} : ScrapedImage{};
  co_return Result<void>{};
}

graph::ReleaseList RegistryReleases::releases_of(const Round& round) const {
  graph::ReleaseList list;
  std::set<oci::Digest> seen;
  for (const auto& [tag, digest] : round.digests) {
    if (!seen.insert(digest).second) continue;
    const ScrapedImage& image = known_.at(digest);
    if (!image.metadata) continue;
    auto metadata = graph::read_release_metadata(*image.metadata);
    if (!metadata) continue;
    const std::string payload = oci::payload_of(repository_.registry, repository_.repository, digest);
    if (auto release = graph::make_release(*std::move(metadata), image.architecture, payload))
      list.releases.push_back(*std::move(release));
  }
  return list;
}

}  // namespace fairway::updateservice
