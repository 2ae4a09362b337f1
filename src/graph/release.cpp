#include "graph/release.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "base/text.hpp"
#include "graph/json_lists.hpp"
#include "json/write.hpp"

namespace fairway::graph {
namespace {

constexpr std::string_view kKind = "cincinnati-metadata-v0";
constexpr std::string_view kMulti = "multi";

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

// Release lists name the same few versions tens of thousands of times; each text is parsed once.
class VersionTexts {
 public:
  Result<std::string> plain(std::string_view text) {
    if (const auto known = known_.find(std::string(text)); known != known_.end()) return *known;
    FAIRWAY_TRY(const SemVer version, SemVer::parse(text));
    std::string plain = plain_text(version);
    if (plain == text) known_.insert(plain);
    return plain;
  }

 private:
  std::unordered_set<std::string> known_;
};

Result<std::vector<std::string>> read_neighbours(const json::Object& object, std::string_view field,
                                                 VersionTexts& texts) {
  std::vector<std::string> neighbours;
  const json::Value* value = object.if_contains(field);
  if (value == nullptr || value->is_null()) return neighbours;
  if (!value->is_array()) {
    return invalid(
        fmt::format("expected {} to be a list of versions, found {}", quoted(field), json::a_kind(*value)));
  }
  neighbours.reserve(value->get_array().size());
  for (const json::Value& item : value->get_array()) {
    if (!item.is_string()) {
      return invalid(fmt::format("expected a version in {}, found {}", quoted(field), json::a_kind(item)));
    }
    auto text = texts.plain(json::view(item.get_string()));
    if (!text) return std::unexpected(std::move(text).error().within(fmt::format("in {}", quoted(field))));
    neighbours.push_back(*std::move(text));
  }
  return neighbours;
}

Result<Metadata> read_string_map(const json::Object& object, std::string_view field) {
  Metadata metadata;
  const json::Value* value = object.if_contains(field);
  if (value == nullptr || value->is_null()) return metadata;
  if (!value->is_object()) {
    return invalid(fmt::format("expected {} to be an object, found {}", quoted(field), json::a_kind(*value)));
  }
  for (const auto& item : value->get_object()) {
    const std::string_view name(item.key().data(), item.key().size());
    if (!item.value().is_string()) {
      return invalid(fmt::format("expected text as value of {} in {}, found {}; quote it", quoted(name),
                                 quoted(field), json::a_kind(item.value())));
    }
    metadata.emplace(name, json::view(item.value().get_string()));
  }
  return metadata;
}

Result<ReleaseMetadata> read_metadata(const json::Object& object, VersionTexts& texts) {
  const auto kind = json::get_string(object, {"kind"});
  if (kind != kKind) {
    return fail(ErrorCode::Unsupported,
                fmt::format("expected kind {}, found {}", quoted(kKind), kind ? quoted(*kind) : "none"));
  }
  const auto version = json::get_string(object, {"version"});
  if (!version) return invalid("expected a text \"version\", found none");
  ReleaseMetadata metadata;
  FAIRWAY_TRY(metadata.version, SemVer::parse(*version));
  FAIRWAY_TRY(metadata.previous, read_neighbours(object, "previous", texts));
  FAIRWAY_TRY(metadata.next, read_neighbours(object, "next", texts));
  FAIRWAY_TRY(metadata.metadata, read_string_map(object, "metadata"));
  return metadata;
}

bool is_arch(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

// A payload that is named by tag could be another image tomorrow.
bool is_pinned(std::string_view payload) {
  const auto at = payload.find('@');
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view digest = payload.substr(at + 1);
  const auto colon = digest.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < digest.size();
}

// Nothing when the line describes something that is passed over.
Result<std::optional<Release>> read_line(std::string_view line, VersionTexts& texts) {
  FAIRWAY_TRY(const json::Object object, json::parse_object(line));
  const auto payload = json::get_string(object, {"payload"});
  if (!payload || !is_pinned(*payload)) {
    return invalid(
        fmt::format("expected a \"payload\" like registry.example.com/release@sha256:…, found {}; a payload "
                    "is named by its digest",
                    payload ? quoted(*payload) : "none"));
  }
  const auto arch = json::get_string(object, {"architecture"});
  if (!arch || !is_arch(*arch)) {
    return invalid(fmt::format("expected an \"architecture\" like amd64 or multi, found {}",
                               arch ? quoted(*arch) : "none"));
  }
  const json::Object* inner = json::get_object(object, {"release-metadata"});
  if (inner == nullptr) return invalid("expected an object \"release-metadata\", found none");
  FAIRWAY_TRY(ReleaseMetadata metadata, read_metadata(*inner, texts));
  return make_release(std::move(metadata), std::string(*arch), std::string(*payload));
}

Finding passed_over(std::size_t line, std::string message) {
  return {
      .id = "release-passed-over", .severity = Severity::Info, .line = line, .message = std::move(message)};
}

}  // namespace

std::string plain_text(const SemVer& version) {
  std::string text = version.to_string();
  text.resize(std::min(text.size(), text.find('+')));
  return text;
}

std::string_view Release::digest() const {
  const auto at = payload.find('@');
  return at == std::string::npos ? std::string_view{} : std::string_view(payload).substr(at + 1);
}

Result<ReleaseMetadata> read_release_metadata(const json::Object& object) {
  VersionTexts texts;
  return read_metadata(object, texts);
}

Result<ReleaseMetadata> read_release_metadata(std::string_view text) {
  FAIRWAY_TRY(const json::Object object, json::parse_object(text));
  return read_release_metadata(object);
}

std::optional<Release> make_release(ReleaseMetadata metadata, std::string arch, std::string payload) {
  const auto says = metadata.metadata.find(key::kImageArchitecture);
  if (says != metadata.metadata.end() && says->second == kMulti && arch != kMulti) return std::nullopt;
  Release release{.version = std::move(metadata.version),
                  .arch = std::move(arch),
                  .payload = std::move(payload),
                  .previous = std::move(metadata.previous),
                  .next = std::move(metadata.next),
                  .metadata = std::move(metadata.metadata)};
  release.version.build = release.arch;
  release.metadata[std::string(key::kArch)] = release.arch;
  if (!release.digest().empty()) release.metadata[std::string(key::kManifestRef)] = release.digest();
  return release;
}

std::optional<std::string> image_architecture(std::span<const std::string> of_manifests) {
  if (of_manifests.empty() || of_manifests.front().empty()) return std::nullopt;
  return of_manifests.size() == 1 ? of_manifests.front() : std::string(kMulti);
}

Result<ReleaseList> read_releases(std::string_view jsonl) {
  ReleaseList list;
  VersionTexts texts;
  std::size_t number = 0;
  for (std::string_view line : split(jsonl, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto release = read_line(line, texts);
    if (!release && release.error().code == ErrorCode::Unsupported) {
      list.findings.push_back(passed_over(number, release.error().message));
      continue;
    }
    if (!release) return std::unexpected(std::move(release).error().within(fmt::format("line {}", number)));
    if (!*release) {
      list.findings.push_back(
          passed_over(number, "it is one architecture's part of a multi-architecture release"));
      continue;
    }
    list.releases.push_back(**std::move(release));
  }
  return list;
}

std::string to_jsonl(std::span<const Release> releases) {
  std::string text;
  for (const Release& release : releases) {
    json::Object metadata;
    for (const auto& [name, value] : release.metadata) {
      if (name != key::kArch && name != key::kManifestRef) metadata[name] = value;
    }
    json::Object inner{
        {"kind", kKind}, {"version", plain_text(release.version)}, {"previous", to_array(release.previous)}};
    if (!release.next.empty()) inner["next"] = to_array(release.next);
    inner["metadata"] = std::move(metadata);
    json::append(json::Object{{"payload", release.payload},
                              {"architecture", release.arch},
                              {"release-metadata", std::move(inner)}},
                 text);
    text += '\n';
  }
  return text;
}

}  // namespace fairway::graph
