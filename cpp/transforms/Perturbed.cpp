// Which values of a function depend differentiably on its arguments.
//
// Tangents reach the results of ops with bodies and callees by the same ways as what varies along an axis, of which
// there is one here; but not through values without derivatives, nor where a formula says that a tangent is zero.
#include "Perturbed.h"
#include "dialects/Emitter.h"
#include "dialects/Ref.h"
#include "dialects/Varying.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;

namespace dovetail {

namespace {

using Sets = SmallVector<AxisSet>;

class Perturbed : public VaryingAnalysis {
public:
  FailureOr<Sets> analyze(Region &body, ArrayRef<AxisSet> arguments) override {
    return walk(body, arguments, returned(body));
  }

  FailureOr<Sets> rewrite(Region &body, ArrayRef<AxisSet> arguments, ArrayRef<AxisSet> results) override {
    FailureOr<Sets> found = analyze(body, arguments);
    for (auto [set, least] : llvm::zip(*found, results))
      set |= least;
    return found;
  }

  FailureOr<Sets> rewriteCallee(Operation *op, StringAttr attribute, ArrayRef<AxisSet> arguments,
                                ArrayRef<AxisSet> results) override {
    auto callee =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op->getAttrOfType<FlatSymbolRefAttr>(attribute));
    auto [known, isNew] = ofCallees.try_emplace({callee, Sets(arguments)});
    if (isNew)
      known->second = *walk(callee.getBody(), arguments, returned(callee.getBody()));
    Sets found = known->second;
    for (auto [set, least] : llvm::zip(found, results))
      set |= least;
    return found;
  }

  LogicalResult within(ArrayAttr, bool, function_ref<LogicalResult()> visit) override { return visit(); }
  AxisSet setOf(ArrayAttr) override { return 0; }

  /// Those of some values of a body.
  FailureOr<Sets> walk(Region &body, ArrayRef<AxisSet> arguments, ValueRange values) {
    DenseMap<Value, AxisSet> sets;
    for (auto [argument, found] : llvm::zip_equal(body.getArguments(), arguments))
      sets[argument] = ofType(argument, found);
    for (Operation &op : opsOf(body)) {
      Sets operands = llvm::map_to_vector(op.getOperands(), [&](Value value) { return sets.lookup(value); });
      for (auto [result, found] : llvm::zip_equal(op.getResults(), ofOp(&op, operands)))
        sets[result] = found;
    }
    return llvm::map_to_vector(values, [&](Value value) { return sets.lookup(value); });
  }

  /// That of a value for which `found` has been found so far.
  static AxisSet ofType(Value value, AxisSet found) {
    // Anything may be written to a reference.
    return isa<RefType>(value.getType()) ? 1 : isDifferentiable(value.getType()) ? found : 0;
  }

  /// Those of an op's results.
  Sets ofOp(Operation *op, const Sets &operands) {
    Sets results(op->getNumResults());
    if (llvm::any_of(operands, [](AxisSet found) { return found != 0; }))
      results = resultsOf(op, operands);
    auto constant = op->getAttrOfType<DenseI64ArrayAttr>(kConstantResults);
    for (auto [i, found] : llvm::enumerate(results))
      found = ofType(op->getResult(i), constant && llvm::is_contained(constant.asArrayRef(), i) ? 0 : found);
    return results;
  }

private:
  Sets resultsOf(Operation *op, Sets operands) {
    Sets results;
    if (auto varying = dyn_cast<VaryingOpInterface>(op)) {
      if (succeeded(varying.vary(*this, operands, results)))
        return results;
    } else if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
      for (auto [i, operand] : llvm::enumerate(operands))
        if (operand && !hasTangent(pointwise, i))
          operand = 0;
    }
    AxisSet all = 0;
    for (AxisSet operand : operands)
      all |= operand;
    return Sets(op->getNumResults(), all);
  }

  /// Whether the formula of operand `i` is not zero.
  static bool hasTangent(PointwiseOpInterface op, unsigned i) {
    SmallVector<Type> types(op->getOperandTypes());
    types.push_back(op->getResult(0).getType());
    types.push_back(op->getOperand(i).getType());
    Body scratch(op->getLoc(), types);
    OpBuilder builder = scratch.builder();
    Emitter e(builder, op->getLoc());
    ValueRange arguments = scratch.arguments();
    unsigned count = op->getNumOperands();
    return op.tangent(e, i, arguments.back(), arguments.take_front(count), arguments[count]) != nullptr;
  }

  std::map<std::pair<Operation *, Sets>, Sets> ofCallees;
};

} // namespace

bool Perturbation::reaches(Value value, ArrayRef<Value> arguments) {
  SetVector<Operation *> unknown;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value each = worklist.pop_back_val();
    if (known.contains(each))
      continue;
    if (isa<BlockArgument>(each))
      known[each] = Perturbed::ofType(each, llvm::is_contained(arguments, each)) != 0;
    else if (unknown.insert(each.getDefiningOp()))
      llvm::append_range(worklist, each.getDefiningOp()->getOperands());
  }
  SmallVector<Operation *> ops = unknown.takeVector();
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Perturbed analysis;
  for (Operation *op : ops) {
    Sets operands = llvm::map_to_vector(op->getOperands(), [&](Value each) -> AxisSet { return known.lookup(each); });
    for (auto [result, found] : llvm::zip_equal(op->getResults(), analysis.ofOp(op, operands)))
      known[result] = found != 0;
  }
  return known.lookup(value);
}

} // namespace dovetail
