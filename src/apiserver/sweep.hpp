// Sweep: deletes many objects, several at a time so that they share commits.
#pragma once

#include <vector>

#include "apiserver/objects.hpp"

namespace fairway::apiserver {

// True when all of them are gone; false when some wait for finalizers or could not be deleted.
boost::asio::awaitable<bool> sweep(Objects& objects, const Resource& resource,
                                   std::vector<store::EntryPtr> entries);

}  // namespace fairway::apiserver
