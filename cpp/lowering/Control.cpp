// Lowering of control flow to scf.
#include "dialects/Control.h"
#include "Division.h"
#include "Lowering.h"
#include "cpp/cost/Steps.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/PlanDispatches.h"
#include "cpp/iree/Ops.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Grid.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

  // Empty slices are written explicitly: the verifier accepts no positions in dimensions without elements.
  bool isEmpty() const { return llvm::is_contained(type.getShape(), 0); }

  Value read(ImplicitLocOpBuilder &b, Value array) const {
    if (isEmpty())
      return empty(b, ArrayRef(sizes).drop_front(), type.getElementType());
    return tensor::ExtractSliceOp::create(b, type, array, offsets, sizes, strides);
  }

  Value write(ImplicitLocOpBuilder &b, Value slice, Value array) const {
    return isEmpty() ? array : tensor::InsertSliceOp::create(b, slice, array, offsets, sizes, strides).getResult();
  }
};

/// A loop or a choice between branches: in one dispatch if that pays off, otherwise among the other ops.
LogicalResult
lowerControl(Operation *op, ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<Shape> shapes,
             function_ref<LogicalResult(ImplicitLocOpBuilder &, ValueRange, SmallVectorImpl<Value> &)> emit,
             SmallVectorImpl<Value> &results) {
  if (isForOneDispatch(op, b, inputs.take_front(op->getNumOperands()))) {
    auto isUsed = [&](size_t i) { return !op->getResult(i).use_empty(); };
    SmallVector<Shape> used;
    for (auto [i, shape] : llvm::enumerate(shapes))
      if (isUsed(i))
        used.push_back(shape);
    auto made = dispatchOnce(
        b, inputs, used,
        [&](ImplicitLocOpBuilder &inner, ValueRange inside) -> FailureOr<SmallVector<Value>> {
          SmallVector<Value> outs, kept;
          if (failed(emit(inner, inside, outs)))
            return failure();
          for (auto [i, out] : llvm::enumerate(outs))
            if (isUsed(i))
              kept.push_back(out);
          return kept;
        },
        mostStepsOfIteration(b));
    if (succeeded(made)) {
      auto next = made->begin();
      for (auto [i, shape] : llvm::enumerate(shapes))
        results.push_back(isUsed(i) ? *next++ : empty(b, shape.sizes, shape.element));
      return success();
    }
  }
  return emit(b, inputs, results);
}

/// A number in an array without dimensions, at least 0, as a size, with that bound stated: IREE 3.13 computes 0 for an
/// offset after an array of unbounded size, rounded up to whole cache lines.
Value sizeOf(ImplicitLocOpBuilder &b, Value array) {
  Value number = tensor::ExtractOp::create(b, array, ValueRange());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(number.getType()));
  Value size = arith::MaxSIOp::create(b, number, zero);
  return arith::IndexCastOp::create(b, b.getIndexType(), size);
}

struct ScanLowering : LowerOpInterface::ExternalModel<ScanLowering, ScanOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto scan = cast<ScanOp>(op);
    size_t numInits = scan.getInits().size();
    OpFoldResult length = lengthOf(scan, b, operands);
    SmallVector<Shape> shapes, stacked;
    for (Value init : operands.take_front(numInits))
      shapes.push_back({getElementTypeOrSelf(init), sizesOf(b, init)});
    if (failed(stackedShapes(scan, b, operands, length, stacked)))
      return failure();
    llvm::append_range(shapes, stacked);
    // Inside a dispatch, the sizes are additional inputs.
    SmallVector<Value> inputs(operands);
    for (Shape &shape : stacked)
      for (OpFoldResult size : shape.sizes)
        if (auto value = dyn_cast<Value>(size); value && !llvm::is_contained(inputs, value))
          inputs.push_back(value);
    if (auto value = dyn_cast<Value>(length); value && !llvm::is_contained(inputs, value))
      inputs.push_back(value);
    auto emit = [&](ImplicitLocOpBuilder &inner, ValueRange inside, SmallVectorImpl<Value> &outs) {
      auto here = [&](OpFoldResult size) -> OpFoldResult {
        auto value = dyn_cast<Value>(size);
        return value ? OpFoldResult(inside[llvm::find(inputs, value) - inputs.begin()]) : size;
      };
      SmallVector<Shape> stacks(stacked);
      for (Shape &shape : stacks)
        for (OpFoldResult &size : shape.sizes)
          size = here(size);
      return emitLoop(scan, inner, inside, here(length), stacks, outs);
    };
    if (scan->hasAttr(kWorkgroups) && succeeded(lowerGroups(scan, b, operands, shapes, results)))
      return success();
    return lowerControl(op, b, inputs, shapes, emit, results);
  }

  /// The iterations of a loop without carries as workgroups of one dispatch.
  static LogicalResult lowerGroups(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands, ArrayRef<Shape> shapes,
                                   SmallVectorImpl<Value> &results) {
    auto made = dispatchGroups(
        b, scan.getLength(), operands, shapes,
        [&](ImplicitLocOpBuilder &inner, ValueRange inside, Value group) -> FailureOr<SmallVector<Value>> {
          SmallVector<Value> arguments, outs;
          for (Value x : inside.take_front(scan.getXs().size()))
            arguments.push_back(Slice(inner, x, group).read(inner, x));
          llvm::append_range(arguments, inside.drop_front(scan.getXs().size()));
          if (failed(lowerBody(inner, scan.getBody(), arguments, outs)))
            return failure();
          return outs;
        },
        scan->hasAttr(kKernel) ? kMostSteps : kMostStepsOfPart);
    if (failed(made))
      return failure();
    llvm::append_range(results, *made);
    return success();
  }

  /// The types of the values that the loop stacks; unknown sizes of slices follow from the sizes of the body's
  /// arguments.
  static LogicalResult stackedShapes(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands, OpFoldResult length,
                                     SmallVectorImpl<Shape> &shapes) {
    size_t numInits = scan.getInits().size(), numXs = scan.getXs().size();
    auto stacked = scan.getResults().drop_front(numInits);
    SmallVector<Value> sizes;
    if (llvm::any_of(stacked.getTypes(), [](Type type) {
          return llvm::any_of(cast<RankedTensorType>(type).getShape().drop_front(), ShapedType::isDynamic);
        })) {
      Region &body = scan.getBody();
      llvm::SmallBitVector absent(body.getNumArguments());
      SmallVector<Value> arguments;
      for (auto [i, operand] : llvm::enumerate(operands.take_front(body.getNumArguments()))) {
        absent[i] = isa<RankedTensorType>(operand.getType());
        if (!absent[i]) {
          arguments.push_back(operand);
          continue;
        }
        bool isSliced = i >= numInits && i < numInits + numXs;
        SmallVector<OpFoldResult> all = sizesOf(b, operand);
        for (OpFoldResult size : ArrayRef(all).drop_front(isSliced ? 1 : 0))
          if (auto value = dyn_cast<Value>(size))
            sizes.push_back(value);
      }
      llvm::append_range(arguments, sizes);
      sizes.clear();
      auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
      auto made = Functions(module).sizes(body, absent);
      if (failed(made))
        return failure();
      Region computed;
      fill(computed, std::move(*made));
      if (failed(lowerBody(b, computed, arguments, sizes)))
        return failure();
    }
    for (auto [i, value] : llvm::enumerate(stacked)) {
      auto type = cast<RankedTensorType>(loweredType(value.getType()));
      Shape shape = {type.getElementType(), {length}};
      for (auto [d, size] : llvm::enumerate(type.getShape().drop_front()))
        shape.sizes.push_back(ShapedType::isDynamic(size)
                                  ? OpFoldResult(sizes[sizePosition(returned(scan.getBody()), numInits + i, d)])
                                  : b.getIndexAttr(size));
      shapes.push_back(shape);
    }
    return success();
  }

  static LogicalResult emitLoop(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands, OpFoldResult length,
                                ArrayRef<Shape> stacked, SmallVectorImpl<Value> &results) {
    size_t numInits = scan.getInits().size(), numXs = scan.getXs().size(), numConsts = scan.getConsts().size();
    ValueRange xs = operands.slice(numInits, numXs), consts = operands.slice(numInits + numXs, numConsts);
    SmallVector<Value> state(operands.take_front(numInits));
    for (const Shape &shape : stacked)
      state.push_back(empty(b, shape.sizes, shape.element));
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    Value end = asValue(b, length), last = arith::SubIOp::create(b, end, one);
    auto loop = scf::ForOp::create(b, zero, end, one, state);
    // The body is built in place, so that its ops can inspect the ops around them.
    ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), loop.getBody());
    Value i = loop.getInductionVar();
    Value index = scan.getReverse() ? arith::SubIOp::create(inner, last, i).getResult() : i;
    ValueRange now = loop.getRegionIterArgs();
    SmallVector<Value> arguments(now.take_front(numInits)), next;
    for (Value x : xs)
      arguments.push_back(Slice(inner, x, index).read(inner, x));
    llvm::append_range(arguments, consts);
    if (failed(lowerBody(inner, scan.getBody(), arguments, next)))
      return failure();
    for (size_t n = numInits; n < next.size(); ++n)
      next[n] = Slice(inner, now[n], index).write(inner, next[n], now[n]);
    if (!state.empty())
      scf::YieldOp::create(inner, next);
    llvm::append_range(results, loop.getResults());
    return success();
  }

  static OpFoldResult lengthOf(ScanOp scan, ImplicitLocOpBuilder &b, ValueRange operands) {
    if (int64_t length = scan.getLength(); length >= 0)
      return b.getIndexAttr(length);
    if (!scan.getCount())
      return sizesOf(b, operands[scan.getInits().size()])[0];
    return sizeOf(b, operands.back());
  }
};

struct WhileLowering : LowerOpInterface::ExternalModel<WhileLowering, WhileOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    SmallVector<Shape> shapes;
    for (Value init : operands.take_front(cast<WhileOp>(op).getInits().size()))
      shapes.push_back({getElementTypeOrSelf(init), sizesOf(b, init)});
    auto emit = [&](ImplicitLocOpBuilder &inner, ValueRange inside, SmallVectorImpl<Value> &outs) {
      return emitLoop(cast<WhileOp>(op), inner, inside, outs);
    };
    return lowerControl(op, b, operands, shapes, emit, results);
  }

  static LogicalResult emitLoop(WhileOp loop, ImplicitLocOpBuilder &b, ValueRange operands,
                                SmallVectorImpl<Value> &results) {
    size_t numInits = loop.getInits().size();
    ValueRange inits = operands.take_front(numInits), consts = operands.drop_front(numInits);
    auto made = scf::WhileOp::create(b, inits.getTypes(), inits);
    SmallVector<Location> places(inits.size(), b.getLoc());
    SmallVector<Value> outs;
    auto lowerIn = [&](Region &target, Region &body) -> FailureOr<ImplicitLocOpBuilder> {
      Block &block = target.emplaceBlock();
      SmallVector<Value> arguments;
      for (BlockArgument argument : block.addArguments(inits.getTypes(), places))
        arguments.push_back(argument);
      llvm::append_range(arguments, consts);
      ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), &block);
      outs.clear();
      if (failed(lowerBody(inner, body, arguments, outs)))
        return failure();
      return inner;
    };
    FailureOr<ImplicitLocOpBuilder> before = lowerIn(made.getBefore(), loop.getCond());
    if (failed(before))
      return failure();
    Value holds = tensor::ExtractOp::create(*before, outs[0], ValueRange());
    scf::ConditionOp::create(*before, holds, made.getBefore().getArguments());
    FailureOr<ImplicitLocOpBuilder> after = lowerIn(made.getAfter(), loop.getBody());
    if (failed(after))
      return failure();
    scf::YieldOp::create(*after, outs);
    llvm::append_range(results, made.getResults());
    return success();
  }
};

/// The number of unknown sizes of a value; a value that is itself a size has none.
int64_t numDynamicDims(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array ? array.getNumDynamicDims() : 0;
}

struct CaseLowering : LowerOpInterface::ExternalModel<CaseLowering, CaseOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto chosen = cast<CaseOp>(op);
    auto emit = [&](ImplicitLocOpBuilder &inner, ValueRange inside, SmallVectorImpl<Value> &outs) {
      Value index = tensor::ExtractOp::create(inner, inside[0], ValueRange());
      return lowerFrom(chosen, 0, inner, index, inside.drop_front(), outs);
    };
    SmallVector<Shape> shapes;
    for (Type type : op->getResultTypes()) {
      auto array = dyn_cast<RankedTensorType>(loweredType(type));
      if (!array || !array.hasStaticShape())
        return emit(b, operands, results);
      shapes.push_back({array.getElementType(), getAsIndexOpFoldResult(b.getContext(), array.getShape())});
    }
    return lowerControl(op, b, operands, shapes, emit, results);
  }

  /// One of the branches from `number` on.
  static LogicalResult lowerFrom(CaseOp op, unsigned number, ImplicitLocOpBuilder &b, Value index, ValueRange args,
                                 SmallVectorImpl<Value> &results) {
    if (number + 1 == op.getBranches().size())
      return lowerBody(b, op.getBranches()[number], args, results);
    Value bound = arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
    Value isThis = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, index, bound);
    auto types = llvm::map_to_vector(op.getResultTypes(), loweredType);
    // Unknown sizes are results too: IREE 3.13 does not find those of all branches in loops.
    int64_t numSizes = 0;
    for (Type type : types)
      numSizes += numDynamicDims(type);
    types.append(numSizes, b.getIndexType());
    auto made = scf::IfOp::create(b, types, isThis, true);
    for (bool isFirst : {true, false}) {
      Block *block = isFirst ? made.thenBlock() : made.elseBlock();
      ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), block);
      SmallVector<Value> outs;
      if (failed(isFirst ? lowerBody(inner, op.getBranches()[number], args, outs)
                         : lowerFrom(op, number + 1, inner, index, args, outs)))
        return failure();
      for (Value out : SmallVector<Value>(outs))
        if (numDynamicDims(out.getType()) > 0)
          llvm::append_range(outs, dynamicSizes(inner, out));
      if (!outs.empty())
        scf::YieldOp::create(inner, outs);
    }
    ValueRange sizes = made.getResults().take_back(numSizes);
    for (Value value : made.getResults().drop_back(numSizes)) {
      int64_t own = numDynamicDims(value.getType());
      results.push_back(tieShape(b, value, sizes.take_front(own)));
      sizes = sizes.drop_front(own);
    }
    return success();
  }
};

struct IndexLowering : LowerOpInterface::ExternalModel<IndexLowering, IndexOp> {
  LogicalResult lower(Operation *, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    results.push_back(sizeOf(b, operands[0]));
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
