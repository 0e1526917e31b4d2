// Finds the first op that produces a NaN or an infinity.
#include "CheckFinite.h"
#include "FirstCode.h"
#include "Passes.h"
#include "dialects/Control.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CHECKFINITEPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// Instruments one function to find the first op that produces an unwanted value.
class Asking {
public:
  Asking(func::FuncOp function, ArrayRef<Unwanted> kinds) : kinds(kinds) {
    // Ops added by the instrumentation have no number.
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { numbers.insert({op, numbers.size()}); });
  }

  /// The code at the end of a block; `code` is that at its beginning, null for none.
  Value ask(Block &block, Value code);

private:
  /// Adds the codes of an op's results.
  void askOp(Operation *op);
  /// The code after those so far.
  Value settle(Emitter &e, Value code);

  ArrayRef<Unwanted> kinds;
  DenseMap<Operation *, int64_t> numbers;
  FirstCode codes;
};

} // namespace

Operation *opNumbered(func::FuncOp function, int64_t number) {
  Operation *found = nullptr;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (number-- != 0)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

void Asking::askOp(Operation *op) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emitter e(builder, op->getLoc());
  for (Value result : op->getResults()) {
    if (!hasFloats(result))
      continue;
    Value code = FirstCode::none(e, e.sizes(result), cast<RankedTensorType>(result.getType()).getShape());
    // If an element has both, which only complex ones can, NaN is reported.
    for (Unwanted kind : llvm::reverse(kinds)) {
      int64_t number = 2 * numbers.at(op) + int64_t(kind);
      code = e.select(codes.makes(e, op, result, kind), e.full(code, number), code);
    }
    codes.add(op, result, code);
  }
}

Value Asking::settle(Emitter &e, Value code) {
  Value least = codes.take(e);
  if (!least || !code)
    return least ? least : code;
  // A code that was found earlier belongs to an earlier op.
  return e.select(e.make<CompareOp>(CompareDirection::NE, code, FirstCode::none(e, {}, {})), code, least);
}

Value Asking::ask(Block &block, Value code) {
  FirstCode outer = std::exchange(codes, {});
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    auto bodies = dyn_cast<ThreadOpInterface>(op);
    if (!bodies) {
      if (!onlyHandsOn(&op))
        askOp(&op);
      continue;
    }
    OpBuilder builder(&op);
    Emitter e(builder, op.getLoc());
    code = settle(e, code);
    auto through = [&](Block &body, ValueRange inside) { return SmallVector<Value>{ask(body, inside.front())}; };
    Value before = code ? code : FirstCode::none(e, {}, {});
    code = bodies.thread(builder, before, through, [](Block &, ValueRange) {}).front();
  }
  OpBuilder builder(block.getTerminator());
  Emitter e(builder, block.getTerminator()->getLoc());
  code = settle(e, code);
  codes = std::move(outer);
  return code ? code : FirstCode::none(e, {}, {});
}

namespace {
struct CheckFinitePass : impl::CheckFinitePassBase<CheckFinitePass> {
  void runOnOperation() override {
    auto names = dyn_cast_or_null<ArrayAttr>(getOperation()->removeAttr(kUnwanted));
    if (!names)
      return markAllAnalysesPreserved();
    SmallVector<Unwanted> kinds;
    for (StringRef name : names.getAsValueRange<StringAttr>())
      kinds.push_back(name == "nan" ? Unwanted::NaN : Unwanted::Infinity);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal()) {
        Value code = Asking(function, kinds).ask(function.front(), nullptr);
        Operation *end = function.front().getTerminator();
        end->insertOperands(end->getNumOperands(), code);
        (void)function.insertResult(function.getNumResults(), code.getType(), nullptr);
      }
  }
};
} // namespace

} // namespace dovetail
