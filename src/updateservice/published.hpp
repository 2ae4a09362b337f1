// Published: what the server threads answer from, swapped as one.
#pragma once

#include <memory>
#include <string>

#include "updateservice/snapshot.hpp"
#include "updateservice/targeting.hpp"

namespace fairway::updateservice {

struct Published {
  std::shared_ptr<const Snapshot> snapshot;
  Rules rules = {};  // of the snapshot's graph; empty when not decided by id
  std::shared_ptr<const http::PreparedAnswer> graph_data =
      nullptr;  // the tree as an archive; none when it is not served
  std::string graph_data_etag = {};
};

}  // namespace fairway::updateservice
