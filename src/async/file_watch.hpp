// FileWatch: tells when files or folders change, on one event loop.
//
// Watches each path itself and, for a folder, all that is below it; a path that is replaced (a rename over
// it, a symbolic link that is turned) counts as changed. What happens between the making of the watch and the
// first wait() is not lost, so make it, read the files, then wait. After a change make a new one, which sees
// new folders too. Which file it was is not said: events can be lost, so the reader reads all.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <span>
#include <string>

#include "async/task.hpp"

namespace fairway::async {

class FileWatch {
 public:
  // Unavailable when the system has no more watches to give.
  static Result<std::unique_ptr<FileWatch>> make(boost::asio::any_io_executor executor,
                                                 std::span<const std::string> paths);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Until something has changed since the last call; Cancelled if the task is.
  Task<void> wait();

 private:
  struct Impl;
  explicit FileWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::async
