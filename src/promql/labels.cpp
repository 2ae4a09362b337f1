#include "promql/labels.hpp"

#include <algorithm>

#include "base/result.hpp"
#include "promql/go_text.hpp"
#include "promql/xxhash.hpp"

namespace fairway::promql {
namespace {

// A length below 255 takes one byte; a longer one takes 255 and three bytes, the lowest first.
constexpr std::size_t kLongLength = 255;
constexpr std::size_t kLongestText = (1u << 24) - 1;

void append_text(std::string& encoded, std::string_view text) {
  if (text.size() < kLongLength) {
    encoded += static_cast<char>(text.size());
  } else {
    FAIRWAY_CHECK(text.size() <= kLongestText, "a label of 16 MiB or more");
    encoded += static_cast<char>(kLongLength);
    for (int shift = 0; shift < 24; shift += 8) encoded += static_cast<char>((text.size() >> shift) & 0xff);
  }
  encoded += text;
}

std::string_view read_text(const char*& at) {
  std::size_t length = static_cast<unsigned char>(*at++);
  if (length == kLongLength) {
    length = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      length |= static_cast<std::size_t>(static_cast<unsigned char>(*at++)) << shift;
    }
  }
  const std::string_view text(at, length);
  at += length;
  return text;
}

bool is_metadata(std::string_view name) {
  return name == kMetricName || name == "__type__" || name == "__unit__";
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append_pairs(std::string& text, const Labels& labels, bool with_name) {
  text += '{';
  bool first = true;
  for (const Label label : labels) {
    if (!with_name && label.name == kMetricName) continue;
    if (!first) text += ", ";
    first = false;
    if (is_plain_label_name(label.name)) {
      text += label.name;
    } else {
      text += quote_label_value(label.name);
    }
    text += '=';
    text += quote_label_value(label.value);
  }
  text += '}';
}

}  // namespace

Label Labels::Iterator::operator*() const {
  const char* at = at_;
  const std::string_view name = read_text(at);
  return {name, read_text(at)};
}

Labels::Iterator& Labels::Iterator::operator++() {
  read_text(at_);
  read_text(at_);
  return *this;
}

Labels::Iterator Labels::begin() const {
  return Iterator(rep_ ? rep_->encoded.data() : nullptr);
}

Labels::Iterator Labels::end() const {
  return Iterator(rep_ ? rep_->encoded.data() + rep_->encoded.size() : nullptr);
}

Labels Labels::from_sorted(std::span<const Label> labels) {
  Labels result;
  if (labels.empty()) return result;
  auto rep = std::make_shared<Rep>();
  std::size_t bytes = 0;
  for (const Label& label : labels) bytes += label.name.size() + label.value.size() + 8;
  rep->encoded.reserve(bytes);
  for (const Label& label : labels) {
    append_text(rep->encoded, label.name);
    append_text(rep->encoded, label.value);
  }
  rep->count = labels.size();
  rep->hash = xxhash64(rep->encoded);
  result.rep_ = std::move(rep);
  return result;
}

Labels Labels::from(std::vector<std::pair<std::string, std::string>> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<Label> labels;
  labels.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + 1 < pairs.size() && pairs[i + 1].first == pairs[i].first) continue;
    if (!pairs[i].second.empty()) labels.push_back({pairs[i].first, pairs[i].second});
  }
  return from_sorted(labels);
}

std::string_view Labels::get(std::string_view name) const {
  if (!rep_) return {};
  const char* at = rep_->encoded.data();
  const char* const end = at + rep_->encoded.size();
  while (at < end) {
    const std::string_view found = read_text(at);
    const std::string_view value = read_text(at);
    if (found == name) return value;
    if (found > name) return {};
  }
  return {};
}

template <class Keep>
Labels Labels::filtered(Keep keep) const {
  std::vector<Label> kept;
  kept.reserve(size());
  for (const Label label : *this) {
    if (keep(label.name)) kept.push_back(label);
  }
  return kept.size() == size() ? *this : from_sorted(kept);
}

Labels Labels::without_name() const {
  return filtered([](std::string_view name) { return !is_metadata(name); });
}

Labels Labels::keep(std::span<const std::string> names) const {
  return filtered([&](std::string_view name) { return contains(names, name); });
}

Labels Labels::without(std::span<const std::string> names) const {
  return filtered([&](std::string_view name) { return !contains(names, name); });
}

Labels Labels::drop(std::span<const std::string> names) const {
  return filtered([&](std::string_view name) { return name != kMetricName && !contains(names, name); });
}

std::string Labels::to_string() const {
  std::string text;
  append_pairs(text, *this, true);
  return text;
}

std::string Labels::to_metric() const {
  const std::string_view name = metric_name();
  if (name.empty() || !is_plain_metric_name(name)) return to_string();
  std::string text(name);
  if (size() > 1) append_pairs(text, *this, false);
  return text;
}

bool Labels::operator==(const Labels& other) const {
  if (rep_ == other.rep_) return true;
  if (!rep_ || !other.rep_) return false;
  return rep_->hash == other.rep_->hash && rep_->encoded == other.rep_->encoded;
}

std::strong_ordering Labels::operator<=>(const Labels& other) const {
  if (rep_ == other.rep_) return std::strong_ordering::equal;
  auto left = begin();
  auto right = other.begin();
  for (; left != end() && right != other.end(); ++left, ++right) {
    if (const auto order = *left <=> *right; order != 0) return order;
  }
  return size() <=> other.size();
}

LabelsBuilder& LabelsBuilder::set(std::string_view name, std::string_view value) {
  for (auto& [known, text] : changes_) {
    if (known == name) {
      text = value;
      return *this;
    }
  }
  changes_.emplace_back(name, value);
  return *this;
}

Labels LabelsBuilder::labels() const {
  if (changes_.empty()) return base_;
  std::vector<Label> merged;
  merged.reserve(base_.size() + changes_.size());
  const auto changed = [&](std::string_view name) {
    return std::any_of(changes_.begin(), changes_.end(), [&](const auto& c) { return c.first == name; });
  };
  for (const Label label : base_) {
    if (!changed(label.name)) merged.push_back(label);
  }
  for (const auto& [name, value] : changes_) {
    if (!value.empty()) merged.push_back({name, value});
  }
  std::sort(merged.begin(), merged.end());
  return Labels::from_sorted(merged);
}

std::string quote_label_value(std::string_view value) {
  return go_quoted(value);
}

bool is_plain_label_name(std::string_view name) {
  const auto is_start = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_rest = [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_start(name.front()) && std::all_of(name.begin(), name.end(), is_rest);
}

bool is_plain_metric_name(std::string_view name) {
  const auto is_start = [](char c) {
    return c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto is_rest = [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_start(name.front()) && std::all_of(name.begin(), name.end(), is_rest);
}

}  // namespace fairway::promql
