#include "oci/union_view.hpp"

#include <fmt/format.h>

#include "oci/entry_path.hpp"

namespace fairway::oci {

bool Selection::takes(std::string_view path) const {
  return is_within(path, root) && (!wants || wants(path));
}

bool Selection::concerns(std::string_view path) const {
  return is_within(path, root) || is_within(root, path);
}

LayerCollector::LayerCollector(Selection selection, ContentLimits limits)
    : selection_(std::move(selection)), limits_(limits) {}

LayerHandlers LayerCollector::handlers() {
  return {.on_entry = [this](const Entry& entry) { return note(entry); },
          .on_file = [this](const Entry& entry, std::string bytes) { return keep(entry, std::move(bytes)); }};
}

Wish LayerCollector::note(const Entry& entry) {
  if (!selection_.concerns(entry.path)) return Wish::Skip;
  // Of two entries with one path the later one counts.
  const bool is_whiteout = entry.kind == EntryKind::Whiteout || entry.kind == EntryKind::Opaque;
  if (const auto old = content_.files.find(entry.path); !is_whiteout && old != content_.files.end()) {
    wanted_bytes_ -= old->second.bytes.size();
    content_.files.erase(old);
  }
  path_bytes_ += entry.path.size() + sizeof(Entry);
  if (entry.kind == EntryKind::File && selection_.takes(entry.path)) wanted_bytes_ += entry.size;
  if (!outcome()) return Wish::Stop;
  content_.changes.push_back(entry);
  return entry.kind == EntryKind::File && selection_.takes(entry.path) ? Wish::Take : Wish::Skip;
}

Result<void> LayerCollector::keep(const Entry& entry, std::string bytes) {
  content_.files.insert_or_assign(entry.path, LayerFile{std::move(bytes), entry.mode});
  return {};
}

Result<void> LayerCollector::outcome() const {
  if (wanted_bytes_ > limits_.max_wanted_bytes)
    return fail(ErrorCode::Invalid, fmt::format("the wanted files of the layer have more than {} bytes",
                                                limits_.max_wanted_bytes));
  if (path_bytes_ > limits_.max_path_bytes)
    return fail(ErrorCode::Invalid,
                fmt::format("the names in the layer need more than {} bytes", limits_.max_path_bytes));
  return {};
}

bool UnionView::hides(std::string_view path) const {
  if (folders_.contains(path)) return true;
  for (std::string_view above = path;;) {
    if (covered_.contains(above)) return true;
    if (above.empty()) return false;
    const auto slash = above.rfind('/');
    above = slash == std::string_view::npos ? std::string_view() : above.substr(0, slash);
    if (opaque_.contains(above)) return true;
  }
}

void UnionView::cover(const LayerContent& layer) {
  for (const Entry& entry : layer.changes) cover(entry);
}

void UnionView::cover_whiteouts(const LayerContent& layer) {
  for (const Entry& entry : layer.changes) {
    if (entry.kind == EntryKind::Whiteout || entry.kind == EntryKind::Opaque) cover(entry);
  }
}

void UnionView::cover(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::File:
    case EntryKind::Link:
    case EntryKind::Other:
    case EntryKind::Whiteout:
      covered_.insert(entry.path);
      break;
    case EntryKind::Opaque:
      opaque_.insert(entry.path);
      folders_.insert(entry.path);
      break;
    case EntryKind::Directory:
      folders_.insert(entry.path);
      break;
  }
  // Whatever an entry lies in is a folder, whether the archive says so or not.
  for (auto slash = entry.path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = entry.path.rfind('/', slash - 1)) {
    if (!folders_.insert(entry.path.substr(0, slash)).second) break;
  }
}

}  // namespace fairway::oci
