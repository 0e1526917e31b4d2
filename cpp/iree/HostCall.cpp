// Calls of functions that the host of a compiled program provides.
#include "HostCall.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dovetail {

static ModuleOp moduleOf(ImplicitLocOpBuilder &b) {
  Operation *op = b.getInsertionBlock()->getParentOp();
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

/// The declaration of the op's host function, which all calls of the same op on the same types share.
static func::FuncOp declaration(Operation *op, ImplicitLocOpBuilder &b, TypeRange operands, TypeRange results) {
  ModuleOp module = moduleOf(b);
  auto type = b.getFunctionType(operands, results);
  // The function takes the operands that are arrays; there may be more than the op has.
  SmallVector<Type> arrays;
  llvm::copy_if(op->getOperandTypes(), std::back_inserter(arrays), llvm::IsaPred<RankedTensorType>);
  llvm::copy_if(operands.drop_front(std::min<size_t>(arrays.size(), operands.size())), std::back_inserter(arrays),
                llvm::IsaPred<RankedTensorType>);
  auto original = b.getFunctionType(arrays, op->getResultTypes());
  auto entry =
      b.getArrayAttr({b.getStringAttr(op->getName().stripDialect()), op->getAttrDictionary(), TypeAttr::get(original)});
  unsigned count = 0;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    Attribute other = function->getAttr(kHostOp);
    if (other == entry)
      return function;
    count += other ? 1 : 0;
  }
  // At the beginning, so that a walk over the functions does not reach it.
  ImplicitLocOpBuilder begin = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), module.getBody());
  auto function = func::FuncOp::create(begin, "host.f" + std::to_string(count), type);
  function.setPrivate();
  function->setAttr(kHostOp, entry);
  if (!isMemoryEffectFree(op))
    function->setAttr(kHasEffects, b.getUnitAttr());
  return function;
}

void lowerToHostCall(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands, SmallVectorImpl<Value> &results) {
  auto types = llvm::map_to_vector(op->getResultTypes(), loweredType);
  auto call = func::CallOp::create(b, declaration(op, b, operands.getTypes(), types), operands);
  llvm::append_range(results, call.getResults());
}

SmallVector<HostImport> takeHostImports(ModuleOp module) {
  SmallVector<HostImport> imports;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    auto entry = dyn_cast_or_null<ArrayAttr>(function->removeAttr(kHostOp));
    if (!entry)
      continue;
    imports.push_back({function.getSymName(), cast<StringAttr>(entry[0]).getValue(), cast<DictionaryAttr>(entry[1]),
                       cast<FunctionType>(cast<TypeAttr>(entry[2]).getValue()),
                       bool(function->removeAttr(kHasEffects))});
  }
  return imports;
}

} // namespace dovetail
