// Memory of the process, seen from outside.
//
// release_free_memory() gives back to the system what is free but kept for later. It walks the whole heap:
// for the moment after something large has gone, never for a request. It works with the allocator that the
// program was linked with, jemalloc or the C library's.
#pragma once

namespace fairway {

void release_free_memory();

}  // namespace fairway
