// Memory of the process, seen from outside.
//
// release_free_memory() gives back to the system what is free but kept for later. It walks the whole heap:
// for the moment after something large has gone, never for a request. It does so in programs that are linked
// with jemalloc (all that run for long), and nothing in others.
#pragma once

namespace fairway {

void release_free_memory();

}  // namespace fairway
