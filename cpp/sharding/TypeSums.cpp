// Infers which results are terms of sums. Messages have JAX's words.
#include "TypeSums.h"
#include "Terms.h"
#include "TypeRules.h"

using namespace mlir;

namespace dovetail {

/// The sets that occur, without the empty one.
static SmallVector<Axes> distinct(ArrayRef<Axes> sets) {
  SmallVector<Axes> found;
  for (const Axes &set : sets)
    if (!set.empty() && !llvm::is_contained(found, set))
      found.push_back(set);
  return found;
}

static std::string textOf(ArrayRef<Axes> sets) {
  std::string text;
  for (const Axes &set : sets)
    text += (text.empty() ? "" : ", ") + axesText(set);
  return text;
}

static bool isRepeatedNumber(Value value) {
  Operation *source = value.getDefiningOp();
  return source && source->hasTrait<OpTrait::ConstantLike>();
}

/// The axes over which cotangents of the result are summed later. All operands of a pointwise op must have them, since
/// those that do not would be summed at once.
static FailureOr<Axes> reducedAxes(const TypedOperands &operands) {
  Operation *op = operands.op;
  SmallVector<Axes> sets = distinct(operands.reduced);
  if (sets.size() > 1)
    return op->emitError() << "All inputs should be reduced across the same mesh axes. Got specs: " << textOf(sets);
  // A product with an array that is divided over these axes is, too.
  bool isProduct = !isa<PointwiseOpInterface>(op) && linearSetsOf(op).size() > 1;
  if (sets.empty() || isProduct)
    return Axes();
  auto meets = [&](ArrayRef<AxisRefAttr> axes) {
    return llvm::any_of(axes, [&](AxisRefAttr axis) { return llvm::is_contained(sets.front(), axis); });
  };
  for (unsigned i = 0; isa<PointwiseOpInterface>(op) && i < op->getNumOperands(); ++i) {
    if (!operands.reduced[i].empty() || operands.unreduced[i] == sets.front() || isRepeatedNumber(op->getOperand(i)))
      continue;
    if (llvm::any_of(operands.axes[i], meets))
      return op->emitError()
             << "Inputs cannot be sharded/varying on the same axes that another input is reduced on. Reshard the input "
                "which is reduced to be sharded on the mesh axes it is reduced on via `dovetail.sharding.reshard(inp, "
                "dovetail.P(...))`. Got input type: "
             << operands.text(i) << " and reduced spec: " << axesText(sets.front());
    return op->emitError()
           << "Inputs cannot be replicated on the same axes that another input is reduced on. Got input type: "
           << operands.text(i) << " and reduced spec: " << axesText(sets.front());
  }
  return sets.front();
}

static LogicalResult reportUnequal(const TypedOperands &operands, ArrayRef<Axes> sets) {
  if (operands.op->getNumOperands() == 2)
    return operands.op->emitError() << "lhs and rhs to `" << operands.name()
                                    << "` must be unreduced along the same mesh axes. Got lhs="
                                    << axesText(operands.unreduced[0]) << ", rhs=" << axesText(operands.unreduced[1]);
  return operands.op->emitError() << "All operands should be unreduced along the same mesh axes. Got unreduced specs: "
                                  << textOf(sets);
}

/// Reports that an op is not linear in the operands that are terms.
static LogicalResult reportNotLinear(const TypedOperands &operands, const OperandSets &sets) {
  Operation *op = operands.op;
  StringRef name = operands.name();
  bool isFirst = !operands.unreduced[0].empty(), isPair = op->getNumOperands() == 2;
  if (isPair && sets.size() == 2)
    return op->emitError() << "lhs and rhs to `" << name << "` cannot be unreduced since " << name
                           << " is bilinear. Got lhs=" << axesText(operands.unreduced[0])
                           << ", rhs=" << axesText(operands.unreduced[1]);
  if (isPair && sets.size() == 1 && sets.front().size() == 2) {
    StringRef has = isFirst ? "lhs" : "rhs", other = isFirst ? "rhs" : "lhs";
    return op->emitError() << has << " is unreduced while " << other << " is not. `" << name
                           << "` operation does not allow this because there will be implicit communication. Please "
                              "reduce "
                           << has << " via `reshard` before calling `" << name << "`.";
  }
  return op->emitError() << "unreduced rule for " << name << " is not implemented: it is not linear. Got "
                         << operands.text(isFirst ? 0 : 1) << "; reduce it via `reshard` before";
}

static FailureOr<Axes> unreducedAxes(const TypedOperands &operands) {
  Operation *op = operands.op;
  SmallVector<Axes> axes = distinct(operands.unreduced);
  if (axes.empty())
    return Axes();
  if (auto rule = dyn_cast<TypeRuleOpInterface>(op); rule && failed(rule.checkTerms(operands)))
    return failure();
  if (axes.size() > 1)
    return reportUnequal(operands, axes);
  SmallVector<unsigned, 3> terms;
  for (auto [i, set] : llvm::enumerate(operands.unreduced))
    if (!set.empty())
      terms.push_back(i);
  OperandSets sets = linearSetsOf(op);
  if (!isLinearIn(op, terms))
    return reportNotLinear(operands, sets);
  // The derivative with respect to another factor is one of a term, too.
  for (unsigned i = 0; isa<PointwiseOpInterface>(op) && sets.size() > 1 && i < op->getNumOperands(); ++i)
    if (operands.unreduced[i].empty() && operands.reduced[i] != axes.front())
      return op->emitError() << (i ? "RHS" : "LHS") << " should be reduced along the same axes " << (i ? "LHS" : "RHS")
                             << " is unreduced on. Got lhs=" << operands.text(0) << " and rhs=" << operands.text(1);
  return axes.front();
}

FailureOr<Sums> inferSums(const TypedOperands &operands) {
  FailureOr<Axes> unreduced = unreducedAxes(operands), reduced = reducedAxes(operands);
  if (failed(unreduced) || failed(reduced))
    return failure();
  // What all devices compute alike of terms is a term.
  return Sums{*unreduced, unreduced->empty() ? *reduced : Axes()};
}

} // namespace dovetail
