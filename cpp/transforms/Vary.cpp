// Inserts `vary` into functions of parts of arrays.
#include "Vary.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Collective.h"
#include "dialects/Varying.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_VARYPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

using Sets = SmallVector<AxisSet>;

class Varying : public VaryingAnalysis {
public:
  Varying(ModuleOp module, ArrayRef<StringAttr> axes) : symbols(module) {
    for (StringAttr axis : axes)
      manual |= bitOf(axis);
  }

  FailureOr<Sets> analyze(Region &body, ArrayRef<AxisSet> arguments) override {
    bool outer = std::exchange(isTrial, true);
    FailureOr<Sets> results = walk(body, arguments, {});
    isTrial = outer;
    return results;
  }

  FailureOr<Sets> rewrite(Region &body, ArrayRef<AxisSet> arguments, ArrayRef<AxisSet> results) override {
    return walk(body, arguments, results);
  }

  FailureOr<Sets> rewriteCallee(Operation *op, StringAttr attribute, ArrayRef<AxisSet> arguments,
                                ArrayRef<AxisSet> results) override {
    auto callee = symbols.lookup<func::FuncOp>(op->getAttrOfType<FlatSymbolRefAttr>(attribute).getAttr());
    FailureOr<Copy> copy = copyOf(callee, arguments, results);
    if (failed(copy))
      return failure();
    if (!isTrial)
      op->setAttr(attribute, FlatSymbolRefAttr::get(copy->function.getSymNameAttr()));
    return copy->results;
  }

  LogicalResult within(ArrayAttr names, bool checked, function_ref<LogicalResult()> visit) override {
    AxisSet outer = manual, own = setOf(names);
    manual = checked ? manual | own : manual & ~own;
    LogicalResult result = visit();
    manual = outer;
    return result;
  }

  AxisSet setOf(ArrayAttr names) override {
    AxisSet set = 0;
    for (Attribute name : names)
      set |= bitOf(cast<StringAttr>(name));
    return set;
  }

  AxisSet bitOf(StringAttr name) {
    auto it = llvm::find(axes, name);
    AxisSet bit = AxisSet(1) << (it - axes.begin());
    if (it == axes.end())
      axes.push_back(name);
    return bit;
  }

  bool isManual(Attribute name) const {
    auto it = llvm::find(axes, name);
    return it != axes.end() && manual >> (it - axes.begin()) & 1;
  }

  SmallVector<StringAttr> namesOf(AxisSet set) const { return namesIn(set, axes); }

  struct Copy {
    func::FuncOp function;
    Sets results;
  };

  /// The function rewritten for such arguments, once for each.
  FailureOr<Copy> copyOf(func::FuncOp function, ArrayRef<AxisSet> arguments, ArrayRef<AxisSet> results) {
    std::string key = (function.getSymName() + "|" + Twine(manual)).str();
    for (ArrayRef<AxisSet> sets : {arguments, results}) {
      key += '|';
      for (AxisSet set : sets)
        key += std::to_string(set) + ' ';
    }
    if (auto known = copies.find(key); known != copies.end())
      return known->second;
    if (failed(checkTransformable(function)))
      return failure();
    func::FuncOp copy = function.clone();
    copy.setPrivate();
    copy.setSymName((function.getSymName() + ".vary").str());
    symbols.insert(copy, std::next(function->getIterator()));
    bool outer = std::exchange(isTrial, false);
    FailureOr<Sets> sets = walk(copy.getBody(), arguments, results);
    isTrial = outer;
    if (failed(sets))
      return failure();
    return copies[key] = {copy, *sets};
  }

private:
  FailureOr<Sets> walk(Region &body, ArrayRef<AxisSet> arguments, ArrayRef<AxisSet> wanted) {
    DenseMap<Value, AxisSet> sets;
    for (auto [argument, set] : llvm::zip_equal(body.getArguments(), arguments))
      sets[argument] = set;
    for (Operation &op : llvm::make_early_inc_range(body.front().without_terminator()))
      if (failed(visit(&op, sets)))
        return failure();
    Operation *end = body.front().getTerminator();
    Sets results = llvm::map_to_vector(end->getOperands(), [&](Value value) { return sets.lookup(value); });
    for (auto [i, set] : llvm::enumerate(wanted)) {
      insertAt(end->getOpOperand(i), results[i], results[i] | set);
      results[i] |= set;
    }
    return results;
  }

  LogicalResult visit(Operation *op, DenseMap<Value, AxisSet> &sets) {
    Sets operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return sets.lookup(value); });
    Sets needed = operands, results;
    if (auto varying = dyn_cast<VaryingOpInterface>(op)) {
      if (failed(varying.vary(*this, needed, results)))
        return failure();
    } else if (auto named = dyn_cast<NamedAxesOpInterface>(op)) {
      return visitCollective(named, operands, sets);
    } else if (op->getNumRegions()) {
      return op->emitOpError() << "must state along which manual axes its results vary, got: none";
    } else {
      AxisSet all = 0;
      for (AxisSet set : operands)
        all |= set;
      llvm::fill(needed, all);
      results.assign(op->getNumResults(), all);
    }
    for (auto [operand, set, all] : llvm::zip_equal(op->getOpOperands(), operands, needed))
      insertAt(operand, set, all);
    for (auto [value, set] : llvm::zip_equal(op->getResults(), results))
      sets[value] = set;
    // Of a value that varies already, cotangents are not summed.
    if (isa<VaryOp>(op) && !isTrial && results == operands)
      op->replaceAllUsesWith(op->getOperands());
    return success();
  }

  /// A reduction returns one value along the manual axes; along batch axes, each element has its own. Results of other
  /// collectives vary.
  LogicalResult visitCollective(NamedAxesOpInterface op, ArrayRef<AxisSet> operands, DenseMap<Value, AxisSet> &sets) {
    SmallVector<Attribute> own, others;
    for (Attribute axis : op.getAxes())
      (isManual(axis) ? own : others).push_back(axis);
    OpBuilder builder(op);
    Emitter e(builder, op.getLoc());
    ArrayAttr over = builder.getArrayAttr(own);
    AxisSet along = setOf(over), all = along;
    for (AxisSet set : operands)
      all |= set;
    for (auto [operand, set] : llvm::zip_equal(op->getOpOperands(), operands))
      insertAt(operand, set, all);
    Value replacement;
    if (!own.empty() && op->getNumOperands() == 1)
      replacement = op.emitInvariant(e, op->getOperand(0), over);
    AxisSet result = replacement ? all & ~along : all;
    if (!replacement || isTrial) {
      if (replacement)
        replacement.getDefiningOp()->erase();
      sets[op->getResult(0)] = result;
      return success();
    }
    if (others.empty()) {
      op->replaceAllUsesWith(ValueRange(replacement));
      op->erase();
    } else {
      op->setOperand(0, replacement);
      op->setAttr("axes", builder.getArrayAttr(others));
      replacement = op->getResult(0);
    }
    sets[replacement] = result;
    return success();
  }

  /// Makes an operand vary along manual axes. Integers have no cotangents, and constants need none.
  void insertAt(OpOperand &operand, AxisSet set, AxisSet needed) {
    needed &= manual;
    Value value = operand.get();
    Operation *source = value.getDefiningOp();
    bool isConstant = source && source->getNumOperands() == 0 && !isa<NamedAxesOpInterface>(source);
    if (isTrial || (needed & ~set) == 0 || !isDifferentiable(value.getType()) || isConstant)
      return;
    OpBuilder builder(operand.getOwner());
    SmallVector<Attribute> names;
    for (StringAttr name : namesOf(needed & ~set))
      names.push_back(name);
    operand.set(VaryOp::create(builder, operand.getOwner()->getLoc(), value, builder.getArrayAttr(names)));
  }

  SymbolTable symbols;
  /// The axes by their numbers.
  SmallVector<StringAttr> axes;
  /// Those along which values that vary are distinguished, where the analysis is.
  AxisSet manual = 0;
  std::map<std::string, Copy> copies;
  bool isTrial = false;
};

} // namespace

FailureOr<VaryingFunction> vary(func::FuncOp function, ArrayRef<StringAttr> axes,
                                ArrayRef<SmallVector<StringAttr>> arguments,
                                ArrayRef<SmallVector<StringAttr>> results) {
  Varying varying(function->getParentOfType<ModuleOp>(), axes);
  auto setOf = [&](ArrayRef<StringAttr> names) {
    AxisSet set = 0;
    for (StringAttr name : names)
      set |= varying.bitOf(name);
    return set;
  };
  auto copy = varying.copyOf(function, llvm::map_to_vector(arguments, setOf), llvm::map_to_vector(results, setOf));
  if (failed(copy))
    return failure();
  return VaryingFunction{copy->function,
                         llvm::map_to_vector(copy->results, [&](AxisSet set) { return varying.namesOf(set); })};
}

namespace {
struct VaryPass : impl::VaryPassBase<VaryPass> {
  using VaryPassBase::VaryPassBase;
  void runOnOperation() override {
    auto target = getOperation().lookupSymbol<func::FuncOp>(function);
    auto nameOf = [&](StringRef text) { return StringAttr::get(&getContext(), text); };
    if (!target) {
      getOperation().emitError() << "function must be one of the module, got: " << function;
      return signalPassFailure();
    }
    if (arguments.size() != target.getNumArguments()) {
      target.emitError() << "arguments must have one entry for each of " << target.getNumArguments()
                         << " arguments, got: " << arguments.size();
      return signalPassFailure();
    }
    SmallVector<StringAttr> names = llvm::map_to_vector(ArrayRef<std::string>(axes), nameOf);
    SmallVector<SmallVector<StringAttr>> sets;
    for (StringRef argument : ArrayRef<std::string>(arguments)) {
      SmallVector<StringRef> parts;
      argument.split(parts, '+', -1, false);
      sets.push_back(llvm::map_to_vector(parts, nameOf));
    }
    if (failed(vary(target, names, sets, {})))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
