// Lets host loops and branches pass on an array, without which IREE loses waits in them.
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_KEEPWAITSPASS
#include "cpp/iree/Passes.h.inc"

static bool isArray(Type type) { return isa<RankedTensorType>(type); }

/// Whether an op gives an array that is in memory before the program runs. Equal elements are filled in when needed.
static bool isStored(Operation *op) {
  bool isGlobal = op->getName().getStringRef() == "util.global.load";
  Attribute value;
  bool isConstant = matchPattern(op, m_Constant(&value)) && !isa<SplatElementsAttr>(value);
  return (isGlobal || isConstant) && isArray(op->getResult(0).getType());
}

/// Finds the arrays that do not depend on a program's arguments.
class ConstantArrays {
public:
  /// Adds an op's results, if what it reads is constant; its operands come first. Returns whether IREE computes it when
  /// the program is loaded, into memory: it does not where it only fills.
  bool add(Operation *op) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (op->getNumResults() == 0 || !isMemoryEffectFree(op) || !llvm::all_of(op->getOperands(), contains) ||
        !llvm::all_of(captured, contains))
      return false;
    known.insert_range(op->getResults());
    return isa<linalg::GenericOp>(op);
  }

private:
  DenseSet<Value> known;
  std::function<bool(Value)> contains = [this](Value value) { return known.contains(value); };
};

static RankedTensorType byteType(Builder &b) { return RankedTensorType::get({}, b.getI8Type()); }

/// An array of one byte, which costs next to nothing.
static Value byteAt(OpBuilder &b, Location loc) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(byteType(b), b.getI8IntegerAttr(0)));
}

/// A barrier keeps an array that an op passes on unchanged.
static Value kept(Location loc, OpBuilder &builder, Value byte) {
  ImplicitLocOpBuilder b(loc, builder);
  return optimizationBarrier(b, byte).front();
}

static void appendToTerminator(Block &block, function_ref<Value(OpBuilder &)> value) {
  Operation *end = block.getTerminator();
  OpBuilder builder(end);
  end->insertOperands(end->getNumOperands(), value(builder));
}

static Operation *withByte(IRRewriter &rewriter, scf::IfOp op) {
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(byteType(rewriter));
  auto made = scf::IfOp::create(rewriter, op.getLoc(), types, op.getCondition());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    to.takeBody(from);
    appendToTerminator(to.front(), [&](OpBuilder &b) { return kept(op.getLoc(), b, byteAt(b, op.getLoc())); });
  }
  return made;
}

static Operation *withByte(IRRewriter &rewriter, scf::WhileOp op) {
  SmallVector<Value> inits(op.getInits());
  SmallVector<Type> types(op->getResultTypes());
  inits.push_back(byteAt(rewriter, op.getLoc()));
  types.push_back(byteType(rewriter));
  auto made = scf::WhileOp::create(rewriter, op.getLoc(), types, inits, nullptr, nullptr);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    to.takeBody(from);
    Value byte = to.addArgument(byteType(rewriter), op.getLoc());
    appendToTerminator(to.front(), [&](OpBuilder &b) { return kept(op.getLoc(), b, byte); });
  }
  return made;
}

static Operation *withByte(IRRewriter &rewriter, scf::ForOp op) {
  SmallVector<Value> inits(op.getInitArgs());
  inits.push_back(byteAt(rewriter, op.getLoc()));
  auto made = scf::ForOp::create(rewriter, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), inits);
  made.getRegion().takeBody(op.getRegion());
  Value byte = made.getRegion().addArgument(byteType(rewriter), op.getLoc());
  appendToTerminator(*made.getBody(), [&](OpBuilder &b) { return kept(op.getLoc(), b, byte); });
  return made;
}

/// The op with one more array, which it returns.
static Operation *withByte(IRRewriter &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Operation *made = llvm::TypeSwitch<Operation *, Operation *>(op).Case<scf::IfOp, scf::WhileOp, scf::ForOp>(
      [&](auto each) { return withByte(rewriter, each); });
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, made->getResults().drop_back());
  return made;
}

namespace {
struct KeepWaitsPass : impl::KeepWaitsPassBase<KeepWaitsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    bool hasStoredArrays = false;
    ConstantArrays constants;
    auto visit = [&](Operation *op) {
      hasStoredArrays |= !isa<func::FuncOp, LoopLikeOpInterface, scf::IfOp>(op) && constants.add(op);
      // The code of other ops, such as `linalg.generic`, is that of dispatches.
      if (op->getNumRegions() && !isa<func::FuncOp, scf::IfOp, scf::ForOp, scf::WhileOp>(op))
        return WalkResult::skip();
      hasStoredArrays |= isStored(op);
      bool isBranch = isa<scf::IfOp>(op) && op->getNumResults() > 0;
      if ((isBranch || isa<scf::ForOp, scf::WhileOp>(op)) && llvm::none_of(op->getOperandTypes(), isArray) &&
          llvm::none_of(op->getResultTypes(), isArray))
        ops.push_back(op);
      return WalkResult::advance();
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>(visit);
    if (!hasStoredArrays)
      return;
    IRRewriter rewriter(&getContext());
    // Inner ones first: the rewriting of a loop moves its body.
    for (Operation *op : llvm::reverse(ops)) {
      Operation *made = withByte(rewriter, op);
      rewriter.setInsertionPointAfter(made);
      kept(made->getLoc(), rewriter, made->getResults().back());
    }
  }
};
} // namespace

} // namespace dovetail
