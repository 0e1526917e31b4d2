// Finds what depends on constants alone. The code generator would compute it ahead, too, but compiles a program for
// that, which takes longer than most others; or, if it is told not to, at each call.
#include "Ahead.h"
#include "Cost.h"
#include "dialects/Dialect.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The largest array, in bytes, and the most work that compilation does, in operations of arithmetic.
constexpr double kLargest = double(1 << 20), kMostWork = 1 << 24, kWorkOfFunction = 16;

/// Whether an op's results are determined by its operands, and known to be.
bool isDetermined(Operation *op) {
  if (!isa<DovetailDialect>(op->getDialect()) || !isPure(op) || op->getNumRegions() != 0 || op->getNumResults() == 0 ||
      op->hasTrait<HostOnly>() || op->hasTrait<HidesOperands>() || isa<NamedAxesOpInterface>(op))
    return false;
  if (llvm::any_of(op->getAttrs(), [](NamedAttribute each) { return isa<SymbolRefAttr>(each.getValue()); }))
    return false;
  if (op->getNumOperands() == 0 && !op->hasTrait<OpTrait::ConstantLike>() && !isa<SizedOpInterface>(op))
    return false;
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape() && !array.getEncoding();
  });
}

/// Whether elements are whole bytes. IREE 3.13 reads others differently from how MLIR 22 writes them.
bool hasWholeBytes(Value x) {
  Type element = getElementTypeOrSelf(x);
  return isa<ComplexType>(element) || element.getIntOrFloatBitWidth() % 8 == 0;
}

/// The ops of a function whose operands are constants, or results of such ops.
class Constants {
public:
  explicit Constants(func::FuncOp main) {
    for (Operation &op : main.front().without_terminator())
      if (isDetermined(&op) && llvm::all_of(op.getOperands(), [&](Value x) { return known.contains(x); }))
        add(op);
    for (Operation &op : main.front())
      if (!determined.contains(&op))
        op.walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            take(operand);
        });
  }

  /// What is to be computed ahead.
  ArrayRef<Value> results() const { return taken.getArrayRef(); }

  /// The ops that compute it, in order.
  llvm::SetVector<Operation *> ops() const {
    llvm::SetVector<Operation *> ordered;
    for (Operation *op : determined)
      if (computed.contains(op))
        ordered.insert(op);
    return ordered;
  }

private:
  void add(Operation &op) {
    determined.insert(&op);
    Cost cost = costOf(&op);
    // Others are part of the loop that reads them.
    bool isMuch = cost.transcendentals > 0 || (cost.flops > 0 && !isa<PointwiseOpInterface>(op));
    for (Value operand : op.getOperands())
      isMuch |= known.lookup(operand);
    for (Value result : op.getResults())
      known[result] = isMuch;
  }

  /// Takes an array that takes much to compute. Of one that repeats elements of others, these.
  void take(Value x) {
    if (!known.lookup(x) || !seen.insert(x).second)
      return;
    Operation *op = x.getDefiningOp();
    bool repeats = op->getNumOperands() > 0 && isa<CountOpInterface>(op) &&
                   llvm::all_of(op->getOperands(), [&](Value operand) { return elementsOf(operand) < elementsOf(x); });
    if (repeats || !hasWholeBytes(x)) {
      for (Value operand : op->getOperands())
        take(operand);
      return;
    }
    if (bytesOf(x) <= kLargest && afford(x))
      taken.insert(x);
  }

  /// Whether what an array is computed by, and is not computed anyway, is little enough work; then it is computed.
  bool afford(Value x) {
    llvm::SetVector<Operation *> reached;
    SmallVector<Value> pending = {x};
    double more = 0;
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (computed.contains(op) || !reached.insert(op))
        continue;
      Cost cost = costOf(op);
      more += cost.flops + kWorkOfFunction * cost.transcendentals + elementsOf(op->getResult(0));
      if (refused.contains(op) || work + more > kMostWork) {
        refused.insert(x.getDefiningOp());
        return false;
      }
      llvm::append_range(pending, op->getOperands());
    }
    work += more;
    computed.insert_range(reached);
    return true;
  }

  /// The ops of constants alone; their results, and whether these take much to compute.
  llvm::SetVector<Operation *> determined;
  llvm::DenseMap<Value, bool> known;
  llvm::SetVector<Value> taken;
  llvm::DenseSet<Value> seen;
  /// The ops that arrays which are taken are computed by, their work, and the ops that would be too much.
  llvm::SmallPtrSet<Operation *, 16> computed, refused;
  double work = 0;
};

} // namespace

OwningOpRef<ModuleOp> takeComputedAhead(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !main.getBody().hasOneBlock())
    return {};
  Constants constants(main);
  if (constants.results().empty())
    return {};
  OwningOpRef<ModuleOp> ahead = ModuleOp::create(module.getLoc());
  auto builder = OpBuilder::atBlockEnd(ahead->getBody());
  auto function = func::FuncOp::create(builder, main.getLoc(), "main",
                                       builder.getFunctionType({}, ValueRange(constants.results()).getTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  llvm::SetVector<Operation *> ops = constants.ops();
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> returned = llvm::map_to_vector(constants.results(), [&](Value x) { return mapping.lookup(x); });
  func::ReturnOp::create(builder, main.getLoc(), returned);
  for (Value x : constants.results()) {
    unsigned last = main.getNumArguments();
    if (failed(main.insertArgument(last, x.getType(), DictionaryAttr::get(module.getContext()), x.getLoc())))
      llvm_unreachable("a function takes another argument");
    x.replaceAllUsesWith(main.getArgument(last));
  }
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  return ahead;
}

} // namespace dovetail
