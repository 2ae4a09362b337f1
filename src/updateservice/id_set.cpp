#include "updateservice/id_set.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "http/crypto.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kBuckets = 65536;

std::optional<std::uint8_t> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

// Lower case only: ids are compared as text, so one in upper case is another id.
std::optional<IdKey> uuid_key(std::string_view id) {
  if (id.size() != kUuidLength) return std::nullopt;
  IdKey key{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (id[i] != '-') return std::nullopt;
      continue;
    }
    const auto value = hex_value(id[i]);
    if (!value) return std::nullopt;
    key[digits / 2] = static_cast<std::uint8_t>(key[digits / 2] << 4 | *value);
    ++digits;
  }
  return key;
}

std::size_t bucket_of(const IdKey& key) {
  return static_cast<std::size_t>(key[0]) << 8 | key[1];
}

}  // namespace

IdKey key_of(std::string_view id) {
  if (const auto key = uuid_key(id)) return *key;
  IdKey key{};
  std::memcpy(key.data(), http::sha256(id).data(), key.size());
  return key;
}

void IdSet::Builder::add(std::string_view id, IdVerdict verdict) {
  entries_.push_back({key_of(id), verdict});
}

IdSet IdSet::Builder::build() && {
  // Of one id the safest verdict comes last and wins.
  const auto danger = [](IdVerdict verdict) {
    return verdict == IdVerdict::Allowed ? 0 : verdict == IdVerdict::Unknown ? 1 : 2;
  };
  std::ranges::sort(entries_, [&](const Entry& left, const Entry& right) {
    return left.key != right.key ? left.key < right.key : danger(left.verdict) < danger(right.verdict);
  });
  IdSet set;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i + 1 < entries_.size() && entries_[i + 1].key == entries_[i].key) continue;
    if (entries_[i].verdict == IdVerdict::Allowed) set.allowed_.keys.push_back(entries_[i].key);
    if (entries_[i].verdict == IdVerdict::Blocked) set.blocked_.keys.push_back(entries_[i].key);
  }
  entries_ = {};
  set.allowed_.index();
  set.blocked_.index();
  return set;
}

void IdSet::Sorted::index() {
  keys.shrink_to_fit();
  if (keys.empty()) return;
  first.assign(kBuckets + 1, 0);
  for (const IdKey& key : keys) ++first[bucket_of(key) + 1];
  for (std::size_t i = 1; i <= kBuckets; ++i) first[i] += first[i - 1];
}

bool IdSet::Sorted::contains(const IdKey& key) const {
  if (keys.empty()) return false;
  const std::size_t bucket = bucket_of(key);
  return std::binary_search(keys.begin() + first[bucket], keys.begin() + first[bucket + 1], key);
}

IdVerdict IdSet::find(const IdKey& key) const {
  if (allowed_.contains(key)) return IdVerdict::Allowed;
  if (blocked_.contains(key)) return IdVerdict::Blocked;
  return IdVerdict::Unknown;
}

std::size_t IdSet::footprint() const {
  std::size_t bytes = 0;
  for (const Sorted* sorted : {&allowed_, &blocked_})
    bytes += sorted->keys.capacity() * sizeof(IdKey) + sorted->first.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace fairway::updateservice
