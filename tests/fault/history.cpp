#include "tests/fault/history.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace fairway::fault {
namespace {

constexpr std::size_t kMaxViolations = 50;

std::string describe(const Sight& sight) {
  return fmt::format("{} {} {} at revision {}", sight.key, to_string(sight.deed), sight.token,
                     sight.revision);
}

std::optional<Deed> deed_of(std::string_view text) {
  for (const Deed deed : {Deed::Created, Deed::Updated, Deed::Deleted})
    if (text == to_string(deed)) return deed;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Deed deed) {
  switch (deed) {
    case Deed::Created:
      return "created";
    case Deed::Updated:
      return "updated";
    case Deed::Deleted:
      return "deleted";
  }
  FAIRWAY_CHECK(false, "a Deed outside its enumeration");
}

void History::find(std::string violation) {
  if (violations_.size() < kMaxViolations) violations_.push_back(std::move(violation));
}

void History::attempted(const std::string& key, const std::string& token) {
  if (!attempts_.emplace(token, key).second) find(fmt::format("token {} is attempted twice", token));
}

// What must hold of every sight of a change, wherever it was seen.
void History::note(const Sight& sight, std::string_view where) {
  const auto attempt = attempts_.find(sight.token);
  if (attempt == attempts_.end() || attempt->second != sight.key)
    find(fmt::format("{}: {} was never attempted", where, describe(sight)));
  const auto [first, is_new] = sights_.emplace(sight.revision, sight);
  if (!is_new && first->second != sight)
    find(fmt::format("{}: {} was {} before", where, describe(sight), describe(first->second)));
  const auto [place, is_first] = tokens_.emplace(sight.token, sight.revision);
  if (!is_first && place->second != sight.revision)
    find(fmt::format("{}: {} happened at revision {} already", where, describe(sight), place->second));
}

void History::acknowledged(const Sight& sight) {
  note(sight, "acknowledged");
  acknowledged_.emplace(sight.revision, sight);
}

void History::watched(const Sight& sight, Revision previous) {
  note(sight, "watched");
  if (sight.revision <= last_watched_)
    find(fmt::format("watched: {} comes after revision {}", describe(sight), last_watched_));
  last_watched_ = std::max(last_watched_, sight.revision);
  watched_.emplace(sight.revision, sight);
  const auto present = present_.find(sight.key);
  const bool exists = present != present_.end();
  if (exists == (sight.deed == Deed::Created))
    find(fmt::format("watched: {} although it {}", describe(sight), exists ? "existed" : "did not exist"));
  if (previous != 0 && exists && present->second != previous)
    find(fmt::format("watched: {} supersedes revision {}, but the last one seen was {}", describe(sight),
                     previous, present->second));
  if (sight.deed == Deed::Deleted) {
    present_.erase(sight.key);
  } else {
    present_[sight.key] = sight.revision;
  }
}

void History::listed(Revision revision, std::vector<Item> items) {
  std::ranges::sort(items);
  lists_.push_back({.revision = revision,
                    .items = std::move(items),
                    .acknowledged_before = acknowledged_.empty() ? 0 : acknowledged_.rbegin()->first});
}

std::vector<std::string> History::violations() const {
  std::vector<std::string> found = violations_;
  judge_acknowledged(found);
  judge_lists(found);
  if (found.size() > kMaxViolations) found.resize(kMaxViolations);
  return found;
}

void History::judge_acknowledged(std::vector<std::string>& found) const {
  for (const auto& [revision, sight] : acknowledged_)
    if (!watched_.contains(revision))
      found.push_back(fmt::format("lost: {} was acknowledged and never watched", describe(sight)));
}

void History::judge_lists(std::vector<std::string>& found) const {
  std::map<std::string, Item> state;
  auto change = watched_.begin();
  std::vector<const List*> by_revision;
  for (const List& list : lists_) by_revision.push_back(&list);
  std::ranges::stable_sort(by_revision, {}, [](const List* list) { return list->revision; });
  for (const List* list : by_revision) {
    if (list->revision < list->acknowledged_before)
      found.push_back(fmt::format("list at revision {}: revision {} had been acknowledged before",
                                  list->revision, list->acknowledged_before));
    for (; change != watched_.end() && change->first <= list->revision; ++change) {
      const Sight& sight = change->second;
      if (sight.deed == Deed::Deleted)
        state.erase(sight.key);
      else
        state[sight.key] = {.key = sight.key, .revision = sight.revision, .token = sight.token};
    }
    std::vector<Item> expected;
    for (const auto& [key, item] : state) expected.push_back(item);
    std::vector<Item> differing;
    std::ranges::set_symmetric_difference(expected, list->items, std::back_inserter(differing));
    if (!differing.empty())
      found.push_back(
          fmt::format("list at revision {} differs from the changes up to it, first in {} at revision {}",
                      list->revision, differing.front().key, differing.front().revision));
  }
}

Result<void> HistoryReader::read(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  const auto bad = [&line] {
    return fail(ErrorCode::Invalid, fmt::format("expected a line of history, found {}", quoted(line)));
  };
  const auto number = [&words](std::size_t index) { return parse_unsigned(words[index]); };
  if (words.empty()) return bad();
  if (words[0] == "try" && words.size() == 3) {
    history_.attempted(std::string(words[1]), std::string(words[2]));
    return {};
  }
  if (const bool is_ack = words[0] == "ack";
      (is_ack && words.size() == 5) || (words[0] == "saw" && words.size() == 6)) {
    const auto revision = number(1);
    const auto deed = deed_of(words[2]);
    const auto previous = is_ack ? std::optional<std::uint64_t>(0) : number(5);
    if (!revision || !deed || !previous) return bad();
    const Sight sight{*revision, *deed, std::string(words[3]), std::string(words[4])};
    is_ack ? history_.acknowledged(sight) : history_.watched(sight, *previous);
    return {};
  }
  if (words[0] == "list" && words.size() == 3 && number(1) && number(2)) {
    list_revision_ = *number(1);
    items_to_come_ = *number(2);
    items_.clear();
  } else if (words[0] == "item" && words.size() == 4 && number(2) && items_to_come_ > 0) {
    items_.push_back({std::string(words[1]), *number(2), std::string(words[3])});
    --items_to_come_;
  } else {
    return bad();
  }
  if (items_to_come_ == 0) history_.listed(list_revision_, std::move(items_));
  return {};
}

void HistoryReader::cut() {
  items_to_come_ = 0;
  items_.clear();
}

}  // namespace fairway::fault
