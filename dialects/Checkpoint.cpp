// Checkpoints: verification, rules, and which values a split of one keeps.
#include "Checkpoint.h"
#include "Call.h"
#include "Control.h"
#include "Inference.h"
#include "Shape.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Checkpoint.cpp.inc"

namespace dovetail {

void registerCheckpointOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Checkpoint.cpp.inc"
      >();
}

//===- Policies -----------------------------------------------------------------===//

/// The parts of a policy's entry: the kind of values that it allows to save, and their names.
static std::pair<StringRef, ArrayRef<Attribute>> partsOf(Attribute entry) {
  ArrayRef<Attribute> texts = cast<ArrayAttr>(entry).getValue();
  return {cast<StringAttr>(texts.front()).getValue(), texts.drop_front()};
}

static LogicalResult verifyPolicy(Operation *op, ArrayAttr policy) {
  for (Attribute entry : policy ? policy.getValue() : ArrayRef<Attribute>()) {
    auto texts = dyn_cast<ArrayAttr>(entry);
    if (!texts || texts.empty() || !llvm::all_of(texts, [](Attribute text) { return isa<StringAttr>(text); }))
      return op->emitOpError() << "policy must consist of lists of strings, got: " << entry;
    auto [what, names] = partsOf(entry);
    bool takesNames = llvm::is_contained({"named", "named_but", "all_but", "op"}, what);
    if (!takesNames && !llvm::is_contained({"all", "dot", "unbatched_dot"}, what))
      return op->emitOpError() << "policy must save all, all_but, dot, unbatched_dot, named, named_but or op, got: "
                               << entry;
    if (!takesNames && !names.empty())
      return op->emitOpError() << "names must come with named, named_but, all_but or op, got: " << entry;
  }
  return success();
}

/// Returns true if a policy allows saving the results of an op.
static bool mayBeSaved(Operation *op, ArrayAttr policy) {
  auto saveable = dyn_cast<SaveableOpInterface>(op);
  StringRef kind = saveable ? saveable.getSavedKind() : "";
  auto isNamed = [&](ArrayRef<Attribute> names) {
    return llvm::any_of(names, [&](Attribute name) {
      return kind == "named" && cast<StringAttr>(name).getValue() == saveable.getSavedName();
    });
  };
  return llvm::any_of(policy ? policy.getValue() : ArrayRef<Attribute>(), [&](Attribute entry) {
    auto [what, names] = partsOf(entry);
    if (what == "all_but")
      return !isNamed(names);
    if (what == "named")
      return isNamed(names);
    if (what == "named_but")
      return kind == "named" && !isNamed(names);
    if (what == "op")
      return llvm::is_contained(names, StringAttr::get(op->getContext(), op->getName().stripDialect()));
    return what == "all" || what == kind || (what == "dot" && kind == "unbatched_dot");
  });
}

//===- As a call -------------------------------------------------------------------===//

LogicalResult CheckpointOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyPolicy(*this, getPolicyAttr())))
    return failure();
  return verifyCall(*this, getCalleeAttr(), symbols);
}

static ValueRange emitLike(Emitter &e, CheckpointOp op, func::FuncOp function, ValueRange args, bool recomputes) {
  return CheckpointOp::create(e.builder, e.loc, function.getResultTypes(), function.getSymName(), args,
                              op.getPolicyAttr(), op.getPreventCse(), recomputes)
      ->getResults();
}

/// Emits a checkpoint of another function with the same policy.
static auto alike(Emitter &e, CheckpointOp op) {
  return [&e, op](func::FuncOp function, ValueRange args) mutable {
    return emitLike(e, op, function, args, op.getRecomputes());
  };
}

LogicalResult CheckpointOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfCall(e, e.transforms().lookup(getCalleeAttr()), primals, tangents, results, resultTangents,
                   alike(e, *this));
}

OperandSets CheckpointOp::linearSets() { return linearSetsOfCall(*this); }

LogicalResult CheckpointOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       alike(e, *this));
}

LogicalResult CheckpointOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchCall(e, e.transforms().lookup(getCalleeAttr()), operands, dims, results, resultDims, alike(e, *this));
}

Value CheckpointOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}

// The cotangents are among the arguments, so that nothing is recomputed before they exist.
SmallVector<Value> CheckpointOp::inlinedArguments(OpBuilder &builder) {
  SmallVector<Value> args(getArgs()), arrays;
  if (!getRecomputes() || !getPreventCse())
    return args;
  llvm::copy_if(args, std::back_inserter(arrays), [](Value arg) { return isa<RankedTensorType>(arg.getType()); });
  if (arrays.empty())
    return args;
  ValueRange behind = OptimizationBarrierOp::create(builder, getLoc(), arrays)->getResults();
  for (Value &arg : args)
    if (isa<RankedTensorType>(arg.getType())) {
      arg = behind.front();
      behind = behind.drop_front();
    }
  return args;
}

//===- Saved and recomputed values ------------------------------------------------===//

/// Copies ops, with the bodies of functions in place of their calls, into which policies look.
static LogicalResult copyFlat(Emitter &e, OpBuilder &builder, Block &source, IRMapping &values) {
  for (Operation &op : opsOf(*source.getParent())) {
    auto call = dyn_cast<CallOp>(op);
    if (!call) {
      builder.clone(op, values);
      continue;
    }
    func::FuncOp callee = e.transforms().lookup(call.getCalleeAttr());
    if (!callee.getBody().hasOneBlock())
      return op.emitError() << "'" << callee.getSymName() << "' must have a body of one block";
    IRMapping inner;
    for (auto [argument, operand] : llvm::zip_equal(callee.getArguments(), call.getArgs()))
      inner.map(argument, values.lookup(operand));
    if (failed(copyFlat(e, builder, callee.front(), inner)))
      return failure();
    for (auto [result, inCallee] : llvm::zip_equal(call.getResults(), returned(callee.getBody())))
      values.map(result, inner.lookup(inCallee));
  }
  return success();
}

namespace {

/// The values of a known part that its rest recomputes, and their sources.
struct Recomputation {
  llvm::SetVector<Value> saved;
  DenseSet<Operation *> again;

  Recomputation(ArrayRef<Value> residuals, ArrayAttr policy, FunctionTransforms &transforms) {
    SmallVector<Value> pending(residuals);
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || again.contains(op))
        continue;
      if ((op->getNumOperands() != 0 && mayBeSaved(op, policy)) || transforms.hasEffects(op)) {
        saved.insert(value);
        continue;
      }
      again.insert(op);
      llvm::append_range(pending, op->getOperands());
    }
  }

  bool isEmpty() const {
    return llvm::all_of(again, [](Operation *op) { return op->getNumOperands() == 0; });
  }
};

} // namespace

/// The rest of a function: of (known arguments, saved values, unknown arguments).
static Body recomputing(Body &known, ArrayRef<Value> residuals, const Recomputation &what, Body &rest) {
  SmallVector<Type> types(known.block().getArgumentTypes());
  llvm::append_range(types, ValueRange(what.saved.getArrayRef()).getTypes());
  llvm::append_range(types, ValueRange(rest.arguments().drop_front(residuals.size())).getTypes());
  Body body(known.loc, types);
  OpBuilder builder = body.builder();
  IRMapping values;
  unsigned numKnown = known.arguments().size();
  values.map(known.arguments(), body.arguments().take_front(numKnown));
  values.map(ValueRange(what.saved.getArrayRef()), body.arguments().slice(numKnown, what.saved.size()));
  for (Operation &op : known.block())
    if (what.again.contains(&op))
      builder.clone(op, values);
  SmallVector<Value> args = llvm::map_to_vector(residuals, [&](Value value) { return values.lookup(value); });
  llvm::append_range(args, body.arguments().drop_front(numKnown + what.saved.size()));
  body.results = inlineBody(builder, rest, args);
  return body;
}

/// Removes arguments that nothing uses, with their operands.
static void dropUnused(Body &body, SmallVectorImpl<Value> &operands) {
  for (unsigned i = operands.size(); i-- > 0;) {
    BlockArgument argument = body.block().getArgument(i);
    if (!argument.use_empty() || llvm::is_contained(body.results, Value(argument)))
      continue;
    body.block().eraseArgument(i);
    operands.erase(operands.begin() + i);
  }
}

LogicalResult CheckpointOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                  SmallVectorImpl<Value> &results) {
  func::FuncOp callee = e.transforms().lookup(getCalleeAttr());
  if (!callee.getBody().hasOneBlock())
    return emitError() << "'" << callee.getSymName() << "' must have a body of one block";
  auto parts = e.transforms().split(callee.getBody(), unknown, llvm::SmallBitVector(unknown.size(), true));
  if (failed(parts))
    return failure();
  Body known(parts->known.loc, parts->known.block().getArgumentTypes());
  OpBuilder builder = known.builder();
  IRMapping values;
  values.map(parts->known.arguments(), known.arguments());
  if (failed(copyFlat(e, builder, parts->known.block(), values)))
    return failure();
  SmallVector<Value> outs =
      llvm::map_to_vector(parts->known.results, [&](Value result) { return values.lookup(result); });
  unsigned numResults = getNumResults(), numKnown = numResults - parts->unknownResults.count();
  ArrayRef<Value> residuals = ArrayRef<Value>(outs).drop_front(numKnown);
  Recomputation what(residuals, getPolicyAttr(), e.transforms());
  Body rest = recomputing(known, residuals, what, parts->rest);

  known.results.assign(outs.begin(), outs.begin() + numKnown);
  llvm::append_range(known.results, what.saved);
  SmallVector<Value> knownArgs = pick(operands, ~unknown), restArgs(knownArgs), knownOuts, all(numResults);
  if (!known.results.empty() || e.transforms().hasEffects(known.block()))
    knownOuts = llvm::to_vector_of<Value>(
        emitLike(e, *this, e.transforms().add(callee, ".known", std::move(known)), knownArgs, getRecomputes()));
  llvm::append_range(restArgs, ArrayRef<Value>(knownOuts).drop_front(numKnown));
  llvm::append_range(restArgs, pick(operands, unknown));
  if (parts->unknownResults.any() || e.transforms().hasEffects(rest.block())) {
    dropUnused(rest, restArgs);
    func::FuncOp function = e.transforms().add(callee, ".rest", std::move(rest));
    ValueRange made = what.isEmpty() ? emitCall(e, function, restArgs) : emitLike(e, *this, function, restArgs, true);
    scatterTo(made, parts->unknownResults, all);
  }
  scatterTo(ArrayRef<Value>(knownOuts).take_front(numKnown), ~parts->unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

//===- Names --------------------------------------------------------------------------===//

OpFoldResult NameOp::fold(FoldAdaptor) { return getX(); }

StringRef NameOp::getSavedKind() { return "named"; }
StringRef NameOp::getSavedName() { return getLabel(); }

LogicalResult NameOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  results.push_back(cloneWith(e, *this, primals, getType())->getResult(0));
  resultTangents.push_back(tangents[0]);
  return success();
}

OperandSets NameOp::linearSets() { return {{0}}; }

LogicalResult NameOp::transpose(Emitter &, ValueRange, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = cotangents[0];
  return success();
}

LogicalResult NameOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  results.push_back(cloneWith(e, *this, operands, operands[0].getType())->getResult(0));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap NameOp::factorMap() { return pointwiseFactorMap(*this); }

} // namespace dovetail
