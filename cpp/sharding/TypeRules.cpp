// The rules of ops for shardings in types. Messages have JAX's words.
#include "TypeRules.h"
#include "Regroup.h"
#include "dialects/Dot.h"
#include "dialects/Fft.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"
#include "dialects/Sort.h"

using namespace mlir;

#include "cpp/sharding/TypeRules.cpp.inc"

namespace dovetail {

namespace {

/// Gives a result the axes of a dimension whose elements are moved, or a part of which is taken: it is divided anew.
LogicalResult carryMoved(StringRef what, const TypedOperands &operands, unsigned operand, unsigned dim,
                         AxesOfEach &result) {
  RankedTensorType type = operands.resultType();
  if (type.getRank() != operands.type(operand).getRank())
    return reportWhole(operands, operand);
  const Axes &axes = operands.axes[operand][dim];
  int64_t count = operands.mesh.sizeOf(axes), size = type.getDimSize(dim);
  if (size % count)
    return operands.op->emitError() << what << " on sharded dims where out dim (" << size
                                    << ") is not divisible by mesh axes (" << count << ") with spec ("
                                    << entryText(axes, false)
                                    << ") is not implemented. Got input type=" << operands.text(operand)
                                    << " and output shape=" << shapeText(type.getShape());
  if (!result[dim].empty() && result[dim] != axes)
    return cast<TypeRuleOpInterface>(operands.op).reportConflict(operands, 0, operand, false);
  result[dim] = axes;
  return success();
}

/// Carries the axes of a dimension along which an op knows its parts, if `count` operands run over its factor.
static bool carryPart(const TypedOperands &operands, unsigned operand, unsigned dim, int64_t count,
                      AxesOfEach &result) {
  FactorMap map = *factorMap(operands.op);
  int64_t factor = map.operands[operand][dim];
  auto *of = llvm::find(map.results[0], factor);
  bool isPart = llvm::is_contained(map.indivisible, factor) && of != map.results[0].end() &&
                llvm::count_if(map.operands, [&](auto &dims) { return llvm::is_contained(dims, factor); }) >= count;
  if (!isPart)
    return false;
  Axes &known = result[of - map.results[0].begin()];
  const Axes &axes = operands.axes[operand][dim];
  if (!known.empty() && known != axes)
    return false;
  known = axes;
  return true;
}

/// Whether a gather or a scatter has one window: a dynamic slice, or the update of one.
bool hasOneWindow(const TypedOperands &operands) { return operands.type(1).getRank() == 1; }

struct DotRule : TypeRuleOpInterface::ExternalModel<DotRule, DotGeneralOp> {
  LogicalResult reportConflict(Operation *op, const TypedOperands &operands, unsigned, unsigned, bool isReduced) const {
    auto dot = cast<DotGeneralOp>(op);
    if (isReduced)
      return op->emitError() << "dot_general requires contracting dimensions to have consistent sharding, got: "
                             << operands.spec(0, dot.getLhsContract()) << " and "
                             << operands.spec(1, dot.getRhsContract()) << ".";
    return op->emitError() << "dot_general requires lhs batch dimensions and rhs batch dimensions to have the "
                              "consistent sharding, got: "
                           << operands.spec(0, dot.getLhsBatch()) << " and " << operands.spec(1, dot.getRhsBatch())
                           << ".";
  }

  LogicalResult checkReduced(Operation *op, const TypedOperands &operands) const {
    auto dot = cast<DotGeneralOp>(op);
    return op->emitError() << "Contracting dimensions are sharded and it is ambiguous how the output should be "
                              "sharded. Please specify the output sharding via the `out_sharding` parameter. Got "
                              "lhs_contracting_spec="
                           << operands.spec(0, dot.getLhsContract())
                           << " and rhs_contracting_spec=" << operands.spec(1, dot.getRhsContract());
  }

  LogicalResult checkTerms(Operation *op, const TypedOperands &operands) const {
    return op->emitError() << "lhs or rhs passed to dot_general cannot be unreduced. Got lhs=" << operands.text(0)
                           << " and rhs=" << operands.text(1) << "; reduce it via `reshard` before";
  }
};

struct GatherRule : TypeRuleOpInterface::ExternalModel<GatherRule, GatherOp> {
  LogicalResult carry(Operation *op, const TypedOperands &operands, unsigned operand, unsigned dim,
                      AxesOfEach &result) const {
    if (hasOneWindow(operands))
      return carryMoved("dynamic_slice", operands, operand, dim, result);
    if (carryPart(operands, operand, dim, 1, result))
      return success();
    return op->emitError()
           << "Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing as out "
              "sharding could not be resolved unambiguously (or would require collectives on inputs). Got operand="
           << operands.text(0) << ", indices=" << operands.text(1);
  }
};

template <typename Op>
struct ScatterRule : TypeRuleOpInterface::ExternalModel<ScatterRule<Op>, Op> {
  LogicalResult carry(Operation *op, const TypedOperands &operands, unsigned operand, unsigned dim,
                      AxesOfEach &result) const {
    if (hasOneWindow(operands))
      return carryMoved("dynamic_slice", operands, operand, dim, result);
    // Of other dimensions, the array alone has parts.
    if (carryPart(operands, operand, dim, 2, result))
      return success();
    return op->emitError()
           << "Use `.at[...].set/add/mul/...(out_sharding=)` to provide output PartitionSpec for the scatter update as "
              "out sharding could not be resolved unambiguously (or would require collectives on inputs). Got operand="
           << operands.text(0) << ", indices=" << operands.text(1) << ", updates=" << operands.text(2);
  }

  LogicalResult reportConflict(Operation *op, const TypedOperands &operands, unsigned, unsigned, bool) const {
    return op->emitError()
           << "dynamic_update_slice operand sharding must be equal to update sharding, got: operand sharding "
           << operands.text(0) << " and update sharding " << operands.text(2) << ".";
  }
};

struct SelectRule : TypeRuleOpInterface::ExternalModel<SelectRule, SelectOp> {
  LogicalResult reportConflict(Operation *op, const TypedOperands &operands, unsigned first, unsigned second,
                               bool) const {
    return op->emitError() << "select cases must have the same shardings, got: [" << operands.text(first) << ", "
                           << operands.text(second) << "].";
  }
};

struct ConcatenateRule : TypeRuleOpInterface::ExternalModel<ConcatenateRule, ConcatenateOp> {
  LogicalResult carry(Operation *op, const TypedOperands &operands, unsigned operand, unsigned dim,
                      AxesOfEach &result) const {
    return carryMoved(operands.name(), operands, operand, dim, result);
  }

  LogicalResult reportConflict(Operation *op, const TypedOperands &operands, unsigned first, unsigned second,
                               bool) const {
    return op->emitError() << "All operands should have the same sharding. Got shardings " << operands.spec(first)
                           << ", " << operands.spec(second);
  }
};

/// Of ops that move or combine elements along dimensions whose parts stay, by the word for what they do.
template <typename Op, const char *what>
struct MovedRule : TypeRuleOpInterface::ExternalModel<MovedRule<Op, what>, Op> {
  LogicalResult carry(Operation *, const TypedOperands &operands, unsigned operand, unsigned dim,
                      AxesOfEach &result) const {
    return carryMoved(what, operands, operand, dim, result);
  }
};
constexpr char kSlicing[] = "slicing", kPadding[] = "padding", kReversing[] = "reverse", kRolling[] = "roll",
               kTransforming[] = "fft";

struct SortRule : TypeRuleOpInterface::ExternalModel<SortRule, SortOp> {
  LogicalResult carry(Operation *op, const TypedOperands &operands, unsigned operand, unsigned, AxesOfEach &) const {
    return op->emitError() << "Arguments to sort must be unsharded over the sorting dimension. Got arg sharding="
                           << operands.spec(operand);
  }
};

struct ReshapeRule : TypeRuleOpInterface::ExternalModel<ReshapeRule, ReshapeOp> {
  FailureOr<bool> decide(Operation *op, const TypedOperands &operands, AxesOfEach &result) const {
    ArrayRef<int64_t> to = operands.resultType().getShape();
    FailureOr<AxesOfEach> found = regrouped(operands.mesh, operands.type(0).getShape(), operands.axes[0], to);
    if (failed(found))
      return op->emitError() << "This reshape is not supported. Please specify the sharding of the output via the "
                                "`out_sharding` argument of dovetail.lax.reshape. Got operand type: "
                             << operands.text(0) << ", new sizes: " << shapeText(to);
    result = *found;
    return true;
  }
};

struct Regrouping : RegroupingOpInterface::ExternalModel<Regrouping, ReshapeOp> {};

} // namespace

void attachTypeRules(MLIRContext *context) {
  DotGeneralOp::attachInterface<DotRule>(*context);
  GatherOp::attachInterface<GatherRule>(*context);
  ScatterOp::attachInterface<ScatterRule<ScatterOp>>(*context);
  ScatterAddOp::attachInterface<ScatterRule<ScatterAddOp>>(*context);
  ScatterMulOp::attachInterface<ScatterRule<ScatterMulOp>>(*context);
  ScatterMinOp::attachInterface<ScatterRule<ScatterMinOp>>(*context);
  ScatterMaxOp::attachInterface<ScatterRule<ScatterMaxOp>>(*context);
  SelectOp::attachInterface<SelectRule>(*context);
  ConcatenateOp::attachInterface<ConcatenateRule>(*context);
  SliceOp::attachInterface<MovedRule<SliceOp, kSlicing>>(*context);
  PadOp::attachInterface<MovedRule<PadOp, kPadding>>(*context);
  ReverseOp::attachInterface<MovedRule<ReverseOp, kReversing>>(*context);
  RollOp::attachInterface<MovedRule<RollOp, kRolling>>(*context);
  FftOp::attachInterface<MovedRule<FftOp, kTransforming>>(*context);
  RfftOp::attachInterface<MovedRule<RfftOp, kTransforming>>(*context);
  IrfftOp::attachInterface<MovedRule<IrfftOp, kTransforming>>(*context);
  SortOp::attachInterface<SortRule>(*context);
  ReshapeOp::attachInterface<ReshapeRule, Regrouping>(*context);
}

} // namespace dovetail
