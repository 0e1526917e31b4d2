// Recognizes the function of a library that asks for the memory of arrays, by where it is called from.
#include "Callers.h"
#include <atomic>
#include <cstdint>
#include <unwind.h>

namespace dovetail::memory {

/// The calls between the function that makes arrays and the C library: IREE's interface of allocators, and its
/// allocator.
constexpr int kDepth = 3;

namespace {
struct Walk {
  uintptr_t begin;
  bool hasBegun = false;
  int found = 0;
  uintptr_t last = 0;
};
} // namespace

static _Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  auto &walk = *static_cast<Walk *>(data);
  uintptr_t address = _Unwind_GetIP(context);
  walk.hasBegun |= address == walk.begin;
  if (!walk.hasBegun)
    return _URC_NO_REASON;
  walk.last = address;
  return ++walk.found == kDepth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Where in the function that asks the allocator it is called; 0 if that is not known.
static uintptr_t callerOf(const void *returns) {
  Walk walk{reinterpret_cast<uintptr_t>(returns)};
  _Unwind_Backtrace(step, &walk);
  return walk.found == kDepth ? walk.last : 0;
}

static std::atomic<uintptr_t> ofArrays{0};
static thread_local size_t leastToLearn = 0;

void learnArray(size_t least) { leastToLearn = least; }

bool isOfArray(size_t size, const void *returns) {
  if (leastToLearn != 0 && size >= leastToLearn) {
    leastToLearn = 0;
    ofArrays = callerOf(returns);
  }
  uintptr_t known = ofArrays.load(std::memory_order_relaxed);
  return known != 0 && callerOf(returns) == known;
}

} // namespace dovetail::memory
