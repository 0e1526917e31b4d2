// The threads on which handlers run parts of their work.
#include "Threads.h"
#include "Crash.h"
#include <algorithm>
#include <pthread.h>
#include <thread>

namespace dovetail::foreign {

static std::mutex creation;
static Threads *current;

Threads &Threads::get() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    new (&creation) std::mutex;
    current = nullptr;
  });
  (void)registered;
  std::lock_guard lock(creation);
  if (!current)
    current = new Threads;
  return *current;
}

Threads::Threads() : numThreads(std::max(1u, std::thread::hardware_concurrency())) {
  for (int64_t i = 0; i < numThreads; ++i)
    std::thread([this] { work(); }).detach();
}

void Threads::schedule(Task task) {
  std::lock_guard lock(mutex);
  tasks.push_back(task);
  hasTasks.notify_one();
}

void Threads::work() {
  while (true) {
    std::unique_lock lock(mutex);
    hasTasks.wait(lock, [&] { return !tasks.empty(); });
    Task task = tasks.front();
    tasks.pop_front();
    lock.unlock();
    InTarget inTarget(task.target);
    task.run(task.data);
  }
}

} // namespace dovetail::foreign
