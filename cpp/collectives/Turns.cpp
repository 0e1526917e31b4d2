// Functions that one thread runs by turns.

// It would take a jump to another stack for a fault.
#undef _FORTIFY_SOURCE

#include "Turns.h"
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace dovetail::collectives {

/// That of a thread. Pages that nobody touches cost nothing.
constexpr size_t kStack = size_t(8) << 20;

static thread_local Turns *ofThread = nullptr;

Turns *Turns::current() { return ofThread; }

/// Memory that ends the process where a stack goes beyond it.
static void *newStack() {
  size_t page = sysconf(_SC_PAGESIZE);
  void *memory =
      mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  mprotect(memory, page, PROT_NONE);
  return memory;
}

Turns::~Turns() {
  for (One &one : all)
    if (one.stack)
      munmap(one.stack, kStack);
}

bool Turns::prepare() {
  for (One &one : all)
    if (!one.stack && !(one.stack = newStack()))
      return false;
  return true;
}

void Turns::run(const std::function<void(int)> &ofEach, const std::function<void(int)> &ofTurn) {
  function = &ofEach;
  begin = &ofTurn;
  for (One &one : all)
    one.hasBegun = one.hasEnded = false;
  Turns *outer = ofThread;
  ofThread = this;
  if (_setjmp(end) == 0)
    give(0);
  ofThread = outer;
}

void Turns::main() {
  Turns &turns = *ofThread;
  (*turns.function)(turns.active);
  turns.all[turns.active].hasEnded = true;
  turns.next();
  _longjmp(turns.end, 1);
}

void Turns::next() {
  int count = static_cast<int>(all.size());
  for (int step = 1; step < count; ++step)
    if (int other = (active + step) % count; !all[other].hasEnded) {
      if (all[active].hasEnded)
        give(other);
      if (_setjmp(all[active].place) == 0)
        give(other);
      return;
    }
}

/// Does not return: the one whose turn it was goes on where it noted its place.
void Turns::give(int number) {
  active = number;
  (*begin)(number);
  One &one = all[number];
  if (one.hasBegun)
    _longjmp(one.place, 1);
  one.hasBegun = true;
  // Unlike these, the jumps make no system calls.
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = one.stack;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, &Turns::main, 0);
  setcontext(&context);
  __builtin_unreachable();
}

} // namespace dovetail::collectives
