// The foreign functions of one loaded program.
#ifndef DOVETAIL_FOREIGN_PROGRAM_H
#define DOVETAIL_FOREIGN_PROGRAM_H

#include "Descriptor.h"
#include "Instance.h"
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace dovetail::foreign {

/// A call that failed.
struct Failure {
  int64_t site;
  std::string target, message;
};

/// The calls of a loaded executable. Each has its own instance, made when it first runs.
class Program {
public:
  /// Makes a call. False if it failed: the failure can be taken, or was written to stderr.
  bool call(const int64_t *words);

  /// The failure of this thread, or of any thread if it has none.
  std::optional<Failure> take();

  /// Whether the process takes failures; otherwise they are written to stderr, since IREE says only that there was one.
  static std::atomic<bool> areTaken;

private:
  Instance *instanceOf(const Descriptor &call, std::string &reason);
  bool fail(const Descriptor &call, const std::string &reason);

  std::mutex mutex;
  std::map<int64_t, std::unique_ptr<Instance>> bySite;
  std::vector<std::pair<std::thread::id, Failure>> failures;
};

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_PROGRAM_H
