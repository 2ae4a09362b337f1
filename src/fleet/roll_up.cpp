#include "fleet/roll_up.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "json/patch.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kWord = "compliant";

// What the rows are to say: the word of each bound cluster, in their order, and the word for all.
struct Words {
  std::vector<std::string_view> of_rows = {};
  std::string_view overall = {};
};

Words words_of(const Enforcement& enforcement, const ComplianceOf& compliance) {
  Words words;
  words.of_rows.reserve(enforcement.bound.size());
  for (const std::string& cluster : enforcement.bound) words.of_rows.push_back(compliance(cluster));
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words.of_rows, word) != words.of_rows.end();
  };
  if (words.of_rows.empty()) return words;
  if (has("NonCompliant")) {
    words.overall = "NonCompliant";
  } else if (has("Pending")) {
    words.overall = "Pending";
  } else if (!has("")) {
    words.overall = "Compliant";
  }
  return words;
}

json::Array rows_with(const Enforcement& enforcement, const Words& words) {
  json::Array rows;
  rows.reserve(words.of_rows.size());
  auto word = words.of_rows.begin();
  for (const std::string& cluster : enforcement.bound) {
    json::Object row{{"clustername", cluster}, {"clusternamespace", cluster}};
    if (!word->empty()) row[kWord] = *word;
    rows.push_back(std::move(row));
    ++word;
  }
  return rows;
}

json::Object whole_status(const json::Object& before, const Enforcement& enforcement, const Words& words) {
  json::Object status;
  for (const auto& [key, value] : before) {
    if (key != kWord && key != "placement" && key != "status") status.emplace(key, value);
  }
  if (!words.overall.empty()) status[kWord] = words.overall;
  if (!enforcement.placement.empty()) status["placement"] = enforcement.placement;
  if (!words.of_rows.empty()) status["status"] = rows_with(enforcement, words);
  return status;
}

// A row as we write it, whatever its word.
bool is_row_of(const json::Value& value, std::string_view cluster) {
  const json::Object* row = value.if_object();
  return row != nullptr && row->size() == 2 + static_cast<std::size_t>(row->contains(kWord)) &&
         json::get_string(*row, {"clustername"}) == cluster &&
         json::get_string(*row, {"clusternamespace"}) == cluster;
}

// Of a row, or of the status.
bool has_word(const json::Object& object, std::string_view word) {
  const json::Value* found = object.if_contains(kWord);
  if (found == nullptr || word.empty()) return found == nullptr && word.empty();
  return found->is_string() && json::view(found->get_string()) == word;
}

json::Object word_change(std::string_view word, std::string_view path) {
  if (word.empty()) return {{"op", "remove"}, {"path", path}};
  return {{"op", "add"}, {"path", path}, {"value", word}};
}

bool has_placement(const json::Object& status, const json::Array& wanted) {
  const json::Value* found = status.if_contains("placement");
  if (found == nullptr) return wanted.empty();
  return found->is_array() &&
         std::ranges::equal(found->get_array(), wanted,
                            [](const auto& a, const auto& b) { return json::same_value(a, b); });
}

// The words that differ, when nothing else does. Nothing when more differs, or so many words that the whole
// is as short.
std::optional<json::Array> changed_words(const json::Object& before, const Enforcement& enforcement,
                                         const Words& words) {
  const json::Array* rows = json::get_array(before, {"status"});
  if (rows == nullptr || rows->size() != words.of_rows.size()) return std::nullopt;
  if (!has_placement(before, enforcement.placement)) return std::nullopt;
  // A server need not take more than ten thousand operations in one patch.
  const std::size_t most = std::clamp(rows->size() / 4, std::size_t{200}, std::size_t{5000});
  json::Array patch;
  if (!has_word(before, words.overall)) patch.push_back(word_change(words.overall, "/status/compliant"));
  std::size_t i = 0;
  for (const std::string& cluster : enforcement.bound) {
    const json::Value& row = (*rows)[i];
    if (!is_row_of(row, cluster)) return std::nullopt;
    if (!has_word(row.get_object(), words.of_rows[i]))
      patch.push_back(word_change(words.of_rows[i], fmt::format("/status/status/{}/compliant", i)));
    if (patch.size() > most) return std::nullopt;
    ++i;
  }
  return patch;
}

const json::Object& status_of(const json::Object& root) {
  static const json::Object kNone;
  const json::Object* found = json::get_object(root, {"status"});
  return found == nullptr ? kNone : *found;
}

}  // namespace

Duration rest_after_write(Duration taken) {
  return std::clamp(kRollUpRest * taken, kRollUpInterval, kLongestRest);
}

json::Object desired_status(const PolicyBindings& seen, const Enforcement& enforcement,
                            const ComplianceOf& compliance) {
  return whole_status(status_of(*seen.root), enforcement, words_of(enforcement, compliance));
}

std::optional<WritePolicyStatus> correct_status(const PolicyBindings& seen, const Enforcement& enforcement,
                                                const ComplianceOf& compliance) {
  const json::Object& before = status_of(*seen.root);
  const std::string_view version = kube::resource_version_of(*seen.root);
  const Words words = words_of(enforcement, compliance);
  WritePolicyStatus write{.key = kube::key_of(*seen.root),
                          .compliant = std::string(words.overall),
                          .clusters = words.of_rows.size(),
                          .patch = {}};
  if (auto changes = changed_words(before, enforcement, words)) {
    if (changes->empty()) return std::nullopt;
    // A version that is written must be the one that is there.
    changes->push_back(
        json::Object{{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", version}});
    write.patch = *std::move(changes);
    return write;
  }
  const json::Object status = whole_status(before, enforcement, words);
  if (json::same_value(before, status)) return std::nullopt;
  write.patch = json::Object{{"metadata", json::Object{{"resourceVersion", version}}},
                             {"status", json::make_merge_patch(before, status)}};
  return write;
}

}  // namespace fairway::fleet
