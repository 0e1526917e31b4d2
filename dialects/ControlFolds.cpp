// Simplification of control flow: unused parts of bodies, loop-invariant code, and known conditions.
#include "Control.h"
#include "Create.h"
#include "Grid.h"
#include "Shape.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace dovetail {

namespace {

//===- What loops have in common ---------------------------------------------------===//

MutableOperandRange constsOf(ScanOp op) { return op.getConstsMutable(); }
MutableOperandRange constsOf(WhileOp op) { return op.getConstsMutable(); }
unsigned numXs(ScanOp op) { return op.getXs().size(); }
unsigned numXs(WhileOp) { return 0; }
YieldOp yieldOf(Region &body) { return cast<YieldOp>(body.front().getTerminator()); }

/// The argument of each region for a new constant of the loop; the body's comes last.
template <typename Op>
Value addConst(PatternRewriter &rewriter, Op op, Value value) {
  rewriter.modifyOpInPlace(op, [&] {
    constsOf(op).append(value);
    for (Region &region : op->getRegions())
      region.addArgument(value.getType(), value.getLoc());
  });
  return op.getBody().getArguments().back();
}

template <typename Op>
unsigned firstConst(Op op) {
  return op.getInits().size() + numXs(op);
}

/// A carry that every iteration returns unchanged is a constant.
template <typename Op>
bool simplifyInvariantCarries(PatternRewriter &rewriter, Op op) {
  bool changed = false;
  for (unsigned i = 0, count = op.getInits().size(); i < count; ++i) {
    YieldOp yield = yieldOf(op.getBody());
    if (yield.getValues()[i] != op.getBody().getArgument(i))
      continue;
    Value init = op.getInits()[i];
    auto hasOtherUse = [&](Region &region) {
      return llvm::any_of(region.getArgument(i).getUses(),
                          [&](OpOperand &use) { return use.getOwner() != yield || use.getOperandNumber() != i; });
    };
    if (!op->getResult(i).use_empty()) {
      rewriter.replaceAllUsesWith(op->getResult(i), init);
      changed = true;
    }
    if (llvm::none_of(op->getRegions(), hasOtherUse))
      continue;
    addConst(rewriter, op, init);
    for (Region &region : op->getRegions())
      rewriter.replaceUsesWithIf(region.getArgument(i), region.getArguments().back(), [&](OpOperand &use) {
        return use.getOwner() != yield || use.getOperandNumber() != i;
      });
    changed = true;
  }
  return changed;
}

/// An op without operands, which a body had better compute itself.
Operation *repeatable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 0 || op->getNumRegions() != 0)
    return nullptr;
  auto constant = dyn_cast<ConstantOp>(op);
  if (constant && !constant.getValue().isSplat())
    return nullptr;
  return op->hasTrait<OpTrait::ConstantLike>() || constant ? op : nullptr;
}

/// Constants are repeated in the bodies, where ops fold with them; an operand that occurs twice is passed once.
bool simplifyShared(PatternRewriter &rewriter, Operation *op, OperandRange operands, unsigned first) {
  bool changed = false;
  DenseMap<Value, unsigned> seen;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto [known, isNew] = seen.try_emplace(operand, i);
    Operation *source = repeatable(operand);
    for (Region &region : op->getRegions()) {
      BlockArgument argument = region.getArgument(first + i);
      if (argument.use_empty())
        continue;
      if (!isNew) {
        rewriter.replaceAllUsesWith(argument, region.getArgument(first + known->second));
        changed = true;
      } else if (source) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPointToStart(&region.front());
        rewriter.replaceAllUsesWith(argument, rewriter.clone(*source)->getResult(0));
        changed = true;
      }
    }
  }
  return changed;
}

int64_t elementsOf(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.hasStaticShape() ? array.getNumElements() : 0;
}

// The number of elements that a loop may keep to spare a collective in each iteration.
constexpr double kMostKept = 1 << 18;

/// Hoists ops that depend on constants only, unless their results are larger than their operands. Collectives, for
/// which devices wait for each other, may have larger ones.
template <typename Op>
bool hoistInvariants(PatternRewriter &rewriter, Op op) {
  // Each entry of a kernel is one, and they are one dispatch.
  if (op->hasAttr(kEntries))
    return false;
  bool changed = false;
  Region &body = op.getBody();
  SmallVector<Operation *> ops;
  for (Operation &inner : opsOf(body))
    ops.push_back(&inner);
  for (Operation *inner : ops) {
    double taken = 0, made = 0;
    bool isInvariant = inner->getNumOperands() != 0 && isMemoryEffectFree(inner);
    for (Value operand : inner->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      isInvariant = isInvariant && argument && argument.getArgNumber() >= firstConst(op);
      taken += elementsOf(operand.getType());
    }
    for (Type type : inner->getResultTypes())
      made += elementsOf(type);
    if (!isInvariant || made > std::max(taken, isa<NamedAxesOpInterface>(inner) ? kMostKept : 0))
      continue;
    IRMapping values;
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments().drop_front(firstConst(op)), OperandRange(constsOf(op))))
      values.map(argument, operand);
    rewriter.setInsertionPoint(op);
    Operation *outside = rewriter.clone(*inner, values);
    SmallVector<Value> arguments;
    for (Value result : outside->getResults())
      arguments.push_back(addConst(rewriter, op, result));
    rewriter.replaceOp(inner, arguments);
    changed = true;
  }
  return changed;
}

//===- Dead parts --------------------------------------------------------------------===//

/// The needed parts of a loop: its carries, and the other arguments of its regions.
struct Needed {
  llvm::SmallBitVector results, arguments;
};

/// Marks the body's arguments on which the values depend.
void markNeeded(ValueRange roots, DenseSet<Value> &seen, llvm::SmallBitVector &arguments) {
  SmallVector<Value> pending(roots);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      arguments.set(argument.getArgNumber());
    else
      llvm::append_range(pending, value.getDefiningOp()->getOperands());
  }
}

/// The operands of ops with side effects.
SmallVector<Value> effectRoots(Region &region) {
  SmallVector<Value> roots;
  for (Operation &op : opsOf(region))
    if (!isMemoryEffectFree(&op))
      llvm::append_range(roots, op.getOperands());
  return roots;
}

template <typename Op>
Needed findNeeded(Op op) {
  unsigned numCarries = op.getInits().size();
  Needed needed{llvm::SmallBitVector(op->getNumResults()), llvm::SmallBitVector(op.getBody().getNumArguments())};
  DenseSet<Value> seen;
  for (Region &region : op->getRegions()) {
    markNeeded(effectRoots(region), seen, needed.arguments);
    // A loop's predicate is needed if the loop is.
    if (&region != &op.getBody())
      markNeeded(returned(region), seen, needed.arguments);
  }
  for (Value result : op->getResults())
    if (!result.use_empty())
      needed.results.set(cast<OpResult>(result).getResultNumber());
  llvm::SmallBitVector before;
  do {
    before = needed.results;
    for (unsigned i : needed.results.set_bits())
      markNeeded(returned(op.getBody())[i], seen, needed.arguments);
    for (unsigned i = 0; i < numCarries; ++i)
      if (needed.arguments.test(i))
        needed.results.set(i);
  } while (before != needed.results);
  // A carry that is needed has its argument.
  for (unsigned i = 0; i < numCarries; ++i)
    needed.arguments[i] = needed.results.test(i);
  return needed;
}

/// Moves regions to an op without the unneeded parts.
void moveRegion(PatternRewriter &rewriter, Region &from, Region &to, const llvm::SmallBitVector &arguments,
                const llvm::SmallBitVector &results) {
  rewriter.inlineRegionBefore(from, to, to.end());
  YieldOp yield = yieldOf(to);
  SmallVector<Value> kept = pick(yield.getValues(), results);
  rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().assign(kept); });
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(to.front())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  for (unsigned i = arguments.size(); i-- > 0;)
    if (!arguments.test(i))
      to.front().eraseArgument(i);
}

void replaceMarked(PatternRewriter &rewriter, Operation *op, ValueRange values, const llvm::SmallBitVector &mask) {
  SmallVector<Value> all(op->getNumResults());
  scatterTo(values, mask, all);
  rewriter.replaceOp(op, all);
}

SmallVector<Type> markedTypes(TypeRange types, const llvm::SmallBitVector &mask) {
  SmallVector<Type> marked;
  for (unsigned i : mask.set_bits())
    marked.push_back(types[i]);
  return marked;
}

bool removeDead(PatternRewriter &rewriter, ScanOp op) {
  Needed needed = findNeeded(op);
  // Without a length of its own, the first of `xs` determines it.
  bool isLengthOfFirst = int64_t(op.getLength()) < 0 && !op.getCount();
  unsigned numInits = op.getInits().size(), numSlices = op.getXs().size();
  if (isLengthOfFirst)
    needed.arguments.set(numInits);
  if (needed.arguments.all() && needed.results.all())
    return false;
  auto marked = [&](OperandRange values, unsigned from) {
    return pick(values, bitsOf(needed.arguments, from, values.size()));
  };
  auto scan =
      ScanOp::create(rewriter, op.getLoc(), markedTypes(op->getResultTypes(), needed.results), marked(op.getInits(), 0),
                     marked(op.getXs(), numInits), marked(op.getConsts(), numInits + numSlices), op.getCount(),
                     op.getLength(), op.getReverse());
  scan->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  moveRegion(rewriter, op.getBody(), scan.getBody(), needed.arguments, needed.results);
  replaceMarked(rewriter, op, scan->getResults(), needed.results);
  return true;
}

bool removeDead(PatternRewriter &rewriter, WhileOp op) {
  Needed needed = findNeeded(op);
  if (needed.arguments.all())
    return false;
  unsigned numInits = op.getInits().size();
  auto marked = [&](OperandRange values, unsigned from) {
    return pick(values, bitsOf(needed.arguments, from, values.size()));
  };
  SmallVector<Value> inits = marked(op.getInits(), 0), consts = marked(op.getConsts(), numInits);
  auto loop = WhileOp::create(rewriter, op.getLoc(), ValueRange(inits).getTypes(), inits, consts, op.getMaxStepsAttr());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  moveRegion(rewriter, op.getCond(), loop.getCond(), needed.arguments, llvm::SmallBitVector(1, true));
  moveRegion(rewriter, op.getBody(), loop.getBody(), needed.arguments, needed.results);
  replaceMarked(rewriter, op, loop->getResults(), needed.results);
  return true;
}

template <typename Op>
struct SimplifyLoop : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    bool changed = simplifyInvariantCarries(rewriter, op);
    changed |= simplifyShared(rewriter, op, op.getConsts(), firstConst(op));
    changed |= hoistInvariants(rewriter, op);
    changed |= removeDead(rewriter, op);
    return success(changed);
  }
};

//===- Scans ------------------------------------------------------------------------------===//

/// Slices that are all the same are one constant: those of an array repeated along its leading dimension.
struct ConstantSlices : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScanOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    unsigned numInits = op.getInits().size();
    // The first of `xs` stays if it alone determines the length.
    unsigned from = int64_t(op.getLength()) < 0 && !op.getCount() ? 1 : 0;
    for (unsigned i = from; i < op.getXs().size(); ++i) {
      BlockArgument argument = op.getBody().getArgument(numInits + i);
      if (argument.use_empty())
        continue;
      rewriter.setInsertionPoint(op);
      Value slice = sliceOf(rewriter, op.getXs()[i], cast<RankedTensorType>(argument.getType()));
      if (!slice)
        continue;
      rewriter.replaceAllUsesWith(argument, addConst(rewriter, op, slice));
      changed = true;
    }
    return success(changed);
  }

  static Value sliceOf(PatternRewriter &rewriter, Value x, RankedTensorType type) {
    if (auto constant = x.getDefiningOp<ConstantOp>()) {
      auto value = dyn_cast<SplatElementsAttr>(constant.getValue());
      return value ? ConstantOp::create(rewriter, x.getLoc(), type, value.resizeSplat(type)) : Value();
    }
    auto broadcast = x.getDefiningOp<BroadcastOp>();
    if (!broadcast || llvm::is_contained(broadcast.getDims(), 0))
      return nullptr;
    ValueRange sizes = broadcast.getSizes();
    if (cast<RankedTensorType>(x.getType()).isDynamicDim(0))
      sizes = sizes.drop_front();
    auto dims = llvm::map_to_vector(broadcast.getDims(), [](int64_t dim) { return dim - 1; });
    Emitter e(rewriter, x.getLoc());
    return e.broadcast(broadcast.getX(), dims, type, sizes);
  }
};

/// Replaces a loop of one iteration by its body, and one of no iterations by its initial values.
struct FewSteps : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScanOp op, PatternRewriter &rewriter) const override {
    int64_t length = op.getLength();
    if (length != 0 && length != 1)
      return failure();
    unsigned numInits = op.getInits().size();
    Emitter e(rewriter, op.getLoc());
    SmallVector<Value> results(op.getInits());
    auto isStatic = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
    if (!llvm::all_of(op->getResultTypes(), isStatic) || !llvm::all_of(op.getXs().getTypes(), isStatic))
      return failure();
    if (length == 0) {
      for (Type type : op.getResults().drop_front(numInits).getTypes())
        results.push_back(e.zeros(cast<RankedTensorType>(type), {}));
    } else {
      SmallVector<Value> arguments(op.getInits());
      for (auto [x, argument] : llvm::zip(op.getXs(), op.getBody().getArguments().drop_front(numInits)))
        arguments.push_back(e.reshape(x, cast<RankedTensorType>(argument.getType()), {}));
      llvm::append_range(arguments, op.getConsts());
      results = inlineBody(rewriter, op.getBody(), arguments);
      for (unsigned i = numInits; i < results.size(); ++i)
        results[i] = e.reshape(results[i], cast<RankedTensorType>(op->getResult(i).getType()), {});
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===- Branches ----------------------------------------------------------------------------===//

struct KnownBranch : OpRewritePattern<CaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CaseOp op, PatternRewriter &rewriter) const override {
    if (op->hasAttr(kKernel))
      return failure();
    int64_t last = op.getBranches().size() - 1, number = last;
    DenseElementsAttr index;
    if (last > 0) {
      auto constant = op.getIndex().getDefiningOp<ConstantOp>();
      index = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
      if (!index)
        return failure();
      number = std::clamp<int64_t>(index.getSplatValue<APInt>().getSExtValue(), 0, last);
    }
    rewriter.replaceOp(op, inlineBody(rewriter, op.getBranches()[number], op.getArgs()));
    return success();
  }
};

struct SimplifyBranches : OpRewritePattern<CaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CaseOp op, PatternRewriter &rewriter) const override {
    bool changed = simplifyShared(rewriter, op, op.getArgs(), 0);
    changed |= forwardArguments(rewriter, op);
    return success(changed | removeUnused(rewriter, op));
  }

  /// Results that are the same argument in all branches.
  static bool forwardArguments(PatternRewriter &rewriter, CaseOp op) {
    bool changed = false;
    for (OpResult result : op->getResults()) {
      auto argument = dyn_cast<BlockArgument>(returned(op.getBranches()[0])[result.getResultNumber()]);
      auto isSame = [&](Region &branch) {
        auto other = dyn_cast<BlockArgument>(returned(branch)[result.getResultNumber()]);
        return other && other.getArgNumber() == argument.getArgNumber();
      };
      if (result.use_empty() || !argument || !llvm::all_of(op.getBranches(), isSame))
        continue;
      rewriter.replaceAllUsesWith(result, op.getArgs()[argument.getArgNumber()]);
      changed = true;
    }
    return changed;
  }

  static bool removeUnused(PatternRewriter &rewriter, CaseOp op) {
    llvm::SmallBitVector results(op->getNumResults()), arguments(op.getArgs().size());
    for (OpResult result : op->getResults())
      results[result.getResultNumber()] = !result.use_empty();
    for (Region &branch : op.getBranches()) {
      DenseSet<Value> seen;
      markNeeded(effectRoots(branch), seen, arguments);
      markNeeded(pick(returned(branch), results), seen, arguments);
    }
    if (results.all() && arguments.all())
      return false;
    auto made = CaseOp::create(rewriter, op.getLoc(), markedTypes(op->getResultTypes(), results), op.getIndex(),
                               pick(op.getArgs(), arguments), op.getBranches().size());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip_equal(op.getBranches(), made.getBranches()))
      moveRegion(rewriter, from, to, arguments, results);
    replaceMarked(rewriter, op, made->getResults(), results);
    return true;
  }
};

} // namespace

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyLoop<ScanOp>, ConstantSlices, FewSteps>(context);
}

void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyLoop<WhileOp>>(context);
}

void CaseOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<KnownBranch, SimplifyBranches>(context);
}

} // namespace dovetail
