// The participants of a run, and how they meet.
#include "Communicator.h"
#include "Exchange.h"
#include <algorithm>
#include <cstdio>
#include <thread>

namespace dovetail::collectives {

/// Rounds of looking whether others have come. Where there are more threads than processors, those need this one.
static int spinsOf(int participants) {
  return participants <= static_cast<int>(std::thread::hardware_concurrency()) ? 64 : 0;
}

Communicator::Communicator(int participants, double timeout)
    : timeout(timeout), spins(spinsOf(participants)), participants(participants) {}

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
  return !hasFailed;
}

void Communicator::leave(int participant) {
  std::lock_guard guard(lock);
  participants[participant].hasLeft = true;
  checkProgress();
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

std::pair<Group *, int> Communicator::groupOf(int participant, const Descriptor &descriptor) {
  auto &known = participants[participant].groups;
  for (auto [group, place] : known)
    if (isOver(*group, descriptor))
      return {group, place};
  std::vector<int> members = {participant};
  for (const Descriptor::Axis *axis = descriptor.axes(); axis != descriptor.axes() + descriptor.numAxes; ++axis)
    members[0] -= participant / axis->stride % axis->size * axis->stride;
  for (const Descriptor::Axis *axis = descriptor.axes(); axis != descriptor.axes() + descriptor.numAxes; ++axis) {
    std::vector<int> along;
    for (int member : members)
      for (int64_t i = 0; i < axis->size; ++i)
        along.push_back(member + i * axis->stride);
    members = std::move(along);
  }
  int place = std::find(members.begin(), members.end(), participant) - members.begin();
  std::lock_guard guard(lock);
  for (const std::unique_ptr<Group> &group : groups)
    if (isOver(*group, descriptor) && group->members == members)
      return known.emplace_back(group.get(), place);
  groups.push_back(std::make_unique<Group>(std::vector(descriptor.axes(), descriptor.axes() + descriptor.numAxes),
                                           std::move(members)));
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

Gate::State Communicator::await(int number, Group &group, int place, Gate::Ticket ticket) {
  Gate::Time end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(timeout));
  Participant &participant = participants[number];
  {
    std::lock_guard guard(lock);
    participant.ticket = ticket;
    participant.place = place;
    participant.waitsIn = &group;
    checkProgress();
  }
  Gate::State state;
  while ((state = group.entry.sleep(ticket, end)) == Gate::State::Waiting) {
    if (std::chrono::steady_clock::now() < end)
      continue;
    std::lock_guard guard(lock);
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g", timeout);
    if (group.entry.state(ticket) == Gate::State::Waiting)
      close(describe(*group.slots[place].arrival.descriptor) + ": participants must arrive within " + seconds +
            " seconds of each other, got: no arrival of " + listOf(missing(group, place)));
  }
  participant.waitsIn = nullptr;
  return state;
}

std::vector<int> Communicator::missing(const Group &group, int place) const {
  uint32_t count = group.slots[place].count;
  std::vector<int> result;
  for (int i = 0; i < group.size(); ++i)
    if (group.slots[i].count != count)
      result.push_back(group.members[i]);
  return result;
}

Group *Communicator::waitingGroup(int number) const {
  const Participant &participant = participants[number];
  Group *group = participant.waitsIn;
  return group && group->entry.state(participant.ticket) == Gate::State::Waiting ? group : nullptr;
}

/// Ends the run where some participants wait for what cannot come: one that has finished, or all for each other.
void Communicator::checkProgress() {
  bool isAnyWaiting = false, isAnyRunning = false, isAnyHopeless = false;
  for (int i = 0; i < size(); ++i) {
    Group *group = waitingGroup(i);
    isAnyWaiting |= group != nullptr;
    isAnyRunning |= !group && !participants[i].hasLeft;
    if (!group)
      continue;
    for (int other : missing(*group, participants[i].place))
      isAnyHopeless |= participants[other].hasLeft;
  }
  if (isAnyHopeless || (isAnyWaiting && !isAnyRunning))
    close("participants must take part in the same collectives in the same order, got: " + describeWaiting());
}

std::string Communicator::describeWaiting() const {
  std::vector<int> finished;
  // Those that wait for the same are named together.
  std::vector<std::pair<std::string, std::vector<int>>> waiting;
  for (int i = 0; i < size(); ++i) {
    Group *group = waitingGroup(i);
    if (!group && participants[i].hasLeft)
      finished.push_back(i);
    if (!group)
      continue;
    int place = participants[i].place;
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

/// Whether all have come for the same. They find the same, and none goes before all have looked.
bool Communicator::agree(Group &group, int place) {
  const Arrival &first = group.slots[0].arrival;
  auto other = std::find_if(group.slots.begin(), group.slots.end(),
                            [&](const Group::Slot &slot) { return !isAlike(slot.arrival, first); });
  if (other == group.slots.end())
    return true;
  auto describeArrival = [&](const Arrival &arrival, int index) {
    return std::to_string(group.members[index]) + " in " + describe(*arrival.descriptor) + " on arrays of " +
           std::to_string(arrival.outer * arrival.middle * arrival.inner) + " elements";
  };
  fail("participants must take part in the same collectives in the same order, got: " + describeArrival(first, 0) +
       "; " + describeArrival(other->arrival, other - group.slots.begin()));
  meet(group);
  return false;
}

bool Communicator::run(int participant, const Call &call) {
  if (hasFailed || !check(participant, call))
    return false;
  auto [group, place] = groupOf(participant, call.descriptor());
  Group::Slot &slot = group->slots[place];
  slot.arrival = {&call.descriptor(), call.outer, call.middle, call.inner, call.operand.get(), call.result.get()};
  slot.count.fetch_add(1);
  Gate::Ticket ticket;
  Gate::State state = group->entry.arrive(ticket);
  if (state == Gate::State::Waiting)
    state = group->entry.spin(ticket, spins);
  if (state == Gate::State::Waiting)
    state = await(participant, *group, place, ticket);
  if (state != Gate::State::Passed || !agree(*group, place))
    return false;
  exchange(*this, *group, place);
  return true;
}

void Communicator::meet(Group &group) {
  Gate::Ticket ticket;
  Gate::State state = group.exchange.arrive(ticket);
  if (state == Gate::State::Waiting)
    state = group.exchange.spin(ticket, spins);
  while (state == Gate::State::Waiting)
    state = group.exchange.sleep(ticket, Gate::Time::max());
}

} // namespace dovetail::collectives
