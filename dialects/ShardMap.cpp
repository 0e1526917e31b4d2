// Functions of parts of arrays: verification, and their meaning on whole arrays.
#include "ShardMap.h"
#include "Call.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/ShardMap.cpp.inc"

namespace dovetail {

void registerShardMapOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/ShardMap.cpp.inc"
      >();
}

//===- Verification ------------------------------------------------------------------------===//

static LogicalResult verifyRank(Operation *op, const Twine &what, ShardingAttr sharding, Type type) {
  if (cast<RankedTensorType>(type).getRank() == static_cast<int64_t>(sharding.getDims().size()))
    return success();
  return op->emitOpError() << what << " must have one entry for each dimension of " << type << ", got: " << sharding;
}

/// Checks the shardings of operands or results, and that the function's types are those of the parts.
static LogicalResult verifyParts(ShardMapOp op, StringRef what, ArrayAttr shardings, TypeRange whole, TypeRange parts) {
  if (shardings.size() != whole.size() || parts.size() != whole.size())
    return op.emitOpError() << "must have one of '" << what << "' for each of " << parts.size()
                            << " values, got: " << shardings.size() << " for " << whole.size();
  for (auto [i, attribute] : llvm::enumerate(shardings)) {
    auto sharding = cast<ShardingAttr>(attribute);
    auto type = dyn_cast<RankedTensorType>(whole[i]);
    if (!type || !type.hasStaticShape())
      return op.emitOpError() << "'" << what << "' must be of arrays of known shapes, got: " << whole[i];
    if (failed(verifyRank(op, Twine("'") + what + "' " + Twine(i), sharding, type)))
      return failure();
    if (sharding.getMesh() != op.getMesh())
      return op.emitOpError() << "'" << what << "' must be of mesh " << op.getMesh() << ", got: " << sharding.getMesh();
    for (DimShardingAttr dim : sharding.getDims())
      for (AxisRefAttr axis : dim.getAxes())
        if (!axis.isWhole() || !llvm::is_contained(op.getAxes(), axis.getName()))
          return op.emitOpError() << "'" << what << "' must name whole manual axes, got: " << axis;
    RankedTensorType part = sharding.localType(type);
    if (sharding.globalType(part) != type)
      return op.emitOpError() << "'" << what << "' must divide arrays into equal parts, got: " << sharding << " for "
                              << type;
    if (part != parts[i])
      return op.emitOpError() << "the function's value " << i << " of '" << what << "' must be " << part
                              << ", got: " << parts[i];
  }
  return success();
}

LogicalResult ShardMapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, "callee", getCalleeAttr(), symbols);
  if (failed(callee))
    return failure();
  SmallPtrSet<Attribute, 4> seen;
  for (Attribute axis : getAxes()) {
    if (!getMesh().sizeOf(cast<StringAttr>(axis)))
      return emitOpError() << "manual axes must be axes of " << getMesh() << ", got: " << axis;
    if (!seen.insert(axis).second)
      return emitOpError() << "manual axes must be distinct, got: " << axis << " twice";
  }
  if (failed(verifyParts(*this, "in", getIn(), getArgs().getTypes(), callee->getArgumentTypes())))
    return failure();
  return verifyParts(*this, "out", getOut(), getOuts().getTypes(), callee->getResultTypes());
}

LogicalResult ReshardOp::verify() {
  MeshAttr mesh = getSharding().getMesh();
  for (Attribute axis : getClosedAttr() ? getClosedAttr() : ArrayAttr::get(getContext(), {}))
    if (!mesh.sizeOf(cast<StringAttr>(axis)))
      return emitOpError() << "closed axes must be axes of " << mesh << ", got: " << axis;
  return verifyRank(*this, "sharding", getSharding(), getType());
}

//===- Meaning --------------------------------------------------------------------------------===//

namespace {

/// A batch of parts, with the dimension for each axis.
struct Parts {
  Value value;
  SmallVector<std::pair<StringAttr, int64_t>> positions;

  std::optional<int64_t> find(StringAttr axis) const {
    for (auto [name, position] : positions)
      if (name == axis)
        return position;
    return std::nullopt;
  }
  void insert(StringAttr axis, int64_t at) {
    for (auto &[_, position] : positions)
      position += position >= at;
    positions.push_back({axis, at});
  }
  void erase(StringAttr axis) {
    int64_t at = *find(axis);
    llvm::erase_if(positions, [&](auto &each) { return each.first == axis; });
    for (auto &[_, position] : positions)
      position -= position > at;
  }
};

} // namespace

/// The shape in which each dimension is preceded by the axes over which it is sharded, but for those of one device; for
/// each dimension of that shape, the axis, or null.
static SmallVector<int64_t> dividedShape(RankedTensorType part, ShardingAttr sharding,
                                         SmallVectorImpl<StringAttr> &axes) {
  SmallVector<int64_t> shape;
  for (auto [size, dim] : llvm::zip_equal(part.getShape(), sharding.getDims())) {
    for (AxisRefAttr axis : dim.getAxes())
      if (int64_t count = sharding.getMesh().sizeOf(axis); count > 1) {
        shape.push_back(count);
        axes.push_back(axis.getName());
      }
    shape.push_back(size);
    axes.push_back(StringAttr());
  }
  return shape;
}

/// Along a dimension in front: `x`, and zeros.
static Value firstOf(Emitter &e, Value x, int64_t count) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape()), zeros(shape.size() + 1, 0);
  shape.insert(shape.begin(), 1);
  x = e.reshape(x, withShape(type, shape), {});
  shape.front() = count;
  Value nothing = e.zeros(withShape(type, {}), {});
  return e.make<PadOp>(withShape(type, shape), x, nothing, zeros, zeros, ValueRange());
}

/// All parts of an array, along dimensions in front in the order of `axes`.
static Parts divide(Emitter &e, Value x, RankedTensorType part, ShardingAttr sharding, ArrayAttr axes) {
  SmallVector<StringAttr> order;
  SmallVector<int64_t> shape = dividedShape(part, sharding, order), permutation;
  Parts parts;
  for (Attribute axis : axes)
    if (auto *found = llvm::find(order, axis); found != order.end()) {
      parts.positions.push_back({cast<StringAttr>(axis), permutation.size()});
      permutation.push_back(found - order.begin());
    }
  for (auto [i, axis] : llvm::enumerate(order))
    if (!axis)
      permutation.push_back(i);
  parts.value = e.transpose(e.reshape(x, withShape(part, shape), {}), permutation);
  for (AxisRefAttr axis : llvm::reverse(sharding.getUnreduced())) {
    parts.value = firstOf(e, parts.value, sharding.getMesh().sizeOf(axis));
    parts.insert(axis.getName(), 0);
  }
  return parts;
}

/// The array with all of these parts; of parts along an axis over which it is not sharded, the first; of terms their
/// sum.
static Value assemble(Emitter &e, Parts parts, RankedTensorType part, ShardingAttr sharding) {
  for (AxisRefAttr axis : sharding.getUnreduced())
    if (std::optional<int64_t> at = parts.find(axis.getName())) {
      parts.value = e.reduceSum(parts.value, *at);
      parts.erase(axis.getName());
    } else {
      // All devices have the same term.
      parts.value = e.mul(parts.value, e.full(parts.value, sharding.getMesh().sizeOf(axis)));
    }
  SmallVector<StringAttr> order;
  dividedShape(part, sharding, order);
  for (StringAttr axis : order)
    if (axis && !parts.find(axis)) {
      e.batchSize = BatchSize(sharding.getMesh().sizeOf(axis));
      parts.value = e.batchAt(parts.value, kUnbatched, 0);
      parts.insert(axis, 0);
    }
  auto type = cast<RankedTensorType>(parts.value.getType());
  SmallVector<int64_t> shape(type.getShape()), permutation, own;
  for (auto [axis, position] : parts.positions)
    if (!llvm::is_contained(order, axis)) {
      shape[position] = 1;
      permutation.push_back(position);
    }
  if (!permutation.empty()) {
    SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
    parts.value = e.make<SliceOp>(withShape(type, shape), parts.value, zeros, ones, ValueRange());
  }
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (llvm::none_of(parts.positions, [&](auto &at) { return at.second == d; }))
      own.push_back(d);
  unsigned next = 0;
  for (StringAttr axis : order)
    permutation.push_back(axis ? *parts.find(axis) : own[next++]);
  return e.reshape(e.transpose(parts.value, permutation), sharding.globalType(part), {});
}

LogicalResult ShardMapOp::emitGlobal(Emitter &e, SmallVectorImpl<Value> &results) {
  func::FuncOp function = e.transforms().lookup(getCalleeAttr()), callee = function;
  SmallVector<Parts> args, outs(callee.getNumResults());
  for (auto [arg, type, sharding] : llvm::zip_equal(getArgs(), callee.getArgumentTypes(), getIn()))
    args.push_back(divide(e, arg, cast<RankedTensorType>(type), cast<ShardingAttr>(sharding), getAxes()));
  // The last axis first: each batch dimension is in front of those before it.
  for (Attribute attribute : llvm::reverse(getAxes())) {
    auto axis = cast<StringAttr>(attribute);
    SmallVector<int64_t> dims =
        llvm::map_to_vector(args, [&](const Parts &arg) { return arg.find(axis) ? 0 : kUnbatched; });
    auto batched = e.transforms().batch(function, dims, BatchSize(getMesh().sizeOf(axis), axis));
    if (failed(batched))
      return failure();
    function = batched->function;
    for (auto [out, dim] : llvm::zip_equal(outs, batched->resultDims))
      if (dim != kUnbatched)
        out.insert(axis, dim);
  }
  SmallVector<Value> operands = llvm::map_to_vector(args, [](const Parts &arg) { return arg.value; });
  for (auto [out, value] : llvm::zip_equal(outs, emitCall(e, function, operands)))
    out.value = value;
  for (auto [out, type, sharding] : llvm::zip_equal(outs, callee.getResultTypes(), getOut()))
    results.push_back(assemble(e, out, cast<RankedTensorType>(type), cast<ShardingAttr>(sharding)));
  return success();
}

ShardingAttr ShardMapOp::operandSharding(unsigned number) { return cast<ShardingAttr>(getIn()[number]); }
ShardingAttr ShardMapOp::resultSharding(unsigned number) { return cast<ShardingAttr>(getOut()[number]); }

FlatSymbolRefAttr ShardMapOp::partsFunction() { return getCalleeAttr(); }
ArrayAttr ShardMapOp::manualAxes() { return getAxes(); }
ArrayAttr ShardMapOp::closedAxes() { return getAxes(); }

void ShardMapOp::emitLocal(Emitter &e, func::FuncOp function, ValueRange parts, SmallVectorImpl<Value> &results) {
  llvm::append_range(results, emitCall(e, function, parts));
}

ShardingAttr ReshardOp::operandSharding(unsigned) { return getSharding(); }
ShardingAttr ReshardOp::resultSharding(unsigned) { return getSharding(); }
ArrayAttr ReshardOp::closedAxes() { return getClosedAttr(); }
void ReshardOp::closeSharding(unsigned, ShardingAttr sharding) { setShardingAttr(sharding); }
void ReshardOp::emitLocal(Emitter &, func::FuncOp, ValueRange parts, SmallVectorImpl<Value> &results) {
  results.push_back(parts.front());
}

LogicalResult ReshardOp::emitGlobal(Emitter &, SmallVectorImpl<Value> &results) {
  results.push_back(getX());
  return success();
}

} // namespace dovetail
