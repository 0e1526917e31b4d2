// Infers the shardings of results from the factor maps of ops. Messages have JAX's words.
#include "TypeShardings.h"
#include "Regroup.h"
#include "dialects/Dot.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"
#include "dialects/Sort.h"

using namespace mlir;

namespace dovetail {

/// An entry of a partition spec: the name of an axis, or a tuple of names.
static std::string entryText(ArrayRef<AxisRefAttr> axes, bool isQuoted) {
  if (axes.empty())
    return "None";
  StringRef quote = isQuoted ? "'" : "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (axes.size() > 1 ? "(" : "");
  llvm::interleaveComma(axes, out, [&](AxisRefAttr axis) { out << quote << axis.getName().getValue() << quote; });
  out << (axes.size() > 1 ? ")" : "");
  return text;
}

/// A partition spec without its letter: ('x', None).
static std::string specText(ArrayRef<Axes> dims) {
  std::string text = "(";
  for (auto [i, axes] : llvm::enumerate(dims))
    text += (i ? ", " : "") + entryText(axes, true);
  return text + (dims.size() == 1 ? ",)" : ")");
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// A type in JAX's short form: f32[8@x,4].
static std::string typeText(RankedTensorType type, ArrayRef<Axes> dims) {
  std::string text;
  llvm::raw_string_ostream(text) << type.getElementType() << "[";
  for (auto [i, size, axes] : llvm::enumerate(type.getShape(), dims)) {
    text += (i ? "," : "") + std::to_string(size);
    if (axes.empty())
      continue;
    SmallVector<StringRef> names =
        llvm::map_to_vector(axes, [](AxisRefAttr axis) { return axis.getName().getValue(); });
    text += names.size() == 1 ? "@" + names[0].str() : "@(" + llvm::join(names, ",") + ")";
  }
  return text + "]";
}

namespace {

class Inference {
public:
  Inference(Operation *op, ArrayRef<ShardingAttr> operands);

  FailureOr<SmallVector<ShardingAttr>> run();

private:
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
  StringRef name() const { return op->getName().stripDialect(); }
  std::string operandText(unsigned i) const { return typeText(typeOf(op->getOperand(i)), specs[i]); }
  std::string entries(unsigned i, ArrayRef<int64_t> dims) const {
    return specText(llvm::map_to_vector(dims, [&](int64_t dim) { return specs[i][dim]; }));
  }
  /// Gives factors the axes of the dimensions that run over them.
  LogicalResult joinFactors(const FactorMap &map);
  /// Gives a result the axes of an operand's dimension that is no factor of it, or that cannot be divided.
  LogicalResult carry(unsigned operand, unsigned dim);
  LogicalResult conflict(unsigned operand, unsigned other, bool isReduced);
  LogicalResult checkDistinct();

  Operation *op;
  MeshAttr mesh;
  /// Of each operand that is an array, the axes of each dimension.
  SmallVector<AxesOfEach> specs;
  AxesOfEach factors;
  SmallVector<AxesOfEach> results;
};

} // namespace

Inference::Inference(Operation *op, ArrayRef<ShardingAttr> operands) : op(op) {
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    specs.push_back(sharding ? dovetail::axesOf(sharding) : AxesOfEach(type ? type.getRank() : 0));
    if (sharding)
      mesh = sharding.getMesh();
  }
  for (Value result : op->getResults())
    results.emplace_back(isa<RankedTensorType>(result.getType()) ? typeOf(result).getRank() : 0);
}

LogicalResult Inference::conflict(unsigned operand, unsigned other, bool isReduced) {
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    std::string lhs = entries(0, isReduced ? dot.getLhsContract() : dot.getLhsBatch()),
                rhs = entries(1, isReduced ? dot.getRhsContract() : dot.getRhsBatch());
    if (isReduced)
      return op->emitError() << "dot_general requires contracting dimensions to have consistent sharding, got: " << lhs
                             << " and " << rhs << ".";
    return op->emitError()
           << "dot_general requires lhs batch dimensions and rhs batch dimensions to have the consistent "
              "sharding, got: "
           << lhs << " and " << rhs << ".";
  }
  if (op->getName().getStringRef().starts_with("dovetail.scatter"))
    return op->emitError() << "dynamic_update_slice operand sharding must be equal to update sharding, got: operand "
                              "sharding "
                           << operandText(0) << " and update sharding " << operandText(2) << ".";
  if (isa<SelectOp>(op))
    return op->emitError() << "select cases must have the same shardings, got: [" << operandText(other) << ", "
                           << operandText(operand) << "].";
  if (isa<ConcatenateOp>(op))
    return op->emitError() << "All operands should have the same sharding. Got shardings " << specText(specs[other])
                           << ", " << specText(specs[operand]);
  return op->emitError() << name() << " got incompatible shardings for broadcasting: " << specText(specs[other]) << ", "
                         << specText(specs[operand]) << ".";
}

LogicalResult Inference::carry(unsigned operand, unsigned dim) {
  StringRef opName = op->getName().getStringRef();
  bool isScatter = opName.starts_with("dovetail.scatter");
  // One window: a dynamic slice, or the update of one.
  bool isSlice = (isa<GatherOp>(op) || isScatter) && typeOf(op->getOperand(1)).getRank() == 1;
  if (isa<GatherOp>(op) && !isSlice)
    return op->emitError()
           << "Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing "
              "as out sharding could not be resolved unambiguously (or would require collectives on "
              "inputs). Got operand="
           << operandText(0) << ", indices=" << operandText(1);
  if (isScatter && !isSlice)
    return op->emitError() << "Use `.at[...].set/add/mul/...(out_sharding=)` to provide output PartitionSpec for the "
                              "scatter update as out sharding could not be resolved unambiguously (or would require "
                              "collectives on inputs). Got operand="
                           << operandText(0) << ", indices=" << operandText(1) << ", updates=" << operandText(2);
  if (isa<SortOp>(op))
    return op->emitError() << "Arguments to sort must be unsharded over the sorting dimension. Got arg sharding="
                           << specText(specs[operand]);
  bool isMoved = isSlice || isa<SliceOp, PadOp, ReverseOp, ConcatenateOp>(op);
  RankedTensorType result = typeOf(op->getResult(0)), from = typeOf(op->getOperand(operand));
  if (!isMoved || result.getRank() != from.getRank())
    return op->emitError() << "Input " << operand << " to " << name()
                           << " must be unsharded on non-batch dimensions, but got P" << specText(specs[operand])
                           << ".";
  const Axes &axes = specs[operand][dim];
  int64_t count = mesh.sizeOf(axes), size = result.getDimSize(dim);
  if (size % count) {
    StringRef what = isa<SliceOp>(op) ? "slicing" : isa<PadOp>(op) ? "padding" : isSlice ? "dynamic_slice" : name();
    return op->emitError() << what << " on sharded dims where out dim (" << size << ") is not divisible by mesh axes ("
                           << count << ") with spec (" << entryText(axes, false)
                           << ") is not implemented. Got input type=" << operandText(operand)
                           << " and output shape=" << shapeText(result.getShape());
  }
  Axes &own = results[0][dim];
  if (!own.empty() && own != axes)
    return conflict(operand, 0, false);
  own = axes;
  return success();
}

LogicalResult Inference::joinFactors(const FactorMap &map) {
  SmallVector<unsigned> source(numFactors(map));
  factors.resize(source.size());
  for (auto [i, dims] : llvm::enumerate(map.operands))
    for (auto [d, factor] : llvm::enumerate(dims)) {
      const Axes &axes = specs[i][d];
      if (axes.empty())
        continue;
      bool isReduced = llvm::is_contained(map.reduced, factor);
      if (!isReduced && !map.isDivisible(factor)) {
        if (failed(carry(i, d)))
          return failure();
      } else if (factors[factor].empty()) {
        factors[factor] = axes;
        source[factor] = i;
      } else if (factors[factor] != axes) {
        return conflict(i, source[factor], isReduced);
      } else if (isReduced && isa<DotGeneralOp>(op)) {
        auto dot = cast<DotGeneralOp>(op);
        return op->emitError() << "Contracting dimensions are sharded and it is ambiguous how the output should be "
                                  "sharded. Please specify the output sharding via the `out_sharding` parameter. Got "
                                  "lhs_contracting_spec="
                               << entries(0, dot.getLhsContract())
                               << " and rhs_contracting_spec=" << entries(1, dot.getRhsContract());
      }
    }
  return success();
}

/// An axis divides one dimension of an array at most.
LogicalResult Inference::checkDistinct() {
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), results)) {
    SmallVector<AxisRefAttr> seen;
    for (const Axes &axes : dims)
      for (AxisRefAttr axis : axes) {
        if (!llvm::is_contained(seen, axis)) {
          seen.push_back(axis);
          continue;
        }
        std::string inputs;
        for (unsigned i = 0; i < specs.size(); ++i)
          if (isa<RankedTensorType>(op->getOperand(i).getType()))
            inputs += (inputs.empty() ? "" : ", ") + operandText(i);
        return op->emitError() << name() << " operation with inputs: " << inputs
                               << " produces an illegally sharded result: " << typeText(typeOf(result), dims);
      }
  }
  return success();
}

FailureOr<SmallVector<ShardingAttr>> Inference::run() {
  if (!mesh)
    return SmallVector<ShardingAttr>(op->getNumResults());
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    FailureOr<AxesOfEach> found =
        regrouped(mesh, reshape.getX().getType().getShape(), specs[0], reshape.getType().getShape());
    if (failed(found))
      return op->emitError() << "This reshape is not supported. Please specify the sharding of the output via the "
                                "`out_sharding` argument of dovetail.lax.reshape. Got operand type: "
                             << operandText(0) << ", new sizes: " << shapeText(reshape.getType().getShape());
    results[0] = *found;
  } else if (std::optional<FactorMap> map = factorMap(op)) {
    if (failed(joinFactors(*map)))
      return failure();
    for (auto [dims, axes] : llvm::zip_equal(map->results, results))
      for (auto [d, factor] : llvm::enumerate(dims))
        if (factor != FactorMap::kNone && !factors[factor].empty())
          axes[d] = factors[factor];
  } else if (op->getNumResults()) {
    return op->emitError()
           << "sharding rule for " << name()
           << " is not implemented. You can work around this error by dropping that operation into full "
              "auto sharding mode via: `dovetail.sharding.auto_axes(fun, out_sharding=...)`";
  }
  if (failed(checkDistinct()))
    return failure();
  return llvm::map_to_vector(results, [&](const AxesOfEach &dims) { return shardingOf(mesh, dims); });
}

FailureOr<SmallVector<ShardingAttr>> typeShardings(Operation *op, ArrayRef<ShardingAttr> operands) {
  return Inference(op, operands).run();
}

} // namespace dovetail
