#include "kube/core/gvk.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "base/text.hpp"

namespace fairway::kube {
namespace {

// v1beta2 as (stability, major, minor), larger being preferred; nothing for other names.
using Rank = std::tuple<int, std::uint64_t, std::uint64_t>;

std::optional<std::uint64_t> take_number(std::string_view& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (digits.empty() || digits.front() == '0') return std::nullopt;
  text.remove_prefix(digits.size());
  return parse_unsigned(digits);
}

std::optional<Rank> rank_of(std::string_view version) {
  if (!version.starts_with('v')) return std::nullopt;
  version.remove_prefix(1);
  const auto major = take_number(version);
  if (!major) return std::nullopt;
  if (version.empty()) return Rank{3, *major, 0};
  const bool is_beta = version.starts_with("beta");
  if (!is_beta && !version.starts_with("alpha")) return std::nullopt;
  version.remove_prefix(is_beta ? 4 : 5);
  const auto minor = take_number(version);
  if (!minor || !version.empty()) return std::nullopt;
  return Rank{is_beta ? 2 : 1, *major, *minor};
}

std::string with_group(std::string_view name, std::string_view group) {
  return group.empty() ? std::string(name) : fmt::format("{}.{}", name, group);
}

}  // namespace

Result<GroupVersion> GroupVersion::parse(std::string_view api_version) {
  // An empty text is the empty GroupVersion, as in Kubernetes; callers that need one check for it.
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return GroupVersion{"", std::string(api_version)};
  const std::string_view version = api_version.substr(slash + 1);
  if (version.find('/') != std::string_view::npos) {
    return fail(ErrorCode::Invalid, fmt::format("unexpected GroupVersion string: {}", api_version));
  }
  return GroupVersion{std::string(api_version.substr(0, slash)), std::string(version)};
}

std::string GroupVersion::to_string() const {
  return group.empty() ? version : fmt::format("{}/{}", group, version);
}

std::string GroupKind::to_string() const {
  return with_group(kind, group);
}

std::string GroupResource::to_string() const {
  return with_group(resource, group);
}

Result<GroupVersionKind> GroupVersionKind::parse(std::string_view api_version, std::string_view kind) {
  FAIRWAY_TRY(GroupVersion parsed, GroupVersion::parse(api_version));
  return GroupVersionKind{std::move(parsed.group), std::move(parsed.version), std::string(kind)};
}

std::string GroupVersionKind::to_string() const {
  return fmt::format("{}, Kind={}", api_version(), kind);
}

std::string GroupVersionResource::to_string() const {
  return fmt::format("{}, Resource={}", group_version().to_string(), resource);
}

std::strong_ordering compare_version_preference(std::string_view left, std::string_view right) {
  const auto left_rank = rank_of(left);
  const auto right_rank = rank_of(right);
  if (left_rank && right_rank) return *right_rank <=> *left_rank;
  if (left_rank || right_rank) return left_rank ? std::strong_ordering::less : std::strong_ordering::greater;
  return left.compare(right) <=> 0;
}

}  // namespace fairway::kube
