// Infers types of parts of arrays. Messages have JAX's words.
#include "PartTypes.h"
#include "TypeSums.h"
#include "dialects/Collective.h"
#include "dialects/Emitter.h"
#include "dialects/Varying.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

using namespace mlir;

namespace dovetail {

namespace {

using Sets = SmallVector<AxisSet>;

/// A set has three bits for each axis: one for each way in which a value depends on it. What varies along an axis is
/// neither a term over it nor shared.
class PartTypes : public VaryingAnalysis {
public:
  explicit PartTypes(ArrayRef<StringAttr> axes) : axes(axes) {}

  FailureOr<Sets> analyze(Region &body, ArrayRef<AxisSet> arguments) override {
    return walk(body, arguments, returned(body));
  }

  FailureOr<Sets> rewrite(Region &body, ArrayRef<AxisSet> arguments, ArrayRef<AxisSet> results) override {
    return atLeast(analyze(body, arguments), results);
  }

  FailureOr<Sets> rewriteCallee(Operation *op, StringAttr attribute, ArrayRef<AxisSet> arguments,
                                ArrayRef<AxisSet> results) override {
    auto callee =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op->getAttrOfType<FlatSymbolRefAttr>(attribute));
    auto [known, isNew] = ofCallees.try_emplace({callee, Sets(arguments)});
    if (isNew) {
      FailureOr<Sets> found = walk(callee.getBody(), arguments, returned(callee.getBody()));
      if (failed(found))
        return failure();
      known->second = *found;
    }
    return atLeast(known->second, results);
  }

  /// Axes of functions of parts within the function are not among those asked for.
  LogicalResult within(ArrayAttr, bool, function_ref<LogicalResult()> visit) override { return visit(); }
  AxisSet setOf(ArrayAttr names) override {
    AxisSet set = 0;
    for (Attribute name : names)
      if (auto *it = llvm::find(axes, name); it != axes.end())
        set |= AxisSet(1) << (it - axes.begin());
    return set;
  }
  AxisSet ofCotangent(AxisSet set) override {
    return (set & kAxes) | reducedIn(set) << kUnreduced | unreducedIn(set) << kReduced;
  }

  FailureOr<Sets> walk(Region &body, ArrayRef<AxisSet> arguments, ValueRange values) {
    DenseMap<Value, AxisSet> sets;
    for (auto [argument, set] : llvm::zip_equal(body.getArguments(), arguments))
      sets[argument] = set;
    for (Operation &op : opsOf(body)) {
      Sets operands = llvm::map_to_vector(op.getOperands(), [&](Value value) { return sets.lookup(value); });
      FailureOr<Sets> results = visit(&op, operands);
      if (failed(results))
        return failure();
      for (auto [value, set] : llvm::zip_equal(op.getResults(), *results))
        sets[value] = (set & kAxes) | (reducedIn(set) & ~set) << kReduced | unreducedIn(set) << kUnreduced;
    }
    return llvm::map_to_vector(values, [&](Value value) { return sets.lookup(value); });
  }

  AxisSet setOf(const PartType &type) {
    auto bits = [&](ArrayRef<StringAttr> names) {
      SmallVector<Attribute> attributes(names.begin(), names.end());
      return names.empty() ? 0 : setOf(ArrayAttr::get(names.front().getContext(), attributes));
    };
    return bits(type.varying) | bits(type.unreduced) << kUnreduced | bits(type.reduced) << kReduced;
  }

  PartType typeOf(AxisSet set) const { return {namesOf(set), namesOf(unreducedIn(set)), namesOf(reducedIn(set))}; }

private:
  static constexpr unsigned kUnreduced = 21, kReduced = 42;
  static constexpr AxisSet kAxes = (AxisSet(1) << kUnreduced) - 1;

  static AxisSet unreducedIn(AxisSet set) { return set >> kUnreduced & kAxes; }
  static AxisSet reducedIn(AxisSet set) { return set >> kReduced & kAxes; }

  static FailureOr<Sets> atLeast(FailureOr<Sets> found, ArrayRef<AxisSet> results) {
    if (succeeded(found))
      for (auto [set, least] : llvm::zip(*found, results))
        set |= least;
    return found;
  }

  SmallVector<StringAttr> namesOf(AxisSet set) const { return namesIn(set, axes); }

  Axes refsOf(AxisSet set) const { return wholeAxes(namesOf(set)); }

  /// An operand's type, with the axes that it depends on: f32[4]{V:x}{U:y}.
  std::string textOf(Operation *op, unsigned i, AxisSet set) const {
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    std::string text = typeText(type, AxesOfEach(type.getRank()));
    for (auto [letter, part] :
         {std::pair('V', set & kAxes), std::pair('U', unreducedIn(set)), std::pair('R', reducedIn(set))})
      if (part)
        text += std::string("{") + letter + ":" + entryText(refsOf(part), false) + "}";
    return text;
  }

  FailureOr<Sets> visit(Operation *op, Sets operands) {
    Sets results;
    if (auto cast = dyn_cast<VaryOp>(op))
      return visitCast(cast, operands.front());
    if (auto varying = dyn_cast<VaryingOpInterface>(op)) {
      if (failed(varying.vary(*this, operands, results)))
        return failure();
      return results;
    }
    if (auto named = dyn_cast<NamedAxesOpInterface>(op))
      return visitCollective(named, operands);
    return visitLocal(op, operands);
  }

  FailureOr<Sets> visitCast(VaryOp op, AxisSet set) {
    AxisSet over = setOf(op.getAxes()), others = set & ~(over | over << kUnreduced | over << kReduced);
    if (unreducedIn(set) & over)
      return op.emitError() << "pcast cannot accept args which are unreduced. Got " << textOf(op, 0, set)
                            << " and axes=" << axesText(refsOf(over));
    return Sets{others | (op.getUnreduced() ? over << kUnreduced : op.getReduced() ? over << kReduced : over)};
  }

  /// Values that are equal along an axis are made to vary first, as are those that are shared.
  FailureOr<Sets> visitCollective(NamedAxesOpInterface op, ArrayRef<AxisSet> operands) {
    AxisSet over = setOf(op.getAxes()), every = over | over << kUnreduced | over << kReduced, all = over;
    for (auto [i, set] : llvm::enumerate(operands)) {
      bool isTerm = unreducedIn(set) & over;
      bool isMixed = isTerm && (over & ~unreducedIn(set));
      if ((isTerm && (isMixed || !op.addsTerms())) || (reducedIn(set) & over))
        return op.emitError() << op->getName().stripDialect() << " cannot accept args which are "
                              << (isTerm ? "unreduced" : "reduced") << (isMixed ? " over some of its axes only" : "")
                              << ". Got " << textOf(op, i, set) << " and axes=" << axesText(refsOf(over));
      all |= set;
    }
    if (failed(visitLocal(op, llvm::map_to_vector(operands, [&](AxisSet set) { return set & ~every; }))))
      return failure();
    if (isInvariant(op))
      return Sets{all & ~every};
    bool isShared = op->hasAttr("reduced");
    return Sets{(all & ~every) | (isShared ? over << kReduced : over)};
  }

  /// Whether all elements of the axes get one value.
  static bool isInvariant(NamedAxesOpInterface op) {
    if (op->getNumOperands() != 1)
      return false;
    OpBuilder builder(op);
    Emitter e(builder, op.getLoc());
    Value made = op.emitInvariant(e, op->getOperand(0), op.getAxes());
    if (made)
      made.getDefiningOp()->erase();
    return made != nullptr;
  }

  FailureOr<Sets> visitLocal(Operation *op, ArrayRef<AxisSet> operands) {
    AxisSet varying = 0, all = 0;
    for (AxisSet set : operands) {
      varying |= set & kAxes;
      all |= set;
    }
    if (all == varying)
      return Sets(op->getNumResults(), varying);
    AxesOfEach unreduced, reduced;
    AxisSet shared = 0;
    for (auto [i, set] : llvm::enumerate(operands)) {
      if (AxisSet both = unreducedIn(set) & varying)
        return op->emitError() << "pcast cannot accept args which are unreduced. Got " << textOf(op, i, set)
                               << " and axes=" << axesText(refsOf(both)) << " along which another input varies";
      unreduced.push_back(refsOf(unreducedIn(set)));
      reduced.push_back(refsOf(reducedIn(set) & ~varying));
      shared |= reducedIn(set) & ~varying;
    }
    FailureOr<Sums> sums = inferSums(TypedOperands(op, unreduced, reduced));
    if (failed(sums))
      return failure();
    AxisSet terms = 0;
    for (AxisRefAttr axis : sums->unreduced)
      terms |= setOf(ArrayAttr::get(op->getContext(), {axis.getName()}));
    return Sets(op->getNumResults(), varying | terms << kUnreduced | (shared & ~terms) << kReduced);
  }

  ArrayRef<StringAttr> axes;
  std::map<std::pair<Operation *, Sets>, Sets> ofCallees;
};

} // namespace

FailureOr<SmallVector<PartType>> partTypes(func::FuncOp function, ArrayRef<StringAttr> axes,
                                           ArrayRef<PartType> arguments, ValueRange values) {
  PartTypes types(axes);
  Sets sets = llvm::map_to_vector(arguments, [&](const PartType &type) { return types.setOf(type); });
  FailureOr<Sets> found = types.walk(function.getBody(), sets, values);
  if (failed(found))
    return failure();
  return llvm::map_to_vector(*found, [&](AxisSet set) { return types.typeOf(set); });
}

} // namespace dovetail
