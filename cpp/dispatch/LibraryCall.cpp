// Dispatches that call a function of a plugin of IREE's runtime.
#include "LibraryCall.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace dovetail {

/// The code of the executable: passes on the addresses of its buffers, and its constants.
static OwningOpRef<ModuleOp> codeOf(Executable &executable, const LibraryFunction &called,
                                    ArrayRef<LibraryArray> arrays, Location loc) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(loc);
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockEnd(loc, code->getBody());
  SmallVector<Type> types;
  for (const LibraryArray &array : arrays)
    types.append({MemRefType::get({}, array.element), b.getIndexType()});
  types.append(called.numConstants + called.groups.has_value(), b.getIndexType());
  auto function = func::FuncOp::create(b, "run", b.getFunctionType({}, {}));
  auto import = func::FuncOp::create(b, called.name, b.getFunctionType(types, {}));
  import.setPrivate();
  import->setAttr("llvm.bareptr", b.getBoolAttr(true));

  b.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> arguments;
  for (const LibraryArray &array : arrays) {
    Value memory = executable.view(b, array.binding, MemRefType::get(1, array.element), ValueRange());
    auto place = memref::ExtractStridedMetadataOp::create(b, memory);
    arguments.append({place.getBaseBuffer(), place.getOffset()});
  }
  for (unsigned constant = 0; constant < called.numConstants; ++constant)
    arguments.push_back(arith::IndexCastUIOp::create(b, b.getIndexType(), executable.load(b, constant)));
  if (called.groups) {
    OperationState number(loc, "hal.interface.workgroup.id", {}, b.getIndexType());
    number.addAttribute("dimension", b.getIndexAttr(0));
    arguments.push_back(b.create(number)->getResult(0));
  }
  func::CallOp::create(b, import, arguments);
  if (called.token) {
    Value memory = executable.view(b, *called.token, MemRefType::get({}, b.getI32Type()), ValueRange());
    memref::StoreOp::create(b, arith::ConstantOp::create(b, b.getI32IntegerAttr(0)), memory);
  }
  func::ReturnOp::create(b);
  return code;
}

SmallVector<Value> callLibrary(ImplicitLocOpBuilder &b, Executable &executable, const LibraryFunction &function,
                               ArrayRef<LibraryArray> arrays) {
  if (!function.dependsOnArgument)
    executable.addUnknown(b);
  auto program = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!SymbolTable::lookupSymbolIn(program, function.executable)) {
    auto numGroups = [&](ImplicitLocOpBuilder &inside, ValueRange) -> Value {
      return arith::ConstantIndexOp::create(inside, function.groups.value_or(1));
    };
    executable.addTo(program, function.executable, codeOf(executable, function, arrays, b.getLoc()),
                     /*workloadSize=*/0, numGroups);
  }
  return executable.call(b, function.executable, /*workload=*/{});
}

//===- Described calls -------------------------------------------------------------===//

void forEachDescribedCall(ModuleOp program, StringRef executable,
                          function_ref<void(Operation *, arith::ConstantOp)> visit) {
  program.walk([&](Operation *op) {
    auto entries = op->getAttrOfType<ArrayAttr>("entry_points");
    if (!entries || entries.empty())
      return;
    auto entry = dyn_cast<SymbolRefAttr>(entries[0]);
    if (entry && entry.getRootReference().getValue().starts_with(executable))
      visit(op, op->getOperand(0).getDefiningOp<arith::ConstantOp>());
  });
}

void numberCalls(ModuleOp program, StringRef executable) {
  int64_t site = 0;
  forEachDescribedCall(program, executable, [&](Operation *, arith::ConstantOp constant) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    SmallVector<int64_t> numbers(elements.getValues<int64_t>());
    numbers[0] = site++;
    constant.setValueAttr(DenseElementsAttr::get(elements.getType(), ArrayRef(numbers)));
  });
}

SmallVector<Location> callLocations(ModuleOp program, StringRef executable) {
  SmallVector<Location> locations;
  forEachDescribedCall(program, executable, [&](Operation *op, arith::ConstantOp constant) {
    int64_t site = *cast<DenseElementsAttr>(constant.getValue()).value_begin<int64_t>();
    locations.resize(std::max<size_t>(locations.size(), site + 1), UnknownLoc::get(program.getContext()));
    locations[site] = op->getLoc();
  });
  return locations;
}

} // namespace dovetail
