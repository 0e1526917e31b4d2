// Hand-written device kernels: their executables and calls.
#include "Kernel.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

/// Threads of a workgroup on a GPU, and how many workgroups every device takes.
constexpr int64_t kThreads = 64, kMaxGroups = 32768;

namespace {

Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }
Value add(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::AddIOp::create(b, x, y); }
Value mul(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::MulIOp::create(b, x, y); }

/// The executable of a kernel under construction.
struct Executable {
  ImplicitLocOpBuilder &outer;
  ModuleOp program;
  const KernelShape &shape;
  StringRef target;
  bool isCpu;

  std::optional<int64_t> staticRows() const { return getConstantIntValue(shape.rows); }
  int64_t itemsOf(int64_t rows) const { return llvm::divideCeil(rows, shape.rowsPerItem) * shape.itemsPerRow; }
  int64_t itemsOfGroup() const { return isCpu ? shape.itemsPerGroup : kThreads; }

  Attribute attr(StringRef dialect, const Twine &text) const {
    return OpaqueAttr::get(outer.getStringAttr(dialect), StringAttr::get(outer.getContext(), text).getValue(),
                           outer.getNoneType());
  }

  Attribute layout(size_t numInputs) const {
    std::string text = "pipeline.layout<";
    if (!staticRows())
      text += "constants = 1, ";
    SmallVector<StringRef> bindings(numInputs, "#hal.pipeline.binding<storage_buffer, ReadOnly>");
    if (shape.isInPlace)
      bindings[0] = "#hal.pipeline.binding<storage_buffer>";
    else
      bindings.push_back("#hal.pipeline.binding<storage_buffer>");
    return attr("hal", text + "bindings = [" + llvm::join(bindings, ", ") + "]>");
  }

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

  Value memory(ImplicitLocOpBuilder &b, const Floats &floats, Value rows, int64_t binding, Attribute layout) const {
    auto known = staticRows();
    bool isKnown = floats.isShared || known;
    int64_t size = floats.isShared ? floats.perRow : known ? *known * floats.perRow : ShapedType::kDynamic;
    SmallVector<Value> operands = {index(b, 0)};
    if (!isKnown)
      operands.push_back(mul(b, rows, index(b, floats.perRow)));
    OperationState state(b.getLoc(), "hal.interface.binding.subspan", operands, MemRefType::get(size, shape.element));
    // What is handed in may be a part of an array, and begin at any of its elements.
    state.addAttribute("alignment", b.getIndexAttr(shape.element.getIntOrFloatBitWidth() / 8));
    state.addAttribute("binding", b.getIndexAttr(binding));
    state.addAttribute("layout", layout);
    state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({1, isKnown ? 0 : 1}));
    if (floats.array && !(shape.isInPlace && binding == 0))
      state.addAttribute("descriptor_flags", b.getI32IntegerAttr(1));
    return b.create(state)->getResult(0);
  }

  /// Calls `body` for the items of this workgroup, or of this thread.
  void forItems(ImplicitLocOpBuilder &b, Value rows, function_ref<void(ImplicitLocOpBuilder &, Value)> body) const {
    OperationState state(b.getLoc(), "hal.interface.workgroup.id", {}, b.getIndexType());
    state.addAttribute("dimension", b.getIndexAttr(0));
    Value group = b.create(state)->getResult(0), count = items(b, rows);
    Value size = index(b, itemsOfGroup()), stride = mul(b, groups(b, rows), size), first = mul(b, group, size);
    if (!isCpu) {
      OperationState thread(b.getLoc(), "gpu.thread_id", {}, b.getIndexType());
      thread.addAttribute("dimension", attr("gpu", "dim<x>"));
      first = add(b, first, b.create(thread)->getResult(0));
    }
    auto loop = [&](ImplicitLocOpBuilder &b, Value from, Value to, Value step, auto &&inside) {
      scf::ForOp::create(b, from, to, step, ValueRange(), [&](OpBuilder &inner, Location loc, Value i, ValueRange) {
        ImplicitLocOpBuilder each(loc, inner);
        inside(each, i);
        scf::YieldOp::create(each);
      });
    };
    loop(b, first, count, stride, [&](ImplicitLocOpBuilder &each, Value item) {
      if (!isCpu || shape.itemsPerGroup == 1)
        return body(each, item);
      Value end = arith::MinUIOp::create(each, add(each, item, size), count);
      loop(each, item, end, index(each, 1), body);
    });
  }

  /// The program's executable, with a function that `write` fills.
  void addToProgram(Attribute layout, function_ref<void(ImplicitLocOpBuilder &)> write) {
    ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(outer.getLoc(), program.getBody());
    OperationState state(b.getLoc(), "hal.executable.source");
    state.addAttribute("sym_name", b.getStringAttr(shape.name));
    state.addAttribute("sym_visibility", b.getStringAttr("private"));
    Block &block = state.addRegion()->emplaceBlock();
    b.create(state);
    b.setInsertionPointToEnd(&block);

    OperationState exported(b.getLoc(), "hal.executable.export");
    exported.addAttribute("sym_name", b.getStringAttr(shape.name));
    exported.addAttribute("sym_visibility", b.getStringAttr("public"));
    exported.addAttribute("ordinal", b.getIndexAttr(0));
    exported.addAttribute("layout", layout);
    Block &count = exported.addRegion()->emplaceBlock();
    exported.addRegion();
    count.addArgument(OpaqueType::get(b.getStringAttr("hal"), "device"), b.getLoc());
    if (!staticRows())
      count.addArgument(b.getIndexType(), b.getLoc());
    b.create(exported);
    auto module = ModuleOp::create(b);
    b.create(OperationState(b.getLoc(), "hal.executable.source_end"));

    b.setInsertionPointToEnd(&count);
    Value one = index(b, 1), number = groups(b, staticRows() ? Value() : count.getArgument(1));
    b.create(OperationState(b.getLoc(), "hal.return", {number, one, one}, {}));

    b.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(b, shape.name, b.getFunctionType({}, {}));
    if (!isCpu) {
      StringRef pipeline = target.starts_with("vulkan") || target.starts_with("metal") ? "spirv_pipeline" : "pipeline";
      function->setAttr("translation_info",
                        attr("iree_codegen", "translation_info<pipeline = #iree_gpu." + pipeline +
                                                 "<BaseLowering> workgroup_size = [" + Twine(kThreads) + ", 1, 1]>"));
    }
    b.setInsertionPointToStart(function.addEntryBlock());
    write(b);
    func::ReturnOp::create(b);
  }

  Value call(ArrayRef<Floats> inputs, const Floats &result) const {
    SmallVector<Value> workload, arguments, argumentSizes;
    for (const Floats &input : inputs) {
      arguments.push_back(input.array);
      llvm::append_range(argumentSizes, input.sizes);
    }
    if (auto rows = dyn_cast<Value>(shape.rows); rows && !staticRows()) {
      workload.push_back(rows);
      arguments.push_back(arith::IndexCastOp::create(outer, outer.getI32Type(), rows));
    }
    SmallVector<Value> operands;
    SmallVector<int32_t> segments;
    for (ArrayRef<Value> group :
         {ArrayRef(workload), ArrayRef(arguments), ArrayRef(argumentSizes), ArrayRef(result.sizes)}) {
      llvm::append_range(operands, group);
      segments.push_back(group.size());
    }
    OperationState state(outer.getLoc(), "flow.dispatch", operands, result.type);
    auto name = outer.getStringAttr(shape.name);
    auto run = SymbolRefAttr::get(name, FlatSymbolRefAttr::get(name));
    state.addAttribute("entry_points", outer.getArrayAttr(run));
    state.addAttribute("operandSegmentSizes", outer.getDenseI32ArrayAttr(segments));
    state.addAttribute("tied_operands", outer.getArrayAttr(outer.getIndexAttr(shape.isInPlace ? 0 : -1)));
    return outer.create(state)->getResult(0);
  }
};

} // namespace

Kernels::Kernels(ModuleOp program) : program(program) {
  Target stated(program);
  target = stated.name.empty() ? "cpu" : stated.name.str();
  isCpu = !stated.isGpu();
}

Value Kernels::run(ImplicitLocOpBuilder &b, const KernelShape &shape, ArrayRef<Floats> inputs, Floats result,
                   function_ref<void(ImplicitLocOpBuilder &)> prepare,
                   function_ref<void(ImplicitLocOpBuilder &, ValueRange, Value, Value)> body) {
  Executable executable = {b, program, shape, target, isCpu};
  if (!SymbolTable::lookupSymbolIn(program, shape.name)) {
    Attribute layout = executable.layout(inputs.size());
    executable.addToProgram(layout, [&](ImplicitLocOpBuilder &inner) {
      Value rows;
      if (auto known = executable.staticRows()) {
        rows = index(inner, *known);
      } else {
        OperationState state(inner.getLoc(), "hal.interface.constant.load", {}, inner.getI32Type());
        state.addAttribute("ordinal", inner.getIndexAttr(0));
        state.addAttribute("layout", layout);
        rows = arith::IndexCastUIOp::create(inner, inner.getIndexType(), inner.create(state)->getResult(0));
      }
      SmallVector<Value> memory;
      for (const Floats &floats : inputs)
        memory.push_back(executable.memory(inner, floats, rows, memory.size(), layout));
      memory.push_back(shape.isInPlace ? memory[0] : executable.memory(inner, result, rows, memory.size(), layout));
      prepare(inner);
      executable.forItems(inner, rows, [&](ImplicitLocOpBuilder &each, Value item) { body(each, memory, item, rows); });
    });
  }
  return executable.call(inputs, result);
}

} // namespace dovetail
