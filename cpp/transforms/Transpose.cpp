// Transposes a function that is linear in some of its arguments.
#include "CallGraph.h"
#include "Functions.h"
#include "Partition.h"
#include "Passes.h"
#include "dialects/Create.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_TRANSPOSEPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// A transposition in progress: the linear values of the source, with their sizes and cotangents in the target.
class Transposition {
public:
  Transposition(OpBuilder &builder, FunctionTransforms *transforms) : builder(builder), transforms(transforms) {}

  OpBuilder &builder;
  FunctionTransforms *transforms;
  /// Values of the source that do not depend on the linear arguments, in the target.
  IRMapping values;
  DenseSet<Value> linear;
  /// Sizes of the `?`s of linear values: those of the arguments, and others on demand.
  DenseMap<std::pair<Value, int64_t>, Value> knownSizes;
  DenseMap<Value, Value> cotangents;

  /// Binds the arguments of `source` to `args`: first the nonlinear ones, then the sizes of the linear ones. Returns
  /// the index of the first argument after these.
  Block::args_iterator bind(Region &source, const llvm::SmallBitVector &isLinear, Block::args_iterator args) {
    for (unsigned i = 0; i < isLinear.size(); ++i)
      if (!isLinear.test(i))
        values.map(source.getArgument(i), *args++);
    for (unsigned i : isLinear.set_bits()) {
      Value argument = source.getArgument(i);
      linear.insert(argument);
      auto type = cast<RankedTensorType>(argument.getType());
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          knownSizes[{argument, d}] = *args++;
    }
    return args;
  }

  Emitter emitter(Location loc) {
    Emitter e(builder, loc, transforms);
    e.sizeOfAbsent = [this](Value value, int64_t dim) { return sizeOf(value, dim); };
    return e;
  }

  /// Copies an op that is not linear; returns false if it is.
  bool copy(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return linear.contains(operand); })) {
      builder.clone(*op, values);
      return true;
    }
    // A size query needs no elements.
    if (auto query = dyn_cast<SizeQueryOpInterface>(op))
      if (Value size = sizeOf(op->getOperand(0), query.getQueriedDimension())) {
        values.map(op->getResult(0), size);
        return true;
      }
    linear.insert(op->result_begin(), op->result_end());
    return false;
  }

  LogicalResult transpose(Operation *op) {
    SmallVector<Value> resultCotangents =
        llvm::map_to_vector(op->getResults(), [&](Value result) { return cotangents.lookup(result); });
    if (llvm::none_of(resultCotangents, [](Value ct) { return static_cast<bool>(ct); })) {
      if (!transforms->hasEffects(op, EffectKind::Counted))
        return success();
      return op->emitError() << "an io callback must not take what is transposed, since that does not exist then; call "
                                "it on values that do not depend on it";
    }
    SmallVector<Value> operands = operandsOf(op);
    SmallVector<Value> operandCotangents(operands.size());
    Emitter e = emitter(op->getLoc());
    if (failed(applyTranspose(op, e, operands, resultCotangents, operandCotangents)))
      return failure();
    for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), operandCotangents))
      if (cotangent && linear.contains(operand)) {
        FailureOr<Value> typed = ofType(e, op, cotangent, operand.getType());
        if (failed(typed))
          return failure();
        accumulate(e, operand, *typed);
      }
    return success();
  }

  void accumulate(Emitter &e, Value value, Value cotangent) {
    Value &sum = cotangents[value];
    sum = e.add(sum, cotangent);
  }

  /// The target's value of a size of the source. One that is computed together with linear values follows from their
  /// sizes.
  Value sizeValue(Value size) {
    if (!linear.contains(size))
      return values.lookup(size);
    Value known = knownSizes.lookup({size, 0});
    if (known)
      return known;
    auto result = cast<OpResult>(size);
    Operation *op = result.getOwner();
    if (auto query = dyn_cast<SizeQueryOpInterface>(op)) {
      known = sizeOf(op->getOperand(0), query.getQueriedDimension());
    } else if (llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIndex(); }) && isPure(op)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, sizeValue(operand));
      known = builder.clone(*op, mapping)->getResult(result.getResultNumber());
    } else {
      known = statedSize(result, 0);
    }
    return knownSizes[{size, 0}] = known;
  }

  /// Set if a requested size has no rule, which was reported at the query.
  bool isSizeMissing = false;

private:
  /// The size of a value of the source whose elements may not exist in the target; null for values of the target.
  Value sizeOf(Value value, int64_t dim) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.isDynamicDim(dim))
      return arith::ConstantIndexOp::create(builder, value.getLoc(), type.getDimSize(dim));
    if (!linear.contains(value)) {
      Value mapped = values.lookupOrNull(value);
      return mapped ? builder.createOrFold<DimOp>(value.getLoc(), mapped, dim) : Value();
    }
    Value known = knownSizes.lookup({value, dim});
    if (!known)
      known = knownSizes[{value, dim}] = sizeOfResult(cast<OpResult>(value), dim);
    return known;
  }

  /// The size of a `?` of a linear op's result.
  Value sizeOfResult(OpResult value, int64_t dim) {
    DimSource source = sizeSource(value, dim);
    if (!source.value)
      return statedSize(value, dim);
    return source.isSize() ? sizeValue(source.value) : sizeOf(source.value, *source.dimension);
  }

  /// A size by the rule of its op: that of a result, or a result that is a size.
  Value statedSize(OpResult value, int64_t dim) {
    Operation *op = value.getOwner();
    if (auto stated = dyn_cast<ResultSizeOpInterface>(op)) {
      SmallVector<Value> operands = operandsOf(op);
      Emitter e = emitter(op->getLoc());
      if (Value size = stated.resultSize(e, operands, value.getResultNumber(), dim))
        return size;
    } else {
      op->emitError() << "no size rule for '" << op->getName() << "', whose '?' sizes its transpose needs";
    }
    isSizeMissing = true;
    return arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
  }

  /// An op's operands in the target: null for arrays that are linear.
  SmallVector<Value> operandsOf(Operation *op) {
    return llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      if (operand.getType().isIndex())
        return sizeValue(operand);
      return linear.contains(operand) ? Value() : values.lookup(operand);
    });
  }
};

} // namespace

/// The types of the arguments that `Transposition::bind` binds.
static SmallVector<Type> boundTypes(Region &source, const llvm::SmallBitVector &linear) {
  SmallVector<Type> types, sizeTypes;
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes()))
    if (linear.test(i))
      sizeTypes.append(cast<RankedTensorType>(type).getNumDynamicDims(), IndexType::get(type.getContext()));
    else
      types.push_back(type);
  llvm::append_range(types, sizeTypes);
  return types;
}

/// Returns true if a body has ops that may have to be partitioned.
static bool hasBodies(Region &source) {
  return llvm::any_of(source.front(), [](Operation &op) { return op.getNumRegions() != 0; });
}

FailureOr<FunctionTransforms::Transpose<Body>> Functions::transpose(Region &body, const Mask &linear,
                                                                    const Mask &results) {
  if (failed(checkTransformable(body)))
    return failure();
  if (!hasBodies(body))
    return transposeWhole(body, returned(body), linear, results);
  // Some ops have a transpose only for the part that depends on the linear arguments.
  FailureOr<Partition> taken = partition(body, linear, this, [&](SplitOpInterface op, const Mask &unknown) {
    OpBuilder builder(op.getContext());
    Emitter e(builder, op.getLoc(), this);
    return op.needsSplit(e, unknown);
  });
  if (failed(taken))
    return failure();
  return transposeWhole(*taken->body.region, taken->body.results, linear, results);
}

FailureOr<FunctionTransforms::Transpose<Body>> Functions::transposeWhole(Region &source, ValueRange outs,
                                                                         const Mask &linear, const Mask &results) {
  SmallVector<Type> types = boundTypes(source, linear);
  for (unsigned i : results.set_bits())
    types.push_back(outs[i].getType());
  Body body(locOf(source), types);
  OpBuilder builder = body.builder();
  Transposition transposition(builder, this);
  auto args = transposition.bind(source, linear, body.arguments().begin());

  SmallVector<Operation *> linearOps;
  for (Operation &op : opsOf(source))
    if (!transposition.copy(&op))
      linearOps.push_back(&op);
  Emitter e = transposition.emitter(locOf(source));
  for (unsigned i : results.set_bits())
    if (Value result = outs[i]; transposition.linear.contains(result))
      transposition.accumulate(e, result, *args++);
    else
      ++args;
  for (Operation *op : llvm::reverse(linearOps))
    if (failed(transposition.transpose(op)))
      return failure();
  if (transposition.isSizeMissing)
    return failure();

  Mask nonzero(linear.count());
  for (auto [n, i] : llvm::enumerate(linear.set_bits()))
    if (Value cotangent = transposition.cotangents.lookup(source.getArgument(i))) {
      nonzero.set(n);
      body.results.push_back(cotangent);
    }
  return Transpose<Body>{std::move(body), nonzero};
}

FailureOr<Body> Functions::sizes(Region &source, const Mask &linear) {
  if (failed(checkTransformable(source)))
    return failure();
  Body body(locOf(source), boundTypes(source, linear));
  OpBuilder builder = body.builder();
  Transposition transposition(builder, this);
  transposition.bind(source, linear, body.arguments().begin());
  for (Operation &op : source.front().without_terminator())
    transposition.copy(&op);
  Emitter e = transposition.emitter(locOf(source));
  for (Value result : returned(source)) {
    if (result.getType().isIndex())
      body.results.push_back(transposition.sizeValue(result));
    else
      llvm::append_range(body.results, e.sizes(result));
  }
  if (transposition.isSizeMissing)
    return failure();
  // Sizes are computed next to the original ops, whose effects must not be repeated.
  body.prune(/*keepEffects=*/false);
  return body;
}

namespace {
struct TransposePass : impl::TransposePassBase<TransposePass> {
  using TransposePassBase::TransposePassBase;
  void runOnOperation() override {
    FailureOr<func::FuncOp> target = findFunction(getOperation(), function);
    if (failed(target))
      return signalPassFailure();
    FailureOr<llvm::SmallBitVector> mask = argumentMask(*target, linear, /*takesIntegers=*/true);
    llvm::SmallBitVector results(target->getNumResults(), true);
    if (failed(mask) || failed(Functions(getOperation()).transpose(*target, *mask, results)))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
