// Ring: the most recent changes, in memory, for watchers that resume and for lists at a recent revision.
//
// Bounded by number and by bytes; the oldest make room. Changes enter in the order of their revisions.
// covers() tells whether nothing after a revision is missing; what it does not cover, the log may still have.
#pragma once

#include <cstddef>
#include <deque>

#include "store/types.hpp"

namespace fairway::store {

class Ring {
 public:
  Ring(std::size_t max_changes, std::size_t max_bytes) : max_changes_(max_changes), max_bytes_(max_bytes) {}

  // Forgets everything; from here on the ring covers what comes after the revision.
  void restart(Revision revision);
  void push(ChangePtr change);
  bool covers(Revision since) const { return since >= floor_; }
  // The first change in the scope after the revision; null when there is none.
  ChangePtr next(const Scope& scope, Revision since) const;

  std::size_t size() const { return changes_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t max_changes_;
  std::size_t max_bytes_;
  Revision floor_ = 0;
  std::size_t bytes_ = 0;
  std::deque<ChangePtr> changes_;
};

}  // namespace fairway::store
