// Makes long scalar computations that ops repeat functions.
#include "Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_OUTLINEFUNCTIONSPASS
#include "cpp/iree/Passes.h.inc"

/// Fewer ops are no longer than a call.
static constexpr size_t kShortestBody = 16;
/// In a program with fewer ops in such bodies the code generator spends its time elsewhere.
static constexpr size_t kFewestOps = 100;
static constexpr size_t kMostArguments = 3;
/// The attribute of these functions, and of their calls, that has the function's name.
static constexpr StringRef kFunction = "dovetail.function";

namespace {
/// The body of an op, as a function of the elements that it reads.
struct LongBody {
  linalg::GenericOp op;
  SmallVector<BlockArgument> arguments;

  Block &block() { return *op.getBody(); }
};
} // namespace

/// Whether a value depends on arguments of functions or of loops; IREE computes others ahead.
static bool isVarying(Value value, DenseMap<Value, bool> &known) {
  if (isa<BlockArgument>(value))
    return true;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool isAny = !isMemoryEffectFree(op) || (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op));
  for (Value operand : op->getOperands())
    isAny = isAny || isVarying(operand, known);
  return known[value] = isAny;
}

/// The body of an op, if it is a long function of a few floats of one type, that of its result.
static std::optional<LongBody> functionOf(linalg::GenericOp op) {
  Block &block = *op.getBody();
  Type type = block.getArguments().back().getType();
  if (op.getNumResults() != 1 || !isa<Float16Type, Float32Type, Float64Type>(type) ||
      !llvm::hasNItemsOrMore(block.without_terminator(), kShortestBody))
    return std::nullopt;
  LongBody body{op, {}};
  for (BlockArgument argument : block.getArguments()) {
    if (argument.use_empty())
      continue;
    if (argument == block.getArguments().back() || argument.getType() != type ||
        body.arguments.size() == kMostArguments)
      return std::nullopt;
    body.arguments.push_back(argument);
  }
  auto isOfElements = [&](Operation &each) {
    return each.getNumRegions() == 0 && isPure(&each) && !isa<linalg::IndexOp>(each) &&
           llvm::all_of(each.getOperands(),
                        [&](Value operand) {
                          return operand.getParentBlock() == &block || matchPattern(operand, m_Constant());
                        }) &&
           llvm::none_of(each.getOperandTypes(), llvm::IsaPred<ShapedType>);
  };
  Operation *last = block.getTerminator()->getOperand(0).getDefiningOp();
  if (body.arguments.empty() || !last || last->getBlock() != &block ||
      !llvm::all_of(block.without_terminator(), isOfElements))
    return std::nullopt;
  return body;
}

/// What two bodies have in common if and only if they compute the same: each op's name, attributes and types, and where
/// its operands come from.
static std::vector<const void *> keyOf(LongBody &body) {
  DenseMap<Value, uintptr_t> numbers;
  std::vector<const void *> key{reinterpret_cast<const void *>(body.arguments.size())};
  auto add = [&](Value value) { numbers.try_emplace(value, numbers.size()); };
  for (BlockArgument argument : body.arguments)
    add(argument);
  for (Operation &op : body.block()) {
    key.push_back(op.getName().getAsOpaquePointer());
    key.push_back(op.getAttrDictionary().getAsOpaquePointer());
    for (Value operand : op.getOperands()) {
      auto known = numbers.find(operand);
      if (known != numbers.end()) {
        key.push_back(reinterpret_cast<const void *>(known->second));
        continue;
      }
      Attribute constant;
      matchPattern(operand, m_Constant(&constant));
      key.push_back(constant.getAsOpaquePointer());
    }
    for (Type type : op.getResultTypes())
      key.push_back(type.getAsOpaquePointer());
    for (Value result : op.getResults())
      add(result);
  }
  return key;
}

static func::FuncOp makeFunction(OpBuilder &b, LongBody &body, StringRef name) {
  Block &block = body.block();
  Location loc = body.op.getLoc();
  SmallVector<Type> types = llvm::map_to_vector(body.arguments, [](BlockArgument each) { return each.getType(); });
  Type result = block.getTerminator()->getOperandTypes()[0];
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(types, result));
  function.setPrivate();
  IRMapping mapping;
  mapping.map(ArrayRef<Value>(SmallVector<Value>(body.arguments.begin(), body.arguments.end())),
              function.addEntryBlock()->getArguments());
  OpBuilder inside = OpBuilder::atBlockBegin(&function.getBody().front());
  for (Operation &op : block) {
    for (Value operand : op.getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, inside.clone(*operand.getDefiningOp())->getResult(0));
    if (op.hasTrait<OpTrait::IsTerminator>())
      func::ReturnOp::create(inside, loc, mapping.lookup(op.getOperand(0)));
    else
      inside.clone(op, mapping);
  }
  return function;
}

/// The body becomes a call.
static void replaceBody(LongBody &body, func::FuncOp function) {
  Operation *yield = body.block().getTerminator();
  OpBuilder b(yield);
  SmallVector<Value> arguments(body.arguments.begin(), body.arguments.end());
  auto call = func::CallOp::create(b, body.op.getLoc(), function, arguments);
  call->setAttr(kFunction, function->getAttr(kFunction));
  yield->setOperands(call.getResults());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.block())))
    if (&op != yield && &op != call)
      op.erase();
}

namespace {
struct OutlineFunctionsPass : impl::OutlineFunctionsPassBase<OutlineFunctionsPass> {
  void runOnOperation() override {
    SmallVector<LongBody> bodies;
    size_t numOps = 0;
    DenseMap<Value, bool> varying;
    getOperation().walk([&](linalg::GenericOp op) {
      if (llvm::none_of(op.getInputs(), [&](Value input) { return isVarying(input, varying); }))
        return;
      if (auto body = functionOf(op)) {
        numOps += body->block().getOperations().size();
        bodies.push_back(*body);
      }
    });
    if (numOps < kFewestOps)
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    std::map<std::vector<const void *>, func::FuncOp> functions;
    OpBuilder b(&getContext());
    for (LongBody &body : bodies) {
      func::FuncOp &function = functions[keyOf(body)];
      if (!function) {
        function = makeFunction(b, body, "function");
        symbols.insert(function, getOperation().getBody()->begin());
        function->setAttr(kFunction, function.getSymNameAttr());
      }
      replaceBody(body, function);
    }
  }
};
} // namespace

} // namespace dovetail
