// Following one object for somebody who watches: it is shown now and whenever it changes, until it has become
// what was waited for or Ctrl-C is pressed.
//
// A watch that ends, and a server that goes away for a while, are taken up again by reading the object.
#pragma once

#include <functional>

#include "async/event_loop.hpp"
#include "kube/client/client.hpp"

namespace fairway::cli {

// Whether it is what was waited for.
using ShowObject = std::function<Result<bool>(const json::Object&)>;
// What a person should be told instead of the error.
using ExplainError = std::function<Error(Error)>;

Result<void> follow_object(async::EventLoop& loop, kube::Client& client, const kube::Resource& object,
                           const ShowObject& show, const ExplainError& explain = {});

}  // namespace fairway::cli
