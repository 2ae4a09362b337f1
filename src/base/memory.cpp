#include "base/memory.hpp"

#include <cstddef>
#include <malloc.h>

// There in programs that are linked with jemalloc.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* value,
                                     std::size_t size);

namespace fairway {

void release_free_memory() {
  // 4096 means all arenas, in every version that has this call.
  if (mallctl != nullptr) {
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace fairway
