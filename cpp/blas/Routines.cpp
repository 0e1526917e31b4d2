// Routines of BLAS and LAPACK, and where they come from.
#include "Routines.h"
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <string>
#include <vector>

namespace dovetail::blas {

/// The environment variable with the path of a library that has them.
static constexpr const char *kLibraryVariable = "DOVETAIL_BLAS";

static std::atomic<bool> areSet{false};

//===- Threads -------------------------------------------------------------------===//

/// The number of threads that the BLAS uses by itself; null where that is not known.
static int (*threads)() = nullptr;
static void (*setThreads)(int) = nullptr;

static std::mutex lock;
/// Tells that nobody computes any more, or that a process has been forked.
static std::condition_variable changed;
static int numCallers = 0, before = 0;
static bool isForking = false;

/// Waits until nobody computes, and keeps others from it: a forked process would inherit the locks that the BLAS holds
/// meanwhile, without the threads that release them.
static void prepareFork() {
  std::unique_lock guard(lock);
  isForking = true;
  changed.wait(guard, [] { return numCallers == 0; });
  guard.release();
}

static void finishFork() {
  isForking = false;
  lock.unlock();
  changed.notify_all();
}

/// The threads that waited are not there.
static void becomeChild() {
  new (&changed) std::condition_variable;
  finishFork();
}
[[maybe_unused]] static const int isForkSafe = pthread_atfork(prepareFork, finishFork, becomeChild);

bool canBeOnThisThread() { return setThreads != nullptr; }

OnThisThread::OnThisThread() {
  if (!setThreads)
    return;
  std::unique_lock guard(lock);
  // Those that compute may wait for this thread.
  changed.wait(guard, [] { return numCallers > 0 || !isForking; });
  if (numCallers++ > 0)
    return;
  before = threads();
  setThreads(1);
}

OnThisThread::~OnThisThread() {
  if (!setThreads)
    return;
  std::lock_guard guard(lock);
  if (--numCallers > 0)
    return;
  setThreads(before);
  changed.notify_all();
}

//===- Addresses -----------------------------------------------------------------===//

template <typename T>
static Routines<T> ofType;

template <typename T>
const Routines<T> &routines() {
  return ofType<T>;
}
template const Routines<float> &routines();
template const Routines<double> &routines();
template const Routines<std::complex<float>> &routines();
template const Routines<std::complex<double>> &routines();

/// Sets the addresses of the routines, type by type, and of the functions that return and set the number of the BLAS's
/// threads, null if it has none.
extern "C" __attribute__((visibility("default"))) void
dovetail_blas_set_routines(void *const *addresses, void *getThreads, void *setThreadsTo) {
  auto set = [&](auto &routines) {
    static_assert(sizeof(routines) == std::size(kRoutines) * sizeof(void *), "one address for each");
    std::memcpy(&routines, addresses, sizeof(routines));
    addresses += std::size(kRoutines);
  };
  set(ofType<float>);
  set(ofType<double>);
  set(ofType<std::complex<float>>);
  set(ofType<std::complex<double>>);
  std::memcpy(&threads, &getThreads, sizeof(void *));
  std::memcpy(&setThreads, &setThreadsTo, sizeof(void *));
  areSet = true;
}

/// Takes the routines from the library that the environment names, for tools that run programs without Python.
static void findRoutines() {
  const char *path = std::getenv(kLibraryVariable);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library)
    return;
  for (std::string prefix : {"", "scipy_"}) {
    auto find = [&](const std::string &name) { return dlsym(library, (prefix + name).c_str()); };
    std::vector<void *> addresses;
    bool hasAll = true;
    for (const char *type = kTypes; *type; ++type)
      for (const RoutineName &routine : kRoutines) {
        const char *name = *type == 's' || *type == 'd' ? routine.real : routine.complex;
        hasAll &= addresses.emplace_back(find(*type + std::string(name) + "_")) != nullptr;
      }
    if (hasAll)
      return dovetail_blas_set_routines(addresses.data(), find("openblas_get_num_threads"),
                                        find("openblas_set_num_threads"));
  }
}

bool hasRoutines() {
  if (areSet)
    return true;
  static std::once_flag isSearched;
  std::call_once(isSearched, findRoutines);
  return areSet;
}

} // namespace dovetail::blas
