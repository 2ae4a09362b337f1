#include "clusterversion/payload_manifests.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kInclude = "include.release.openshift.io/";
constexpr std::string_view kFeatureSet = "release.openshift.io/feature-set";
constexpr std::string_view kDelete = "release.openshift.io/delete";
constexpr std::string_view kRemedy = "have the release built again with a correct file, or choose another";

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The operator's own manifests name the release that they are part of by these two fields.
std::string fill_in(std::string_view text, const Release& release, const PayloadOptions& options) {
  std::string filled(text);
  for (const auto& [field, value] :
       {std::pair<std::string_view, std::string_view>{".ReleaseImage", release.image},
        {".ClusterProfile", options.profile}}) {
    filled = replace_all(filled, fmt::format("{{{{{}}}}}", field), value);
    filled = replace_all(filled, fmt::format("{{{{ {} }}}}", field), value);
  }
  return filled;
}

bool is_for(const json::Object& object, const PayloadOptions& options) {
  const auto feature_sets = kube::annotation(object, kFeatureSet);
  if (feature_sets && std::ranges::none_of(split(*feature_sets, ','), [&](std::string_view set) {
        return trim(set) == options.feature_set;
      }))
    return false;
  const json::Object* annotations = json::get_object(object, {"metadata", "annotations"});
  if (!annotations) return true;
  const bool names_profiles = std::ranges::any_of(*annotations, [](const auto& annotation) {
    return std::string_view(annotation.key().data(), annotation.key().size()).starts_with(kInclude);
  });
  return !names_profiles || kube::annotation(object, std::string(kInclude) + options.profile) == "true";
}

Result<void> check_object(const json::Object& object) {
  const std::pair<std::string_view, std::string_view> required[] = {
      {"apiVersion", kube::api_version_of(object)},
      {"kind", kube::kind_of(object)},
      {"metadata.name", kube::name_of(object)}};
  for (const auto& [field, value] : required) {
    if (value.empty()) return fail(ErrorCode::Invalid, fmt::format("expected {}, found none", field));
  }
  FAIRWAY_CHECKED(kube::gvk_of(object));
  return {};
}

class Collector {
 public:
  Collector(const Release& release, const PayloadOptions& options) : release_(release), options_(options) {}

  Result<void> add_file(const std::string& path, std::string_view text) {
    auto documents = json::parse_yaml_documents(fill_in(text, release_, options_));
    if (!documents) return std::unexpected(blame(path, 0, std::move(documents).error()));
    std::size_t number = 0;
    for (json::Value& document : *documents) {
      ++number;
      if (auto added = add_document(path, std::move(document)); !added)
        return std::unexpected(blame(path, documents->size() > 1 ? number : 0, std::move(added).error()));
    }
    return {};
  }

  std::vector<PayloadManifest> take() { return std::move(manifests_); }

 private:
  static Error blame(const std::string& path, std::size_t document, Error error) {
    error.message += fmt::format("; {}", kRemedy);
    return std::move(error).within(document == 0
                                       ? fmt::format("while reading {}", quoted(path))
                                       : fmt::format("in document {} of {}", document, quoted(path)));
  }

  Result<void> add_document(const std::string& path, json::Value document) {
    json::Object* object = document.if_object();
    if (!object)
      return fail(ErrorCode::Invalid, fmt::format("expected an object, found {}", json::a_kind(document)));
    if (kube::kind_of(*object) == "List" && kube::api_version_of(*object) == "v1")
      return add_list(path, *object);
    return add_object(path, std::move(*object));
  }

  Result<void> add_list(const std::string& path, json::Object& list) {
    json::Value* items = list.if_contains("items");
    if (!items || items->is_null()) return {};
    if (!items->is_array())
      return fail(ErrorCode::Invalid,
                  fmt::format("expected items to be a list, found {}", json::a_kind(*items)));
    for (json::Value& item : items->get_array()) {
      if (!item.is_object())
        return fail(ErrorCode::Invalid,
                    fmt::format("expected an object in items, found {}", json::a_kind(item)));
      FAIRWAY_CHECKED(add_object(path, std::move(item.get_object())));
    }
    return {};
  }

  Result<void> add_object(const std::string& path, json::Object object) {
    if (object.empty()) return {};  // a document of nothing but comments
    FAIRWAY_CHECKED(check_object(object));
    if (!is_for(object, options_)) return {};
    if (manifests_.size() == kMostManifests)
      return fail(ErrorCode::Invalid, fmt::format("expected at most {} manifests", kMostManifests));
    const bool is_deletion = kube::annotation(object, kDelete) == "true";
    manifests_.push_back({.file = path, .object = std::move(object), .is_deletion = is_deletion});
    return {};
  }

  const Release& release_;
  const PayloadOptions& options_;
  std::vector<PayloadManifest> manifests_;
};

}  // namespace

bool is_manifest_file(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::string_view folder = path.substr(0, path.size() - name.size());
  if (!folder.empty() && folder != "release-manifests/" && folder != "manifests/") return false;
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<std::vector<PayloadManifest>> read_manifests(const PayloadFiles& files, const Release& release,
                                                    const PayloadOptions& options) {
  std::vector<const PayloadFiles::value_type*> ordered;
  for (const auto& file : files) {
    if (is_manifest_file(file.first)) ordered.push_back(&file);
  }
  // Stable: where both folders have a file of one name, that of manifests/ goes first.
  std::ranges::stable_sort(ordered, {}, [](const auto* file) { return base_name(file->first); });
  Collector collector(release, options);
  for (const auto* file : ordered) FAIRWAY_CHECKED(collector.add_file(file->first, file->second));
  return collector.take();
}

std::string hash_of(std::span<const PayloadManifest> manifests) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3;
    }
  };
  for (const PayloadManifest& manifest : manifests) {
    add(json::serialize(manifest.object));
    add("\n");
  }
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(hash >> shift & 0xff);
  return replace_all(replace_all(encode_base64(bytes), "+", "-"), "/", "_");
}

}  // namespace fairway::clusterversion
