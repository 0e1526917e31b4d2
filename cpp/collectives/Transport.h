// How collectives reach participants of other processes.
#ifndef DOVETAIL_COLLECTIVES_TRANSPORT_H
#define DOVETAIL_COLLECTIVES_TRANSPORT_H

#include <cstdint>

namespace dovetail::collectives {

/// Bytes to send to another process, or to receive from it.
struct Message {
  int32_t process;
  char *data;
  int64_t bytes;
};

/// A run on several processes.
struct Transport {
  /// Sends and receives all messages; 0 if it succeeds, and otherwise it writes why not. Messages of one tag between
  /// two processes keep their order. Several threads call it at a time. It may give up once `*hasFailed` is not 0.
  using Exchange = int (*)(void *context, int64_t tag, const Message *sends, int32_t numSends, const Message *receives,
                           int32_t numReceives, const char *hasFailed, char *reason, int32_t reasonSize);

  int32_t process = 0;
  /// The process of each participant; null if all are of this one.
  const int32_t *processes = nullptr;
  /// How many participants there are in all processes.
  int32_t participants = 0;
  void *context = nullptr;
  Exchange exchange = nullptr;
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_TRANSPORT_H
