// Hand-written device kernels: distribution of their items over workgroups and threads.
#include "Kernel.h"
#include "Executable.h"
#include "GpuThreads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }
Value add(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::AddIOp::create(b, x, y); }
Value mul(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::MulIOp::create(b, x, y); }

/// The code of a kernel under construction.
struct KernelCode {
  ImplicitLocOpBuilder &outer;
  ModuleOp program;
  const KernelShape &shape;
  bool isCpu;
  Executable executable = {};

  std::optional<int64_t> staticRows() const { return getConstantIntValue(shape.rows); }
  int64_t itemsOf(int64_t rows) const { return llvm::divideCeil(rows, shape.rowsPerItem) * shape.itemsPerRow; }
  int64_t itemsOfGroup() const { return isCpu ? shape.itemsPerGroup : kThreadsOfGroup; }

  /// Items of all rows, and the workgroups that share them.
  Value items(ImplicitLocOpBuilder &b, Value rows) const {
    if (auto known = staticRows())
      return index(b, itemsOf(*known));
    Value served = shape.rowsPerItem == 1 ? rows : ceilDiv(b, rows, shape.rowsPerItem);
    return mul(b, served, index(b, shape.itemsPerRow));
  }
  Value groups(ImplicitLocOpBuilder &b, Value rows) const {
    if (auto known = staticRows())
      return index(b, std::min<int64_t>(llvm::divideCeil(itemsOf(*known), itemsOfGroup()), kMaxGroups));
    return arith::MinUIOp::create(b, ceilDiv(b, items(b, rows), itemsOfGroup()), index(b, kMaxGroups));
  }
  static Value ceilDiv(ImplicitLocOpBuilder &b, Value x, int64_t y) {
    return arith::DivUIOp::create(b, add(b, x, index(b, y - 1)), index(b, y));
  }

  Value memory(ImplicitLocOpBuilder &b, Executable::Binding binding, const Floats &floats, Value rows) {
    auto known = staticRows();
    Type stated = floats.type.getElementType(), element = stated.isInteger(32) ? stated : shape.element;
    if (floats.isShared || known)
      return executable.view(
          b, binding, MemRefType::get(floats.isShared ? floats.perRow : *known * floats.perRow, element), ValueRange());
    Value size = mul(b, rows, index(b, floats.perRow));
    return executable.view(b, binding, MemRefType::get(ShapedType::kDynamic, element), size);
  }

  /// Calls `body` for the items of this workgroup, or of this thread.
  void forItems(ImplicitLocOpBuilder &b, Value rows, function_ref<void(ImplicitLocOpBuilder &, Value)> body) const {
    Value group = numberOfGroup(b), count = items(b, rows);
    Value size = index(b, itemsOfGroup()), stride = mul(b, groups(b, rows), size), first = mul(b, group, size);
    if (!isCpu)
      first = add(b, first, numberOfThread(b));
    forEach(b, first, count, stride, [&](ImplicitLocOpBuilder &each, Value item) {
      if (!isCpu || shape.itemsPerGroup == 1)
        return body(each, item);
      Value end = arith::MinUIOp::create(each, add(each, item, size), count);
      forEach(each, item, end, index(each, 1), body);
    });
  }

  /// Adds the executable to the program, with a function that `write` fills.
  void addToProgram(function_ref<void(ImplicitLocOpBuilder &)> write) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(outer.getLoc());
    ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockEnd(outer.getLoc(), module->getBody());
    auto function = func::FuncOp::create(b, shape.name, b.getFunctionType({}, {}));
    if (!isCpu)
      setThreads(function, Target(program));
    b.setInsertionPointToStart(function.addEntryBlock());
    write(b);
    func::ReturnOp::create(b);
    executable.addTo(program, shape.name, std::move(module), workload().size(),
                     [&](ImplicitLocOpBuilder &count, ValueRange rows) {
                       return groups(count, rows.empty() ? Value() : rows.front());
                     });
  }

  /// The values that determine the number of workgroups: the dynamic numbers of rows.
  SmallVector<Value> workload() const {
    return staticRows() ? SmallVector<Value>() : SmallVector<Value>{cast<Value>(shape.rows)};
  }
};

} // namespace

Kernels::Kernels(ModuleOp program) : program(program) {
  Target stated(program);
  target = stated.name.empty() ? "cpu" : stated.name.str();
  isCpu = !stated.isGpu();
}

SmallVector<Value> Kernels::run(ImplicitLocOpBuilder &b, const KernelShape &shape, ArrayRef<Floats> inputs,
                                ArrayRef<Floats> results, Prepare prepare, Body body) {
  KernelCode code = {b, program, shape, isCpu};
  SmallVector<Executable::Binding> bindings;
  for (const Floats &floats : inputs)
    bindings.push_back(code.executable.addInput(floats.array, floats.sizes));
  for (auto [i, floats] : llvm::enumerate(results))
    bindings.push_back(code.executable.addOutput(
        floats.type, floats.sizes, shape.isInPlace && i == 0 ? std::optional<unsigned>(0) : std::nullopt));
  SmallVector<Value> workload = code.workload();
  for (Value rows : workload)
    code.executable.addConstant(rows);
  if (!SymbolTable::lookupSymbolIn(program, shape.name))
    code.addToProgram([&](ImplicitLocOpBuilder &inner) {
      Value rows =
          workload.empty()
              ? index(inner, *code.staticRows())
              : arith::IndexCastUIOp::create(inner, inner.getIndexType(), code.executable.load(inner, 0)).getResult();
      SmallVector<Value> memory;
      for (auto [binding, floats] : llvm::zip_equal(bindings, llvm::concat<const Floats>(inputs, results)))
        memory.push_back(shape.isInPlace && memory.size() == inputs.size() ? memory[0]
                                                                           : code.memory(inner, binding, floats, rows));
      prepare(inner);
      code.forItems(inner, rows, [&](ImplicitLocOpBuilder &each, Value item) { body(each, memory, item, rows); });
    });
  return code.executable.call(b, shape.name, workload);
}

} // namespace dovetail
