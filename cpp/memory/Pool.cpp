// A pool of large blocks of memory. What it keeps and what is in use are together at most twice as large as what was in
// use at once, and blocks that nobody used for a while go back to the system.
#include "Pool.h"
#include <algorithm>
#include <chrono>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <unordered_map>
#include <vector>

namespace dovetail::memory {

using Clock = std::chrono::steady_clock;

/// How long an unused block is kept.
constexpr std::chrono::milliseconds kPatience{1000};

namespace {

/// An unused block.
struct Kept {
  void *begin;
  size_t size;
  Clock::time_point since;
};

struct Pool {
  std::mutex mutex;
  std::unordered_map<const void *, size_t> used;
  /// From the block that has been unused for longest to the last one.
  std::vector<Kept> kept;
  size_t usedBytes = 0, keptBytes = 0, mostUsedBytes = 0;
  bool isSwept = false;

  /// Gives the oldest blocks back until `kept` blocks are at most so large.
  void keepAtMost(size_t bytes);
  /// Lets a thread give back blocks that are unused for long; it ends when there are none.
  void beSwept();
  void sweep();
};

} // namespace

static Pool &pool() {
  // Never destroyed: threads may use it while the process ends.
  static Pool *pool = [] {
    auto *made = new Pool;
    static Pool *forked = made;
    pthread_atfork([] { forked->mutex.lock(); }, [] { forked->mutex.unlock(); },
                   [] {
                     // The thread that sweeps is not in the child.
                     forked->isSwept = false;
                     forked->mutex.unlock();
                   });
    return made;
  }();
  return *pool;
}

/// Memory from the system, aligned to huge pages; null if there is none.
static void *mapped(size_t size) {
  void *all = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(all), aligned = (begin + kHugePage - 1) & ~(kHugePage - 1);
  if (aligned != begin)
    munmap(all, aligned - begin);
  munmap(reinterpret_cast<void *>(aligned + size), begin + kHugePage - aligned);
  void *block = reinterpret_cast<void *>(aligned);
#ifdef MADV_HUGEPAGE
  // A hint: without huge pages, only the first use of a block is slower.
  (void)madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

void Pool::keepAtMost(size_t bytes) {
  size_t count = 0;
  for (; count < kept.size() && keptBytes > bytes; ++count) {
    munmap(kept[count].begin, kept[count].size);
    keptBytes -= kept[count].size;
  }
  kept.erase(kept.begin(), kept.begin() + count);
}

void Pool::beSwept() {
  if (isSwept)
    return;
  isSwept = true;
  std::thread([this] { sweep(); }).detach();
}

void Pool::sweep() {
  for (;;) {
    std::this_thread::sleep_for(kPatience);
    std::lock_guard lock(mutex);
    auto old = Clock::now() - kPatience;
    size_t younger = keptBytes;
    for (const Kept &block : kept)
      if (block.since <= old)
        younger -= block.size;
    keepAtMost(younger);
    if (kept.empty()) {
      mostUsedBytes = usedBytes;
      isSwept = false;
      return;
    }
  }
}

void *acquire(size_t size) {
  size = (size + kHugePage - 1) & ~(kHugePage - 1);
  Pool &all = pool();
  std::lock_guard lock(all.mutex);
  // The smallest block that fits and is not much too large; of several, the one that was used last.
  auto best = all.kept.end();
  for (auto block = all.kept.begin(); block != all.kept.end(); ++block)
    if (block->size >= size && block->size <= size + size / 8 && (best == all.kept.end() || block->size <= best->size))
      best = block;
  void *block;
  if (best != all.kept.end()) {
    block = best->begin;
    size = best->size;
    all.keptBytes -= size;
    all.kept.erase(best);
  } else {
    all.mostUsedBytes = std::max(all.mostUsedBytes, all.usedBytes + size);
    all.keepAtMost(2 * all.mostUsedBytes - all.usedBytes - size);
    block = mapped(size);
    if (!block && !all.kept.empty()) {
      all.keepAtMost(0);
      block = mapped(size);
    }
    if (!block)
      return nullptr;
  }
  all.used.emplace(block, size);
  all.usedBytes += size;
  all.mostUsedBytes = std::max(all.mostUsedBytes, all.usedBytes);
  return block;
}

size_t sizeOf(const void *block) {
  if (!block || reinterpret_cast<uintptr_t>(block) % kHugePage != 0)
    return 0;
  Pool &all = pool();
  std::lock_guard lock(all.mutex);
  auto found = all.used.find(block);
  return found == all.used.end() ? 0 : found->second;
}

bool release(void *block) {
  if (!block || reinterpret_cast<uintptr_t>(block) % kHugePage != 0)
    return false;
  Pool &all = pool();
  std::lock_guard lock(all.mutex);
  auto found = all.used.find(block);
  if (found == all.used.end())
    return false;
  size_t size = found->second;
  all.used.erase(found);
  all.usedBytes -= size;
  all.kept.push_back({block, size, Clock::now()});
  all.keptBytes += size;
  all.keepAtMost(2 * all.mostUsedBytes - all.usedBytes);
  all.beSwept();
  return true;
}

Extent extent() {
  Pool &all = pool();
  std::lock_guard lock(all.mutex);
  return {all.usedBytes, all.keptBytes};
}

} // namespace dovetail::memory
