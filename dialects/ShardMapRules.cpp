// Functions of parts of arrays: derivatives, transposes and batches.
#include "Call.h"
#include "Collective.h"
#include "Control.h"
#include "ShardMap.h"

using namespace mlir;

namespace dovetail {

//===- shard_map -----------------------------------------------------------------------------===//

/// Emits a shard_map of another function over the same axes.
static ValueRange emitLike(Emitter &e, ShardMapOp op, func::FuncOp function, ValueRange args, ArrayRef<Attribute> in,
                           ArrayRef<Attribute> out) {
  SmallVector<Type> types;
  for (auto [type, sharding] : llvm::zip_equal(function.getResultTypes(), out))
    types.push_back(cast<ShardingAttr>(sharding).globalType(cast<RankedTensorType>(type)));
  return ShardMapOp::create(e.builder, e.loc, types, function.getSymName(), op.getMesh(), op.getAxes(),
                            e.builder.getArrayAttr(in), e.builder.getArrayAttr(out), op.getChecked(), args)
      ->getResults();
}

static SmallVector<Attribute> pick(ArrayAttr all, const llvm::SmallBitVector &mask) {
  return llvm::map_to_vector(mask.set_bits(), [&](unsigned i) { return all[i]; });
}

/// The manual axes over which an array is not sharded.
static ArrayAttr unmentioned(ShardMapOp op, Attribute attribute) {
  SmallPtrSet<Attribute, 4> mentioned;
  for (DimShardingAttr dim : cast<ShardingAttr>(attribute).getDims())
    for (AxisRefAttr axis : dim.getAxes())
      mentioned.insert(axis.getName());
  SmallVector<Attribute> rest(
      llvm::make_filter_range(op.getAxes(), [&](Attribute axis) { return !mentioned.contains(axis); }));
  return ArrayAttr::get(op.getContext(), rest);
}

LogicalResult ShardMapOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                              SmallVectorImpl<Value> &resultTangents) {
  func::FuncOp callee = e.transforms().lookup(getCalleeAttr());
  auto jvp = e.transforms().jvp(callee, present(tangents));
  if (failed(jvp))
    return failure();
  SmallVector<Attribute> in(getIn().getValue()), out(getOut().getValue());
  llvm::append_range(in, pick(getIn(), present(tangents)));
  llvm::append_range(out, pick(getOut(), jvp->activeResults));
  SmallVector<Value> args(primals);
  llvm::append_range(args, presentOf(tangents));
  ValueRange outs = emitLike(e, *this, jvp->function, args, in, out);
  unsigned numResults = callee.getNumResults();
  llvm::append_range(results, outs.take_front(numResults));
  SmallVector<Value> all(numResults);
  scatterTo(outs.drop_front(numResults), jvp->activeResults, all);
  llvm::append_range(resultTangents, all);
  return success();
}

OperandSets ShardMapOp::linearSets() { return linearSetsOfCall(*this); }

Value ShardMapOp::resultSize(Emitter &, ValueRange, unsigned, int64_t) {
  emitOpError() << "has no results of unknown sizes";
  return nullptr;
}

LogicalResult ShardMapOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  auto batched = e.transforms().batch(e.transforms().lookup(getCalleeAttr()), dims, e.batchSize);
  if (failed(batched))
    return failure();
  auto withBatch = [&](ArrayAttr shardings, ArrayRef<int64_t> positions) {
    SmallVector<Attribute> all;
    for (auto [attribute, position] : llvm::zip_equal(shardings, positions)) {
      auto sharding = cast<ShardingAttr>(attribute);
      auto batchDim = DimShardingAttr::get(getContext(), {}, false, 0);
      all.push_back(position == kUnbatched ? sharding : sharding.withDim(position, batchDim));
    }
    return all;
  };
  llvm::append_range(results, emitLike(e, *this, batched->function, operands, withBatch(getIn(), dims),
                                       withBatch(getOut(), batched->resultDims)));
  llvm::append_range(resultDims, batched->resultDims);
  return success();
}

/// The transpose of a function that is not checked. An array that all devices along an axis share is one value, and
/// each of them has a share of its cotangent: an equal share for a result, a term of a sum for an argument.
static func::FuncOp withShares(Emitter &e, ShardMapOp op, func::FuncOp transposed, ArrayRef<Attribute> in,
                               unsigned numPrimals, ArrayRef<Attribute> out) {
  Body body(e.loc, transposed.getArgumentTypes());
  BodyEmitter inner(e, body);
  SmallVector<Value> args(body.arguments());
  for (auto [arg, sharding] : llvm::drop_begin(llvm::zip_equal(args, in), numPrimals)) {
    double count = 1;
    for (Attribute axis : unmentioned(op, sharding))
      count *= op.getMesh().sizeOf(cast<StringAttr>(axis));
    if (count > 1)
      arg = inner.div(arg, inner.full(arg, count));
  }
  for (auto [result, sharding] : llvm::zip_equal(emitCall(inner, transposed, args), out)) {
    ArrayAttr axes = unmentioned(op, sharding);
    body.results.push_back(axes.empty() ? result : inner.make<AllReduceSumOp>(result, axes));
  }
  return e.transforms().add(transposed, ".shares", std::move(body));
}

LogicalResult ShardMapOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                    MutableArrayRef<Value> operandCotangents) {
  llvm::SmallBitVector linear = ~present(operands);
  auto transposed = e.transforms().transpose(e.transforms().lookup(getCalleeAttr()), linear, present(cotangents));
  if (failed(transposed))
    return failure();
  SmallVector<Value> args = presentOf(operands);
  unsigned numPrimals = args.size();
  llvm::append_range(args, presentOf(cotangents));
  SmallVector<Attribute> in = pick(getIn(), ~linear), ofLinear = pick(getIn(), linear), out;
  llvm::append_range(in, pick(getOut(), present(cotangents)));
  for (unsigned i : transposed->nonzero.set_bits())
    out.push_back(ofLinear[i]);
  func::FuncOp function =
      getChecked() ? transposed->function : withShares(e, *this, transposed->function, in, numPrimals, out);
  SmallVector<Value> all(linear.count());
  scatterTo(emitLike(e, *this, function, args, in, out), transposed->nonzero, all);
  scatterTo(all, linear, operandCotangents);
  return success();
}

namespace {
/// The transfer of a residual from one part of a split function to the other: each device keeps its own, and all are
/// concatenated along the first dimension; a residual that is an argument stays that argument.
struct Residual {
  std::optional<unsigned> argument;
  RankedTensorType type;

  bool isScalar() const { return !argument && type.getRank() == 0; }
  RankedTensorType kept() const { return isScalar() ? withShape(type, {1}) : type; }
};
} // namespace

static ShardingAttr concatenated(ShardMapOp op, int64_t rank) {
  MLIRContext *context = op.getContext();
  SmallVector<AxisRefAttr> all;
  for (Attribute axis : op.getAxes())
    all.push_back(AxisRefAttr::get(context, cast<StringAttr>(axis), 0, 0));
  return ShardingAttr::replicated(op.getMesh(), rank - 1).withDim(0, DimShardingAttr::get(context, all, false, 0));
}

static SmallVector<Residual> residualsOf(func::FuncOp known, unsigned numKnown) {
  SmallVector<Residual> residuals;
  for (Value value : returned(known.getBody()).drop_front(numKnown)) {
    Residual &residual = residuals.emplace_back();
    residual.type = cast<RankedTensorType>(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value))
      residual.argument = argument.getArgNumber();
  }
  return residuals;
}

/// The function `known` with only those residuals that are not arguments, in the form in which they are kept.
static func::FuncOp keeping(Emitter &e, func::FuncOp known, unsigned numKnown, ArrayRef<Residual> residuals) {
  Body body(e.loc, known.getArgumentTypes());
  BodyEmitter inner(e, body);
  ValueRange outs = emitCall(inner, known, body.arguments());
  llvm::append_range(body.results, outs.take_front(numKnown));
  for (auto [value, residual] : llvm::zip_equal(outs.drop_front(numKnown), residuals))
    if (!residual.argument)
      body.results.push_back(inner.reshape(value, residual.kept(), {}));
  return e.transforms().add(known, ".keeping", std::move(body));
}

/// The function `rest`, taking residuals in the form in which they are kept.
static func::FuncOp taking(Emitter &e, func::FuncOp rest, ArrayRef<Residual> residuals) {
  SmallVector<Type> types =
      llvm::map_to_vector(residuals, [](const Residual &residual) -> Type { return residual.kept(); });
  llvm::append_range(types, rest.getArgumentTypes().drop_front(residuals.size()));
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  SmallVector<Value> args(body.arguments());
  for (auto [arg, residual] : llvm::zip(args, residuals))
    arg = inner.reshape(arg, residual.type, {});
  body.results = llvm::to_vector_of<Value>(emitCall(inner, rest, args));
  return e.transforms().add(rest, ".taking", std::move(body));
}

LogicalResult ShardMapOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                SmallVectorImpl<Value> &results) {
  auto split = e.transforms().split(e.transforms().lookup(getCalleeAttr()), unknown);
  if (failed(split))
    return failure();
  unsigned numResults = getNumResults(), numKnown = numResults - split->unknownResults.count();
  SmallVector<Residual> residuals = residualsOf(split->known, numKnown);
  SmallVector<Attribute> in = pick(getIn(), ~unknown), out = pick(getOut(), ~split->unknownResults), restIn;
  SmallVector<Value> args = dovetail::pick(operands, ~unknown), restArgs;
  for (const Residual &residual : residuals)
    if (!residual.argument)
      out.push_back(concatenated(*this, residual.kept().getRank()));
  ValueRange known = emitLike(e, *this, keeping(e, split->known, numKnown, residuals), args, in, out);
  unsigned next = numKnown;
  for (const Residual &residual : residuals) {
    restArgs.push_back(residual.argument ? args[*residual.argument] : known[next]);
    restIn.push_back(residual.argument ? in[*residual.argument] : out[next]);
    next += !residual.argument;
  }
  llvm::append_range(restArgs, dovetail::pick(operands, unknown));
  llvm::append_range(restIn, pick(getIn(), unknown));
  SmallVector<Value> all(numResults);
  scatterTo(known.take_front(numKnown), ~split->unknownResults, all);
  scatterTo(
      emitLike(e, *this, taking(e, split->rest, residuals), restArgs, restIn, pick(getOut(), split->unknownResults)),
      split->unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

//===- reshard -----------------------------------------------------------------------------------===//

OperandSets ReshardOp::linearSets() { return {{0}}; }

LogicalResult ReshardOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<ReshardOp>(cotangents[0], getSharding());
  return success();
}

LogicalResult ReshardOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  auto batchDim = DimShardingAttr::get(getContext(), {}, /*open=*/true, 0);
  results.push_back(e.make<ReshardOp>(operands[0], getSharding().withDim(dims[0], batchDim)));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap ReshardOp::factorMap() { return pointwiseFactorMap(*this); }

} // namespace dovetail
