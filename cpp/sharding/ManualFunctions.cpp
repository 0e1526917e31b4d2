// Functions of the parts of arrays along manual axes: how their arrays are divided along the other axes.
#include "ManualFunctions.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace dovetail {

Axes ManualFunction::within(MeshAttr mesh, ArrayRef<AxisRefAttr> manual, ArrayRef<AxisRefAttr> whole,
                            int64_t size) const {
  Axes rest(llvm::make_filter_range(whole, [&](AxisRefAttr axis) { return !llvm::is_contained(axes, axis); }));
  while (mesh.sizeOf(manual) > 1 && !isEven(mesh, size, rest))
    rest.pop_back();
  return rest;
}

ShardingAttr ManualFunction::within(ShardingAttr manual, ShardingAttr whole, Type part) const {
  MeshAttr mesh = manual.getMesh();
  AxesOfEach dims = axesOf(whole);
  for (auto [dim, ofParts, size] : llvm::zip_equal(dims, manual.getDims(), cast<RankedTensorType>(part).getShape()))
    dim = within(mesh, ofParts.getAxes(), dim, size);
  return dividing(shardingOf(mesh, dims), cast<RankedTensorType>(part));
}

ShardingAttr around(ShardingAttr manual, ShardingAttr within) {
  AxesOfEach dims = axesOf(manual);
  for (auto [dim, rest] : llvm::zip_equal(dims, within.getDims()))
    llvm::append_range(dim, rest.getAxes());
  return withSums(shardingOf(manual.getMesh(), dims), manual.getReplicated(), manual.getUnreduced());
}

std::optional<ManualFunction> manualFunction(Operation *op) {
  auto global = dyn_cast<GlobalOpInterface>(op);
  FlatSymbolRefAttr name = global ? global.partsFunction() : FlatSymbolRefAttr();
  if (!name)
    return std::nullopt;
  return ManualFunction{global, SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name),
                        wholeAxes(global.manualAxes())};
}

SmallVector<ManualFunction> manualFunctions(func::FuncOp main) {
  SmallVector<ManualFunction> functions;
  auto collect = [&](func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (std::optional<ManualFunction> found = manualFunction(op))
        functions.push_back(*found);
    });
  };
  collect(main);
  for (size_t i = 0; i < functions.size(); ++i)
    collect(functions[i].function);
  return functions;
}

void separateManualFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  DenseMap<Attribute, unsigned> references;
  SmallVector<Operation *> ops;
  auto note = [&](Operation *root) {
    root->walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](FlatSymbolRefAttr symbol) { ++references[symbol]; });
      if (manualFunction(op))
        ops.push_back(op);
    });
  };
  note(module);
  // Copies have ops that refer to functions of parts, too.
  for (size_t i = 0; i < ops.size(); ++i) {
    ManualFunction shared = *manualFunction(ops[i]);
    FlatSymbolRefAttr name = shared.op.partsFunction();
    if (references[name] == 1)
      continue;
    --references[name];
    func::FuncOp copy = shared.function.clone();
    auto newName = FlatSymbolRefAttr::get(symbols.insert(copy));
    for (NamedAttribute attribute : ops[i]->getAttrs())
      if (attribute.getValue() == name)
        ops[i]->setAttr(attribute.getName(), newName);
    references[newName] = 1;
    note(copy);
  }
}

} // namespace dovetail
