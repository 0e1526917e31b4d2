// What members of a group exchange with other processes.
#include "Remote.h"
#include "Rows.h"
#include <algorithm>

namespace dovetail::collectives {

namespace {

/// How many bytes come together where each process combines all.
constexpr size_t kReducedByAll = 1 << 17;

/// Rows of an operand of which member j of the group needs those that begin at j rows, `stride` apart.
struct Parts {
  size_t row, stride, count;
};

/// Bytes of an operand that another process needs.
struct Piece {
  char *data;
  size_t stride, row, count;

  size_t bytes() const { return row * count; }
  bool isContiguous() const { return count == 1 || stride == row; }
};

/// What goes to another process, or comes from it, as one message.
class Parcel {
public:
  void add(Piece piece) {
    if (piece.bytes() == 0)
      return;
    isContiguous &= piece.isContiguous() && (pieces.empty() || end == piece.data);
    end = piece.data + piece.bytes();
    bytes += piece.bytes();
    pieces.push_back(piece);
  }

  /// How much memory the message needs besides its pieces.
  size_t scratchBytes() const { return isContiguous ? 0 : bytes; }

  /// Adds the message if there is one.
  void addTo(std::vector<Message> &messages, int process, char *scratch) {
    data = isContiguous && !pieces.empty() ? pieces.front().data : scratch;
    if (bytes > 0)
      messages.push_back({process, data, static_cast<int64_t>(bytes)});
  }

  /// Copies the pieces to the message.
  void pack() const {
    char *next = data;
    for (const Piece &piece : pieces) {
      copyRows(next, piece.row, piece.data, piece.stride, piece.row, piece.count);
      next += piece.bytes();
    }
  }
  /// Copies the message to the pieces.
  void unpack() const {
    const char *next = data;
    for (const Piece &piece : pieces) {
      copyRows(piece.data, piece.stride, next, piece.row, piece.row, piece.count);
      next += piece.bytes();
    }
  }

private:
  std::vector<Piece> pieces;
  size_t bytes = 0;
  bool isContiguous = true;
  char *end = nullptr, *data = nullptr;
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
    std::vector<Group::Process> others = group.processes;
    others.erase(std::find_if(others.begin(), others.end(),
                              [&](const Group::Process &one) { return one.number == communicator.thisProcess(); }));
    placeOperands(others);
    std::vector<Parcel> out(others.size()), in(others.size());
    size_t scratchBytes = 0;
    for (size_t i = 0; i < others.size(); ++i) {
      collect(group.places, others[i].places, out[i]);
      collect(others[i].places, group.places, in[i]);
      scratchBytes += out[i].scratchBytes() + in[i].scratchBytes();
    }
    std::vector<Message> sends, receives;
    char *scratch = group.scratch.get(scratchBytes);
    for (size_t i = 0; i < others.size(); ++i) {
      out[i].addTo(sends, others[i].number, scratch);
      scratch += out[i].scratchBytes();
      in[i].addTo(receives, others[i].number, scratch);
      scratch += in[i].scratchBytes();
      out[i].pack();
    }
    if (!communicator.transfer(group, sends, receives))
      return false;
    for (const Parcel &parcel : in)
      parcel.unpack();
    return true;
  }

private:
  size_t operandBytes() const { return whole ? whole : parts.stride * parts.count; }

  /// Decides where the operands of other processes are.
  void placeOperands(const std::vector<Group::Process> &others) {
    char *next = group.staging.get(operandBytes() * (size - group.places.size()));
    for (const Group::Process &other : others)
      for (int place : other.places) {
        group.slots[place].arrival.operand = inResult(place);
        if (group.slots[place].arrival.operand)
          continue;
        group.slots[place].arrival.operand = next;
        next += operandBytes();
      }
  }

  /// Where an operand must be so that what the only member of this process needs of it is in its place in the result;
  /// null if there is no such place.
  char *inResult(int place) const {
    if (group.places.size() > 1 || first.outer != 1 || first.middle != 1)
      return nullptr;
    switch (first.descriptor->kind) {
    case Kind::AllGather:
      return first.result + place * whole;
    case Kind::Permute:
      return isNeededWhole(place, group.places) ? first.result : nullptr;
    case Kind::AllToAllInward:
    case Kind::AllToAllOutward:
      return first.result + (place - group.places.front()) * static_cast<ptrdiff_t>(parts.row);
    default:
      return nullptr;
    }
  }

  /// Collects what members at some places have for members at others, in the same order for both.
  void collect(const std::vector<int> &from, const std::vector<int> &to, Parcel &parcel) const {
    for (int source : from) {
      // Others' operands are memory of this process, to which these are written.
      char *operand = const_cast<char *>(group.slots[source].arrival.operand);
      if (isNeededWhole(source, to))
        parcel.add({operand, whole, whole, 1});
      else if (!whole)
        for (int target : to)
          parcel.add({operand + target * parts.row, parts.stride, parts.row, parts.count});
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
static bool reduceByAll(Communicator &communicator, Group &group, Reduce reduce, size_t elements, size_t bytes,
                        const char *own, char *result) {
  const std::vector<Group::Process> &processes = group.processes;
  size_t count = processes.size(), total = elements * bytes;
  char *fetched = group.scratch.get(total * count);
  std::vector<const char *> sources(count);
  std::vector<Message> sends, receives;
  for (size_t i = 0; i < count; ++i) {
    bool isOwn = processes[i].number == communicator.thisProcess();
    sources[i] = isOwn ? own : fetched + i * total;
    if (isOwn || total == 0)
      continue;
    sends.push_back({processes[i].number, const_cast<char *>(own), static_cast<int64_t>(total)});
    receives.push_back({processes[i].number, fetched + i * total, static_cast<int64_t>(total)});
  }
  if (!communicator.transfer(group, sends, receives))
    return false;
  if (elements > 0)
    reduce(result, sources.data(), static_cast<int>(count), elements);
  return true;
}

bool reduceAcross(Communicator &communicator, Group &group, Reduce reduce, size_t elements, size_t bytes,
                  const char *own, char *result) {
  const std::vector<Group::Process> &processes = group.processes;
  size_t count = processes.size(), here = 0;
  if (elements * bytes * count <= kReducedByAll)
    return reduceByAll(communicator, group, reduce, elements, bytes, own, result);
  while (processes[here].number != communicator.thisProcess())
    ++here;
  // Each process combines a part, and sends the result to the others.
  auto begin = [&](size_t i) { return elements * i / count * bytes; };
  auto length = [&](size_t i) { return begin(i + 1) - begin(i); };
  char *parts = group.scratch.get(length(here) * count);
  std::vector<const char *> sources(count);
  std::vector<Message> sends, receives, sendsBack, receivesBack;
  auto add = [](std::vector<Message> &messages, int process, const char *data, size_t size) {
    if (size > 0)
      messages.push_back({process, const_cast<char *>(data), static_cast<int64_t>(size)});
  };
  for (size_t i = 0; i < count; ++i) {
    sources[i] = i == here ? own + begin(here) : parts + i * length(here);
    if (i == here)
      continue;
    add(sends, processes[i].number, own + begin(i), length(i));
    add(receives, processes[i].number, sources[i], length(here));
    add(sendsBack, processes[i].number, result + begin(here), length(here));
    add(receivesBack, processes[i].number, result + begin(i), length(i));
  }
  if (!communicator.transfer(group, sends, receives))
    return false;
  if (length(here) > 0)
    reduce(result + begin(here), sources.data(), static_cast<int>(count), length(here) / bytes);
  return communicator.transfer(group, sendsBack, receivesBack);
}

} // namespace dovetail::collectives
