// The backup of a running API server, over its own API.
#pragma once

#include <string>

#include "async/event_loop.hpp"
#include "async/task.hpp"
#include "kube/client/client_config.hpp"

namespace fairway::cli {

// `file` appears under its name only when it is complete and on the disk; readable by its owner only.
Task<void> download_backup(async::EventLoop& loop, kube::ClientConfig server, std::string file);

}  // namespace fairway::cli
