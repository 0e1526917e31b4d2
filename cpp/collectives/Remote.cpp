// What members of a group exchange with other processes.
#include "Remote.h"
#include "Rows.h"
#include <algorithm>

namespace dovetail::collectives {

namespace {

/// How many bytes come together where each process combines all.
constexpr size_t kReducedByAll = 1 << 16;

/// A process with members in a group, and their places.
struct Process {
  int number;
  std::vector<int> places;
};

std::vector<Process> processesOf(const Communicator &communicator, const Group &group) {
  std::vector<Process> processes;
  for (int place = 0; place < group.size(); ++place) {
    int number = communicator.processOf(group.members[place]);
    auto found =
        std::find_if(processes.begin(), processes.end(), [&](const auto &one) { return one.number == number; });
    if (found == processes.end())
      found = processes.insert(found, {number, {}});
    found->places.push_back(place);
  }
  // The same order in all of them.
  std::sort(processes.begin(), processes.end(), [](const auto &a, const auto &b) { return a.number < b.number; });
  return processes;
}

/// Rows of an operand of which member j of the group needs those that begin at j rows, `stride` apart.
struct Parts {
  size_t row, stride, count;
};

/// An exchange of operands, or parts of them, one message for each pair of processes.
class Fetch {
public:
  Fetch(Communicator &communicator, Group &group)
      : communicator(communicator), group(group), first(group.slots[group.places.front()].arrival), size(group.size()) {
    const Descriptor &descriptor = *first.descriptor;
    size_t row = first.inner * bytesOf(descriptor.element), outer = first.outer, middle = first.middle;
    switch (descriptor.kind) {
    case Kind::AllToAllInward:
      parts = {middle * row, size * middle * row, outer};
      break;
    case Kind::ReduceScatter:
    case Kind::AllToAllOutward:
      parts = {row, size * row, outer * middle};
      break;
    default:
      whole = outer * middle * row;
    }
  }

  bool run() {
    std::vector<Process> processes = processesOf(communicator, group);
    std::vector<Message> sends, receives;
    std::vector<std::vector<char>> memory(2 * processes.size());
    group.staging.resize(operandBytes() * (size - group.places.size()));
    char *next = group.staging.data();
    for (size_t i = 0; i < processes.size(); ++i) {
      const Process &other = processes[i];
      if (other.number == communicator.thisProcess())
        continue;
      for (int place : other.places) {
        group.slots[place].arrival.operand = next;
        next += operandBytes();
      }
      std::vector<char> &out = memory[2 * i], &in = memory[2 * i + 1];
      forEachPart(group.places, other.places, [&](char *operand, size_t stride, size_t row, size_t count) {
        out.resize(out.size() + row * count);
        copyRows(out.data() + out.size() - row * count, row, operand, stride, row, count);
      });
      size_t expected = 0;
      forEachPart(other.places, group.places,
                  [&](char *, size_t, size_t row, size_t count) { expected += row * count; });
      in.resize(expected);
      if (!out.empty())
        sends.push_back({other.number, out.data(), static_cast<int64_t>(out.size())});
      if (!in.empty())
        receives.push_back({other.number, in.data(), static_cast<int64_t>(in.size())});
    }
    if (!communicator.transfer(group, sends, receives))
      return false;
    for (size_t i = 0; i < processes.size(); ++i) {
      if (processes[i].number == communicator.thisProcess())
        continue;
      const char *in = memory[2 * i + 1].data();
      forEachPart(processes[i].places, group.places, [&](char *operand, size_t stride, size_t row, size_t count) {
        copyRows(operand, stride, in, row, row, count);
        in += row * count;
      });
    }
    return true;
  }

private:
  size_t operandBytes() const { return whole ? whole : parts.stride * parts.count; }

  /// Visits what members at some places have for members at others, in the same order for both.
  template <typename Visit>
  void forEachPart(const std::vector<int> &from, const std::vector<int> &to, Visit visit) const {
    for (int source : from) {
      // Others' operands are staging memory, to which these are written.
      char *operand = const_cast<char *>(group.slots[source].arrival.operand);
      if (isNeededWhole(source, to))
        visit(operand, whole, whole, 1);
      else if (!whole)
        for (int target : to)
          visit(operand + target * parts.row, parts.stride, parts.row, parts.count);
    }
  }

  bool isNeededWhole(int source, const std::vector<int> &to) const {
    const Descriptor &descriptor = *first.descriptor;
    if (descriptor.kind != Kind::Permute)
      return whole != 0;
    return std::any_of(descriptor.pairs(), descriptor.pairs() + descriptor.numPairs, [&](auto pair) {
      return pair.source == source && std::find(to.begin(), to.end(), pair.target) != to.end();
    });
  }

  Communicator &communicator;
  Group &group;
  const Arrival &first;
  const size_t size;
  /// The bytes of an operand that is sent as a whole; 0 if parts of it are.
  size_t whole = 0;
  Parts parts = {};
};

} // namespace

bool fetchOperands(Communicator &communicator, Group &group) { return Fetch(communicator, group).run(); }

/// Each process sends all to each other one, and combines all: few bytes take less time than a second message.
static bool reduceByAll(Communicator &communicator, Group &group, const std::vector<Process> &processes, size_t own,
                        Reduce reduce, size_t elements, size_t bytes) {
  size_t count = processes.size(), total = elements * bytes;
  char *all = group.staging.data();
  std::vector<char> fetched(total * count);
  std::vector<const char *> sources(count);
  std::vector<Message> sends, receives;
  for (size_t i = 0; i < count; ++i) {
    char *from = fetched.data() + i * total;
    sources[i] = from;
    if (i == own) {
      std::copy_n(all, total, from);
    } else if (total > 0) {
      sends.push_back({processes[i].number, all, static_cast<int64_t>(total)});
      receives.push_back({processes[i].number, from, static_cast<int64_t>(total)});
    }
  }
  if (!communicator.transfer(group, sends, receives))
    return false;
  if (elements > 0)
    reduce(all, sources.data(), static_cast<int>(count), elements);
  return true;
}

bool reduceAcross(Communicator &communicator, Group &group, Reduce reduce, size_t elements, size_t bytes) {
  std::vector<Process> processes = processesOf(communicator, group);
  size_t count = processes.size(), own = 0;
  auto begin = [&](size_t i) { return elements * i / count * bytes; };
  auto length = [&](size_t i) { return begin(i + 1) - begin(i); };
  while (processes[own].number != communicator.thisProcess())
    ++own;
  if (elements * bytes * count <= kReducedByAll)
    return reduceByAll(communicator, group, processes, own, reduce, elements, bytes);
  // Each process combines a part, and sends the result to the others.
  char *all = group.staging.data();
  // Its memory is kept: the operating system takes as long to give new memory as a message takes.
  group.scratch.resize(std::max(group.scratch.size(), length(own) * (count + 1)));
  char *parts = group.scratch.data(), *combined = parts + length(own) * count;
  std::vector<const char *> sources(count);
  std::vector<Message> sends, receives, sendsBack, receivesBack;
  auto add = [](std::vector<Message> &messages, int process, char *data, size_t size) {
    if (size > 0)
      messages.push_back({process, data, static_cast<int64_t>(size)});
  };
  for (size_t i = 0; i < count; ++i) {
    sources[i] = i == own ? all + begin(own) : parts + i * length(own);
    if (i == own)
      continue;
    add(sends, processes[i].number, all + begin(i), length(i));
    add(receives, processes[i].number, parts + i * length(own), length(own));
    add(sendsBack, processes[i].number, all + begin(own), length(own));
    add(receivesBack, processes[i].number, all + begin(i), length(i));
  }
  if (!communicator.transfer(group, sends, receives))
    return false;
  if (length(own) > 0) {
    reduce(combined, sources.data(), static_cast<int>(count), length(own) / bytes);
    std::copy_n(combined, length(own), all + begin(own));
  }
  return communicator.transfer(group, sendsBack, receivesBack);
}

} // namespace dovetail::collectives
