// The participants of a run, and how they meet.
#ifndef DOVETAIL_COLLECTIVES_COMMUNICATOR_H
#define DOVETAIL_COLLECTIVES_COMMUNICATOR_H

#include "Call.h"
#include "Gate.h"
#include "Memory.h"
#include "Transport.h"
#include "Turns.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dovetail::collectives {

/// A member's part in a collective.
struct Arrival {
  const Descriptor *descriptor = nullptr;
  int64_t outer = 0, middle = 0, inner = 0;
  const char *operand = nullptr;
  char *result = nullptr;
};

/// Participants that compute together, and what those of this process have come with.
class Group {
public:
  /// A process with members, and their places.
  struct Process {
    int number;
    std::vector<int> places;
  };

  /// `processes` are in the order of their numbers; `places` are those of this one.
  Group(std::vector<Descriptor::Axis> axes, std::vector<int> members, std::vector<Process> processes,
        std::vector<int> places)
      : axes(std::move(axes)), members(std::move(members)), processes(std::move(processes)), places(std::move(places)),
        entry(this->places.size()), exchange(this->places.size()), slots(this->members.size()) {}

  int size() const { return static_cast<int>(members.size()); }
  bool isLocal() const { return places.size() == members.size(); }

  const std::vector<Descriptor::Axis> axes;
  /// Their numbers as participants, in the order of the axes.
  const std::vector<int> members;
  const std::vector<Process> processes;
  const std::vector<int> places;
  /// At which all say what they have come for. It is closed when the run fails.
  Gate entry;
  /// Between parts of the exchange, during which each uses the others' memory: nobody may leave, and only the one that
  /// exchanges messages with other processes waits long.
  Gate exchange;
  struct alignas(64) Slot {
    Arrival arrival;
    std::atomic<uint32_t> count{0};
  };
  std::vector<Slot> slots;
  /// What members of this process combined, or operands of other processes.
  Memory staging;
  /// Messages whose bytes lie apart elsewhere.
  Memory scratch;
  /// Set by the one that exchanges messages.
  bool isReached = true;
};

/// This process' participants of one run at a time, each on a thread of its own. The first failure ends the run for
/// all.
class Communicator {
public:
  /// `timeout`, in seconds, is how long participants of this process wait for each other. The transport says where all
  /// of them are.
  Communicator(double timeout, const Transport &transport);

  /// How many participants there are in all processes.
  int size() const { return static_cast<int>(processes.size()); }
  int processOf(int participant) const { return processes[participant]; }
  int thisProcess() const { return transport.process; }

  /// Where in the user's program calls are, by site.
  struct Lines {
    const char *const *texts = nullptr;
    int64_t count = 0;
  };

  /// Begins a run: all participants are expected. False if the one before has failed. The lines are used until its end.
  bool start(Lines lines);
  /// Ends a participant's part in the run. What others wait for will not come any more.
  void leave(int participant);
  /// A run of all participants on the calling thread: each calls `function`, with its place among those of this
  /// process, and leaves. `begin` is told the number of the one whose turn it is. False if there is no memory for them.
  bool runByTurns(Lines lines, const std::function<void(int)> &function, const std::function<void(int)> &begin);
  /// Waits until all have left, or for that many seconds; whether they have.
  bool finish(double seconds);
  /// Ends the run; true if it had not failed before.
  bool fail(const std::string &reason);
  /// Why the run failed, empty if it did not.
  std::string failure() const;

  /// Takes part in a collective. False if the run has failed.
  bool run(int participant, const Call &call);
  /// Waits for all others of the group, during the exchange.
  void meet(Group &group);
  /// Counts bytes that a participant got from others of this process.
  void addReceived(size_t bytes) { receivedBytes.fetch_add(bytes, std::memory_order_relaxed); }
  /// Those of all participants in all runs.
  size_t received() const { return receivedBytes.load(std::memory_order_relaxed); }
  /// How often participants have waited for others, in all runs.
  size_t waited() const { return waits.load(std::memory_order_relaxed); }
  /// Sends and receives messages. False, and the run has failed, if that fails.
  bool transfer(const Group &group, const std::vector<Message> &sends, const std::vector<Message> &receives);

private:
  struct alignas(64) Participant {
    /// Groups it has been a member of, with its place in each.
    std::vector<std::pair<Group *, int>> groups;
    bool hasLeft = false;
    /// Where it waits since it has that ticket. It may have passed meanwhile.
    std::atomic<Group *> waitsIn{nullptr};
    int place = 0;
    Gate::Ticket ticket = 0;
  };

  Participant &participant(int number) { return participants[indices[number]]; }
  const Participant &participant(int number) const { return participants[indices[number]]; }

  bool check(int participant, const Call &call);
  std::pair<Group *, int> groupOf(int participant, const Descriptor &descriptor);
  Gate::State await(int participant, Group &group, int place, Gate::Ticket ticket);
  Gate::State takeTurns(Turns &turns, Group &group, Gate::Ticket ticket);
  bool agree(Group &group);

  std::string describe(const Descriptor &descriptor) const;

  // These need the lock.
  bool close(const std::string &why);
  Group *waitingGroup(int participant) const;
  std::vector<int> missing(const Group &group, int place) const;
  void checkProgress();
  std::string describeWaiting() const;

  Lines lines;
  const double timeout;
  int spins = 0;
  const Transport transport;
  /// The process of each participant.
  const std::vector<int> processes;
  /// The numbers of this process' participants, and their places in that list, by number.
  std::vector<int> numbers, indices;
  std::vector<Participant> participants;
  mutable std::mutex lock;
  std::vector<std::unique_ptr<Group>> groups;
  /// How many have not left.
  std::atomic<uint32_t> present{0};
  std::atomic<bool> hasFailed{false};
  std::atomic<size_t> receivedBytes{0}, waits{0};
  /// Made by the first run on one thread.
  std::unique_ptr<Turns> turns;
  std::string reason;
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_COMMUNICATOR_H
