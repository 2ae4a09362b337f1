// Release files: releases that lie on disk. Reading blocks; a service does it on a worker.
//
// A file has one JSON object a line (graph/release.hpp). A folder has one object a file, *.json, on as many
// lines as it likes: {"payload":"NAME@DIGEST","architecture":"amd64","release-metadata":{…}}, or a
// release-metadata file as it stands in an image, with "payload" and "architecture" added to it. Errors name
// the file.
#pragma once

#include <string>

#include "base/result.hpp"
#include "graph/release.hpp"

namespace fairway::updateservice {

Result<graph::ReleaseList> read_release_files(const std::string& path);

}  // namespace fairway::updateservice
