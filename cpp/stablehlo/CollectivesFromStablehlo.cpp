// Counterparts of collectives: groups of devices become axes of a mesh.
#include "Devices.h"
#include "Families.h"
#include "Reductions.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include <set>

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;
using Groups = std::set<SmallVector<int64_t>>;

//===- Groups as axes --------------------------------------------------------------------===//

/// Axes with their sizes, as collectives take them.
struct Axes {
  ArrayAttr names;
  SmallVector<int64_t> sizes;
  int64_t count = 1;

  Axes(const Devices &devices, ArrayRef<StringAttr> axes) {
    names = ArrayAttr::get(devices.mesh.getContext(),
                           llvm::map_to_vector(axes, [](StringAttr axis) { return Attribute(axis); }));
    for (StringAttr axis : axes)
      sizes.push_back(devices.mesh.sizeOf(axis)), count *= sizes.back();
  }
};

/// Calls `accept` with selections of axes, until it returns true: subsets in the order of the mesh, or all orders of
/// them, few axes first.
bool select(ArrayRef<StringAttr> axes, bool allOrders, function_ref<bool(ArrayRef<StringAttr>)> accept) {
  SmallVector<SmallVector<StringAttr>> queue{{}};
  for (size_t i = 0; i < queue.size(); ++i) {
    SmallVector<StringAttr> chosen = queue[i];
    if (accept(chosen))
      return true;
    auto *last = chosen.empty() || allOrders ? axes.begin() : llvm::find(axes, chosen.back()) + 1;
    for (StringAttr axis : ArrayRef(last, axes.end()))
      if (!llvm::is_contained(chosen, axis))
        queue.emplace_back(chosen).push_back(axis);
  }
  return false;
}

/// Lists of devices as lists of positions on the mesh.
FailureOr<Groups> rowsOf(Operation *op, DenseIntElementsAttr numbers, const Devices &devices) {
  auto type = numbers.getType();
  int64_t count = devices.mesh.getNumDevices();
  if (type.getRank() != 2 || type.getNumElements() > 2 * count)
    return op->emitError() << op->getName().stripDialect() << ": numbers of devices must be a matrix, of at most "
                           << count << " devices, got: " << type;
  Groups rows;
  SmallVector<int64_t> row;
  for (const APInt &element : numbers.getValues<APInt>()) {
    int64_t number = element.getSExtValue();
    if (number < 0 || number >= count)
      return op->emitError() << op->getName().stripDialect() << ": devices must be numbered from 0 to " << count - 1
                             << ", got: " << number;
    row.push_back(devices.positions.empty() ? number : devices.positions[number]);
    if (static_cast<int64_t>(row.size()) == type.getDimSize(1)) {
      rows.insert(row);
      row.clear();
    }
  }
  return rows;
}

Groups sorted(const Groups &groups) {
  Groups found;
  for (SmallVector<int64_t> group : groups) {
    llvm::sort(group);
    found.insert(group);
  }
  return found;
}

/// Groups that lie along no axes, by tables over all devices.
struct Members {
  /// The devices of each one's group, a row for each device, and its position there.
  SmallVector<int32_t> rows, positions;
};

/// The devices that exchange values with each other: along all of `axes`, or among `members`, which are on them.
struct Peers {
  Axes axes;
  std::optional<Members> members;
  int64_t count = axes.count;

  bool isAlone() const { return count == 1; }
};

std::optional<Members> membersOf(const Groups &groups, int64_t devices) {
  Members found;
  int64_t size = groups.begin()->size(), covered = 0;
  found.rows.resize(devices * size);
  found.positions.assign(devices, -1);
  for (const SmallVector<int64_t> &group : groups)
    for (auto [position, device] : llvm::enumerate(group)) {
      if (found.positions[device] >= 0)
        return std::nullopt;
      found.positions[device] = position, ++covered;
      llvm::copy(group, found.rows.begin() + device * size);
    }
  return covered == devices ? std::optional(found) : std::nullopt;
}

/// The row of a table over all devices for the one that computes.
Value rowOfTable(Importer &e, ArrayRef<int32_t> table, const Axes &axes) {
  SmallVector<int64_t> shape{axes.count, static_cast<int64_t>(table.size()) / axes.count};
  auto type = RankedTensorType::get(shape, e.builder.getI32Type());
  Value constant = e.make<ConstantOp>(DenseElementsAttr::get(type, table));
  return e.at(constant, 0, e.make<AxisIndexOp>(axes.names, axes.sizes));
}
Value elementOfTable(Importer &e, ArrayRef<int32_t> table, const Axes &axes) {
  return e.reshapedTo(rowOfTable(e, table, axes), {});
}

/// Axes of few enough to try all orders.
constexpr size_t kMostOrdered = 6;

/// The devices of each group, in their order if it matters: along axes if there are such.
FailureOr<Peers> peersOf(Operation *op, DenseIntElementsAttr stated, bool isOrdered) {
  FailureOr<Devices> devices = devicesOf(op);
  if (failed(devices))
    return failure();
  if (stated.getType().getNumElements() == 0)
    return Peers{Axes(*devices, devices->axes), std::nullopt};
  FailureOr<Groups> groups = rowsOf(op, stated, *devices);
  if (failed(groups))
    return failure();
  std::optional<Axes> found;
  Groups wanted = isOrdered ? *groups : sorted(*groups);
  bool allOrders = isOrdered && devices->axes.size() <= kMostOrdered;
  select(devices->axes, allOrders, [&](ArrayRef<StringAttr> axes) {
    Axes candidate(*devices, axes);
    if (candidate.count != stated.getType().getDimSize(1))
      return false;
    auto rows = groupsOver(devices->mesh, axes);
    Groups made(rows.begin(), rows.end());
    if (wanted != (isOrdered ? made : sorted(made)))
      return false;
    found = candidate;
    return true;
  });
  if (found)
    return Peers{*found, std::nullopt};
  auto members = membersOf(*groups, devices->mesh.getNumDevices());
  if (!members || devices->axes.size() != devices->mesh.getAxes().size())
    return op->emitError() << op->getName().stripDialect()
                           << ": groups of devices must lie along axes, or have each device of all axes once, of "
                           << devices->mesh << ", got: " << stated;
  return Peers{Axes(*devices, devices->axes), members, stated.getType().getDimSize(1)};
}

//===- Reductions ------------------------------------------------------------------------===//

/// The values of a device's peers along a new dimension.
Value gathered(Importer &e, Value x, const Peers &peers, int64_t dimension) {
  const Axes &axes = peers.axes;
  Value all = e.make<AllGatherOp>(x, axes.names, axes.sizes, dimension);
  return peers.members ? e.take(all, dimension, rowOfTable(e, peers.members->rows, axes)) : all;
}

Value positionIn(Importer &e, const Peers &peers) {
  const Axes &axes = peers.axes;
  return peers.members ? elementOfTable(e, peers.members->positions, axes)
                       : e.make<AxisIndexOp>(axes.names, axes.sizes);
}

/// The combination of the values of a device's peers by a translated body.
FailureOr<Algebra::Values> reduced(Importer &e, Region &body, ValueRange values, const Peers &peers) {
  if (peers.isAlone())
    return Algebra::Values(values);
  const Reducer *reducer = values.size() == 1 ? reducerOf(body) : nullptr;
  if (!peers.members) {
    ArrayAttr axes = peers.axes.names;
    if (reducer == &kSum)
      return Algebra::Values{e.make<AllReduceSumOp>(values[0], axes, false)};
    if (reducer == &kMax && !Algebra::isComplex(values[0]))
      return Algebra::Values{e.make<AllReduceMaxOp>(values[0], axes, false)};
    if (reducer == &kMin && !Algebra::isComplex(values[0]))
      return Algebra::Values{e.make<AllReduceMinOp>(values[0], axes, false)};
  }
  Algebra::Values all;
  for (Value x : values)
    all.push_back(gathered(e, x, peers, 0));
  if (reducer)
    return Algebra::Values{reducer->all(e, all[0], {0})};
  return e.combined(body, all);
}

LogicalResult checkBody(Operation *op, Region &body, ValueRange values) {
  if (body.getNumArguments() == 2 * values.size() && returned(body).size() == values.size())
    return success();
  return op->emitError() << op->getName().stripDialect() << ": the body must combine two values of each of "
                         << values.size() << " arrays, got: " << body.getNumArguments() << " arguments";
}

struct ImportAllReduce : Import<ImportAllReduce, stablehlo::AllReduceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto reduce = cast<stablehlo::AllReduceOp>(op);
    FailureOr<Peers> peers = peersOf(op, reduce.getReplicaGroups(), false);
    Region &body = reduce.getComputation();
    if (failed(peers) || failed(checkBody(op, body, op->getOperands())) || failed(e.translate(body)))
      return failure();
    bool isOne = reducerOf(body);
    if (op->getNumOperands() > 1 && !isOne) {
      FailureOr<Algebra::Values> found = reduced(e, body, op->getOperands(), *peers);
      if (failed(found))
        return failure();
      llvm::append_range(results, *found);
      return success();
    }
    for (Value x : op->getOperands()) {
      FailureOr<Algebra::Values> found = reduced(e, body, x, *peers);
      if (failed(found))
        return failure();
      llvm::append_range(results, *found);
    }
    return success();
  }
};

/// An array in which a dimension is replaced by `count` times a shorter one; the inverse.
LogicalResult divided(Operation *op, Importer &e, Value &x, int64_t dim, int64_t count) {
  auto type = Algebra::typeOf(x);
  bool isIn = dim >= 0 && dim < type.getRank();
  if (!isIn || type.isDynamicDim(dim) || type.getDimSize(dim) % count)
    return op->emitError() << op->getName().stripDialect() << ": a dimension must be divided into " << count
                           << " parts, got: " << dim << " of " << type;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= count;
  shape.insert(shape.begin() + dim, count);
  x = e.reshapedTo(x, shape);
  return success();
}
Value joinedDims(Importer &e, Value x, int64_t dim) {
  SmallVector<int64_t> shape(Algebra::typeOf(x).getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return e.reshapedTo(x, shape);
}

LogicalResult checkDim(Operation *op, Value x, int64_t dim) {
  auto type = Algebra::typeOf(x);
  if (dim >= 0 && dim < type.getRank() && type.hasStaticShape())
    return success();
  return op->emitError() << op->getName().stripDialect()
                         << ": the dimension must be one of an array of known sizes, got: " << dim << " of " << type;
}

struct ImportReduceScatter : Import<ImportReduceScatter, stablehlo::ReduceScatterOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto scatter = cast<stablehlo::ReduceScatterOp>(op);
    FailureOr<Peers> peers = peersOf(op, scatter.getReplicaGroups(), true);
    Region &body = scatter.getComputation();
    Value x = scatter.getOperand();
    int64_t dim = scatter.getScatterDimension();
    if (failed(peers) || failed(checkBody(op, body, x)) || failed(e.translate(body)) || failed(checkDim(op, x, dim)))
      return failure();
    if (peers->isAlone()) {
      results.push_back(x);
      return success();
    }
    if (failed(divided(op, e, x, dim, peers->count)))
      return failure();
    if (reducerOf(body) == &kSum && !peers->members) {
      results.push_back(e.make<ReduceScatterOp>(x, peers->axes.names, peers->axes.sizes, dim));
      return success();
    }
    FailureOr<Algebra::Values> whole = reduced(e, body, x, *peers);
    if (failed(whole))
      return failure();
    results.push_back(e.at((*whole)[0], dim, positionIn(e, *peers)));
    return success();
  }
};

//===- Exchanges -------------------------------------------------------------------------===//

struct ImportAllGather : Import<ImportAllGather, stablehlo::AllGatherOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto gather = cast<stablehlo::AllGatherOp>(op);
    FailureOr<Peers> peers = peersOf(op, gather.getReplicaGroups(), true);
    int64_t dim = gather.getAllGatherDim();
    if (failed(peers))
      return failure();
    for (Value x : op->getOperands()) {
      if (failed(checkDim(op, x, dim)))
        return failure();
      results.push_back(peers->isAlone() ? x : joinedDims(e, gathered(e, x, *peers, dim), dim));
    }
    return success();
  }
};

struct ImportAllToAll : Import<ImportAllToAll, stablehlo::AllToAllOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto exchange = cast<stablehlo::AllToAllOp>(op);
    FailureOr<Peers> peers = peersOf(op, exchange.getReplicaGroups(), true);
    int64_t from = exchange.getSplitDimension(), to = exchange.getConcatDimension();
    if (failed(peers))
      return failure();
    for (Value x : op->getOperands()) {
      if (failed(checkDim(op, x, from)) || failed(checkDim(op, x, to)))
        return failure();
      if (!peers->isAlone()) {
        if (failed(divided(op, e, x, from, peers->count)))
          return failure();
        // Of each peer's parts, the one for this device.
        x = peers->members ? e.moveDim(e.at(gathered(e, x, *peers, 0), from + 1, positionIn(e, *peers)), 0, to)
                           : e.make<AllToAllOp>(x, peers->axes.names, peers->axes.sizes, from, to);
        x = joinedDims(e, x, to);
      }
      results.push_back(x);
    }
    return success();
  }
};

/// What each device receives by pairs that are no permutation along axes: one of all values, or zeros.
FailureOr<Value> fromSources(Operation *op, Importer &e, const Groups &pairs, const Devices &devices) {
  int64_t count = devices.mesh.getNumDevices();
  SmallVector<int32_t> sources(count, 0), receives(count, 0);
  bool areValid = devices.axes.size() == devices.mesh.getAxes().size();
  std::set<int64_t> senders;
  for (const SmallVector<int64_t> &pair : pairs) {
    areValid = areValid && pair.size() == 2 && !receives[pair[1]] && senders.insert(pair[0]).second;
    if (!areValid)
      return op->emitError() << "collective_permute: pairs of devices must lie along axes, or be of devices of all "
                                "axes, each a source and a target at most once, of "
                             << devices.mesh
                             << ", got: " << cast<stablehlo::CollectivePermuteOp>(op).getSourceTargetPairs();
    sources[pair[1]] = pair[0], receives[pair[1]] = 1;
  }
  Axes axes(devices, devices.axes);
  Value x = op->getOperand(0);
  Value all = e.make<AllGatherOp>(x, axes.names, axes.sizes, 0);
  Value received = e.at(all, 0, elementOfTable(e, sources, axes));
  Value isReceived = e.convert(elementOfTable(e, receives, axes), e.builder.getI1Type());
  return e.select(e.everywhere(isReceived, x), received, e.zerosLike(x));
}

/// Pairs that are the same along all but some axes are one permutation along these.
struct ImportPermute : Import<ImportPermute, stablehlo::CollectivePermuteOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto permute = cast<stablehlo::CollectivePermuteOp>(op);
    FailureOr<Devices> devices = devicesOf(op);
    if (failed(devices))
      return failure();
    DenseIntElementsAttr stated = permute.getSourceTargetPairs();
    FailureOr<Groups> pairs = rowsOf(op, stated, *devices);
    if (failed(pairs))
      return failure();
    bool arePairs = pairs->empty() || pairs->begin()->size() == 2;
    std::optional<Axes> axes;
    SmallVector<int64_t> sources, targets;
    arePairs &= select(devices->axes, false, [&](ArrayRef<StringAttr> candidate) {
      if (candidate.empty() || !arePairs)
        return false;
      auto groups = groupsOver(devices->mesh, candidate);
      // The place of each device in the first group; -1 in others.
      SmallVector<int64_t> places(devices->mesh.getNumDevices(), -1);
      for (auto [i, device] : llvm::enumerate(groups[0]))
        places[device] = i;
      Groups expected;
      sources.clear(), targets.clear();
      for (const SmallVector<int64_t> &pair : *pairs) {
        int64_t source = places[pair[0]], target = places[pair[1]];
        if (source < 0 || target < 0)
          continue;
        sources.push_back(source), targets.push_back(target);
        for (auto &group : groups)
          expected.insert({group[source], group[target]});
      }
      if (expected != *pairs)
        return false;
      axes.emplace(*devices, candidate);
      return true;
    });
    if (!arePairs) {
      FailureOr<Value> received = fromSources(op, e, *pairs, *devices);
      if (failed(received))
        return failure();
      results.push_back(*received);
      return success();
    }
    results.push_back(e.make<PermuteOp>(permute.getOperand(), axes->names, axes->sizes, sources, targets));
    return success();
  }
};

struct ImportBroadcastFrom : Import<ImportBroadcastFrom, stablehlo::CollectiveBroadcastOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto broadcast = cast<stablehlo::CollectiveBroadcastOp>(op);
    FailureOr<Peers> peers = peersOf(op, broadcast.getReplicaGroups(), true);
    if (failed(peers))
      return failure();
    Value x = broadcast.getOperand();
    results.push_back(peers->isAlone() ? x : e.at(gathered(e, x, *peers, 0), 0, e.place(0)));
    return success();
  }
};

/// The number of a device is its position on the mesh; of a program without devices it is 0.
template <typename Theirs>
struct ImportDeviceNumber : Import<ImportDeviceNumber<Theirs>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    FailureOr<Devices> devices = devicesOf(op);
    if (failed(devices))
      return failure();
    bool isManual = op->getParentOfType<sdy::SdyManualComputationOp>() != nullptr;
    bool isReplica = std::is_same_v<Theirs, stablehlo::ReplicaIdOp>;
    StringRef own = isReplica ? "replica" : "partition";
    SmallVector<StringAttr> axes;
    for (StringAttr axis : devices->mesh.getAxes())
      if (isManual ? !isReplica : axis == own)
        axes.push_back(axis);
    Type element = getElementTypeOrSelf(op->getResult(0));
    for (StringAttr axis : axes)
      if (!llvm::is_contained(devices->axes, axis) || !devices->positions.empty())
        return op->emitError() << op->getName().stripDialect() << ": all axes of " << devices->mesh
                               << " must be manual, with devices in their order, got: " << devices->axes.size();
    Axes all(*devices, axes);
    results.push_back(e.convert(axes.empty() ? e.place(0) : e.make<AxisIndexOp>(all.names, all.sizes), element));
    return success();
  }
};

} // namespace

void attachCollectiveCounterparts(MLIRContext *c) {
  stablehlo::AllReduceOp::attachInterface<ImportAllReduce>(*c);
  stablehlo::AllGatherOp::attachInterface<ImportAllGather>(*c);
  stablehlo::ReduceScatterOp::attachInterface<ImportReduceScatter>(*c);
  stablehlo::AllToAllOp::attachInterface<ImportAllToAll>(*c);
  stablehlo::CollectivePermuteOp::attachInterface<ImportPermute>(*c);
  stablehlo::CollectiveBroadcastOp::attachInterface<ImportBroadcastFrom>(*c);
  stablehlo::PartitionIdOp::attachInterface<ImportDeviceNumber<stablehlo::PartitionIdOp>>(*c);
  stablehlo::ReplicaIdOp::attachInterface<ImportDeviceNumber<stablehlo::ReplicaIdOp>>(*c);
}

} // namespace dovetail
