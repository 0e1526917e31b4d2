// Counterparts of ops that create arrays, and that move elements without computing on them.
#include "Exporter.h"
#include "Families.h"
#include "dialects/Call.h"
#include "dialects/Create.h"
#include "dialects/Shape.h"
#include "dialects/Size.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

RankedTensorType resultType(Operation *op) { return cast<RankedTensorType>(op->getResult(0).getType()); }

template <typename Theirs>
struct ImportConstant : Import<ImportConstant<Theirs>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.make<ConstantOp>(cast<Theirs>(op).getValue()));
    return success();
  }
};

struct ImportIota : Import<ImportIota, stablehlo::IotaOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.make<IotaOp>(resultType(op), cast<stablehlo::IotaOp>(op).getIotaDimension(), ValueRange()));
    return success();
  }
};

struct ImportBroadcast : Import<ImportBroadcast, stablehlo::BroadcastInDimOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto broadcast = cast<stablehlo::BroadcastInDimOp>(op);
    results.push_back(e.broadcastInDim(broadcast.getOperand(), broadcast.getBroadcastDimensions(), resultType(op), {}));
    return success();
  }
};

struct ImportReshape : Import<ImportReshape, stablehlo::ReshapeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.reshape(op->getOperand(0), resultType(op), {}));
    return success();
  }
};

struct ImportTranspose : Import<ImportTranspose, stablehlo::TransposeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.transpose(op->getOperand(0), cast<stablehlo::TransposeOp>(op).getPermutation()));
    return success();
  }
};

struct ImportReverse : Import<ImportReverse, stablehlo::ReverseOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.backwards(op->getOperand(0), cast<stablehlo::ReverseOp>(op).getDimensions()));
    return success();
  }
};

struct ImportConcatenate : Import<ImportConcatenate, stablehlo::ConcatenateOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.joined(op->getOperands(), cast<stablehlo::ConcatenateOp>(op).getDimension()));
    return success();
  }
};

struct ImportPad : Import<ImportPad, stablehlo::PadOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto pad = cast<stablehlo::PadOp>(op);
    results.push_back(e.pad(pad.getOperand(), pad.getPaddingValue(), pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(),
                            pad.getInteriorPadding()));
    return success();
  }
};

struct ImportSlice : Import<ImportSlice, stablehlo::SliceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto slice = cast<stablehlo::SliceOp>(op);
    results.push_back(
        e.slice(slice.getOperand(), slice.getStartIndices(), resultType(op).getShape(), slice.getStrides()));
    return success();
  }
};

struct ImportBarrier : Import<ImportBarrier, stablehlo::OptimizationBarrierOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto barrier = OptimizationBarrierOp::create(e.builder, e.loc, op->getOperandTypes(), op->getOperands());
    llvm::append_range(results, barrier->getResults());
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

template <typename Ours, typename Emit>
struct Exported : Export<Exported<Ours, Emit>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    results.push_back(Emit()(e, cast<Ours>(op), resultType(op)));
    return success();
  }
};
template <typename Ours, typename Emit>
void attachExport(MLIRContext *c, Emit) {
  Ours::template attachInterface<Exported<Ours, Emit>>(*c);
}

struct ToConstant {
  Value operator()(Exporter &e, ConstantOp op, RankedTensorType type) {
    return e.theirs<stablehlo::ConstantOp>(type, op.getValue());
  }
};
struct ToIota {
  Value operator()(Exporter &e, IotaOp op, RankedTensorType type) {
    return type.hasStaticShape()
               ? e.theirs<stablehlo::IotaOp>(type, op.getDimension())
               : e.theirs<stablehlo::DynamicIotaOp>(type, e.shapeVector(type, op.getSizes()), op.getDimension());
  }
};
struct ToBroadcast {
  Value operator()(Exporter &e, BroadcastOp op, RankedTensorType type) {
    if (type.hasStaticShape())
      return e.theirs<stablehlo::BroadcastInDimOp>(type, op.getX(), op.getDims());
    auto dims = e.builder.getDenseI64ArrayAttr(op.getDims());
    return e.theirs<stablehlo::DynamicBroadcastInDimOp>(type, op.getX(), e.shapeVector(type, op.getSizes()), dims,
                                                        DenseI64ArrayAttr(), DenseI64ArrayAttr());
  }
};
struct ToReshape {
  Value operator()(Exporter &e, ReshapeOp op, RankedTensorType type) {
    return type.hasStaticShape()
               ? e.theirs<stablehlo::ReshapeOp>(type, op.getX())
               : e.theirs<stablehlo::DynamicReshapeOp>(type, op.getX(), e.shapeVector(type, op.getSizes()));
  }
};
struct ToTranspose {
  Value operator()(Exporter &e, TransposeOp op, RankedTensorType type) {
    return e.theirs<stablehlo::TransposeOp>(type, op.getX(), op.getPermutation());
  }
};
struct ToReverse {
  Value operator()(Exporter &e, ReverseOp op, RankedTensorType type) {
    return e.theirs<stablehlo::ReverseOp>(type, op.getX(), op.getDims());
  }
};
struct ToConcatenate {
  Value operator()(Exporter &e, ConcatenateOp op, RankedTensorType type) {
    return e.theirs<stablehlo::ConcatenateOp>(type, op.getXs(), op.getDimension());
  }
};
struct ToSlice {
  Value operator()(Exporter &e, SliceOp op, RankedTensorType type) {
    if (!type.hasStaticShape()) {
      // The place after the last element, which is not before the first.
      Value starts = e.vector(op.getStarts()), strides = e.vector(op.getStrides());
      Value last = e.mul(e.add(e.shapeVector(type, op.getSizes()), -1.0), strides);
      Value limits = e.greatest(e.add(e.plus(starts, last), 1.0), starts);
      return e.theirs<stablehlo::RealDynamicSliceOp>(type, op.getX(), starts, limits, strides);
    }
    SmallVector<int64_t> limits;
    for (auto [start, size, stride] : llvm::zip(op.getStarts(), type.getShape(), op.getStrides()))
      limits.push_back(size ? start + (size - 1) * stride + 1 : start);
    return e.theirs<stablehlo::SliceOp>(type, op.getX(), op.getStarts(), limits, op.getStrides());
  }
};
struct ToPad {
  Value operator()(Exporter &e, PadOp op, RankedTensorType type) {
    if (!type.hasStaticShape() || !op.getX().getType().hasStaticShape()) {
      Value sizes = e.shapeVector(op.getX()), low = e.vector(op.getLow()), interior = e.vector(op.getInterior());
      Value between = e.mul(e.greatest(e.add(sizes, -1.0), e.zerosLike(sizes)), interior);
      Value high = e.sub(e.sub(e.shapeVector(type, op.getSizes()), low), e.plus(sizes, between));
      return e.theirs<stablehlo::DynamicPadOp>(type, op.getX(), op.getValue(), low, high, interior);
    }
    SmallVector<int64_t> high;
    for (auto [size, low, interior, to] :
         llvm::zip(op.getX().getType().getShape(), op.getLow(), op.getInterior(), type.getShape()))
      high.push_back(to - low - (size ? size + (size - 1) * interior : 0));
    return e.theirs<stablehlo::PadOp>(type, op.getX(), op.getValue(), op.getLow(), high, op.getInterior());
  }
};

struct ExportBarrier : Export<ExportBarrier, OptimizationBarrierOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto barrier = stablehlo::OptimizationBarrierOp::create(e.builder, e.loc, op->getResultTypes(), op->getOperands());
    llvm::append_range(results, barrier->getResults());
    return success();
  }
};

} // namespace

void attachShapeCounterparts(MLIRContext *c) {
  stablehlo::ConstantOp::attachInterface<ImportConstant<stablehlo::ConstantOp>>(*c);
  chlo::ConstantOp::attachInterface<ImportConstant<chlo::ConstantOp>>(*c);
  stablehlo::IotaOp::attachInterface<ImportIota>(*c);
  stablehlo::BroadcastInDimOp::attachInterface<ImportBroadcast>(*c);
  stablehlo::ReshapeOp::attachInterface<ImportReshape>(*c);
  stablehlo::TransposeOp::attachInterface<ImportTranspose>(*c);
  stablehlo::ReverseOp::attachInterface<ImportReverse>(*c);
  stablehlo::ConcatenateOp::attachInterface<ImportConcatenate>(*c);
  stablehlo::PadOp::attachInterface<ImportPad>(*c);
  stablehlo::SliceOp::attachInterface<ImportSlice>(*c);
  stablehlo::OptimizationBarrierOp::attachInterface<ImportBarrier>(*c);
  attachExport<ConstantOp>(c, ToConstant());
  attachExport<IotaOp>(c, ToIota());
  attachExport<BroadcastOp>(c, ToBroadcast());
  attachExport<ReshapeOp>(c, ToReshape());
  attachExport<TransposeOp>(c, ToTranspose());
  attachExport<ReverseOp>(c, ToReverse());
  attachExport<ConcatenateOp>(c, ToConcatenate());
  attachExport<SliceOp>(c, ToSlice());
  attachExport<PadOp>(c, ToPad());
  OptimizationBarrierOp::attachInterface<ExportBarrier>(*c);
}

} // namespace dovetail
