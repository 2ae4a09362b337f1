#include "fleet/agent/matching.hpp"

namespace fairway::fleet::agent {
namespace {

class Matcher {
 public:
  Matcher(std::size_t wanted, std::size_t found, const std::function<bool(std::size_t, std::size_t)>& fits)
      : fits_(fits), place_(wanted, kNowhere), owner_(found, kNowhere) {}

  std::vector<std::size_t> run() {
    for (std::size_t i = 0; i < place_.size(); ++i) take_own_or_free(i);
    if (place_.size() > kMostAugmented || owner_.size() > kMostAugmented) return place_;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] != kNowhere) continue;
      is_tried_.assign(owner_.size(), false);
      augment(i);
    }
    return place_;
  }

 private:
  void give(std::size_t wanted, std::size_t at) {
    place_[wanted] = at;
    owner_[at] = wanted;
  }

  // The item at the same index is nearly always the one.
  void take_own_or_free(std::size_t wanted) {
    if (wanted < owner_.size() && owner_[wanted] == kNowhere && fits_(wanted, wanted))
      return give(wanted, wanted);
    for (std::size_t j = 0; j < owner_.size(); ++j)
      if (owner_[j] == kNowhere && fits_(wanted, j)) return give(wanted, j);
  }

  bool augment(std::size_t wanted) {
    for (std::size_t j = 0; j < owner_.size(); ++j) {
      if (is_tried_[j] || !fits_(wanted, j)) continue;
      is_tried_[j] = true;
      if (owner_[j] == kNowhere || augment(owner_[j])) {
        give(wanted, j);
        return true;
      }
    }
    return false;
  }

  const std::function<bool(std::size_t, std::size_t)>& fits_;
  std::vector<std::size_t> place_;  // of each wanted item
  std::vector<std::size_t> owner_;  // of each found item
  std::vector<bool> is_tried_;
};

}  // namespace

std::vector<std::size_t> match_items(std::size_t wanted, std::size_t found,
                                     const std::function<bool(std::size_t, std::size_t)>& fits) {
  return Matcher(wanted, found, fits).run();
}

}  // namespace fairway::fleet::agent
