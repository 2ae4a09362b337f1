// History: what the clients of a store saw, and whether it can be true of a store that keeps its promises.
//
// Pure: it is fed with events, from whatever store over whatever protocol, and judges. Each attempted write
// carries a token of its own, so that every later sight of a write can be traced to the attempt. The
// promises: no acknowledged write is lost, none happens twice or out of nothing; no revision is used twice;
// revisions grow; a watch that resumes where it stopped sees every change once and in order; a list is the
// sum of the changes up to its revision.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway::fault {

using Revision = std::uint64_t;

enum class Deed { Created, Updated, Deleted };
std::string_view to_string(Deed deed);

// One change, as an acknowledgement or a watch showed it.
struct Sight {
  Revision revision = 0;
  Deed deed = Deed::Created;
  std::string key;
  std::string token;

  bool operator==(const Sight&) const = default;
};

struct Item {
  std::string key;
  Revision revision = 0;
  std::string token;

  auto operator<=>(const Item&) const = default;
};

class History {
 public:
  // In the order in which the client saw them. An attempt comes before everything else about its token.
  void attempted(const std::string& key, const std::string& token);
  void acknowledged(const Sight& sight);
  // One watch that began at revision 0 and went on, over restarts, where it had stopped. `previous` is the
  // revision that the change supersedes, 0 where the protocol does not tell.
  void watched(const Sight& sight, Revision previous);
  void listed(Revision revision, std::vector<Item> items);

  // Where the watch has to go on.
  Revision last_watched() const { return last_watched_; }
  std::size_t acknowledged_writes() const { return acknowledged_.size(); }
  std::size_t watched_changes() const { return watched_.size(); }

  // Every promise that was broken, in words; call it when the watch has caught up.
  std::vector<std::string> violations() const;

 private:
  struct List {
    Revision revision = 0;
    std::vector<Item> items;
    Revision acknowledged_before = 0;  // the highest revision that was acknowledged when the list was made
  };
  void note(const Sight& sight, std::string_view where);
  void find(std::string violation);
  void judge_acknowledged(std::vector<std::string>& found) const;
  void judge_lists(std::vector<std::string>& found) const;

  std::map<std::string, std::string> attempts_;  // token → key
  std::map<Revision, Sight> sights_;             // the first of each revision
  std::map<std::string, Revision> tokens_;       // where each token was seen
  std::map<Revision, Sight> acknowledged_;
  std::map<Revision, Sight> watched_;
  std::map<std::string, Revision> present_;  // what the watch leaves behind
  std::vector<List> lists_;
  Revision last_watched_ = 0;
  std::vector<std::string> violations_;  // that an event showed by itself
};

// The events as lines, so that another process can report them:
//   try KEY TOKEN
//   ack REVISION DEED KEY TOKEN
//   saw REVISION DEED KEY TOKEN PREVIOUS
//   list REVISION COUNT, followed by COUNT lines: item KEY REVISION TOKEN
// No part holds a blank. What else a line may be is the driver's business.
class HistoryReader {
 public:
  explicit HistoryReader(History& history) : history_(history) {}
  Result<void> read(std::string_view line);
  // The process that reported has ended; a list that it did not finish never was.
  void cut();

 private:
  History& history_;
  Revision list_revision_ = 0;
  std::uint64_t items_to_come_ = 0;
  std::vector<Item> items_;
};

}  // namespace fairway::fault
