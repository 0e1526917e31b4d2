// Functions of parts of arrays: derivatives, transposes and batches.
#include "Call.h"
#include "Collective.h"
#include "Control.h"
#include "ShardMap.h"

using namespace mlir;

namespace dovetail {

//===- shard_map -----------------------------------------------------------------------------===//

static DimShardingAttr dimOver(MLIRContext *context, ArrayRef<StringAttr> axes, bool isOpen = false) {
  auto refs = llvm::map_to_vector(axes, [&](StringAttr axis) { return AxisRefAttr::get(context, axis, 0, 0); });
  return DimShardingAttr::get(context, refs, isOpen, 0);
}

/// The axes over which a batch is divided, checked to be of a mesh.
static FailureOr<SmallVector<StringAttr>> meshAxesOf(Operation *op, BatchSize batch, MeshAttr mesh) {
  SmallVector<StringAttr> axes;
  if (batch.meshAxes)
    llvm::append_range(axes, batch.meshAxes.getAsRange<StringAttr>());
  for (StringAttr axis : axes)
    if (!mesh.sizeOf(axis))
      return op->emitError() << "vmap spmd_axis_name must name axes of " << mesh << ", got: " << axis;
  return axes;
}

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

/// The sharding of cotangents: a sum of theirs is left to do where all devices have the same value, if that is said,
/// and the reverse.
static ShardingAttr dual(Attribute attribute) {
  auto own = cast<ShardingAttr>(attribute);
  return ShardingAttr::get(own.getContext(), own.getMesh(), own.getDims(), own.getUnreduced(), own.getReplicated());
}

/// Whether a sharding names an axis.
static bool mentions(Attribute attribute, StringAttr axis) {
  auto sharding = cast<ShardingAttr>(attribute);
  auto isIn = [&](ArrayRef<AxisRefAttr> axes) {
    return llvm::any_of(axes, [&](AxisRefAttr other) { return other.getName() == axis; });
  };
  return isIn(sharding.getReplicated()) || isIn(sharding.getUnreduced()) ||
         llvm::any_of(sharding.getDims(), [&](DimShardingAttr dim) { return isIn(dim.getAxes()); });
}

/// The manual axes along which devices may have different values. Along the others they do the same.
static SmallVector<StringAttr> axesInUse(Emitter &e, ShardMapOp op) {
  SmallVector<StringAttr> axes;
  for (StringAttr axis : op.getAxes().getAsRange<StringAttr>()) {
    auto isOver = [&](Attribute sharding) { return mentions(sharding, axis); };
    if (llvm::any_of(op.getIn(), isOver) || llvm::any_of(op.getOut(), isOver) || e.transforms().names(op, axis))
      axes.push_back(axis);
  }
  return axes;
}

/// Those of these axes over which an array is not sharded.
static ArrayAttr unmentioned(ArrayRef<StringAttr> axes, Attribute sharding) {
  SmallVector<Attribute> rest(
      llvm::make_filter_range(axes, [&](StringAttr axis) { return !mentions(sharding, axis); }));
  return ArrayAttr::get(sharding.getContext(), rest);
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

/// The manual axes over which a batch of parts is divided: the function gets a part of the batch on each device. A
/// batch over whose axis the function computes stays whole.
static FailureOr<SmallVector<StringAttr>> axesOfBatch(Emitter &e, ShardMapOp op, BatchSize batch,
                                                      ArrayRef<StringAttr> meshAxes) {
  SmallVector<StringAttr> axes(
      llvm::make_filter_range(meshAxes, [&](StringAttr axis) { return llvm::is_contained(op.getAxes(), axis); }));
  if (batch.axis && e.transforms().names(op, batch.axis))
    axes.clear();
  int64_t count = 1;
  for (StringAttr axis : axes) {
    for (auto [shardings, what] : {std::pair(op.getIn(), "in_specs"), std::pair(op.getOut(), "out_specs")})
      for (Attribute sharding : shardings)
        if (mentions(sharding, axis))
          return op.emitError() << "vmap spmd_axis_name cannot appear in shard_map " << what << ", got: " << axis;
    if (e.transforms().names(op, axis))
      return op.emitError() << "vmap spmd_axis_name cannot be an axis over which shard_map's function has collectives, "
                            << "got: " << axis;
    count *= op.getMesh().sizeOf(axis);
  }
  if (batch.size % count)
    return op.emitError() << "the size of the axis that vmap maps must be a multiple of " << count
                          << ", the number of devices along the axes in spmd_axis_name, got: " << batch.size;
  return axes;
}

LogicalResult ShardMapOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  auto meshAxes = meshAxesOf(*this, e.batchSize, getMesh());
  if (failed(meshAxes))
    return failure();
  // A manual axis hides one of the same name around the op.
  BatchSize inner = e.batchSize;
  if (inner.axis && llvm::is_contained(getAxes(), inner.axis))
    inner.axis = {};
  auto axes = axesOfBatch(e, *this, inner, *meshAxes);
  if (failed(axes))
    return failure();
  for (StringAttr axis : *axes)
    inner.size /= getMesh().sizeOf(axis);
  // Ops of the function may divide it over the axes that are not manual.
  SmallVector<Attribute> others(
      llvm::make_filter_range(*meshAxes, [&](StringAttr axis) { return !llvm::is_contained(getAxes(), axis); }));
  inner.meshAxes = others.empty() ? ArrayAttr() : e.builder.getArrayAttr(others);
  auto batched = e.transforms().batch(e.transforms().lookup(getCalleeAttr()), dims, inner);
  if (failed(batched))
    return failure();
  auto withBatch = [&](ArrayAttr shardings, ArrayRef<int64_t> positions) {
    SmallVector<Attribute> all;
    for (auto [attribute, position] : llvm::zip_equal(shardings, positions)) {
      auto sharding = cast<ShardingAttr>(attribute);
      all.push_back(position == kUnbatched ? sharding : sharding.withDim(position, dimOver(getContext(), *axes)));
    }
    return all;
  };
  SmallVector<Attribute> in = withBatch(getIn(), dims), out = withBatch(getOut(), batched->resultDims);
  func::FuncOp function = batched->function;
  if (getChecked() && !axes->empty()) {
    SmallVector<StringAttr> manual(getAxes().getAsRange<StringAttr>());
    auto mentioned = [&](Attribute sharding) {
      return SmallVector<StringAttr>(
          llvm::make_filter_range(manual, [&](StringAttr axis) { return mentions(sharding, axis); }));
    };
    FailureOr<func::FuncOp> varying =
        e.transforms().vary(function, manual, llvm::map_to_vector(in, mentioned), llvm::map_to_vector(out, mentioned));
    if (failed(varying))
      return failure();
    function = *varying;
  }
  llvm::append_range(results, emitLike(e, *this, function, operands, in, out));
  llvm::append_range(resultDims, batched->resultDims);
  return success();
}

/// The transpose of a function that is not checked. An array that all devices along an axis share is one value, and
/// each of them has a share of its cotangent: an equal share for a result, a term of a sum for an argument.
static func::FuncOp withShares(Emitter &e, ShardMapOp op, func::FuncOp transposed, ArrayRef<Attribute> in,
                               unsigned numPrimals, ArrayRef<Attribute> out) {
  SmallVector<StringAttr> inUse = axesInUse(e, op);
  Body body(e.loc, transposed.getArgumentTypes());
  BodyEmitter inner(e, body);
  SmallVector<Value> args(body.arguments());
  for (auto [arg, sharding] : llvm::drop_begin(llvm::zip_equal(args, in), numPrimals)) {
    double count = 1;
    for (Attribute axis : unmentioned(inUse, sharding))
      count *= op.getMesh().sizeOf(cast<StringAttr>(axis));
    if (count > 1)
      arg = inner.div(arg, inner.full(arg, count));
  }
  for (auto [result, sharding] : llvm::zip_equal(emitCall(inner, transposed, args), out)) {
    ArrayAttr axes = unmentioned(inUse, sharding);
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
  llvm::append_range(in, llvm::map_range(pick(getOut(), present(cotangents)), dual));
  for (unsigned i : transposed->nonzero.set_bits())
    out.push_back(dual(ofLinear[i]));
  func::FuncOp function =
      getChecked() ? transposed->function : withShares(e, *this, transposed->function, in, numPrimals, out);
  SmallVector<Value> all(linear.count());
  scatterTo(emitLike(e, *this, function, args, in, out), transposed->nonzero, all);
  scatterTo(all, linear, operandCotangents);
  return success();
}

namespace {
/// The transfer of a residual from one part of a split function to the other: each device keeps its own, and those that
/// may differ are concatenated along the first dimension; a residual that is an argument stays that argument.
struct Residual {
  std::optional<unsigned> argument;
  RankedTensorType type;

  bool isScalar() const { return !argument && type.getRank() == 0; }
  RankedTensorType kept() const { return isScalar() ? withShape(type, {1}) : type; }
};
} // namespace

static ShardingAttr concatenated(MeshAttr mesh, ArrayRef<StringAttr> axes, int64_t rank) {
  return ShardingAttr::replicated(mesh, rank - 1).withDim(0, dimOver(mesh.getContext(), axes));
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
  SmallVector<StringAttr> inUse = axesInUse(e, *this);
  SmallVector<Attribute> in = pick(getIn(), ~unknown), out = pick(getOut(), ~split->unknownResults), restIn;
  SmallVector<Value> args = dovetail::pick(operands, ~unknown), restArgs;
  for (const Residual &residual : residuals)
    if (!residual.argument)
      out.push_back(concatenated(getMesh(), inUse, residual.kept().getRank()));
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
  operandCotangents[0] = e.make<ReshardOp>(cotangents[0], dual(getSharding()), getClosedAttr(), StringAttr());
  return success();
}

LogicalResult ReshardOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  auto axes = meshAxesOf(*this, e.batchSize, getSharding().getMesh());
  if (failed(axes))
    return failure();
  for (StringAttr axis : *axes)
    if (mentions(getSharding(), axis))
      return emitError() << "vmap spmd_axis_name " << axis
                         << " cannot appear in with_sharding_constraint spec, got: " << getSharding();
  auto batchDim = dimOver(getContext(), *axes, /*isOpen=*/axes->empty());
  results.push_back(
      e.make<ReshardOp>(operands[0], getSharding().withDim(dims[0], batchDim), getClosedAttr(), getMemoryAttr()));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap ReshardOp::factorMap() { return pointwiseFactorMap(*this); }

} // namespace dovetail
