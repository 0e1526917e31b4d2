// Messages by MPI.
#ifndef DOVETAIL_COLLECTIVES_MPI_H
#define DOVETAIL_COLLECTIVES_MPI_H

#include "Transport.h"

namespace dovetail::collectives {

/// Handles of MPI are numbers of 32 bits or pointers, by library. As an argument, either may be passed as a pointer: a
/// function that expects 32 bits ignores the others.
using MpiHandle = void *;

/// A library of MPI that the process has loaded, and a communicator. The sizes stand for its header, which differs from
/// that of other libraries.
struct Mpi {
  int (*send)(const void *data, int count, MpiHandle type, int process, int tag, MpiHandle communicator, void *request);
  int (*receive)(void *data, int count, MpiHandle type, int process, int tag, MpiHandle communicator, void *request);
  int (*testAll)(int count, void *requests, int *areDone, void *statuses);
  int (*cancel)(void *request);
  int (*describeError)(int code, char *text, int *length);
  MpiHandle communicator, byteType;
  int32_t requestBytes, statusBytes, mostTag;
  /// How often to ask whether messages have come before others may have the processor.
  int32_t spins;
  /// How long to wait for a process, in seconds.
  double timeout;
  /// Asked now and then while others are waited for: 0 if that is of use, and otherwise it writes why not.
  int (*watch)(const int32_t *processes, int32_t count, char *reason, int32_t reasonSize);
};

/// A `Transport::Exchange` whose context is an `Mpi`.
int exchangeByMpi(void *context, int64_t tag, const Message *sends, int32_t numSends, const Message *receives,
                  int32_t numReceives, const char *hasFailed, char *reason, int32_t reasonSize);

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_MPI_H
