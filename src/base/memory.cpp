#include "base/memory.hpp"

#include <cstddef>

// There in programs that are linked with jemalloc.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* value,
                                     std::size_t size);

namespace fairway {

// The C library's malloc_trim() is no second choice: where a sanitizer's allocator has taken over, it sets up
// the C library's heap at its first call, with nothing to keep two threads from doing so at once.
void release_free_memory() {
  if (mallctl == nullptr) return;
  // 4096 means all arenas, in every version that has this call.
  mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

}  // namespace fairway
