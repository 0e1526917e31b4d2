// A pool of large blocks of memory.
#ifndef DOVETAIL_MEMORY_POOL_H
#define DOVETAIL_MEMORY_POOL_H

#include <cstddef>
#include <cstdint>

namespace dovetail::memory {

/// Blocks are aligned to the size of a huge page of x86-64 and of AArch64 with pages of 4 KiB, and are multiples of it.
constexpr size_t kHugePage = size_t(2) << 20;

/// From this size on, glibc gets each block from the system, and gives it back when it is freed: each page of each
/// array is then zeroed and mapped anew, which takes longer than most ops that write to it.
constexpr size_t kLeastSize = size_t(32) << 20;

/// A block of at least that size, with any contents; null if the system has no memory.
void *acquire(size_t size);

/// The size of a block that is in use; 0 if this is no such block.
size_t sizeOf(const void *block);

/// Gives back a block. Returns false if it is none of the pool's.
bool release(void *block);

/// The bytes of blocks that are in use, and of those that are kept to be used again.
struct Extent {
  size_t used, kept;
};
Extent extent();

} // namespace dovetail::memory

#endif // DOVETAIL_MEMORY_POOL_H
