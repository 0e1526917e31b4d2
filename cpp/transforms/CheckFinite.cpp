// Finds the first op that produces a NaN or an infinity.
#include "CheckFinite.h"
#include "Passes.h"
#include "dialects/Control.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CHECKFINITEPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// The code for no op.
constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

/// The number of codes reduced at once: a dispatch of IREE 3.13 reads at most 32 arrays, and each code is computed from
/// a few.
constexpr size_t kTogether = 8;

/// The values to detect, in the order of the offset that they add to twice an op's number.
enum class Unwanted { NaN, Infinity };

Type floatIn(Value value) {
  auto array = dyn_cast<RankedTensorType>(value.getType());
  if (!array)
    return nullptr;
  Type element = realElement(array.getElementType());
  return isa<FloatType>(element) ? element : nullptr;
}

/// Returns true if a NaN or infinity in the op's results can only come from its operands or from the program's text.
bool onlyHandsOn(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || (isa<CheapOpInterface>(op) && !isa<PointwiseOpInterface>(op));
}

/// Instruments one function to find the first op that produces an unwanted value.
class Asking {
public:
  Asking(func::FuncOp function, ArrayRef<Unwanted> kinds) : kinds(kinds), context(function.getContext()) {
    // Ops added by the instrumentation have no number.
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { numbers.insert({op, numbers.size()}); });
  }

  /// The code at the end of a block; `code` is that at its beginning, null for none.
  Value ask(Block &block, Value code);

private:
  /// The state of a block since the last op with regions.
  struct Segment {
    /// Groups values of one shape that are computed from each other.
    llvm::EquivalenceClasses<void *> groups;
    /// The codes of one group, in the order of its ops, as arrays of its shape.
    llvm::MapVector<void *, SmallVector<Value>> codes;
  };

  /// Adds the codes of an op's results.
  void askOp(Operation *op);
  /// The code of each element of a result.
  Value codeOf(Emitter &e, Operation *op, Value result);
  /// True where an element has the value; null if no element can have it.
  Value has(Emitter &e, Value array, Unwanted kind);
  /// The code after the current segment, which it ends.
  Value settle(Emitter &e, Value code);
  Value none(Emitter &e, ValueRange sizes, ArrayRef<int64_t> shape) {
    return e.full(RankedTensorType::get(shape, IntegerType::get(context, 32)), sizes, kNone);
  }

  ArrayRef<Unwanted> kinds;
  MLIRContext *context;
  DenseMap<Operation *, int64_t> numbers;
  DenseMap<std::pair<Value, unsigned>, Value> known;
  Segment segment;
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

Value Asking::has(Emitter &e, Value array, Unwanted kind) {
  if (!floatIn(array))
    return nullptr;
  Value &found = known[{array, unsigned(kind)}];
  if (found)
    return found;
  SmallVector<Value, 2> parts = {e.real(array)};
  if (Value imaginary = e.imag(array))
    parts.push_back(imaginary);
  Value any;
  for (Value part : parts) {
    bool isNaN = kind == Unwanted::NaN;
    Value here = e.make<CompareOp>(isNaN ? CompareDirection::NE : CompareDirection::EQ, part, part);
    if (!isNaN)
      here = e.both(here, e.make<NotOp>(e.make<IsFiniteOp>(part)));
    any = any ? e.make<OrOp>(any, here) : here;
  }
  return known[{array, unsigned(kind)}] = any;
}

Value Asking::codeOf(Emitter &e, Operation *op, Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes = e.sizes(result);
  Value code = none(e, sizes, type.getShape());
  // If an element has both, which only complex ones can, NaN is reported.
  for (Unwanted kind : llvm::reverse(kinds)) {
    Value made = has(e, result, kind);
    if (isa<PointwiseOpInterface>(op))
      for (Value operand : op->getOperands())
        if (Value had = has(e, operand, kind))
          made = e.both(made, e.make<NotOp>(had));
    int64_t number = 2 * numbers.at(op) + int64_t(kind);
    code = e.select(made, e.full(code, number), code);
  }
  return code;
}

void Asking::askOp(Operation *op) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emitter e(builder, op->getLoc());
  for (Value result : op->getResults()) {
    if (!floatIn(result))
      continue;
    void *key = result.getAsOpaquePointer();
    segment.groups.insert(key);
    if (isa<PointwiseOpInterface>(op))
      for (Value operand : op->getOperands())
        if (operand.getParentBlock() == op->getBlock() && floatIn(operand))
          segment.groups.unionSets(key, operand.getAsOpaquePointer());
    segment.codes[key].push_back(codeOf(e, op, result));
  }
}

/// The minimum of each element.
static Value leastOf(Emitter &e, ArrayRef<Value> codes) {
  Value least = codes.front();
  for (Value code : codes.drop_front())
    least = e.make<MinOp>(least, code);
  return least;
}

Value Asking::settle(Emitter &e, Value code) {
  llvm::MapVector<void *, SmallVector<Value>> groups;
  for (auto &[result, codes] : segment.codes)
    llvm::append_range(groups[segment.groups.getLeaderValue(result)], codes);
  segment = Segment();
  SmallVector<Value> found;
  for (auto &[group, codes] : groups)
    for (ArrayRef<Value> rest = codes; !rest.empty(); rest = rest.drop_front(std::min(rest.size(), kTogether))) {
      Value least = leastOf(e, rest.take_front(kTogether));
      int64_t rank = cast<RankedTensorType>(least.getType()).getRank();
      found.push_back(rank == 0 ? least : e.make<ReduceMinOp>(least, range(0, rank)));
    }
  if (found.empty())
    return code;
  Value least = leastOf(e, found);
  // A code that was found earlier belongs to an earlier op.
  return code ? e.select(e.make<CompareOp>(CompareDirection::NE, code, none(e, {}, {})), code, least) : least;
}

Value Asking::ask(Block &block, Value code) {
  Segment outer = std::exchange(segment, {});
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
    Value before = code ? code : none(e, {}, {});
    code = bodies.thread(builder, before, through, [](Block &, ValueRange) {}).front();
  }
  OpBuilder builder(block.getTerminator());
  Emitter e(builder, block.getTerminator()->getLoc());
  code = settle(e, code);
  segment = std::move(outer);
  return code ? code : none(e, {}, {});
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
