// The participants of a run, and how they meet.
#include "Communicator.h"
#include "Exchange.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>

namespace dovetail::collectives {

/// Rounds of looking whether others have come. Where there are more threads than processors, those need this one.
static int spinsOf(int participants) {
  return participants <= static_cast<int>(std::thread::hardware_concurrency()) ? 64 : 0;
}

static std::vector<int> processesOf(const Transport &transport) {
  if (!transport.processes)
    return std::vector<int>(transport.participants, transport.process);
  return {transport.processes, transport.processes + transport.participants};
}

Communicator::Communicator(double timeout, const Transport &transport)
    : timeout(timeout), transport(transport), processes(processesOf(transport)), indices(processes.size(), -1),
      participants(std::count(processes.begin(), processes.end(), transport.process)) {
  for (int number = 0; number < size(); ++number) {
    if (processes[number] != transport.process)
      continue;
    indices[number] = static_cast<int>(numbers.size());
    numbers.push_back(number);
  }
  spins = spinsOf(static_cast<int>(participants.size()));
}

std::string Communicator::describe(const Descriptor &descriptor) const {
  bool isKnown = descriptor.site < lines.count;
  return isKnown ? descriptor.text() + std::string(", ") + lines.texts[descriptor.site] : descriptor.text();
}

//===- Runs ----------------------------------------------------------------------===//

bool Communicator::start(Lines ofProgram) {
  std::lock_guard guard(lock);
  lines = ofProgram;
  for (Participant &participant : participants)
    participant.hasLeft = false;
  present = static_cast<uint32_t>(participants.size());
  return !hasFailed;
}

void Communicator::leave(int number) {
  {
    std::lock_guard guard(lock);
    participant(number).hasLeft = true;
    checkProgress();
  }
  if (present.fetch_sub(1) == 1)
    wakeAll(present);
}

bool Communicator::runByTurns(Lines ofProgram, const std::function<void(int)> &function,
                              const std::function<void(int)> &begin) {
  if (!turns)
    turns = std::make_unique<Turns>(static_cast<int>(numbers.size()));
  if (!turns->prepare())
    return false;
  start(ofProgram);
  auto participate = [&](int index) {
    function(index);
    leave(numbers[index]);
  };
  turns->run(participate, [&](int index) { begin(numbers[index]); });
  return true;
}

bool Communicator::finish(double seconds) {
  // The processors stay awake for those that run, which are often done soon.
  constexpr int yields = 300;
  for (int i = 0; i < yields && present != 0; ++i)
    std::this_thread::yield();
  Gate::Time end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  for (uint32_t seen = present; seen != 0; seen = present)
    if (!sleepWhile(present, seen, end))
      break;
  return present == 0;
}

bool Communicator::fail(const std::string &why) {
  std::lock_guard guard(lock);
  return close(why);
}

std::string Communicator::failure() const {
  std::lock_guard guard(lock);
  return reason;
}

bool Communicator::close(const std::string &why) {
  if (hasFailed)
    return false;
  reason = why;
  hasFailed = true;
  for (const std::unique_ptr<Group> &group : groups)
    group->entry.close();
  return true;
}

//===- Groups --------------------------------------------------------------------===//

static bool isOver(const Group &group, const Descriptor &descriptor) {
  return std::equal(group.axes.begin(), group.axes.end(), descriptor.axes(), descriptor.axes() + descriptor.numAxes,
                    [](auto a, auto b) { return a.size == b.size && a.stride == b.stride; });
}

/// The numbers of the members of a participant's group, in the order of the axes.
static std::vector<int> membersOf(int participant, const std::vector<Descriptor::Axis> &axes) {
  std::vector<int> members = {participant};
  for (auto axis : axes)
    members[0] -= participant / axis.stride % axis.size * axis.stride;
  for (auto axis : axes) {
    std::vector<int> along;
    for (int member : members)
      for (int64_t i = 0; i < axis.size; ++i)
        along.push_back(member + i * axis.stride);
    members = std::move(along);
  }
  return members;
}

std::pair<Group *, int> Communicator::groupOf(int number, const Descriptor &descriptor) {
  auto &known = participant(number).groups;
  for (auto [group, place] : known)
    if (isOver(*group, descriptor))
      return {group, place};
  std::vector axes(descriptor.axes(), descriptor.axes() + descriptor.numAxes);
  std::vector<int> members = membersOf(number, axes);
  int place = std::find(members.begin(), members.end(), number) - members.begin();
  std::lock_guard guard(lock);
  for (const std::unique_ptr<Group> &group : groups)
    if (isOver(*group, descriptor) && group->members == members)
      return known.emplace_back(group.get(), place);
  std::map<int, std::vector<int>> places;
  for (int i = 0; i < static_cast<int>(members.size()); ++i)
    places[processOf(members[i])].push_back(i);
  std::vector<Group::Process> ofProcesses;
  for (const auto &[process, ofIt] : places)
    ofProcesses.push_back({process, ofIt});
  groups.push_back(std::make_unique<Group>(std::move(axes), std::move(members), std::move(ofProcesses),
                                           std::move(places[thisProcess()])));
  if (hasFailed)
    groups.back()->entry.close();
  return known.emplace_back(groups.back().get(), place);
}

//===- Waiting -------------------------------------------------------------------===//

/// Numbers in words.
static std::string listOf(const std::vector<int> &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  return text;
}

/// Those that run on one thread wait without a timeout: once all others had their turn, it is known what can come.
Gate::State Communicator::takeTurns(Turns &turns, Group &group, Gate::Ticket ticket) {
  Gate::State state;
  turns.next();
  while ((state = group.entry.state(ticket)) == Gate::State::Waiting) {
    {
      std::lock_guard guard(lock);
      checkProgress();
    }
    turns.next();
  }
  return state;
}

Gate::State Communicator::await(int number, Group &group, int place, Gate::Ticket ticket) {
  Gate::Time end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(timeout));
  Participant &waiting = participant(number);
  Turns *shared = Turns::current();
  waits.fetch_add(1, std::memory_order_relaxed);
  {
    std::lock_guard guard(lock);
    waiting.ticket = ticket;
    waiting.place = place;
    waiting.waitsIn = &group;
    if (!shared)
      checkProgress();
  }
  Gate::State state = shared ? takeTurns(*shared, group, ticket) : Gate::State::Waiting;
  while (state == Gate::State::Waiting && (state = group.entry.sleep(ticket, end)) == Gate::State::Waiting) {
    if (std::chrono::steady_clock::now() < end)
      continue;
    std::lock_guard guard(lock);
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g", timeout);
    if (group.entry.state(ticket) == Gate::State::Waiting)
      close(describe(*group.slots[place].arrival.descriptor) + ": participants must arrive within " + seconds +
            " seconds of each other, got: no arrival of " + listOf(missing(group, place)));
  }
  waiting.waitsIn = nullptr;
  return state;
}

std::vector<int> Communicator::missing(const Group &group, int place) const {
  uint32_t count = group.slots[place].count;
  std::vector<int> result;
  for (int i : group.places)
    if (group.slots[i].count != count)
      result.push_back(group.members[i]);
  return result;
}

Group *Communicator::waitingGroup(int number) const {
  const Participant &waiting = participant(number);
  Group *group = waiting.waitsIn;
  return group && group->entry.state(waiting.ticket) == Gate::State::Waiting ? group : nullptr;
}

/// Ends the run where some participants wait for what cannot come: one that has finished, or all for each other.
void Communicator::checkProgress() {
  bool isAnyWaiting = false, isAnyRunning = false, isAnyHopeless = false;
  for (int i : numbers) {
    Group *group = waitingGroup(i);
    isAnyWaiting |= group != nullptr;
    isAnyRunning |= !group && !participant(i).hasLeft;
    if (!group)
      continue;
    for (int other : missing(*group, participant(i).place))
      isAnyHopeless |= participant(other).hasLeft;
  }
  if (isAnyHopeless || (isAnyWaiting && !isAnyRunning))
    close("participants must take part in the same collectives in the same order, got: " + describeWaiting());
}

std::string Communicator::describeWaiting() const {
  std::vector<int> finished;
  // Those that wait for the same are named together.
  std::vector<std::pair<std::string, std::vector<int>>> waiting;
  for (int i : numbers) {
    Group *group = waitingGroup(i);
    if (!group && participant(i).hasLeft)
      finished.push_back(i);
    if (!group)
      continue;
    int place = participant(i).place;
    std::string what =
        " for " + listOf(missing(*group, place)) + " in " + describe(*group->slots[place].arrival.descriptor);
    auto same = std::find_if(waiting.begin(), waiting.end(), [&](const auto &other) { return other.first == what; });
    if (same == waiting.end())
      same = waiting.insert(same, {what, {}});
    same->second.push_back(i);
  }
  std::string text;
  for (const auto &[what, who] : waiting)
    text += (text.empty() ? "" : "; ") + listOf(who) + (who.size() == 1 ? " waits" : " wait") + what;
  return finished.empty() ? text
                          : text + "; " + listOf(finished) + (finished.size() == 1 ? " has" : " have") + " finished";
}

//===- Collectives ---------------------------------------------------------------===//

bool Communicator::check(int participant, const Call &call) {
  int64_t expected = call.descriptor().participants;
  int stated = *call.participant.get();
  if (expected != size())
    fail(describe(call.descriptor()) + ": the program must run on " + std::to_string(expected) +
         " participants, got: " + std::to_string(size()));
  else if (stated != participant)
    fail(describe(call.descriptor()) + ": the last argument must be the participant's number, " +
         std::to_string(participant) + ", got: " + std::to_string(stated));
  else
    return true;
  return false;
}

static bool isAlike(const Arrival &a, const Arrival &b) {
  const Descriptor &x = *a.descriptor, &y = *b.descriptor;
  return x.site == y.site && x.kind == y.kind && x.element == y.element && a.outer == b.outer && a.middle == b.middle &&
         a.inner == b.inner;
}

/// Whether all of this process have come for the same. They find the same, and none goes before all have looked.
bool Communicator::agree(Group &group) {
  int first = group.places.front();
  auto other = std::find_if(group.places.begin(), group.places.end(), [&](int place) {
    return !isAlike(group.slots[place].arrival, group.slots[first].arrival);
  });
  if (other == group.places.end())
    return true;
  auto describePlace = [&](int place) {
    const Arrival &arrival = group.slots[place].arrival;
    return std::to_string(group.members[place]) + " in " + describe(*arrival.descriptor) + " on arrays of " +
           std::to_string(arrival.outer * arrival.middle * arrival.inner) + " elements";
  };
  fail("participants must take part in the same collectives in the same order, got: " + describePlace(first) + "; " +
       describePlace(*other));
  meet(group);
  return false;
}

bool Communicator::run(int participant, const Call &call) {
  if (hasFailed || !check(participant, call))
    return false;
  auto [group, place] = groupOf(participant, call.descriptor());
  Group::Slot &slot = group->slots[place];
  slot.arrival = {&call.descriptor(), call.outer, call.middle, call.inner, call.operand.get(), call.result.get()};
  prepareResult(slot.arrival, group->size());
  slot.count.fetch_add(1);
  Gate::Ticket ticket;
  Gate::State state = group->entry.arrive(ticket);
  if (state == Gate::State::Waiting)
    state = group->entry.spin(ticket, spins);
  if (state == Gate::State::Waiting)
    state = await(participant, *group, place, ticket);
  return state == Gate::State::Passed && agree(*group) && exchange(*this, *group, place);
}

void Communicator::meet(Group &group) {
  Gate::Ticket ticket;
  Gate::State state = group.exchange.arrive(ticket);
  if (state == Gate::State::Waiting)
    state = group.exchange.spin(ticket, spins);
  if (state == Gate::State::Waiting)
    waits.fetch_add(1, std::memory_order_relaxed);
  Turns *shared = Turns::current();
  while (state == Gate::State::Waiting)
    if (shared) {
      shared->next();
      state = group.exchange.state(ticket);
    } else {
      state = group.exchange.sleep(ticket, Gate::Time::max());
    }
}

/// Equal for members that have come for the same, and most likely different for others.
static int64_t tagOf(const Group &group, const Arrival &arrival) {
  uint64_t hash = 1469598103934665603u;
  auto add = [&](int64_t value) { hash = (hash ^ static_cast<uint64_t>(value)) * 1099511628211u; };
  for (auto axis : group.axes) {
    add(axis.size);
    add(axis.stride);
  }
  for (int64_t value : {int64_t(group.members[0]), arrival.descriptor->site, int64_t(arrival.descriptor->kind),
                        int64_t(arrival.descriptor->element), arrival.outer, arrival.middle, arrival.inner})
    add(value);
  return static_cast<int64_t>(hash >> 1);
}

bool Communicator::transfer(const Group &group, const std::vector<Message> &sends,
                            const std::vector<Message> &receives) {
  const Arrival &arrival = group.slots[group.places.front()].arrival;
  static_assert(sizeof(hasFailed) == 1, "others look at the byte");
  char why[512] = "";
  if (transport.exchange(transport.context, tagOf(group, arrival), sends.data(), static_cast<int32_t>(sends.size()),
                         receives.data(), static_cast<int32_t>(receives.size()),
                         reinterpret_cast<const char *>(&hasFailed), why, sizeof(why)) == 0)
    return true;
  fail(describe(*arrival.descriptor) + ": " + why);
  return false;
}

} // namespace dovetail::collectives
