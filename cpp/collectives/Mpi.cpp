// Messages by MPI.
#include "Mpi.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <sched.h>
#include <string>
#include <time.h>
#include <vector>

namespace dovetail::collectives {

namespace {

using Clock = std::chrono::steady_clock;

/// Bytes of a part of a message: MPI counts in 32 bits.
constexpr int64_t kMostBytes = int64_t(1) << 30;
/// How long a message may take at least, in seconds, and slow memory, in bytes per second.
constexpr double kSoon = 3e-4, kSlow = 5e8;
/// Between looks at whether waiting is of use, and what is left to messages that are called off, in seconds.
constexpr double kWatchEvery = 0.05, kCalledOff = 1;

class Requests {
public:
  Requests(const Mpi &mpi, int64_t tag) : mpi(mpi), tag(static_cast<int>(tag % mpi.mostTag)) {}

  /// Begins to receive messages, or to send them.
  bool receive(const Message *messages, int count) {
    bool isBegun = begin(messages, count, [&](char *data, int bytes, int process, void *request) {
      return mpi.receive(data, bytes, mpi.byteType, process, tag, mpi.communicator, request);
    });
    received = begun;
    return isBegun;
  }
  bool send(const Message *messages, int count) {
    return begin(messages, count, [&](char *data, int bytes, int process, void *request) {
      return mpi.send(data, bytes, mpi.byteType, process, tag, mpi.communicator, request);
    });
  }

  /// Whether all are done, or one has failed.
  bool test() {
    int areDone = 0;
    statuses.resize(static_cast<size_t>(begun) * mpi.statusBytes);
    code = mpi.testAll(begun, requests.data(), &areDone, statuses.data());
    return areDone || code;
  }

  /// Calls off what is to be received: its memory is no longer lent.
  void cancel() {
    code = 0;
    for (int i = 0; i < received; ++i)
      mpi.cancel(requests.data() + static_cast<size_t>(i) * mpi.requestBytes);
    begun = received;
    Clock::time_point end = Clock::now() + std::chrono::milliseconds(static_cast<int>(1e3 * kCalledOff));
    while (!test() && Clock::now() < end)
      sched_yield();
  }

  /// What MPI says of the failure, empty if there is none.
  std::string error() const {
    if (!code)
      return {};
    // As long as in all libraries.
    char text[8192] = "";
    int length = 0;
    mpi.describeError(code, text, &length);
    return text;
  }

private:
  template <typename Start>
  bool begin(const Message *messages, int count, Start start) {
    for (const Message *message = messages; message != messages + count; ++message)
      for (int64_t offset = 0; offset < message->bytes; offset += kMostBytes) {
        int bytes = static_cast<int>(std::min(kMostBytes, message->bytes - offset));
        requests.resize(static_cast<size_t>(begun + 1) * mpi.requestBytes);
        void *request = requests.data() + static_cast<size_t>(begun) * mpi.requestBytes;
        if ((code = start(message->data + offset, bytes, message->process, request)))
          return false;
        ++begun;
      }
    return true;
  }

  const Mpi &mpi;
  const int tag;
  std::vector<char> requests, statuses;
  int begun = 0, received = 0, code = 0;
};

/// The other processes of an exchange, in order.
std::vector<int32_t> processesOf(const Message *sends, int numSends, const Message *receives, int numReceives) {
  std::vector<int32_t> processes;
  for (int i = 0; i < numSends; ++i)
    processes.push_back(sends[i].process);
  for (int i = 0; i < numReceives; ++i)
    processes.push_back(receives[i].process);
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

std::string listOf(const std::vector<int32_t> &processes) {
  std::string text;
  for (int32_t process : processes)
    text += (text.empty() ? "" : ", ") + std::to_string(process);
  return text;
}

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

} // namespace

int exchangeByMpi(void *context, int64_t tag, const Message *sends, int32_t numSends, const Message *receives,
                  int32_t numReceives, const char *hasFailed, char *reason, int32_t reasonSize) {
  const Mpi &mpi = *static_cast<const Mpi *>(context);
  Requests requests(mpi, tag);
  auto fail = [&](const std::string &why) {
    std::snprintf(reason, reasonSize, "%s", why.c_str());
    requests.cancel();
    return 1;
  };
  if (!requests.receive(receives, numReceives) || !requests.send(sends, numSends))
    return fail(requests.error());
  int64_t bytes = 0;
  for (int i = 0; i < numSends; ++i)
    bytes += sends[i].bytes;
  for (int i = 0; i < numReceives; ++i)
    bytes += receives[i].bytes;
  // MPI moves a large message piece by piece, and only while it is asked whether it has come.
  double expected = kSoon + static_cast<double>(bytes) / kSlow, watched = 0;
  std::vector<int32_t> others;
  Clock::time_point begin = Clock::now();
  for (int attempt = 0; !requests.test(); ++attempt) {
    if (attempt < mpi.spins)
      continue;
    if (reinterpret_cast<const std::atomic<char> *>(hasFailed)->load(std::memory_order_relaxed))
      return fail("the run has ended");
    double waited = secondsSince(begin);
    if (waited > watched + kWatchEvery) {
      watched = waited;
      if (others.empty())
        others = processesOf(sends, numSends, receives, numReceives);
      // Processes that have ended may have sent before what is still to come.
      if (mpi.watch(others.data(), static_cast<int32_t>(others.size()), reason, reasonSize)) {
        requests.cancel();
        return 1;
      }
      if (waited > mpi.timeout) {
        char seconds[32];
        std::snprintf(seconds, sizeof(seconds), "%g", mpi.timeout);
        return fail("processes " + listOf(others) + " must take part within " + seconds + " seconds, got: no message");
      }
    }
    // Others may need the processor.
    if (waited < expected) {
      sched_yield();
    } else {
      timespec pause = {0, 50000};
      nanosleep(&pause, nullptr);
    }
  }
  std::string error = requests.error();
  return error.empty() ? 0 : fail(error);
}

} // namespace dovetail::collectives
