// Counterparts of collectives in StableHLO: axes of a mesh become groups of devices.
#include "Devices.h"
#include "Exporter.h"
#include "Families.h"
#include "dialects/Collective.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

DenseIntElementsAttr matrix(MLIRContext *context, ArrayRef<SmallVector<int64_t>> rows, int64_t columns) {
  SmallVector<int64_t> flat;
  for (const SmallVector<int64_t> &row : rows)
    llvm::append_range(flat, row);
  auto type = RankedTensorType::get({static_cast<int64_t>(rows.size()), columns}, IntegerType::get(context, 64));
  return DenseIntElementsAttr::get(type, flat);
}

/// The devices of the program, which must have all axes that a collective names.
FailureOr<Devices> devicesFor(Operation *op, ArrayAttr axes) {
  FailureOr<Devices> devices = devicesOf(op);
  if (failed(devices))
    return failure();
  for (StringAttr axis : axes.getAsRange<StringAttr>())
    if (!llvm::is_contained(devices->axes, axis))
      return op->emitError() << "a collective must be over axes of a mesh in StableHLO, got: " << axis;
  return devices;
}

/// The groups of devices along axes.
FailureOr<DenseIntElementsAttr> groupsFor(Operation *op, ArrayAttr axes) {
  FailureOr<Devices> devices = devicesFor(op, axes);
  if (failed(devices))
    return failure();
  auto groups = groupsOver(devices->mesh, llvm::to_vector(axes.getAsRange<StringAttr>()));
  return matrix(op->getContext(), groups, groups[0].size());
}

/// All collectives of a program may have one number.
Attribute channel(Operation *op) { return stablehlo::ChannelHandleAttr::get(op->getContext(), 1, 0); }

template <typename Ours, typename Applied>
void fillReducer(Exporter &e, Region &region, Type element) {
  auto scalar = RankedTensorType::get({}, element);
  e.fillBody(region, {scalar, scalar},
             [](Exporter &inner, ValueRange pair) { return Algebra::Values{inner.make<Applied>(pair[0], pair[1])}; });
}

template <typename Ours, typename Applied>
struct ExportAllReduce : Export<ExportAllReduce<Ours, Applied>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    FailureOr<DenseIntElementsAttr> groups = groupsFor(op, cast<Ours>(op).getAxes());
    if (failed(groups))
      return failure();
    auto made = stablehlo::AllReduceOp::create(e.builder, e.loc, op->getResultTypes(), op->getOperands(), *groups,
                                               channel(op), /*use_global_device_ids=*/true);
    fillReducer<Ours, Applied>(e, made.getComputation(), getElementTypeOrSelf(op->getResult(0)));
    llvm::append_range(results, made->getResults());
    return success();
  }
};

/// An array with a dimension of one element more.
Value withUnit(Exporter &e, Value x, int64_t dim) {
  SmallVector<int64_t> shape(Algebra::typeOf(x).getShape());
  shape.insert(shape.begin() + dim, 1);
  return e.reshapedTo(x, shape);
}

struct ExportAllGather : Export<ExportAllGather, AllGatherOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto gather = cast<AllGatherOp>(op);
    FailureOr<DenseIntElementsAttr> groups = groupsFor(op, gather.getAxes());
    if (failed(groups))
      return failure();
    Value x = withUnit(e, gather.getX(), gather.getDimension());
    auto made = stablehlo::AllGatherOp::create(e.builder, e.loc, op->getResultTypes(), ValueRange(x),
                                               gather.getDimension(), *groups, channel(op), true);
    results.push_back(made->getResult(0));
    return success();
  }
};

struct ExportReduceScatter : Export<ExportReduceScatter, ReduceScatterOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto scatter = cast<ReduceScatterOp>(op);
    FailureOr<DenseIntElementsAttr> groups = groupsFor(op, scatter.getAxes());
    if (failed(groups))
      return failure();
    auto type = Algebra::typeOf(scatter.getX());
    SmallVector<int64_t> shape(type.getShape());
    shape[scatter.getDimension()] = 1;
    auto made = stablehlo::ReduceScatterOp::create(e.builder, e.loc, type.clone(shape), scatter.getX(),
                                                   scatter.getDimension(), *groups, true, channel(op));
    fillReducer<ReduceScatterOp, AddOp>(e, made.getComputation(), type.getElementType());
    results.push_back(e.reshapedTo(made.getResult(), cast<RankedTensorType>(op->getResult(0).getType()).getShape()));
    return success();
  }
};

struct ExportAllToAll : Export<ExportAllToAll, AllToAllOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto exchange = cast<AllToAllOp>(op);
    FailureOr<DenseIntElementsAttr> groups = groupsFor(op, exchange.getAxes());
    if (failed(groups))
      return failure();
    // The dimension that the result has, with one element, in the array that still has the other one.
    int64_t from = exchange.getFrom(), to = exchange.getTo(), at = to <= from ? to : to + 1;
    Value x = withUnit(e, exchange.getX(), at);
    from += at <= from;
    auto type = Algebra::typeOf(x);
    SmallVector<int64_t> shape(type.getShape());
    int64_t count = shape[from];
    std::swap(shape[from], shape[at]);
    auto moved = stablehlo::AllToAllOp::create(e.builder, e.loc, TypeRange(type.clone(shape)), ValueRange(x), from, at,
                                               count, *groups, channel(op));
    results.push_back(e.reshapedTo(moved->getResult(0), cast<RankedTensorType>(op->getResult(0).getType()).getShape()));
    return success();
  }
};

struct ExportPermute : Export<ExportPermute, PermuteOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto permute = cast<PermuteOp>(op);
    FailureOr<Devices> devices = devicesFor(op, permute.getAxes());
    if (failed(devices))
      return failure();
    SmallVector<SmallVector<int64_t>> pairs;
    for (auto &group : groupsOver(devices->mesh, llvm::to_vector(permute.getAxes().getAsRange<StringAttr>())))
      for (auto [source, target] : llvm::zip_equal(permute.getSources(), permute.getTargets()))
        pairs.push_back({group[source], group[target]});
    results.push_back(e.theirs<stablehlo::CollectivePermuteOp>(op->getResult(0).getType(), permute.getX(),
                                                               matrix(op->getContext(), pairs, 2), channel(op)));
    return success();
  }
};

/// The index along an axis follows from the number of the device.
struct ExportAxisIndex : Export<ExportAxisIndex, AxisIndexOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto index = cast<AxisIndexOp>(op);
    FailureOr<Devices> devices = devicesFor(op, index.getAxes());
    if (failed(devices))
      return failure();
    Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
    Value number = e.theirs<stablehlo::PartitionIdOp>(RankedTensorType::get({}, word)), found;
    number = e.convert(number, e.builder.getI32Type());
    for (StringAttr axis : index.getAxes().getAsRange<StringAttr>()) {
      int64_t stride = groupsOver(devices->mesh, axis)[0].back() / std::max<int64_t>(devices->mesh.sizeOf(axis) - 1, 1);
      Value along = e.make<DivOp>(number, e.place(std::max<int64_t>(stride, 1)));
      along = e.make<RemOp>(along, e.place(devices->mesh.sizeOf(axis)));
      found = found ? e.plus(e.times(found, e.place(devices->mesh.sizeOf(axis))), along) : along;
    }
    results.push_back(found);
    return success();
  }
};

struct ExportVary : Export<ExportVary, VaryOp> {
  LogicalResult exportTo(Operation *op, Exporter &, Results &results) const {
    results.push_back(op->getOperand(0));
    return success();
  }
};

} // namespace

void attachCollectivesToStablehlo(MLIRContext *c) {
  AllReduceSumOp::attachInterface<ExportAllReduce<AllReduceSumOp, AddOp>>(*c);
  AllReduceMaxOp::attachInterface<ExportAllReduce<AllReduceMaxOp, MaxOp>>(*c);
  AllReduceMinOp::attachInterface<ExportAllReduce<AllReduceMinOp, MinOp>>(*c);
  AllGatherOp::attachInterface<ExportAllGather>(*c);
  ReduceScatterOp::attachInterface<ExportReduceScatter>(*c);
  AllToAllOp::attachInterface<ExportAllToAll>(*c);
  PermuteOp::attachInterface<ExportPermute>(*c);
  AxisIndexOp::attachInterface<ExportAxisIndex>(*c);
  VaryOp::attachInterface<ExportVary>(*c);
}

} // namespace dovetail
