// A barrier of threads that can be closed.
#include "Gate.h"
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dovetail::collectives {

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

Gate::State Gate::arrive(Ticket &ticket) {
  uint32_t seen = word.load(std::memory_order_relaxed);
  while (true) {
    if (seen & kClosed)
      return State::Closed;
    ticket = seen & ~kCount;
    bool isLast = (seen & kCount) + 1 == size;
    if (word.compare_exchange_weak(seen, isLast ? ticket + kGeneration : seen + 1)) {
      if (isLast && sleepers.load() != 0)
        wakeAll(word);
      return isLast ? State::Passed : State::Waiting;
    }
  }
}

Gate::State Gate::state(Ticket ticket) const {
  uint32_t seen = word.load(std::memory_order_acquire);
  if ((seen & ~(kCount | kClosed)) != ticket)
    return State::Passed;
  return seen & kClosed ? State::Closed : State::Waiting;
}

Gate::State Gate::spin(Ticket ticket, int rounds) const {
  // Without yielding: on a busy machine, other processes would get whole time slices, while a thread that is woken up
  // preempts them.
  for (int i = 0; i < rounds; ++i) {
    if (State now = state(ticket); now != State::Waiting)
      return now;
    pause();
  }
  return state(ticket);
}

void Gate::close() {
  word.fetch_or(kClosed);
  wakeAll(word);
}

Gate::State Gate::sleep(Ticket ticket, Time until) {
  sleepers.fetch_add(1);
  uint32_t seen = word.load();
  State now = state(ticket);
  // Those who arrive change the word without waking anyone: that it has changed since is no news.
  if (now == State::Waiting && (seen & ~kCount) == ticket)
    sleepWhile(word, seen, until);
  sleepers.fetch_sub(1);
  return state(ticket);
}

bool sleepWhile(std::atomic<uint32_t> &word, uint32_t value, Gate::Time until) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now()).count();
  if (left <= 0)
    return false;
  timespec time = {static_cast<time_t>(left / 1000000000), static_cast<long>(left % 1000000000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
  return true;
}

void wakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace dovetail::collectives
