// Bufferizes sequential code in place.
#include "Buffers.h"
#include "BufferLoops.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Liveness.h"
#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace dovetail {

void registerBufferization(DialectRegistry &registry) {
  registry.insert<bufferization::BufferizationDialect, memref::MemRefDialect, vector::VectorDialect>();
  // They are created while programs are lowered or merged, when it is too late to load them.
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *) {
    context->loadDialect<arith::ArithDialect, bufferization::BufferizationDialect, complex::ComplexDialect,
                         linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                         tensor::TensorDialect, vector::VectorDialect>();
  });
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
}

/// Whether the op that computes `operand` should be moved to its use: if that is the only use, and runs once, unless
/// the op is only a constant or a cast.
static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse())
    return false;
  // Within a loop it would run once per iteration, and after the loop has overwritten its operands.
  bool isNear = producer->getBlock() == consumer->getBlock();
  if (isNear && consumer.getMatchingIndexingMap(operand).isPermutation())
    return true;
  return (isNear || producer.getNumDpsInputs() == 0) &&
         llvm::all_of(producer.getBlock()->without_terminator(), [](Operation &op) {
           return isa<arith::ArithDialect>(op.getDialect()) && op.getNumOperands() <= 1;
         });
}

/// Lets the condition of a loop pass on all that the loop carries, in order. Canonicalization drops what is read by
/// neither the body nor what follows the loop.
static void passAllOn(scf::WhileOp op) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  SmallVector<unsigned> numbers;
  for (Value value : op.getConditionOp().getArgs()) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != before)
      return;
    numbers.push_back(argument.getArgNumber());
  }
  if (numbers.size() == before->getNumArguments() && llvm::equal(numbers, llvm::seq<unsigned>(0, numbers.size())))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto made = scf::WhileOp::create(b, before->getArgumentTypes(), op.getInits());
  made.getBefore().takeBody(op.getBefore());
  made.getConditionOp().getArgsMutable().assign(made.getBeforeArguments());
  SmallVector<Location> places(before->getNumArguments(), op.getLoc());
  Block *body = b.createBlock(&made.getAfter(), {}, before->getArgumentTypes(), places);
  for (auto [k, number] : llvm::enumerate(numbers)) {
    after->getArgument(k).replaceAllUsesWith(body->getArgument(number));
    op.getResult(k).replaceAllUsesWith(made.getResult(number));
  }
  body->getOperations().splice(body->end(), after->getOperations());
  op.erase();
}

void simplify(func::FuncOp function, bool fuse) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() != "dovetail")
      op.getCanonicalizationPatterns(patterns, context);
  if (fuse) {
    patterns.add<linalg::LinalgGeneralizationPattern, linalg::DecomposePadOpPattern>(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  }
  (void)applyPatternsGreedily(function, std::move(patterns));
  IRRewriter rewriter(context);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp op) { loops.push_back(op); });
  llvm::for_each(loops, passAllOn);
}

//===- In place ----------------------------------------------------------------===//

namespace {

Value commonOrigin(Operation *choice, unsigned number);

/// The destination that `value` overwrites, if it is computed in that way.
Value overwritten(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<scf::IfOp, scf::IndexSwitchOp>(op))
    return commonOrigin(op, cast<OpResult>(value).getResultNumber());
  return previousVersion(value);
}

/// The outer array that each branch returns as one of the results, either unchanged or overwritten.
Value commonOrigin(Operation *choice, unsigned number) {
  Value common;
  for (Region &region : choice->getRegions()) {
    if (region.empty())
      return {};
    Value value = region.front().getTerminator()->getOperand(number);
    while (value && choice->isAncestor(value.getParentRegion()->getParentOp()))
      value = overwritten(value);
    if (!value || (common && common != value))
      return {};
    common = value;
  }
  return common;
}

} // namespace

Value originOf(Value array) {
  while (Value before = overwritten(array))
    array = before;
  return array;
}

namespace {

//===- Reads before writes -------------------------------------------------------===//

/// Moves an op of the same block, with the ops that it needs, before `place`, unless these write to memory.
void moveBefore(Operation *op, Operation *place) {
  llvm::SetVector<Operation *> needed;
  auto mayMove = [&](Operation *each) {
    return each->getBlock() != place->getBlock() || llvm::none_of(each->getResults(), overwritten);
  };
  if (collectDependences(op, place, needed, mayMove).value_or(true))
    return;
  SmallVector<Operation *> moved(needed.getArrayRef());
  llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *each : moved)
    each->moveBefore(place);
}

/// Moves reads of an array before an op that overwrites it, unless they depend on that op.
void readFirst(func::FuncOp function) {
  SmallVector<Value> written;
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isArray(result) && overwritten(result))
        written.push_back(result);
  });
  for (Value result : written) {
    llvm::SetVector<Operation *> reads;
    collectReadsBehind(result.getDefiningOp(), overwritten(result), reads);
    for (Operation *op : reads)
      if (result.getDefiningOp()->isBeforeInBlock(op))
        moveBefore(op, result.getDefiningOp());
  }
}

/// The op, if all elements of its result are one number, whether it is named or generalized; null for others.
linalg::LinalgOp fillOf(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  bool isFill = isa_and_present<linalg::FillOp>(op) ||
                (generic && generic.getNumDpsInputs() == 0 && generic->getNumResults() == 1 &&
                 llvm::hasSingleElement(*generic.getBlock()) &&
                 !isa<BlockArgument>(generic.getBlock()->getTerminator()->getOperand(0)));
  return isFill ? cast<linalg::LinalgOp>(op) : nullptr;
}

/// Whether an array is an input that must not be overwritten.
bool isReadOnly(Value array) {
  auto input = array.getDefiningOp<bufferization::ToTensorOp>();
  return input && !input.getWritable();
}

class InPlace {
public:
  explicit InPlace(ImplicitLocOpBuilder &b) : b(b) {}

  LogicalResult loop(scf::WhileOp op) {
    if (ValueRange(op.getBeforeArguments()).getTypes() != op.getConditionOp().getArgs().getTypes())
      return failure();
    write(op.getConditionOp(), op.getConditionOp().getArgsMutable(), op.getBeforeArguments());
    write(op.getYieldOp(), op.getYieldOp().getResultsMutable(), op.getAfterArguments());
    return success();
  }

  LogicalResult loop(scf::ForOp op) {
    write(op.getBody()->getTerminator(), *op.getYieldedValuesMutable(), op.getRegionIterArgs());
    return success();
  }

  /// A branch writes to memory that exists before it is taken: that of an array that only branches modify, or new
  /// memory.
  LogicalResult branches(Operation *op) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    SmallVector<Value> places;
    for (Value result : op->getResults()) {
      Value origin = isArray(result) ? overwritten(result) : Value();
      if (origin && !isReadOnly(origin) && !isUsedBehind(op, origin) && !llvm::is_contained(places, origin)) {
        places.push_back(origin);
        continue;
      }
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && !type.hasStaticShape())
        return failure();
      places.push_back(type ? tensor::EmptyOp::create(b, type, ValueRange()).getResult() : Value());
    }
    for (Region &region : op->getRegions())
      if (!region.empty())
        write(region.front().getTerminator(), cast<scf::YieldOp>(region.front().getTerminator()).getResultsMutable(),
              places);
    return success();
  }

  /// Allows `array` to be computed in `place`.
  Value into(Value array, Value place, Operation *end) {
    auto result = dyn_cast<OpResult>(array);
    if (!result || result.getType() != place.getType())
      return array;
    // An elementwise op, a loop, or the first of several parts, starts from memory of its own.
    OpOperand *init = firstPart(result, end);
    if (init)
      result = cast<OpResult>(init->getOwner()->getResult(0));
    else if (auto op = dyn_cast<linalg::LinalgOp>(result.getOwner()); op && linalg::isElementwise(op))
      init = op.getDpsInitOperand(result.getResultNumber());
    else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      init = &loop.getInitsMutable()[result.getResultNumber()];
    else if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
      init = &loop.getInitsMutable()[result.getResultNumber()];
    Operation *owner = result.getOwner(), *before = place.getDefiningOp();
    if (!init || owner->getBlock() != end->getBlock() ||
        (before && before->getBlock() == owner->getBlock() && !before->isBeforeInBlock(owner)))
      return array;
    if (init->get().getDefiningOp<tensor::EmptyOp>()) {
      init->set(place);
    } else if ((isa<LoopLikeOpInterface>(owner) && init->get() != place) ||
               (isa<tensor::InsertSliceOp>(owner) && isReadOnly(init->get()))) {
      b.setInsertionPoint(result.getOwner());
      init->set(linalg::CopyOp::create(b, init->get(), place).getResult(0));
    }
    return array;
  }

private:
  /// How a value gets into the memory where it is required: it was written elsewhere; ops overwrote parts of that
  /// memory; or loops or branches did, which is known to be in place only once all of them are.
  enum class Change { None, Parts, Loops };

  static Change changeOf(Value value, Value place) {
    Change change = value == place ? Change::Loops : Change::Parts;
    Operation *first = nullptr;
    while (value && value != place) {
      first = value.getDefiningOp();
      if (isa_and_present<LoopLikeOpInterface, scf::IfOp, scf::IndexSwitchOp>(first))
        change = Change::Loops;
      value = overwritten(value);
    }
    if (!value)
      return Change::None;
    // A loop starts from a copy if its initial value is needed after it.
    return change == Change::Loops && first && isUsedBehind(first, place) ? Change::None : change;
  }

  /// The array of which parts become those of `array`, before the first is written; null if there are none.
  static OpOperand *firstPart(Value array, Operation *end) {
    OpOperand *init = nullptr;
    auto op = array.getDefiningOp<tensor::InsertSliceOp>();
    while (op && op->getBlock() == end->getBlock() && (!init || op->hasOneUse())) {
      init = &op.getDestMutable();
      op = init->get().getDefiningOp<tensor::InsertSliceOp>();
    }
    return init;
  }

  /// Whether no memory of `value` is a target of other writes.
  static bool isFresh(Value value, Operation *end) {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getBlock() != end->getBlock())
      return false;
    Value init = op.getDpsInitOperand(cast<OpResult>(value).getResultNumber())->get();
    if (linalg::LinalgOp fill = fillOf(init.getDefiningOp()))
      init = fill.getDpsInitOperand(0)->get();
    return init.getDefiningOp<tensor::EmptyOp>() != nullptr;
  }

  Value copied(Value value) {
    auto init = tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), value), getElementTypeOrSelf(value));
    return linalg::CopyOp::create(b, value, init.getResult()).getResult(0);
  }

  /// Ends a block by writing each of `values`, which `end` returns, to one of `places`. All are computed before the
  /// first is written: none may be in the place of another.
  void write(Operation *end, MutableArrayRef<OpOperand> values, ValueRange places) {
    b.setLoc(end->getLoc());
    llvm::SmallPtrSet<void *, 8> seen;
    SmallVector<Change> changes;
    for (auto [operand, place] : llvm::zip_equal(values, places)) {
      Value value = operand.get();
      changes.push_back(isArray(value) ? changeOf(value, place) : Change::Loops);
      if (changes.back() != Change::None)
        continue;
      b.setInsertionPoint(end);
      if (isFresh(value, end) && seen.insert(value.getAsOpaquePointer()).second)
        into(value, place, end);
      else if (!place.getDefiningOp<tensor::EmptyOp>())
        operand.set(copied(value));
    }
    b.setInsertionPoint(end);
    for (auto [operand, place, change] : llvm::zip_equal(values, places, changes))
      if (change != Change::Loops)
        operand.set(
            bufferization::MaterializeInDestinationOp::create(b, place.getType(), operand.get(), place).getResult());
  }

  ImplicitLocOpBuilder &b;
};

} // namespace

/// Makes each sum start in memory of its own.
static void separateFills(func::FuncOp function, ArrayRef<Output> outputs) {
  SmallVector<linalg::LinalgOp> fills;
  function.walk([&](linalg::LinalgOp op) {
    if (fillOf(op))
      fills.push_back(op);
  });
  for (linalg::LinalgOp fill : fills) {
    auto empty = fill.getDpsInitOperand(0)->get().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(fill->getUses())) {
      OpBuilder b(use.getOwner());
      Operation *own = b.clone(*empty);
      auto filled = cast<linalg::LinalgOp>(b.clone(*fill));
      filled.getDpsInitOperand(0)->set(own->getResult(0));
      use.set(filled->getResult(0));
    }
    auto isFill = [&](const Output &output) { return output.array == fill->getResult(0); };
    if (llvm::none_of(outputs, isFill))
      fill.erase();
  }
}

LogicalResult updateInPlace(func::FuncOp function, ArrayRef<Output> outputs) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  InPlace inPlace(b);
  Operation *end = function.front().getTerminator();
  separateFills(function, outputs);
  readFirst(function);
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return inPlace.loop(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return inPlace.loop(loop);
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return inPlace.branches(op);
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  llvm::SmallPtrSet<void *, 8> seen;
  for (const Output &output : outputs) {
    b.setLoc(output.array.getLoc());
    if (seen.insert(output.array.getAsOpaquePointer()).second)
      inPlace.into(output.array, output.place, end);
    b.setInsertionPoint(end);
    bufferization::MaterializeInDestinationOp::create(b, output.place.getType(), output.array, output.place);
  }
  return success();
}

//===- Buffers -----------------------------------------------------------------===//

LogicalResult bufferize(func::FuncOp function) {
  bufferization::OneShotBufferizationOptions options;
  options.allowUnknownOps = true;
  options.unknownTypeConverterFn = [](TensorType type, Attribute space, const bufferization::BufferizationOptions &) {
    return bufferization::getMemRefTypeWithStaticIdentityLayout(type, space);
  };
  bufferization::BufferizationState state;
  ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic &) { return success(); });
  return bufferization::runOneShotBufferize(function, options, state);
}

LogicalResult structureCopies(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    if (copy.getSource() != copy.getTarget())
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
    rewriter.eraseOp(copy);
  }
  WalkResult walked =
      function.walk([](linalg::LinalgOp op) { return WalkResult(success(op.hasPureBufferSemantics())); });
  return failure(walked.wasInterrupted());
}

void lowerToLoops(func::FuncOp function, bool useVectors) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops)
    lowerToLoops(rewriter, op, useVectors);
}

} // namespace dovetail
