// Which values of a function depend differentiably on its arguments.
//
// Tangents reach the results of ops with bodies and callees by the same ways as what varies along an axis, of which
// there is one here; but not through values without derivatives, nor where a formula says that a tangent is zero.
#include "Perturbed.h"
#include "dialects/Emitter.h"
#include "dialects/Ref.h"
#include "dialects/Varying.h"
#include "mlir/IR/SymbolTable.h"
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
    // Anything may be written to a reference.
    auto set = [&](Value value, AxisSet found) {
      sets[value] = isa<RefType>(value.getType()) ? 1 : isDifferentiable(value.getType()) ? found : 0;
    };
    for (auto [argument, found] : llvm::zip_equal(body.getArguments(), arguments))
      set(argument, found);
    for (Operation &op : opsOf(body)) {
      Sets operands = llvm::map_to_vector(op.getOperands(), [&](Value value) { return sets.lookup(value); });
      if (llvm::all_of(operands, [](AxisSet found) { return found == 0; })) {
        for (Value result : op.getResults())
          set(result, 0);
        continue;
      }
      for (auto [result, found] : llvm::zip_equal(op.getResults(), resultsOf(&op, operands)))
        set(result, found);
      if (auto constant = op.getAttrOfType<DenseI64ArrayAttr>(kConstantResults))
        for (int64_t number : constant.asArrayRef())
          set(op.getResult(number), 0);
    }
    return llvm::map_to_vector(values, [&](Value value) { return sets.lookup(value); });
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

bool isPerturbed(func::FuncOp function, const llvm::SmallBitVector &arguments, Value value) {
  Sets sets(arguments.size());
  for (unsigned i : arguments.set_bits())
    sets[i] = 1;
  return Perturbed().walk(function.getBody(), sets, value)->front() != 0;
}

} // namespace dovetail
