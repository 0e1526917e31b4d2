// Lowering of control flow to scf.
#include "dialects/Control.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// One of the slices along the leading dimension of an array, as offsets, sizes and strides.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  Slice(ImplicitLocOpBuilder &b, Value array, Value index) {
    auto whole = cast<RankedTensorType>(array.getType());
    sizes = sizesOf(b, array);
    sizes[0] = b.getIndexAttr(1);
    offsets.assign(sizes.size(), b.getIndexAttr(0));
    offsets[0] = index;
    strides.assign(sizes.size(), b.getIndexAttr(1));
    type = RankedTensorType::get(whole.getShape().drop_front(), whole.getElementType());
  }
};

struct ScanLowering : LowerOpInterface::ExternalModel<ScanLowering, ScanOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto scan = cast<ScanOp>(op);
    size_t numInits = scan.getInits().size(), numXs = scan.getXs().size(), numConsts = scan.getConsts().size();
    ValueRange xs = operands.slice(numInits, numXs), consts = operands.slice(numInits + numXs, numConsts);
    OpFoldResult length = lengthOf(scan, b, operands);
    SmallVector<Value> state(operands.take_front(numInits));
    if (failed(appendStacks(scan, b, operands, length, state)))
      return failure();
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    Value end = asValue(b, length), last = arith::SubIOp::create(b, end, one);
    LogicalResult lowered = success();
    auto loop =
        scf::ForOp::create(b, zero, end, one, state, [&](OpBuilder &builder, Location loc, Value i, ValueRange now) {
          ImplicitLocOpBuilder inner(loc, builder);
          Value index = scan.getReverse() ? arith::SubIOp::create(inner, last, i).getResult() : i;
          SmallVector<Value> arguments(now.take_front(numInits)), next;
          for (Value x : xs) {
            Slice at(inner, x, index);
            arguments.push_back(
                tensor::ExtractSliceOp::create(inner, at.type, x, at.offsets, at.sizes, at.strides).getResult());
          }
          llvm::append_range(arguments, consts);
          lowered = lowerBody(inner, scan.getBody(), arguments, next);
          if (failed(lowered))
            next = llvm::to_vector(now);
          for (size_t n = numInits; n < next.size() && succeeded(lowered); ++n) {
            Slice at(inner, now[n], index);
            next[n] = tensor::InsertSliceOp::create(inner, next[n], now[n], at.offsets, at.sizes, at.strides);
          }
          scf::YieldOp::create(inner, next);
        });
    llvm::append_range(results, loop.getResults());
    return lowered;
  }

  static OpFoldResult lengthOf(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands) {
    if (int64_t length = scan.getLength(); length >= 0)
      return b.getIndexAttr(length);
    if (scan.getCount())
      return arith::IndexCastOp::create(b, b.getIndexType(),
                                        tensor::ExtractOp::create(b, operands.back(), ValueRange()))
          .getResult();
    return sizesOf(b, operands[scan.getInits().size()])[0];
  }

  /// Arrays for what is stacked, without elements yet.
  static LogicalResult appendStacks(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands, OpFoldResult length,
                                    SmallVectorImpl<Value> &state) {
    for (Value stacked : scan.getResults().drop_front(scan.getInits().size())) {
      auto type = cast<RankedTensorType>(loweredType(stacked.getType()));
      SmallVector<OpFoldResult> sizes = {length};
      for (int64_t size : type.getShape().drop_front()) {
        if (ShapedType::isDynamic(size))
          return scan.emitError() << "arrays stacked by a loop must have slices of known sizes, got: "
                                  << stacked.getType();
        sizes.push_back(b.getIndexAttr(size));
      }
      state.push_back(empty(b, sizes, type.getElementType()));
    }
    return success();
  }
};

struct WhileLowering : LowerOpInterface::ExternalModel<WhileLowering, WhileOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto loop = cast<WhileOp>(op);
    size_t numInits = loop.getInits().size();
    ValueRange inits = operands.take_front(numInits), consts = operands.drop_front(numInits);
    LogicalResult lowered = success();
    auto region = [&](Region &body, OpBuilder &builder, Location loc, ValueRange now) {
      ImplicitLocOpBuilder inner(loc, builder);
      SmallVector<Value> arguments(now), outs;
      llvm::append_range(arguments, consts);
      if (failed(lowerBody(inner, body, arguments, outs)))
        lowered = failure();
      return outs;
    };
    auto made = scf::WhileOp::create(
        b, inits.getTypes(), inits,
        [&](OpBuilder &builder, Location loc, ValueRange now) {
          SmallVector<Value> predicate = region(loop.getCond(), builder, loc, now);
          Value holds = predicate.empty()
                            ? arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)).getResult()
                            : tensor::ExtractOp::create(builder, loc, predicate[0], ValueRange()).getResult();
          scf::ConditionOp::create(builder, loc, holds, now);
        },
        [&](OpBuilder &builder, Location loc, ValueRange now) {
          SmallVector<Value> next = region(loop.getBody(), builder, loc, now);
          scf::YieldOp::create(builder, loc, failed(lowered) ? now : ValueRange(next));
        });
    llvm::append_range(results, made.getResults());
    return lowered;
  }
};

struct CaseLowering : LowerOpInterface::ExternalModel<CaseLowering, CaseOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto chosen = cast<CaseOp>(op);
    Value index = tensor::ExtractOp::create(b, operands[0], ValueRange());
    return lowerFrom(chosen, 0, b, index, operands.drop_front(), results);
  }

  /// One of the branches from `number` on.
  static LogicalResult lowerFrom(CaseOp op, unsigned number, ImplicitLocOpBuilder &b, Value index, ValueRange args,
                                 SmallVectorImpl<Value> &results) {
    if (number + 1 == op.getBranches().size())
      return lowerBody(b, op.getBranches()[number], args, results);
    Value bound = arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
    Value isThis = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, index, bound);
    LogicalResult lowered = success();
    auto types = llvm::map_to_vector(op.getResultTypes(), loweredType);
    auto branch = [&](OpBuilder &builder, Location loc, bool isFirst) {
      ImplicitLocOpBuilder inner(loc, builder);
      SmallVector<Value> outs;
      if (failed(isFirst ? lowerBody(inner, op.getBranches()[number], args, outs)
                         : lowerFrom(op, number + 1, inner, index, args, outs)))
        lowered = failure();
      scf::YieldOp::create(inner, outs);
    };
    auto made = scf::IfOp::create(
        b, isThis, [&](OpBuilder &builder, Location loc) { branch(builder, loc, true); },
        [&](OpBuilder &builder, Location loc) { branch(builder, loc, false); });
    llvm::append_range(results, made.getResults());
    return lowered;
  }
};

struct IndexLowering : LowerOpInterface::ExternalModel<IndexLowering, IndexOp> {
  LogicalResult lower(Operation *, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    Value number = tensor::ExtractOp::create(b, operands[0], ValueRange());
    results.push_back(arith::IndexCastOp::create(b, b.getIndexType(), number));
    return success();
  }
};

} // namespace

void attachControlLowerings(MLIRContext *context) {
  ScanOp::attachInterface<ScanLowering>(*context);
  WhileOp::attachInterface<WhileLowering>(*context);
  CaseOp::attachInterface<CaseLowering>(*context);
  IndexOp::attachInterface<IndexLowering>(*context);
}

} // namespace dovetail
