// A barrier of threads that can be closed.
#ifndef DOVETAIL_COLLECTIVES_GATE_H
#define DOVETAIL_COLLECTIVES_GATE_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace dovetail::collectives {

/// A barrier, to be used again and again, that lets either all of its threads through or none. Once it is closed, none
/// passes any more; that all have come and that it is closed exclude each other.
class Gate {
public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { Waiting, Passed, Closed };
  /// What a thread that waits must remember.
  using Ticket = uint32_t;

  explicit Gate(uint32_t size) : size(size) {}

  /// Arrives, and passes if all others have.
  State arrive(Ticket &ticket);
  State state(Ticket ticket) const;
  /// Waits a short time without giving the processor away.
  State spin(Ticket ticket, int rounds) const;
  /// Waits until the state changes or the time has come; may return earlier.
  State sleep(Ticket ticket, Time until);
  void close();

private:
  static constexpr uint32_t kCount = 0x7fff, kClosed = 0x8000, kGeneration = 0x10000;

  const uint32_t size;
  /// How many have arrived, whether it is closed, and how often it was passed.
  alignas(64) std::atomic<uint32_t> word{0};
  std::atomic<uint32_t> sleepers{0};
};

/// Waits until woken, unless the word has another value; false once the time has come.
bool sleepWhile(std::atomic<uint32_t> &word, uint32_t value, Gate::Time until);
void wakeAll(std::atomic<uint32_t> &word);

/// How many threads may meet at a gate.
constexpr int kMostThreads = 0x7fff;

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_GATE_H
