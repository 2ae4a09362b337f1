// What is wrong with flags by themselves.
#include <fmt/format.h>

#include "clusterversion/upgrade/pull_spec.hpp"
#include "clusterversion/upgrade/request.hpp"
#include "clusterversion/version_text.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

std::optional<std::string> image_fault(const RequestFlags& flags) {
  const auto spec = parse_pull_spec(flags.to_image);
  if (!spec) return fmt::format("--to-image must be a valid image pull spec: {}", spec.error().message);
  if (spec->tag.empty() && spec->digest.empty()) {
    return "--to-image must be a valid image pull spec: no tag or digest specified";
  }
  if (spec->digest.empty() && !flags.force) {
    return "--to-image must be a by-digest pull spec, unless --force is also set, because release images "
           "that "
           "are not accessed via digest cannot be verified by the cluster.  Even when --force is set, using "
           "tags is not recommended, although we continue to allow it for backwards compatibility";
  }
  return std::nullopt;
}

}  // namespace

bool RequestFlags::asks_for_change() const {
  return !to.empty() || !to_image.empty() || to_latest || to_multi_arch || clear;
}

std::optional<std::string> fault_of(const RequestFlags& flags) {
  const bool has_target = !flags.to.empty() || !flags.to_image.empty() || flags.to_latest;
  if (flags.clear && (has_target || flags.to_multi_arch)) {
    return "--clear may not be specified with any other flags";
  }
  if (flags.to_multi_arch && has_target) {
    return "--to-multi-arch may not be used with --to, --to-image, or --to-latest";
  }
  if (!flags.to.empty() && !flags.to_image.empty()) return "only one of --to or --to-image may be provided";
  if (flags.to_latest && (!flags.to.empty() || !flags.to_image.empty())) {
    return "--to-latest may not be used with --to or --to-image";
  }
  if (!flags.to.empty()) {
    if (const auto version = parse_version(flags.to); !version) {
      return fmt::format("--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): {}",
                         version.error().message);
    }
  }
  return flags.to_image.empty() ? std::nullopt : image_fault(flags);
}

}  // namespace fairway::clusterversion::upgrade
