// Lowering of collectives over the axes of a mesh: on the CPU to calls of the library of collectives, on GPUs to
// IREE's.
#include "dialects/Collective.h"
#include "Channel.h"
#include "Lowering.h"
#include "cpp/dispatch/CollectiveCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

using collectives::Kind;

namespace {

/// The number of the device, the last argument of the function under construction.
Value participantOf(ImplicitLocOpBuilder &b) {
  Block *block = b.getInsertionBlock();
  while (!isa<func::FuncOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  return block->getArguments().back();
}

/// What to do, and where: dimension `from` of the operand is divided among the group, or `to` of the result is its.
struct Collective : CollectiveCall {
  int64_t from = 0, to = 0;
};

/// A collective over the axes of an op. Fails if they are not axes of the program's mesh.
FailureOr<Collective> collectiveOver(Operation *op, ArrayAttr axes) {
  auto mesh = op->getParentOfType<ModuleOp>()->getAttrOfType<MeshAttr>(kMesh);
  auto stated = op->getAttrOfType<DenseI64ArrayAttr>("sizes");
  Collective call = {};
  call.text = (op->getName().stripDialect() + " over ").str();
  for (auto [i, axis] : llvm::enumerate(axes.getAsRange<StringAttr>())) {
    if (!mesh || mesh.sizeOf(axis) == 0)
      return op->emitOpError() << "axes must be bound by a vmap or a mesh that names them, got: " << axes;
    auto position = llvm::find(mesh.getAxes(), axis) - mesh.getAxes().begin();
    ArrayRef<int64_t> sizes = mesh.getSizes().drop_front(position);
    if (stated && stated[i] != sizes.front())
      return op->emitOpError() << "axis " << axis << " must have the size that the mesh states, " << sizes.front()
                               << ", got: " << stated[i];
    call.axes.push_back({sizes.front(), ShapedType::getNumElements(sizes.drop_front())});
    call.text += (i ? ", " : "") + axis.str();
  }
  call.participants = mesh.getNumDevices();
  return call;
}

/// A collective on an array, with what `describe` says of its kind.
template <typename Op>
struct CollectiveLowering : LowerOpInterface::ExternalModel<CollectiveLowering<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    if (isInDispatch(b))
      return failure();
    auto collective = cast<Op>(op);
    FailureOr<Collective> call = collectiveOver(op, collective.getAxes());
    if (failed(call))
      return failure();
    SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]), resultSizes = sizes;
    describe(collective, *call, b, sizes, resultSizes);
    auto [shape, dynamic] = decomposeMixedValues(resultSizes);
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(operands[0]));
    // Devices refuse memory of no bytes.
    if (type.hasStaticShape() && type.getNumElements() == 0) {
      results.push_back(empty(b, resultSizes, type.getElementType()));
      return success();
    }
    if (isAllReduce(call->kind) && call->groupSize() == 1) {
      results.push_back(operands[0]);
      return success();
    }
    call->element = getElementTypeOrSelf(collective.getX());
    if (Target(op).isGpu()) {
      results.push_back(overChannel(b, *call, operands[0], call->from, call->to));
      return success();
    }
    for (OpFoldResult size : {call->outer, call->middle, call->inner})
      if (getConstantIntValue(size).value_or(0) > std::numeric_limits<uint32_t>::max())
        return op->emitOpError() << "an array must have less than 2^32 elements before or behind a dimension, got: "
                                 << collective.getX().getType();
    results.push_back(callCollective(b, *call, operands[0], participantOf(b), type, dynamic));
    return success();
  }

private:
  using Sizes = SmallVector<OpFoldResult>;

  static bool isAllReduce(Kind kind) {
    return kind == Kind::AllReduceSum || kind == Kind::AllReduceMax || kind == Kind::AllReduceMin;
  }

  /// Says what is to be done, and the sizes of the result, given those of the operand.
  static void describe(Op op, Collective &call, ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                       Sizes &resultSizes);

  /// The dimensions before, between and behind two others.
  static void setSizes(Collective &call, ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, int64_t first,
                       int64_t second) {
    call.outer = productOf(b, sizes.take_front(first));
    call.middle = productOf(b, sizes.slice(first, second - first));
    call.inner = productOf(b, sizes.drop_front(second));
  }

  /// All dimensions in two numbers: each size fits in 32 bits, the product of all need not.
  static void describePointwise(Kind kind, Collective &call, ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes) {
    call.kind = kind;
    setSizes(call, b, sizes, sizes.size() > 1 ? 1 : 0, sizes.size() > 1 ? 1 : 0);
  }

  static Sizes without(ArrayRef<OpFoldResult> sizes, int64_t dimension) {
    Sizes rest(sizes);
    rest.erase(rest.begin() + dimension);
    return rest;
  }
};

template <>
void CollectiveLowering<AllReduceSumOp>::describe(AllReduceSumOp, Collective &call, ImplicitLocOpBuilder &b,
                                                  ArrayRef<OpFoldResult> sizes, Sizes &) {
  describePointwise(Kind::AllReduceSum, call, b, sizes);
}

template <>
void CollectiveLowering<AllReduceMaxOp>::describe(AllReduceMaxOp, Collective &call, ImplicitLocOpBuilder &b,
                                                  ArrayRef<OpFoldResult> sizes, Sizes &) {
  describePointwise(Kind::AllReduceMax, call, b, sizes);
}

template <>
void CollectiveLowering<AllReduceMinOp>::describe(AllReduceMinOp, Collective &call, ImplicitLocOpBuilder &b,
                                                  ArrayRef<OpFoldResult> sizes, Sizes &) {
  describePointwise(Kind::AllReduceMin, call, b, sizes);
}

template <>
void CollectiveLowering<PermuteOp>::describe(PermuteOp op, Collective &call, ImplicitLocOpBuilder &b,
                                             ArrayRef<OpFoldResult> sizes, Sizes &) {
  describePointwise(Kind::Permute, call, b, sizes);
  for (auto [source, target] : llvm::zip_equal(op.getSources(), op.getTargets()))
    call.pairs.push_back({source, target});
}

template <>
void CollectiveLowering<AllGatherOp>::describe(AllGatherOp op, Collective &call, ImplicitLocOpBuilder &b,
                                               ArrayRef<OpFoldResult> sizes, Sizes &resultSizes) {
  call.kind = Kind::AllGather;
  int64_t dimension = call.to = op.getDimension();
  setSizes(call, b, sizes, dimension, dimension);
  resultSizes.insert(resultSizes.begin() + dimension, b.getIndexAttr(call.groupSize()));
}

template <>
void CollectiveLowering<ReduceScatterOp>::describe(ReduceScatterOp op, Collective &call, ImplicitLocOpBuilder &b,
                                                   ArrayRef<OpFoldResult> sizes, Sizes &resultSizes) {
  call.kind = Kind::ReduceScatter;
  int64_t dimension = call.from = op.getDimension();
  resultSizes = without(sizes, dimension);
  setSizes(call, b, resultSizes, dimension, dimension);
}

template <>
void CollectiveLowering<AllToAllOp>::describe(AllToAllOp op, Collective &call, ImplicitLocOpBuilder &b,
                                              ArrayRef<OpFoldResult> sizes, Sizes &resultSizes) {
  int64_t from = call.from = op.getFrom(), to = call.to = op.getTo();
  call.kind = from <= to ? Kind::AllToAllInward : Kind::AllToAllOutward;
  resultSizes = without(sizes, from);
  setSizes(call, b, resultSizes, std::min(from, to), std::max(from, to));
  resultSizes.insert(resultSizes.begin() + to, sizes[from]);
}

struct VaryLowering : LowerOpInterface::ExternalModel<VaryLowering, VaryOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    results.push_back(operands[0]);
    return failed(collectiveOver(op, cast<VaryOp>(op).getAxes())) ? failure() : success();
  }
};

struct AxisIndexLowering : LowerOpInterface::ExternalModel<AxisIndexLowering, AxisIndexOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange, SmallVectorImpl<Value> &results) const {
    if (isInDispatch(b))
      return failure();
    FailureOr<Collective> call = collectiveOver(op, cast<AxisIndexOp>(op).getAxes());
    if (failed(call))
      return failure();
    results.push_back(mapElements(b, participantOf(b), b.getI32Type(), [&](OpBuilder &b, Location loc, Value number) {
      auto constant = [&](int64_t value) {
        return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)).getResult();
      };
      Value index = constant(0);
      for (auto axis : call->axes) {
        Value along = arith::DivUIOp::create(b, loc, number, constant(axis.stride));
        along = arith::RemUIOp::create(b, loc, along, constant(axis.size));
        index = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, index, constant(axis.size)), along);
      }
      return index;
    }));
    return success();
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<CollectiveLowering<Ops>>(*context), ...);
}
} // namespace

void attachCollectiveLowerings(MLIRContext *context) {
  attach<AllGatherOp, AllReduceMaxOp, AllReduceMinOp, AllReduceSumOp, AllToAllOp, PermuteOp, ReduceScatterOp>(context);
  AxisIndexOp::attachInterface<AxisIndexLowering>(*context);
  VaryOp::attachInterface<VaryLowering>(*context);
}

} // namespace dovetail
