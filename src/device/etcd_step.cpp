#include "device/etcd_step.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

constexpr std::uint32_t kMagic = 0xED0CDAED;
constexpr std::uint32_t kFormat = 2;
constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kElement = 16;  // of branches and of leaves
constexpr std::uint16_t kBranch = 1;
constexpr std::uint16_t kLeaf = 2;
constexpr std::uint32_t kIsBucket = 1;
constexpr int kMaxDepth = 32;  // a tree of 2^64 pages is not as deep

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::Invalid, fmt::format("expected a bbolt file, found {}", what));
}

// Numbers of a file from any place: little endian, never beyond its end.
template <class T>
std::optional<T> number_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<std::string_view> part_at(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.substr(offset, size);
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

struct Meta {
  std::uint64_t page_size = 0;
  std::uint64_t root = 0;
  std::uint64_t transaction = 0;
};

// One of the two; nothing when it is not whole.
std::optional<Meta> meta_at(std::string_view file, std::uint64_t offset) {
  constexpr std::size_t kChecked = 56;
  const auto bytes = part_at(file, offset + kPageHeader, kChecked + 8);
  if (!bytes || number_at<std::uint32_t>(*bytes, 0) != kMagic ||
      number_at<std::uint32_t>(*bytes, 4) != kFormat ||
      number_at<std::uint64_t>(*bytes, kChecked) != fnv1a(bytes->substr(0, kChecked)))
    return std::nullopt;
  return Meta{*number_at<std::uint32_t>(*bytes, 8), *number_at<std::uint64_t>(*bytes, 16),
              *number_at<std::uint64_t>(*bytes, 48)};
}

struct BoltValue {
  std::string_view value = {};
  bool is_bucket = false;
};

class BoltReader {
 public:
  BoltReader(std::string_view file, const Meta& meta) : file_(file), meta_(meta) {}

  Result<std::optional<BoltValue>> find(std::string_view key) const { return find_below(meta_.root, key, 0); }

  // In a bucket, as its value describes it: a page of its own, or one that follows in place.
  Result<std::optional<BoltValue>> find_in(const BoltValue& bucket, std::string_view key) const {
    const auto root = number_at<std::uint64_t>(bucket.value, 0);
    if (!root) return damaged("a bucket that is cut off");
    if (*root != 0) return find_below(*root, key, 0);
    const auto page = part_at(bucket.value, 16, bucket.value.size() < 16 ? 0 : bucket.value.size() - 16);
    if (!page) return damaged("a bucket that is cut off");
    return find_in_leaf(*page, key);
  }

 private:
  Result<std::optional<BoltValue>> find_below(std::uint64_t page, std::string_view key, int depth) const {
    if (depth > kMaxDepth || page > file_.size() / meta_.page_size)
      return damaged("a page that is not in the file");
    const std::string_view bytes = file_.substr(std::min(file_.size(), page * meta_.page_size));
    const auto flags = number_at<std::uint16_t>(bytes, 8);
    if (flags == kLeaf) return find_in_leaf(bytes, key);
    if (flags != kBranch) return damaged("a page that is neither branch nor leaf");
    FAIRWAY_TRY(const std::uint64_t child, child_for(bytes, key));
    return find_below(child, key, depth + 1);
  }

  static Result<std::uint64_t> child_for(std::string_view page, std::string_view key) {
    const std::uint16_t count = number_at<std::uint16_t>(page, 10).value_or(0);
    std::optional<std::uint64_t> child;
    for (std::uint16_t i = 0; i < count; ++i) {
      const std::uint64_t at = kPageHeader + std::uint64_t{i} * kElement;
      const auto position = number_at<std::uint32_t>(page, at);
      const auto size = number_at<std::uint32_t>(page, at + 4);
      const auto next = number_at<std::uint64_t>(page, at + 8);
      if (!position || !size || !next) return damaged("a branch that is cut off");
      const auto own = part_at(page, at + *position, *size);
      if (!own) return damaged("a key that is cut off");
      if (child && *own > key) break;  // the first child also holds what is before its key
      child = next;
    }
    if (!child) return damaged("a branch without children");
    return *child;
  }

  static Result<std::optional<BoltValue>> find_in_leaf(std::string_view page, std::string_view key) {
    const std::uint16_t count = number_at<std::uint16_t>(page, 10).value_or(0);
    for (std::uint16_t i = 0; i < count; ++i) {
      const std::uint64_t at = kPageHeader + std::uint64_t{i} * kElement;
      const auto flags = number_at<std::uint32_t>(page, at);
      const auto position = number_at<std::uint32_t>(page, at + 4);
      const auto key_size = number_at<std::uint32_t>(page, at + 8);
      const auto value_size = number_at<std::uint32_t>(page, at + 12);
      if (!flags || !position || !key_size || !value_size) return damaged("a leaf that is cut off");
      const auto own = part_at(page, at + *position, *key_size);
      const auto value = part_at(page, at + *position + *key_size, *value_size);
      if (!own || !value) return damaged("a value that is cut off");
      if (*own == key) return std::optional(BoltValue{*value, (*flags & kIsBucket) != 0});
    }
    return std::optional<BoltValue>();
  }

  std::string_view file_;
  Meta meta_;
};

}  // namespace

Result<EtcdStep> EtcdStep::parse(const json::Object& object) {
  EtcdStep step;
  bool has_newest = false;
  for (const auto& [key, value] : object) {
    const std::string_view name(key.data(), key.size());
    if (!value.is_string()) return fail(ErrorCode::Invalid, fmt::format("etcd: {}: expected a text", name));
    const std::string_view text = json::view(value.get_string());
    if (name == "file") {
      step.file = std::string(text);
    } else if (name == "newest") {
      FAIRWAY_TRY(step.newest, AppVersion::parse(text));
      has_newest = true;
    } else {
      return fail(ErrorCode::Invalid, fmt::format("etcd: there is no key {}", quoted(name)));
    }
  }
  if (!has_newest) return fail(ErrorCode::Invalid, "etcd: newest: expected a version such as 3.6.0");
  for (const std::string_view part : split(step.file, '/')) {
    if (part.empty() || part == "." || part == "..")
      return fail(ErrorCode::Invalid,
                  fmt::format("etcd: file: expected a file in the data, found {}", quoted(step.file)));
  }
  return step;
}

Result<std::optional<std::string>> find_in_bolt(std::string_view file, std::string_view bucket,
                                                std::string_view key) {
  auto meta = meta_at(file, 0);
  // The second is a page further, and the size of a page is known from a whole meta only; without the first
  // one, try the sizes that there are.
  for (std::uint64_t size = 1024; size <= 64 * 1024; size *= 2) {
    const auto other = meta_at(file, size);
    if (other && other->page_size == size && (!meta || other->transaction > meta->transaction)) meta = other;
  }
  if (!meta || meta->page_size < 1024 || meta->page_size > 64 * 1024) return damaged("none of its marks");
  const BoltReader reader(file, *meta);
  FAIRWAY_TRY(const auto top, reader.find(bucket));
  if (!top || !top->is_bucket) return std::optional<std::string>();
  FAIRWAY_TRY(const auto found, reader.find_in(*top, key));
  if (!found || found->is_bucket) return std::optional<std::string>();
  return std::optional(std::string(found->value));
}

Result<std::string> check_etcd(const EtcdStep& step, std::string_view file) {
  FAIRWAY_TRY(const auto stored, find_in_bolt(file, "meta", "storageVersion"));
  if (!stored) return std::string("etcd's store is from before 3.6");
  FAIRWAY_TRY(const AppVersion version, AppVersion::parse(*stored));
  if (step.newest.is_older_minor_than(version))
    return fail(ErrorCode::Unsupported,
                fmt::format("etcd's store is {}, and the installed software understands {} at most",
                            version.to_string(), step.newest.to_string()));
  return fmt::format("etcd's store is {}", version.to_string());
}

}  // namespace fairway::device
