// Recognizes the function of a library that asks for the memory of arrays, by where it is called from.
//
// A function's frame has the same size each time that it is at the same place. From one return address follows where on
// the stack the next one is, so that it is enough to unwind the stack once: later calls compare the return addresses
// from the innermost one outwards, and each that is equal says that the next one is where it was.
#include "Callers.h"
#include <atomic>
#include <cstdint>
#include <unwind.h>

namespace dovetail::memory {

/// The calls between the function that makes arrays and the C library: IREE's interface of allocators, and its
/// allocator.
constexpr int kDepth = 3;

namespace {

/// A call on the stack: where it returns to, and where that is stored, in words from the innermost frame.
struct Call {
  uintptr_t returns;
  intptr_t place;
};

/// The calls from the C library's function outwards.
struct Path {
  Call calls[kDepth];
};

struct Walk {
  const uintptr_t *frame;
  uintptr_t innermost;
  /// Up to where the stack belongs to the calls that were seen.
  const uintptr_t *end;
  int found = 0;
  Path path;
};

} // namespace

static _Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  auto &walk = *static_cast<Walk *>(data);
  uintptr_t address = _Unwind_GetIP(context);
  if (walk.found == 0 && address != walk.innermost)
    return _URC_NO_REASON;
  // The stack of the one who is returned to begins here.
  auto *begin = reinterpret_cast<const uintptr_t *>(_Unwind_GetCFA(context));
  const uintptr_t *stored = begin - 1;
  while (stored >= walk.end && *stored != address)
    --stored;
  if (stored < walk.end)
    return _URC_END_OF_STACK;
  walk.end = begin;
  walk.path.calls[walk.found] = {address, stored - walk.frame};
  return ++walk.found == kDepth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// The path on which arrays are made, never freed; null if it is not known.
static std::atomic<const Path *> ofArrays{nullptr};
static thread_local size_t leastToLearn = 0;

void learnArray(size_t least) { leastToLearn = least; }

bool isOfArray(size_t size, const void *frame, const void *returns) {
  auto *words = static_cast<const uintptr_t *>(frame);
  if (leastToLearn != 0 && size >= leastToLearn) {
    leastToLearn = 0;
    Walk walk{words, reinterpret_cast<uintptr_t>(returns), words};
    _Unwind_Backtrace(step, &walk);
    if (walk.found == kDepth)
      ofArrays.store(new Path(walk.path), std::memory_order_release);
  }
  const Path *known = ofArrays.load(std::memory_order_acquire);
  if (!known || known->calls[0].returns != reinterpret_cast<uintptr_t>(returns))
    return false;
  for (const Call &call : known->calls)
    if (words[call.place] != call.returns)
      return false;
  return true;
}

} // namespace dovetail::memory
