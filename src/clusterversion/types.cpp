#include "clusterversion/types.hpp"

#include "base/semver.hpp"

namespace fairway::clusterversion {

bool is_recommended(const ConditionalUpdate& update) {
  return kube::is_condition_true(update.conditions, kRecommended);
}

bool is_newer(const Release& left, const Release& right) {
  const auto left_version = SemVer::parse(left.version);
  const auto right_version = SemVer::parse(right.version);
  if (left_version.has_value() != right_version.has_value()) return left_version.has_value();
  if (left_version && *left_version != *right_version) return *left_version > *right_version;
  if (left.version != right.version) return left.version > right.version;
  return left.image > right.image;
}

std::string_view digest_of(std::string_view image) {
  const auto at = image.rfind('@');
  return at == std::string_view::npos ? std::string_view() : image.substr(at + 1);
}

bool is_same_image(std::string_view left, std::string_view right) {
  if (left == right) return true;
  const std::string_view digest = digest_of(left);
  return !digest.empty() && digest == digest_of(right);
}

}  // namespace fairway::clusterversion

namespace fairway::json {

Result<clusterversion::AvailableUpdates> Codec<clusterversion::AvailableUpdates>::read(const Value& value) {
  FAIRWAY_TRY(auto releases, from_json<std::vector<clusterversion::Release>>(value));
  clusterversion::AvailableUpdates updates;
  static_cast<std::vector<clusterversion::Release>&>(updates) = std::move(releases);
  return updates;
}

Value Codec<clusterversion::AvailableUpdates>::write(const clusterversion::AvailableUpdates& updates) {
  if (updates.empty()) return nullptr;
  return to_json(static_cast<const std::vector<clusterversion::Release>&>(updates));
}

Result<clusterversion::NullableTime> Codec<clusterversion::NullableTime>::read(const Value& value) {
  FAIRWAY_TRY(const auto time, from_json<std::optional<WallTime>>(value));
  return clusterversion::NullableTime{time};
}

Value Codec<clusterversion::NullableTime>::write(const clusterversion::NullableTime& time) {
  return to_json(time.time);
}

Result<clusterversion::ObjectConditions> Codec<clusterversion::ObjectConditions>::read(const Value& value) {
  FAIRWAY_TRY(auto list, from_json<kube::Conditions>(value));
  clusterversion::ObjectConditions conditions;
  static_cast<kube::Conditions&>(conditions) = std::move(list);
  return conditions;
}

Value Codec<clusterversion::ObjectConditions>::write(const clusterversion::ObjectConditions& conditions) {
  Array array;
  for (const kube::Condition& condition : conditions) {
    Object written = to_object(condition);
    if (condition.reason.empty()) written.erase("reason");
    if (condition.message.empty()) written.erase("message");
    array.push_back(std::move(written));
  }
  return array;
}

}  // namespace fairway::json
