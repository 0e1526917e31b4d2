// Writes results over donated arguments.
#include "Aliases.h"
#include "Donation.h"
#include "Ops.h"
#include "Passes.h"
#include "Quirks.h"
#include "Workgroups.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_REUSEARGUMENTSPASS
#include "cpp/iree/Passes.h.inc"

/// A copy of fewer bytes takes less than a microsecond.
constexpr int64_t kWorthCopying = int64_t(1) << 16;

bool isWorthOverwriting(Value array) {
  auto type = dyn_cast<RankedTensorType>(array.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() * bytesOfElement(type.getElementType()) <= kWorthCopying)
    return false;
  // A new version of a donated argument is in its memory, too.
  auto before = [](Value version) -> Value {
    Operation *op = version.getDefiningOp();
    if (Value old = previousVersion(version))
      return old;
    return op && passesOn(op) ? viewed(version) : tiedArray(version);
  };
  while (Value old = before(array))
    array = old;
  auto argument = dyn_cast<BlockArgument>(array);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), kDonated);
}

namespace {

/// A dispatch of its own costs microseconds; smaller results are not worth it.
constexpr int64_t kWorthwhile = int64_t(1) << 13;

/// Whether arrays of this type are results of pointwise ops that a separate dispatch can write.
bool isReusable(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.hasStaticShape() && array.getNumElements() >= kWorthwhile &&
         !array.getElementType().isInteger(1) && !isWideComplex(array.getElementType());
}

/// Whether the body of an op uses no outer values but constants: others would have to become operands.
bool isClosed(linalg::GenericOp op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  return llvm::all_of(captured, [](Value value) {
    Operation *maker = value.getDefiningOp();
    return maker && maker->hasTrait<OpTrait::ConstantLike>();
  });
}

/// The pointwise op that computes a result, or null; each of its loops is along the same dimension of the result.
linalg::GenericOp pointwiseProducer(Value result) {
  auto op = result.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getNumResults() != 1 || op.getNumLoops() != op.getNumParallelLoops() ||
      !isReusable(result.getType()) || !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity() || !isClosed(op))
    return {};
  return op;
}

/// `op` with the pointwise ops fused in that only it uses, so that there are no arrays between them.
linalg::GenericOp withProducers(IRRewriter &rewriter, linalg::GenericOp op) {
  for (bool changed = true; changed;) {
    changed = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!producer || !operand->get().hasOneUse() || !linalg::areElementwiseOpsFusable(operand) || !isClosed(producer))
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      for (auto [before, after] : fused->replacements)
        rewriter.replaceAllUsesWith(before, after);
      rewriter.eraseOp(op);
      if (producer->use_empty())
        rewriter.eraseOp(producer);
      op = cast<linalg::GenericOp>(fused->fusedOp);
      changed = true;
      break;
    }
  }
  return op;
}

/// Makes `op` overwrite `storage`, as late as its users allow, after as many other uses of `storage` as possible.
void writeOver(IRRewriter &rewriter, linalg::GenericOp op, Value storage) {
  Operation *first = nullptr;
  for (Operation *user : op->getResult(0).getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  ImplicitLocOpBuilder b(op.getLoc(), first);
  SmallVector<Value> inputs;
  for (Value input : op.getDpsInputs())
    if (input != storage && !llvm::is_contained(inputs, input))
      inputs.push_back(input);
  Value written = dispatchOver(b, storage, inputs, [&](ImplicitLocOpBuilder &inner, Value inside, ValueRange loaded) {
    IRMapping mapping;
    mapping.map(storage, inside);
    mapping.map(inputs, loaded);
    auto type = cast<RankedTensorType>(storage.getType());
    mapping.map(op.getDpsInits()[0], tensor::EmptyOp::create(inner, type.getShape(), type.getElementType()));
    op.getRegion().walk([&](Operation *scalar) {
      for (Value operand : scalar->getOperands())
        if (!op.getRegion().isAncestor(operand.getParentRegion()) && !mapping.contains(operand))
          mapping.map(operand, inner.clone(*operand.getDefiningOp())->getResult(0));
    });
    return inner.clone(*op, mapping)->getResult(0);
  });
  rewriter.replaceAllUsesWith(op->getResult(0), written);
  rewriter.eraseOp(op);
}

/// Whether each element that `op` reads of `storage` is at the position of the one that it computes: otherwise it might
/// be overwritten too early.
bool readsInPlace(linalg::GenericOp op, Value storage) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    if (input->get() == storage)
      return op.getMatchingIndexingMap(input).isIdentity();
    return viewsOf(input->get()).back() != storage;
  });
}

/// Whether a separate dispatch can load the operands of the op.
bool isLoadable(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInputs(), [](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return type && type.hasStaticShape() && !type.getElementType().isInteger(1);
  });
}

/// Gives each donated argument at most one result: one that reads it, or else any result of its type.
void reuse(func::FuncOp function, const llvm::SetVector<Value> &donated) {
  if (donated.empty())
    return;
  IRRewriter rewriter(function.getContext());
  llvm::SetVector<Operation *> candidates;
  // Fusion replaces results, so each one is looked up when its turn comes.
  Operation *terminator = function.front().getTerminator();
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i)
    if (linalg::GenericOp op = pointwiseProducer(terminator->getOperand(i)))
      if (op = withProducers(rewriter, op); isLoadable(op))
        candidates.insert(op);

  DenseSet<Value> given;
  SmallVector<linalg::GenericOp> others;
  for (Operation *candidate : candidates) {
    auto op = cast<linalg::GenericOp>(candidate);
    Value storage;
    for (Value input : op.getDpsInputs())
      if (!storage && donated.contains(input) && !given.contains(input) &&
          input.getType() == op->getResult(0).getType() && readsInPlace(op, input))
        storage = input;
    if (!storage) {
      others.push_back(op);
      continue;
    }
    given.insert(storage);
    writeOver(rewriter, op, storage);
  }
  DenseMap<Type, SmallVector<Value>> left;
  for (Value storage : llvm::reverse(donated.getArrayRef()))
    if (!given.contains(storage))
      left[storage.getType()].push_back(storage);
  for (linalg::GenericOp op : others) {
    SmallVector<Value> &ofType = left[op->getResult(0).getType()];
    if (!ofType.empty() && readsInPlace(op, ofType.back()))
      writeOver(rewriter, op, ofType.pop_back_val());
  }
}

/// What a loop hands on to all of its iterations as it was, as the result `number`; null if there is no such array.
Value handedOn(Operation *op, unsigned number) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getYieldedValues()[number] == loop.getRegionIterArg(number) ? loop.getInits()[number] : Value();
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return {};
  auto passed = loop.getConditionOp().getArgs();
  auto before = dyn_cast<BlockArgument>(passed[number]);
  if (!before || before.getOwner() != loop.getBeforeBody())
    return {};
  auto next = dyn_cast<BlockArgument>(loop.getYieldedValues()[before.getArgNumber()]);
  bool isSame = next && next.getOwner() == loop.getAfterBody() && passed[next.getArgNumber()] == before;
  return isSame ? loop.getInits()[before.getArgNumber()] : Value();
}

/// The arrays that results of the function may be, as they are.
llvm::SetVector<Value> returnedArrays(func::FuncOp function) {
  auto results = function.front().getTerminator()->getOperands();
  llvm::SetVector<Value> returned(results.begin(), results.end());
  for (size_t i = 0; i < returned.size(); ++i) {
    returned.insert_range(sourcesOf(Value(returned[i])));
    auto result = dyn_cast<OpResult>(returned[i]);
    if (!result)
      continue;
    if (isCopyOfSlice(result.getOwner()))
      continue;
    if (isOptimizationBarrier(result.getOwner()))
      returned.insert(result.getOwner()->getOperand(result.getResultNumber()));
    else if (Value same = handedOn(result.getOwner(), result.getResultNumber()))
      returned.insert(same);
  }
  return returned;
}

/// Copies small slices that are results of the function, where the large array may be overwritten: a donated argument,
/// or another result, which may be donated to the next call.
void copyReturnedSlices(func::FuncOp function) {
  for (Value result : function.front().getTerminator()->getOperands()) {
    Value slice = smallSlice(result), whole = slice ? viewsOf(slice).back() : Value();
    bool isResult = whole && llvm::any_of(function.front().getTerminator()->getOperands(), [&](Value other) {
                      return other.getType() == whole.getType() && viewsOf(other).back() == whole;
                    });
    if (isResult || (whole && isWorthOverwriting(whole)))
      behindBarrier(slice);
  }
}

struct ReuseArgumentsPass : impl::ReuseArgumentsPassBase<ReuseArgumentsPass> {
  using ReuseArgumentsPassBase::ReuseArgumentsPassBase;

  void runOnOperation() override {
    bool isAny = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.isPublic())
        continue;
      copyReturnedSlices(function);
      llvm::SetVector<Value> donated, returned = returnedArrays(function);
      for (BlockArgument argument : function.getArguments()) {
        if (!function.removeArgAttr(argument.getArgNumber(), kDonated))
          continue;
        isAny = true;
        // Its memory is that of the result.
        if (returned.contains(argument))
          continue;
        donated.insert(argument);
        function.setArgAttr(argument.getArgNumber(), kConsumed, UnitAttr::get(&getContext()));
      }
      reuse(function, donated);
    }
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
