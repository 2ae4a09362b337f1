// UnionView: what layers show together, worked out from the uppermost layer down. Pure.
//
// A layer's file, link or device hides whatever the layers below have at its path and beneath it; its folder
// hides only what is no folder there; its whiteouts hide what they name. A layer never hides its own entries.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "oci/layer.hpp"

namespace fairway::oci {

// Which files are wanted: those in a folder (or the one file of that path) that the predicate accepts.
struct Selection {
  std::string root = {};                             // normalised; empty: the whole image
  std::function<bool(std::string_view)> wants = {};  // by normalised path; empty: all

  bool takes(std::string_view path) const;
  // Whether an entry there can hide or be something that is wanted.
  bool concerns(std::string_view path) const;
};

struct LayerFile {
  std::string bytes = {};
  unsigned mode = 0;
};

// What one layer has of a selection.
struct LayerContent {
  std::map<std::string, LayerFile> files = {};
  std::vector<Entry> changes = {};  // all entries that concern the selection, in the archive's order
};

// Limits on what is kept of a layer in memory, besides those of reading it.
struct ContentLimits {
  std::uint64_t max_wanted_bytes = 256 * 1024 * 1024;
  std::uint64_t max_path_bytes = 64 * 1024 * 1024;
};

// Gathers a LayerContent; its handlers are for one LayerReader and end with it.
class LayerCollector {
 public:
  LayerCollector(Selection selection, ContentLimits limits);

  LayerHandlers handlers();
  // Invalid when a limit was passed; the reader was stopped there.
  Result<void> outcome() const;
  LayerContent take() { return std::move(content_); }

 private:
  Wish note(const Entry& entry);
  Result<void> keep(const Entry& entry, std::string bytes);

  Selection selection_;
  ContentLimits limits_;
  LayerContent content_;
  std::uint64_t wanted_bytes_ = 0;
  std::uint64_t path_bytes_ = 0;
};

class UnionView {
 public:
  // Whether the layers so far leave nothing of a lower file at this path to be seen.
  bool hides(std::string_view path) const;
  // All that one more layer hides of those below.
  void cover(const LayerContent& layer);
  // The same for its whiteouts alone.
  void cover_whiteouts(const LayerContent& layer);

 private:
  void cover(const Entry& entry);

  std::set<std::string, std::less<>> covered_;  // with all beneath
  std::set<std::string, std::less<>> opaque_;   // all beneath
  std::set<std::string, std::less<>> folders_;
};

}  // namespace fairway::oci
