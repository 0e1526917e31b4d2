// Puts barriers before reductions of operands that IREE may fold to a constant.
#include "Aliases.h"
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/xxhash.h"

#include <unordered_map>

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_GUARDREDUCTIONSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// The simplest value that folding may produce: one number for all elements, zero for all or nothing simpler, nothing
/// simpler.
enum class State { Constant, ZeroOrVaries, Varies };

/// Kinds of ops on an integer and a constant, as a set.
enum Kind : unsigned { None = 0, And = 1, Or = 2, Mul = 4, Sum = 8, Xor = 16, Extended = 32, Other = 64 };

/// Facts about the elements of an array, or about a scalar within an op on arrays.
struct Known {
  State state;
  /// Whether the value depends on run-time values.
  bool isRuntime;
  /// Equal for equal values.
  unsigned number;
  /// The number of the integer from which ops with constants started, and the kinds of these ops.
  unsigned base;
  unsigned kinds = None;
  /// The number itself, if folding finds it.
  Attribute literal = {};
};

/// Walks a function in order.
class Folding {
public:
  explicit Folding(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function)
        return WalkResult::advance();
      visit(op);
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }

private:
  using Key = SmallVector<uintptr_t, 6>;

  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  void guard(linalg::LinalgOp op);

  /// The facts about a value of the function, or of the block that is being walked.
  Known known(Value value);
  Known constant(Attribute value);
  /// An element of an operand.
  Known load(const Known &array, AffineMap map);
  Known scalar(Operation *op);
  /// The result of MLIR's folding of the op, where numbers are known.
  std::optional<Known> fold(Operation *op);
  Known select(const Known &condition, const Known &yes, const Known &no);
  Known integers(Operation *op, const Known &lhs, const Known &rhs);
  State stateOfIntegers(Operation *op, const Known &lhs, const Known &rhs);

  unsigned fresh() { return ++last; }
  unsigned numberOf(ArrayRef<uintptr_t> key) {
    auto [it, isNew] = numbers.try_emplace(
        llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(key.data()), key.size() * sizeof(uintptr_t))),
        last + 1);
    last += isNew;
    return it->second;
  }
  /// The number of an op's result. Only integers are compared.
  unsigned numberOf(Operation *op, ArrayRef<Known> operands) {
    if (!op->getResult(0).getType().isIntOrIndex() || op->getNumRegions())
      return fresh();
    Key key = {3, uintptr_t(op->getName().getAsOpaquePointer()),
               uintptr_t(size_t(op->getName().hashOpProperties(op->getPropertiesStorage()))),
               uintptr_t(op->getResult(0).getType().getAsOpaquePointer())};
    for (const Known &operand : operands)
      key.push_back(operand.number);
    return numberOf(key);
  }
  Known withNumber(State state, bool isRuntime, ArrayRef<uintptr_t> key) {
    unsigned number = numberOf(key);
    return {state, isRuntime, number, number};
  }

  DenseMap<Value, Known> values;
  /// By the hash of an op and of the numbers of its operands.
  std::unordered_map<uint64_t, unsigned> numbers;
  unsigned last = 0;
};

} // namespace

static bool isZero(Attribute value) {
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    return isa<FloatType, IntegerType>(splat.getElementType()) && isZero(splat.getSplatValue<Attribute>());
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isPosZero();
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

Known Folding::constant(Attribute value) {
  auto elements = dyn_cast<ElementsAttr>(value);
  State state = elements && !elements.isSplat() ? State::Varies : isZero(value) ? State::ZeroOrVaries : State::Constant;
  Known result = withNumber(state, false, {uintptr_t(value.getAsOpaquePointer())});
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    result.literal = splat.getSplatValue<Attribute>();
  else if (!elements)
    result.literal = value;
  return result;
}

Known Folding::known(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  unsigned number = fresh();
  return values[value] = {State::Varies, true, number, number};
}

Known Folding::load(const Known &array, AffineMap map) {
  if (map.isIdentity())
    return array;
  Known element = withNumber(array.state, array.isRuntime, {1, array.number, uintptr_t(map.getAsOpaquePointer())});
  element.kinds = array.kinds;
  element.literal = array.literal;
  return element;
}

Known Folding::select(const Known &condition, const Known &yes, const Known &no) {
  bool isRuntime = condition.isRuntime || yes.isRuntime || no.isRuntime;
  State state = std::min(yes.state, no.state);
  if (condition.state == State::Varies && condition.isRuntime && yes.number != no.number)
    state = State::Varies;
  return withNumber(state, isRuntime, {2, condition.number, yes.number, no.number});
}

/// Whether the comparison of an integer with this constant has one result.
static bool isExtreme(arith::CmpIPredicate predicate, const APInt &bound) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return false;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return bound.isMinSignedValue() || bound.isMaxSignedValue();
  default:
    return bound.isZero() || bound.isAllOnes();
  }
}

static Kind kindOf(Operation *op) {
  if (isa<arith::AndIOp>(op))
    return And;
  if (isa<arith::OrIOp>(op))
    return Or;
  if (isa<arith::MulIOp>(op))
    return Mul;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return Sum;
  return isa<arith::XOrIOp>(op) ? Xor : Other;
}

/// Whether the op on this constant and an integer that ops of these kinds made may fold to something other than a
/// constant.
static bool keeps(Operation *op, const APInt &bound, unsigned kinds) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return !(kinds & Extended) && !isExtreme(compare.getPredicate(), bound);
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return bound.ult(bound.getBitWidth()) && !(kinds & Extended);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return !bound.isMinSignedValue() && !bound.isMaxSignedValue();
  if (isa<arith::MinUIOp, arith::MaxUIOp>(op))
    return !bound.isZero() && !bound.isAllOnes();
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return !bound.isOne() && !bound.isAllOnes();
  // Two of them in a row are one.
  if (isa<arith::AndIOp, arith::MulIOp>(op))
    return !(kinds & kindOf(op)) && !bound.isZero();
  if (isa<arith::OrIOp>(op))
    return !(kinds & Or) && !bound.isAllOnes();
  return true;
}

/// Whether two integers that were equal before ops of these kinds may cancel.
static bool mayCancel(Operation *op, bool isSame, unsigned kinds) {
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    return kinds & Xor; // One of them is complemented.
  if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(op))
    return !(kinds & ~(kindOf(op) | Extended)) && !(isSame && isa<arith::AddIOp>(op));
  return isSame && !isa<arith::MulIOp>(op);
}

State Folding::stateOfIntegers(Operation *op, const Known &lhs, const Known &rhs) {
  // A product or a masked value folds to nothing simpler than zero.
  bool isProduct = isa<arith::AndIOp, arith::MulIOp>(op);
  State worst = isProduct && std::max(lhs.state, rhs.state) != State::Constant ? State::ZeroOrVaries : State::Constant;
  bool lhsVaries = lhs.state == State::Varies && lhs.isRuntime, rhsVaries = rhs.state == State::Varies && rhs.isRuntime;
  if (lhsVaries && rhsVaries) {
    bool isSame = lhs.number == rhs.number;
    if (lhs.base != rhs.base || !mayCancel(op, isSame, lhs.kinds | rhs.kinds))
      return State::Varies;
    return isSame && isa<arith::SubIOp, arith::XOrIOp>(op) ? State::ZeroOrVaries : worst;
  }
  if (!lhsVaries && !rhsVaries)
    return worst;
  const Known &varying = lhsVaries ? lhs : rhs, &other = lhsVaries ? rhs : lhs;
  if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(op))
    return other.isRuntime ? worst : State::Varies;
  if (auto bound = dyn_cast_or_null<IntegerAttr>(other.literal))
    return keeps(op, bound.getValue(), varying.kinds) ? State::Varies : worst;
  // A constant that is computed, or stored in another op.
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool isEquality =
      compare && llvm::is_contained({arith::CmpIPredicate::eq, arith::CmpIPredicate::ne}, compare.getPredicate());
  return isEquality && !(varying.kinds & Extended) ? State::Varies : worst;
}

Known Folding::integers(Operation *op, const Known &lhs, const Known &rhs) {
  State state = stateOfIntegers(op, lhs, rhs);
  unsigned number = numberOf(op, {lhs, rhs});
  Known result = {state, lhs.isRuntime || rhs.isRuntime, number, number};
  if (isa<arith::CmpIOp>(op) || lhs.isRuntime == rhs.isRuntime)
    return result;
  const Known &varying = lhs.isRuntime ? lhs : rhs;
  result.base = varying.base;
  result.kinds = varying.kinds | kindOf(op);
  return result;
}

/// Whether the op returns zero for zero, and nothing simpler than its operand otherwise.
static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp, arith::IndexCastOp,
             arith::IndexCastUIOp, arith::NegFOp, complex::ReOp, complex::ImOp>(op);
}

std::optional<Known> Folding::fold(Operation *op) {
  if (!isa<arith::SelectOp>(op) && !op->getResult(0).getType().isIntOrIndex())
    return std::nullopt;
  auto literals = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return known(operand).literal; });
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa_and_nonnull<IntegerAttr>(literals[0]))
    return known(isZero(literals[0]) ? select.getFalseValue() : select.getTrueValue());
  if (llvm::none_of(literals, [](Attribute literal) { return !!literal; }))
    return std::nullopt;
  // Folding may modify the op in place.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  std::optional<Known> folded;
  if (succeeded(copy->fold(literals, results)) && results.size() == 1) {
    auto value = dyn_cast<Value>(results[0]);
    folded = value ? known(value) : constant(cast<Attribute>(results[0]));
  }
  copy->destroy();
  return folded;
}

Known Folding::scalar(Operation *op) {
  if (Attribute value; matchPattern(op, m_Constant(&value)))
    return constant(value);
  if (std::optional<Known> folded = fold(op))
    return *folded;
  if (isa<arith::SelectOp>(op))
    return select(known(op->getOperand(0)), known(op->getOperand(1)), known(op->getOperand(2)));
  bool isRuntime = false;
  State least = State::Varies, most = State::Constant;
  SmallVector<Known, 3> operands;
  for (Value operand : op->getOperands()) {
    const Known &each = operands.emplace_back(known(operand));
    isRuntime |= each.isRuntime;
    least = std::min(least, each.state);
    most = std::max(most, each.state);
  }
  auto made = [&](State state) {
    unsigned number = numberOf(op, operands);
    return Known{state, isRuntime, number, number};
  };
  if (isa<linalg::IndexOp>(op))
    return made(State::Varies);
  if (isa<tensor::ExtractOp>(op))
    return made(operands[0].state);
  if (isa<complex::CreateOp>(op))
    return made(least);
  if (isConversion(op)) {
    Known result = made(least);
    bool isOfInteger = op->getOperand(0).getType().isIntOrIndex();
    if (isOfInteger && op->getResult(0).getType().isIntOrIndex())
      result.base = operands[0].base;
    result.kinds = isOfInteger ? operands[0].kinds : None;
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op))
      result.kinds |= Extended;
    return result;
  }
  Type type = op->getOperands().empty() ? op->getResult(0).getType() : op->getOperand(0).getType();
  if (type.isIntOrIndex() && operands.size() == 2)
    return integers(op, operands[0], operands[1]);
  // An integer converted to a float has bounds, beyond which a comparison is known.
  bool isBounded =
      isa<arith::CmpFOp>(op) && llvm::any_of(operands, [](const Known &each) { return each.kinds & Extended; });
  if (isa<arith::MulFOp>(op) && most == State::ZeroOrVaries)
    return made(State::ZeroOrVaries);
  return made(most == State::Varies && !isBounded ? State::Varies : State::Constant);
}

/// The operand that an op on arrays combines with its accumulator, and the combining op, if repetition matters to it.
static std::pair<Value, Operation *> termOf(linalg::LinalgOp op, unsigned result) {
  Operation *step = op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  if (!step || step->getNumOperands() != 2 || step->getBlock() != op.getBlock())
    return {};
  // For these, combining once is as good as repeatedly.
  if (isa<arith::AndIOp, arith::OrIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
          arith::MinimumFOp, arith::MaximumFOp>(step))
    return {};
  Value soFar = op.getRegionOutputArgs()[result];
  for (unsigned i : {0, 1})
    if (step->getOperand(i) == soFar)
      return {step->getOperand(1 - i), step};
  return {};
}

void Folding::guard(linalg::LinalgOp op) {
  bool needsGuard = false;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    if (auto [term, step] = termOf(op, i); term) {
      bool isSum = isa<arith::AddFOp, arith::AddIOp, arith::XOrIOp, complex::AddOp>(step);
      needsGuard |= known(term).state < (isSum ? State::ZeroOrVaries : State::Varies);
    }
  if (!needsGuard)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<RankedTensorType>(operand->get().getType()) && known(operand->get()).state != State::Varies)
      operand->set(computeBarrier(b, operand->get()));
}

void Folding::visitLinalg(linalg::LinalgOp op) {
  bool isRuntime = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Known array = known(operand.get());
    isRuntime |= array.isRuntime && op.payloadUsesValueFromOperand(&operand);
    values[op.getMatchingBlockArgument(&operand)] = load(array, op.getMatchingIndexingMap(&operand));
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    for (Value operand : inner.getOperands())
      isRuntime |= known(operand).isRuntime;
    if (inner.getNumResults() == 1)
      values[inner.getResult(0)] = scalar(&inner);
  }
  bool isReduction = op.getNumReductionLoops() != 0;
  if (isReduction)
    guard(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Known element = known(op.getBlock()->getTerminator()->getOperand(i));
    unsigned number = fresh();
    if (isReduction || !op.getIndexingMapMatchingResult(result).isIdentity())
      element = {isRuntime ? State::Varies : State::Constant, isRuntime, number, number};
    // The code generator evaluates values that depend on nothing.
    if (!isRuntime && element.state == State::Varies)
      element.state = State::Constant;
    values[result] = element;
  }
}

void Folding::visit(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op); structured && structured.hasPureTensorSemantics())
    return visitLinalg(structured);
  Attribute value;
  if (matchPattern(op, m_Constant(&value))) {
    values[op->getResult(0)] = constant(value);
    return;
  }
  bool isRuntime = !isMemoryEffectFree(op) || op->getNumRegions() != 0;
  for (Value operand : op->getOperands())
    isRuntime |= known(operand).isRuntime;
  for (Value result : op->getResults()) {
    unsigned number = fresh();
    Known array = {isRuntime ? State::Varies : State::Constant, isRuntime, number, number};
    if (isView(op))
      array.state = known(op->getOperand(0)).state;
    values[result] = array;
  }
}

namespace {
struct GuardReductionsPass : impl::GuardReductionsPassBase<GuardReductionsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      Folding folding(function);
  }
};
} // namespace

} // namespace dovetail
