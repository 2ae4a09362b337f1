// TreeCopy: an exact copy of a directory tree, durable when it returns.
//
// Links are not followed. Hard links stay hard links, holes stay holes, sockets, pipes and device nodes are
// made anew. Another file system mounted inside is an error, and so is a file that changes while it is
// copied: a copy is of one moment, so the owner of the tree has to be stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace fairway::device {

struct CopyReport {
  std::uint64_t files = 0;  // everything but directories, a hard link once for each name
  std::uint64_t directories = 0;
  std::uint64_t special = 0;  // sockets, pipes and devices among the files
  std::uint64_t bytes = 0;    // of regular files, as long as they are, hard links once
  std::uint64_t copied = 0;   // regular files that could not be cloned

  std::string method() const { return copied == 0 ? "reflink" : "copy"; }
};

using CopyWatch = std::function<void(const CopyReport&)>;

// `to` must not exist; its parent must. After an error a part of it may be there.
Result<CopyReport> copy_tree(const std::string& from, const std::string& to, const CopyWatch& watch = {});

}  // namespace fairway::device
