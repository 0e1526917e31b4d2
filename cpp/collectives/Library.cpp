// The library's functions: for compiled programs, which IREE's runtime binds to it, and for those who run them.
#include "Communicator.h"
#include "Mpi.h"
#include "cpp/plugin/Plugin.h"
#include <cstdio>

using dovetail::collectives::Call;
using dovetail::collectives::Communicator;
using dovetail::collectives::kImport;
using dovetail::collectives::kMostThreads;
using dovetail::collectives::Message;
using dovetail::collectives::Transport;

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {
/// What the thread takes part in.
thread_local Communicator *current = nullptr;
thread_local int number = 0;
} // namespace

/// Takes part in a collective; IREE's runtime ends the program if this is not 0.
EXPORTED int dovetail_collective(void *arguments, void *, void *) {
  const auto &call = *static_cast<const Call *>(arguments);
  if (current)
    return current->run(number, call) ? 0 : 1;
  std::fprintf(stderr, "%s: a program with collectives must run on participants, got: a thread that is none\n",
               call.descriptor().text());
  return 1;
}

//===- For those who run programs ----------------------------------------------===//

/// Makes a communicator for the participants of all processes; null if there are too many, or none.
EXPORTED Communicator *dovetail_communicator_create(double timeout, const Transport *transport) {
  if (transport->participants <= 0 || transport->participants > kMostThreads)
    return nullptr;
  return new Communicator(timeout, *transport);
}

EXPORTED void dovetail_communicator_destroy(Communicator *communicator) { delete communicator; }

/// Begins a run in which all participants are expected; 0 if an earlier one has failed. `lines` says where in the
/// user's program calls are; it must stay until the end of the run.
EXPORTED int dovetail_communicator_start(Communicator *communicator, const char *const *lines, int count) {
  return communicator->start({lines, count});
}

/// Makes the calling thread a participant, in this run and others.
EXPORTED void dovetail_communicator_enter(Communicator *communicator, int participant) {
  current = communicator;
  number = participant;
}

/// Ends the calling thread's part in the run.
EXPORTED void dovetail_communicator_leave() {
  if (current)
    current->leave(number);
}

/// A run of all participants on the calling thread, for each of which `participate` is called with its place among
/// those of this process; it returns null, or why it failed. Returns the place of the first that failed, -1 if none
/// did, -2 if there is no memory for their stacks.
EXPORTED int dovetail_communicator_run_by_turns(Communicator *communicator, const char *const *lines, int count,
                                                const char *(*participate)(void *, int), void *context) {
  Communicator *outer = current;
  int outerNumber = number, failed = -1;
  current = communicator;
  auto function = [&](int place) {
    const char *reason = participate(context, place);
    if (reason && communicator->fail("participant " + std::to_string(number) + " failed: " + reason))
      failed = place;
  };
  bool hasRun = communicator->runByTurns({lines, count}, function, [](int participant) { number = participant; });
  current = outer;
  number = outerNumber;
  return hasRun ? failed : -2;
}

/// How often participants have waited for others, in all runs.
EXPORTED int64_t dovetail_communicator_waited(const Communicator *communicator) {
  return static_cast<int64_t>(communicator->waited());
}

/// Waits until all participants have left, or for that many seconds; 0 if they have not.
EXPORTED int dovetail_communicator_finish(Communicator *communicator, double seconds) {
  return communicator->finish(seconds);
}

/// Ends the run for all participants, from any thread; 0 if it has failed already.
EXPORTED int dovetail_communicator_fail(Communicator *communicator, const char *reason) {
  return communicator->fail(reason);
}

/// Why the run failed, in at most `size` bytes with a zero at their end; returns the length of all of it.
EXPORTED int dovetail_communicator_failure(Communicator *communicator, char *text, int size) {
  std::string reason = communicator->failure();
  std::snprintf(text, size, "%s", reason.c_str());
  return static_cast<int>(reason.size());
}

/// The bytes that participants got from each other's memory, in all runs.
EXPORTED int64_t dovetail_communicator_received(const Communicator *communicator) {
  return static_cast<int64_t>(communicator->received());
}

/// Sends and receives by MPI: the exchange of a transport whose context is an `Mpi`.
EXPORTED int dovetail_exchange_by_mpi(void *mpi, int64_t tag, const Message *sends, int32_t numSends,
                                      const Message *receives, int32_t numReceives, const char *hasFailed, char *reason,
                                      int32_t reasonSize) {
  return dovetail::collectives::exchangeByMpi(mpi, tag, sends, numSends, receives, numReceives, hasFailed, reason,
                                              reasonSize);
}

//===- For IREE ------------------------------------------------------------------===//

/// The name by which IREE's runtime looks for this.
EXPORTED const dovetail::plugin::Header *const *iree_hal_executable_plugin_query(uint32_t mostVersion, void *) {
  using namespace dovetail::plugin;
  static constexpr Export exports[] = {{dovetail::collectives::kImport, dovetail_collective}};
  static const Header header = {kVersion, "dovetail_collectives", "collectives of Dovetail's programs", 0, 0, {}};
  static const Interface interface = {&header, load, unload, resolve<exports>};
  return mostVersion >= kVersion ? &interface.header : nullptr;
}
