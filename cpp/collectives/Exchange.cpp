// The exchange of data in a group whose members have all come.
#include "Exchange.h"
#include "Communicator.h"
#include "Reduce.h"
#include "Remote.h"
#include "Rows.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <sys/mman.h>

namespace dovetail::collectives {

namespace {

/// Where each member computes all of a reduction: more memory is read than when each computes a part for all, but none
/// writes memory that others read next.
constexpr size_t kReducedByAll = 16384;
/// What is reduced before it is copied to the other results.
constexpr size_t kBlock = size_t(1) << 18;
/// Parts that members write begin at cache lines of their own.
constexpr size_t kLine = 64;
/// Rows of fewer bytes are brought together before they are reduced.
constexpr size_t kShortRow = 512, kGathered = 8192;

//===- Kinds ---------------------------------------------------------------------===//

/// One member's view of an exchange.
struct Exchange {
  Exchange(Communicator &communicator, Group &group, int place)
      : communicator(communicator), group(group), place(place), mine(group.slots[place].arrival),
        element(mine.descriptor->element), bytes(bytesOf(element)), outer(mine.outer), middle(mine.middle),
        inner(mine.inner), size(group.size()) {}

  /// False if other processes were not reached.
  bool run() {
    if (group.isLocal()) {
      compute();
      return true;
    }
    // What comes from other processes is not counted here.
    bool isLeader = place == group.places.front();
    if (std::optional<Combination> combination = allReduction())
      return allReduceAcross(findReduce(*combination, element), isLeader);
    if (isLeader)
      group.isReached = fetchOperands(communicator, group);
    communicator.meet(group);
    if (!group.isReached)
      return false;
    compute();
    return true;
  }

private:
  const char *operandOf(int member) const { return group.slots[member].arrival.operand; }
  char *resultOf(int member) const { return group.slots[member].arrival.result; }

  std::optional<Combination> allReduction() const {
    switch (mine.descriptor->kind) {
    case Kind::AllReduceSum:
      return Combination::Sum;
    case Kind::AllReduceMax:
      return Combination::Max;
    case Kind::AllReduceMin:
      return Combination::Min;
    default:
      return std::nullopt;
    }
  }

  /// With the operands of all members in memory.
  void compute() {
    switch (mine.descriptor->kind) {
    case Kind::AllReduceSum:
    case Kind::AllReduceMax:
    case Kind::AllReduceMin:
      return allReduce(findReduce(*allReduction(), element));
    case Kind::AllGather:
      return allGather();
    case Kind::ReduceScatter:
      return reduceScatter();
    case Kind::AllToAllInward:
      return allToAll(true);
    case Kind::AllToAllOutward:
      return allToAll(false);
    case Kind::Permute:
      return permute();
    }
  }

  /// Combines elements of all operands from `offset` on, in bytes, into as many of the result.
  void reduceInto(char *result, Reduce reduce, size_t offset, size_t elements) {
    if (elements == 0)
      return;
    sources.resize(size);
    for (int i = 0; i < size; ++i)
      sources[i] = operandOf(i) + offset;
    reduce(result, sources.data(), size, elements);
    received += (size - 1) * elements * bytes;
  }

  /// Counts what was copied out of a member's memory.
  void count(int member, size_t copied) { received += member == place ? 0 : copied; }

  void allReduce(Reduce reduce) {
    size_t total = outer * inner * bytes;
    if (total * size <= kReducedByAll) {
      reduceInto(mine.result, reduce, 0, outer * inner);
      return communicator.meet(group);
    }
    size_t part = (total / size + kLine) / kLine * kLine;
    auto begin = [&](int member) { return std::min(total, part * member); };
    // Each writes its part of all results while it is in a cache of its own. In short pieces they would take twice as
    // long: processors read ahead along few arrays at a time.
    for (size_t at = begin(place), end = begin(place + 1); at < end; at += kBlock) {
      size_t length = std::min(kBlock, end - at);
      reduceInto(mine.result + at, reduce, at, length / bytes);
      for (int step = 1; step < size; ++step)
        std::memcpy(resultOf((place + step) % size) + at, mine.result + at, length);
    }
    received += total - (begin(place + 1) - begin(place));
    communicator.meet(group);
  }

  /// Members of this process are combined first, each a part; then the processes.
  bool allReduceAcross(Reduce reduce, bool isLeader) {
    size_t elements = outer * inner, count = group.places.size();
    const char *own = mine.operand;
    if (count > 1) {
      if (isLeader)
        group.staging.get(elements * bytes);
      communicator.meet(group);
      char *staging = group.staging.get(0);
      own = staging;
      size_t index = std::find(group.places.begin(), group.places.end(), place) - group.places.begin();
      size_t begin = elements * index / count, end = elements * (index + 1) / count;
      sources.clear();
      for (int member : group.places)
        sources.push_back(operandOf(member) + begin * bytes);
      if (begin < end)
        reduce(staging + begin * bytes, sources.data(), static_cast<int>(count), end - begin);
      communicator.meet(group);
    }
    if (isLeader)
      group.isReached = reduceAcross(communicator, group, reduce, elements, bytes, own, mine.result);
    communicator.meet(group);
    if (!group.isReached)
      return false;
    if (!isLeader)
      std::copy_n(resultOf(group.places.front()), elements * bytes, mine.result);
    communicator.meet(group);
    return true;
  }

  void allGather() {
    size_t row = inner * bytes;
    for (int step = 0; step < size; ++step) {
      int other = (place + step) % size;
      copyRows(mine.result + other * row, size * row, operandOf(other), row, row, outer);
      count(other, outer * row);
    }
    communicator.meet(group);
  }

  void reduceScatter() {
    Reduce reduce = findReduce(Combination::Sum, element);
    size_t row = inner * bytes;
    if (outer == 1 || row >= kShortRow)
      for (size_t i = 0; i < outer; ++i)
        reduceInto(mine.result + i * row, reduce, (i * size + place) * row, inner);
    else if (row > 0)
      reduceShortRows(reduce, row);
    communicator.meet(group);
  }

  void reduceShortRows(Reduce reduce, size_t row) {
    size_t block = std::max<size_t>(kGathered / row, 1);
    std::vector<char> gathered(block * row * size);
    sources.resize(size);
    for (size_t begin = 0; begin < outer; begin += block) {
      size_t rows = std::min(block, outer - begin);
      for (int i = 0; i < size; ++i) {
        char *to = gathered.data() + i * block * row;
        copyRows(to, row, operandOf(i) + (begin * size + place) * row, size * row, row, rows);
        count(i, rows * row);
        sources[i] = to;
      }
      reduce(mine.result + begin * row, sources.data(), size, rows * inner);
    }
  }

  /// Parts are [middle, inner] of a whole [outer, size, middle, inner]; on the other side they lie within
  /// [outer, middle, size, inner].
  void allToAll(bool isInward) {
    size_t row = inner * bytes, part = middle * row;
    for (int step = 0; step < size; ++step) {
      int other = (place + step) % size;
      for (size_t i = 0; i < outer; ++i) {
        char *to = mine.result + i * size * part;
        const char *from = operandOf(other) + i * size * part;
        if (isInward)
          copyRows(to + other * row, size * row, from + place * part, row, row, middle);
        else
          copyRows(to + other * part, row, from + place * row, size * row, row, middle);
      }
      count(other, outer * part);
    }
    communicator.meet(group);
  }

  void permute() {
    const Descriptor::Pair *begin = mine.descriptor->pairs(), *end = begin + mine.descriptor->numPairs;
    const Descriptor::Pair *pair = std::find_if(begin, end, [&](const auto &one) { return one.target == place; });
    size_t total = outer * inner * bytes;
    if (total > 0 && pair == end)
      std::memset(mine.result, 0, total);
    else if (total > 0)
      copyRows(mine.result, total, operandOf(pair->source), total, total, 1);
    if (pair != end)
      count(pair->source, total);
    communicator.meet(group);
  }

  Communicator &communicator;
  Group &group;
  const int place;
  const Arrival &mine;
  const Element element;
  const size_t bytes, outer, middle, inner;
  const int size;
  std::vector<const char *> sources;

public:
  /// Bytes from other members of this process.
  size_t received = 0;
};

} // namespace

void prepareResult(const Arrival &mine, int size) {
  constexpr size_t page = size_t(1) << 21, least = 2 * page;
  Kind kind = mine.descriptor->kind;
  bool isLarger = kind == Kind::AllGather || kind == Kind::AllToAllInward || kind == Kind::AllToAllOutward;
  size_t bytes = mine.outer * mine.middle * mine.inner * bytesOf(mine.descriptor->element) * (isLarger ? size : 1);
  if (bytes < least)
    return;
  size_t begin = (reinterpret_cast<size_t>(mine.result) + page - 1) / page * page;
  size_t end = (reinterpret_cast<size_t>(mine.result) + bytes) / page * page;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

bool exchange(Communicator &communicator, Group &group, int place) {
  Exchange exchange(communicator, group, place);
  bool isReached = exchange.run();
  communicator.addReceived(exchange.received);
  return isReached;
}

} // namespace dovetail::collectives
