// Orders host calls with side effects by a token that is threaded through them.
#include "HostCall.h"
#include "Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace dovetail {

void markEffects(Operation *dispatch) { dispatch->setAttr(kHasEffects, UnitAttr::get(dispatch->getContext())); }

namespace {

/// The operand of a dispatch that orders it: the last number before the sizes of its arrays.
OpOperand &tokenOf(Operation *dispatch) {
  for (OpOperand &operand : llvm::reverse(dispatch->getOpOperands()))
    if (operand.get().getType().isInteger(32))
      return operand;
  llvm_unreachable("a dispatch with effects takes a number");
}

/// Makes each of these calls take a token from the one before it; loops and branches forward it.
class Threading {
public:
  explicit Threading(ModuleOp module) {
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (!function->hasAttr(kHasEffects))
        continue;
      Builder b(module.getContext());
      SmallVector<Type> inputs(function.getArgumentTypes()), results(function.getResultTypes());
      inputs.push_back(b.getI32Type());
      results.push_back(b.getI32Type());
      function.setFunctionType(b.getFunctionType(inputs, results));
      names.insert(function.getSymName());
    }
  }

  void run(func::FuncOp function) {
    if (!concerns(function))
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&function.front());
    Value last = thread(function.front(), arith::ConstantOp::create(b, function.getLoc(), b.getI32IntegerAttr(0)));
    ImplicitLocOpBuilder end(function.getLoc(), function.front().getTerminator());
    if (hasDispatches)
      optimizationBarrier(end, last);
  }

private:
  static bool isDispatch(Operation *op) { return !isa<func::FuncOp>(op) && op->hasAttr(kHasEffects); }

  bool concerns(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          auto call = dyn_cast<func::CallOp>(inner);
          bool hasEffects = call ? names.contains(call.getCallee()) : isDispatch(inner);
          return hasEffects ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static SmallVector<Value> with(ValueRange values, Value token) {
    SmallVector<Value> all(values);
    all.push_back(token);
    return all;
  }

  static SmallVector<Type> withToken(TypeRange types, Value token) {
    SmallVector<Type> all(types);
    all.push_back(token.getType());
    return all;
  }

  /// Replaces an op by one with an additional result, which is returned.
  static Value replace(Operation *op, Operation *made) {
    op->replaceAllUsesWith(made->getResults().drop_back());
    op->erase();
    return made->getResults().back();
  }

  /// Threads a region that takes the token as its last argument, and returns it from its terminator.
  void threadRegion(Region &region, Value token) {
    Value last = thread(region.front(), token);
    Operation *end = region.front().getTerminator();
    end->insertOperands(end->getNumOperands(), last);
  }

  Value thread(Block &block, Value token) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (!concerns(&op))
        continue;
      OpBuilder b(&op);
      Location loc = op.getLoc();
      if (auto call = dyn_cast<func::CallOp>(op)) {
        token = replace(call, func::CallOp::create(b, loc, call.getCallee(), withToken(call.getResultTypes(), token),
                                                   with(call.getOperands(), token)));
      } else if (isDispatch(&op)) {
        op.removeAttr(kHasEffects);
        tokenOf(&op).set(token);
        b.setInsertionPointAfter(&op);
        token = tensor::ExtractOp::create(b, loc, op.getResults().back(), ValueRange());
        hasDispatches = true;
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        auto made = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                       with(loop.getInitArgs(), token));
        made.getRegion().takeBody(loop.getRegion());
        threadRegion(made.getRegion(), made.getBody()->addArgument(token.getType(), loc));
        token = replace(loop, made);
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        auto made = scf::WhileOp::create(b, loc, withToken(loop.getResultTypes(), token), with(loop.getInits(), token));
        for (auto [from, to] : llvm::zip_equal(loop->getRegions(), made->getRegions())) {
          to.takeBody(from);
          threadRegion(to, to.front().addArgument(token.getType(), loc));
        }
        token = replace(loop, made);
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        auto made = scf::IfOp::create(b, loc, withToken(choice.getResultTypes(), token), choice.getCondition(),
                                      /*addThenBlock=*/false, /*addElseBlock=*/false);
        for (auto [from, to] : llvm::zip_equal(choice->getRegions(), made->getRegions())) {
          to.takeBody(from);
          threadRegion(to, token);
        }
        token = replace(choice, made);
      }
    }
    return token;
  }

  llvm::DenseSet<StringRef> names;
  bool hasDispatches = false;
};

} // namespace

void orderHostCalls(ModuleOp module) {
  Threading threading(module);
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      threading.run(function);
}

} // namespace dovetail
