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

void markEffects(Operation *dispatch, unsigned operand) {
  dispatch->setAttr(kHasEffects, Builder(dispatch->getContext()).getI64IntegerAttr(operand));
}

namespace {

/// A token is a number of the host's or, among dispatches, which it need not wait for, an array of one.
RankedTensorType arrayToken(MLIRContext *context) { return RankedTensorType::get({}, IntegerType::get(context, 32)); }

/// The token in the other form, if it does not have this type.
Value converted(OpBuilder &b, Location loc, Value token, Type type) {
  if (token.getType() == type)
    return token;
  if (isa<RankedTensorType>(type))
    return tensor::FromElementsOp::create(b, loc, type, token);
  return tensor::ExtractOp::create(b, loc, token, ValueRange());
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
    Value first = arith::ConstantOp::create(b, function.getLoc(), b.getI32IntegerAttr(0));
    if (!callsHost(function))
      first = arith::ConstantOp::create(b, function.getLoc(),
                                        DenseElementsAttr::get(arrayToken(b.getContext()), b.getI32IntegerAttr(0)));
    Value last = thread(function.front(), first);
    ImplicitLocOpBuilder end(function.getLoc(), function.front().getTerminator());
    if (hasDispatches)
      optimizationBarrier(end, last);
  }

private:
  static bool isDispatch(Operation *op) { return !isa<func::FuncOp>(op) && op->hasAttr(kHasEffects); }

  bool isCall(Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    return call && names.contains(call.getCallee());
  }

  static bool has(Operation *op, function_ref<bool(Operation *)> is) {
    return op->walk([&](Operation *inner) { return is(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  bool callsHost(Operation *op) {
    return has(op, [&](Operation *inner) { return isCall(inner); });
  }

  bool concerns(Operation *op) {
    return has(op, [&](Operation *inner) { return isCall(inner) || isDispatch(inner); });
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
    OpBuilder b(end);
    last = converted(b, end->getLoc(), last, token.getType());
    end->insertOperands(end->getNumOperands(), last);
  }

  Value thread(Block &block, Value token) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (!concerns(&op))
        continue;
      OpBuilder b(&op);
      Location loc = op.getLoc();
      Type type = b.getI32Type();
      if (!callsHost(&op))
        type = arrayToken(b.getContext());
      token = converted(b, loc, token, type);
      if (auto call = dyn_cast<func::CallOp>(op)) {
        token = replace(call, func::CallOp::create(b, loc, call.getCallee(), withToken(call.getResultTypes(), token),
                                                   with(call.getOperands(), token)));
      } else if (isDispatch(&op)) {
        auto operand = cast<IntegerAttr>(op.removeAttr(kHasEffects));
        op.setOperand(operand.getInt(), token);
        token = op.getResults().back();
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
