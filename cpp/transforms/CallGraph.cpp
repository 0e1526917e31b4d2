// Call graph of a module.
#include "CallGraph.h"
#include "dialects/Rules.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dovetail {

/// The functions that `function` names anywhere in its body, in order.
static SmallVector<func::FuncOp> referenced(func::FuncOp function, SymbolTable &symbols) {
  SmallVector<func::FuncOp> callees;
  function.walk([&](Operation *op) {
    if (op == function)
      return;
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
        if (auto callee = symbols.lookup<func::FuncOp>(symbol.getAttr()))
          callees.push_back(callee);
      });
  });
  return callees;
}

static FailureOr<SmallVector<func::FuncOp>> calleesFirst(ArrayRef<func::FuncOp> roots, ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> order;
  DenseSet<Operation *> done, open;
  // An explicit stack: chains of calls may be deep.
  struct Frame {
    func::FuncOp function;
    SmallVector<func::FuncOp> callees;
    size_t next = 0;
  };
  SmallVector<Frame> stack;
  auto enter = [&](func::FuncOp function) {
    open.insert(function);
    stack.push_back({function, referenced(function, symbols)});
  };
  for (func::FuncOp root : roots) {
    if (done.contains(root))
      continue;
    enter(root);
    while (!stack.empty()) {
      Frame &frame = stack.back();
      if (frame.next == frame.callees.size()) {
        order.push_back(frame.function);
        done.insert(frame.function);
        open.erase(frame.function);
        stack.pop_back();
        continue;
      }
      func::FuncOp callee = frame.callees[frame.next++];
      if (open.contains(callee))
        return callee.emitError() << "'" << callee.getSymName() << "' must not call itself";
      if (!done.contains(callee))
        enter(callee);
    }
  }
  return order;
}

FailureOr<SmallVector<func::FuncOp>> calleesFirst(ModuleOp module) {
  return calleesFirst(llvm::to_vector(module.getOps<func::FuncOp>()), module);
}

FailureOr<SmallVector<func::FuncOp>> calleesFirst(func::FuncOp function) {
  return calleesFirst(ArrayRef<func::FuncOp>(function), function->getParentOfType<ModuleOp>());
}

void eraseUncalled(ModuleOp module) {
  SymbolTable symbols(module);
  DenseSet<Operation *> needed;
  SmallVector<func::FuncOp> worklist;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function.isPublic()) {
      needed.insert(function);
      worklist.push_back(function);
    }
  while (!worklist.empty())
    for (func::FuncOp callee : referenced(worklist.pop_back_val(), symbols))
      if (needed.insert(callee).second)
        worklist.push_back(callee);
  for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!needed.contains(function))
      function.erase();
}

FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
    if (failed(calleesFirst(function)))
      return failure();
    return function;
  }
  SmallVector<StringRef> names;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    names.push_back(function.getSymName());
  return module.emitError() << "function must be one of: " << llvm::join(names, ", ") << "; got: " << name;
}

static bool isArrayOfIntegers(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<IntegerType>(tensor.getElementType()) && !tensor.getElementType().isInteger(1);
}

FailureOr<llvm::SmallBitVector> argumentMask(func::FuncOp function, ArrayRef<int64_t> numbers, bool takesIntegers) {
  llvm::SmallBitVector mask(function.getNumArguments());
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(function.getNumArguments()))
      return function.emitError() << "arguments must be numbered 0 to " << int64_t(function.getNumArguments()) - 1
                                  << ", got: " << number;
    Type type = function.getArgumentTypes()[number];
    if (!isDifferentiable(type) && !(takesIntegers && isArrayOfIntegers(type)))
      return function.emitError() << "argument " << number << " must be an array of "
                                  << (takesIntegers ? "" : "floats or complex ") << "numbers, got: " << type;
    mask.set(number);
  }
  return mask;
}

} // namespace dovetail
