// Threads of the library that compute parts of a call with the thread that makes it.
#include "Team.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace dovetail::blas {

namespace {

/// How long threads wait for a call before they sleep.
constexpr auto kPatience = std::chrono::microseconds(50);
constexpr int64_t kMostThreads = 64;

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

#ifdef __linux__
/// The processors of the process, which are those of its first thread: the runtime's threads have one each, and what
/// they start would share it.
bool findProcessors(cpu_set_t &processors) { return sched_getaffinity(getpid(), sizeof(processors), &processors) == 0; }
#endif

class Team {
public:
  explicit Team(int64_t size) {
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int64_t i = 1; i < size; ++i) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, help, this) != 0)
        break;
#ifdef __linux__
      cpu_set_t processors;
      if (findProcessors(processors))
        pthread_setaffinity_np(thread, sizeof(processors), &processors);
#endif
      pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void compute(int64_t parts, void (*function)(void *, int64_t), void *context) {
    if (isBusy.test_and_set(std::memory_order_acquire)) {
      for (int64_t i = 0; i < parts; ++i)
        function(context, i);
      return;
    }
    // All parts of the last job are done: nobody takes one by these.
    job.function.store(function, std::memory_order_release);
    job.context.store(context, std::memory_order_release);
    numDone.store(0, std::memory_order_relaxed);
    State last = State::of(state.load(std::memory_order_relaxed));
    state.store(State{last.number + 1, uint16_t(parts), 0}.bits());
    if (numSleeping.load() > 0) {
      {
        std::lock_guard guard(lock);
        ++numCalls;
      }
      called.notify_all();
    }
    while (computeNext())
      ;
    while (numDone.load(std::memory_order_acquire) < parts)
      pause();
    isBusy.clear(std::memory_order_release);
  }

private:
  /// The number of a job, the number of its parts, and its next part.
  struct State {
    uint32_t number;
    uint16_t parts, next;

    static State of(uint64_t bits) { return {uint32_t(bits >> 32), uint16_t(bits >> 16), uint16_t(bits)}; }
    uint64_t bits() const { return uint64_t(number) << 32 | uint64_t(parts) << 16 | next; }
    bool hasNext() const { return next < parts; }
  };

  bool hasNext() const { return State::of(state.load()).hasNext(); }

  /// Computes a part that nobody has taken; returns false if there is none.
  bool computeNext() {
    uint64_t now = state.load(std::memory_order_acquire);
    while (true) {
      State known = State::of(now);
      if (!known.hasNext())
        return false;
      // These are of the known job if a part of it is left in the end.
      auto function = job.function.load(std::memory_order_acquire);
      void *context = job.context.load(std::memory_order_acquire);
      if (!state.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      function(context, known.next);
      numDone.fetch_add(1, std::memory_order_release);
      return true;
    }
  }

  static void *help(void *team) { static_cast<Team *>(team)->help(); }

  [[noreturn]] void help() {
    using Clock = std::chrono::steady_clock;
    while (true) {
      auto start = Clock::now();
      do {
        for (int i = 0; i < 64 && !hasNext(); ++i)
          pause();
        while (computeNext())
          start = Clock::now();
      } while (Clock::now() - start < kPatience);
      std::unique_lock guard(lock);
      ++numSleeping;
      uint64_t known = numCalls;
      called.wait(guard, [&] { return numCalls != known || hasNext(); });
      --numSleeping;
    }
  }

  struct Job {
    std::atomic<void (*)(void *, int64_t)> function = nullptr;
    std::atomic<void *> context = nullptr;
  };

  alignas(64) std::atomic<uint64_t> state = 0;
  Job job;
  alignas(64) std::atomic<int64_t> numDone = 0;
  alignas(64) std::atomic<int> numSleeping = 0;
  std::atomic_flag isBusy = ATOMIC_FLAG_INIT;
  std::mutex lock;
  std::condition_variable called;
  uint64_t numCalls = 0;
};

std::atomic<Team *> team = nullptr;

/// Keeps the library in memory, since threads run its code until the process ends.
void stay() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void *>(&stay), &here))
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/// The team, which is made when it is first needed; a forked process makes its own.
Team *theTeam() {
  Team *now = team.load(std::memory_order_acquire);
  if (now)
    return now;
  [[maybe_unused]] static const int isForkSafe = pthread_atfork(nullptr, nullptr, [] { team = nullptr; });
  stay();
  static std::atomic_flag isBeingMade = ATOMIC_FLAG_INIT;
  if (isBeingMade.test_and_set())
    return team.load();
  now = team.load();
  if (!now)
    team = now = new Team(teamSize());
  isBeingMade.clear();
  return now;
}

} // namespace

bool isOutsideRuntime() {
  thread_local const bool isOutside = [] {
    char name[16] = {};
    return pthread_getname_np(pthread_self(), name, sizeof(name)) != 0 || std::strncmp(name, "iree-", 5) != 0;
  }();
  return isOutside;
}

int64_t teamSize() {
  static const int64_t size = [] {
#ifdef __linux__
    cpu_set_t processors;
    int64_t count = findProcessors(processors) ? CPU_COUNT(&processors) : 1;
#else
    int64_t count = std::thread::hardware_concurrency();
#endif
    return std::clamp<int64_t>(count, 1, kMostThreads);
  }();
  return size;
}

void computeParts(int64_t parts, void (*compute)(void *context, int64_t part), void *context) {
  Team *helpers = parts > 1 && teamSize() > 1 ? theTeam() : nullptr;
  if (helpers)
    return helpers->compute(parts, compute, context);
  for (int64_t i = 0; i < parts; ++i)
    compute(context, i);
}

} // namespace dovetail::blas
