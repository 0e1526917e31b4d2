// Lets a library's large blocks of memory come from a pool.
#include "Callers.h"
#include "Pool.h"
#include "Replace.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

using namespace dovetail::memory;

static void *acquireOrFail(size_t size) {
  void *block = acquire(size);
  if (!block)
    errno = ENOMEM;
  return block;
}

/// Smaller blocks are zeroed in less time than it takes to find out what they are for.
constexpr size_t kLeastUnzeroed = size_t(64) << 10;

/// Unlike that of C, does not zero large blocks, nor those of arrays: IREE says of no array's memory what it contains.
static void *pooledCalloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes < kLeastUnzeroed)
    return std::calloc(count, size);
  if (bytes >= kLeastSize)
    return acquireOrFail(bytes);
  bool isUnzeroed = isOfArray(bytes, __builtin_frame_address(0), __builtin_return_address(0));
  return isUnzeroed ? std::malloc(bytes) : std::calloc(count, size);
}

static void *pooledMalloc(size_t size) { return size < kLeastSize ? std::malloc(size) : acquireOrFail(size); }

static void *pooledRealloc(void *block, size_t size) {
  size_t before = sizeOf(block);
  if (before == 0)
    return std::realloc(block, size);
  if (size > before - before / 8 && size <= before)
    return block;
  void *moved = pooledMalloc(size);
  if (!moved)
    return nullptr;
  std::memcpy(moved, block, std::min(before, size));
  release(block);
  return moved;
}

static void pooledFree(void *block) {
  if (!release(block))
    std::free(block);
}

/// Lets the C library keep the blocks that are left to it. It gives the memory of a thread's last blocks back to the
/// system as soon as it exceeds twice the largest block that was ever mapped, which devices then map anew at each step.
/// A block of the largest size for which this holds raises that limit, unless the user has set one.
static void keepSmallerBlocks() {
  constexpr size_t kOwn = size_t(16) << 10;
  void *volatile block = std::malloc(kLeastSize - kOwn);
  std::free(block);
}

/// Returns whether the library that is loaded from `path` gets large blocks from the pool from now on.
extern "C" __attribute__((visibility("default"))) bool dovetail_memory_pool(const char *path) {
  const Replacement replacements[] = {
      {"calloc", reinterpret_cast<void *>(pooledCalloc)},
      {"malloc", reinterpret_cast<void *>(pooledMalloc)},
      {"realloc", reinterpret_cast<void *>(pooledRealloc)},
      {"free", reinterpret_cast<void *>(pooledFree)},
  };
  if (!replaceImports(path, replacements, std::size(replacements)))
    return false;
  keepSmallerBlocks();
  return true;
}

/// Takes the next block of at least that size for that of an array, which need not be zeroed.
extern "C" __attribute__((visibility("default"))) void dovetail_memory_learn(size_t least) { learnArray(least); }

extern "C" __attribute__((visibility("default"))) void dovetail_memory_extent(size_t *used, size_t *kept) {
  Extent now = extent();
  *used = now.used;
  *kept = now.kept;
}
