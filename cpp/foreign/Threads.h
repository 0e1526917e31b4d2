// The threads on which handlers run parts of their work.
#ifndef DOVETAIL_FOREIGN_THREADS_H
#define DOVETAIL_FOREIGN_THREADS_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace dovetail::foreign {

/// As many threads as the machine has, started when they are first needed. They are never stopped: the process ends
/// with them.
class Threads {
public:
  struct Task {
    void (*run)(void *);
    void *data;
    /// For messages.
    const char *target;
  };

  /// Those of this process: a forked process has its own.
  static Threads &get();
  void schedule(Task task);
  int64_t count() const { return numThreads; }

private:
  Threads();
  void work();

  const int64_t numThreads;
  std::mutex mutex;
  std::condition_variable hasTasks;
  std::deque<Task> tasks;
};

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_THREADS_H
