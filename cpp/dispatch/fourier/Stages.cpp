// Stages of transforms: each is a kernel, or all of them are one.
#include "Stages.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace dovetail::fourier {

/// What a kernel of several stages may have on the stack: the code generator's limit for a function is 128 KiB.
constexpr int64_t kMostOnStack = 112 << 10;

/// The number of floats that are enough work for a workgroup of a CPU.
constexpr int64_t kGroupFloats = 16384;

namespace {

int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

/// Several stages as one kernel, whose items are the rows.
class Chain {
public:
  explicit Chain(ArrayRef<Stage> stages) : stages(stages) {
    // Two buffers, as stages are in place or read one and write the other.
    for (auto [i, stage] : llvm::enumerate(stages.drop_back())) {
      if (i == 0 || !stage.shape.isInPlace)
        current = i == 0 ? 0 : 1 - current;
      sizes[current] = std::max(sizes[current], stage.to);
      places.push_back(current);
    }
  }

  /// Whether each row is an item of its own, and all of it fits on the stack.
  bool fits() const {
    int64_t bytes = (sizes[0] + sizes[1]) * bytesOf(element());
    for (const Stage &stage : stages)
      bytes += stage.stackBytes;
    return bytes <= kMostOnStack &&
           llvm::all_of(stages, [](const Stage &stage) { return stage.shape.rowsPerItem == 1 && stage.from > 0; });
  }

  Value run(ImplicitLocOpBuilder &b, Kernels &kernels, Value x, const Memory &result, bool mayOverwrite) {
    const Stage &last = stages.back();
    KernelShape shape = {name(), element(), last.shape.rows, 1, 1, std::max<int64_t>(1, kGroupFloats / last.to)};
    // The last stage writes rows that the first one has read.
    shape.isInPlace = mayOverwrite && stages.front().from == last.to;
    if (shape.isInPlace)
      shape.name += "_in_place";
    SmallVector<Floats> inputs = {{cast<RankedTensorType>(x.getType()), dynamicSizes(b, x), stages.front().from, x}};
    for (const Stage &stage : stages)
      llvm::append_range(inputs, stage.tables);
    return kernels.run(
        b, shape, inputs, {result.type, result.sizes, last.to, Value()},
        [&](ImplicitLocOpBuilder &inner) {
          for (int64_t size : sizes)
            buffers.push_back(size > 0 ? memref::AllocaOp::create(inner, MemRefType::get({size}, element())).getResult()
                                       : Value());
          for (const Stage &stage : stages)
            stage.prepare(inner);
        },
        [&](ImplicitLocOpBuilder &inner, ValueRange memory, Value row, Value) { emit(inner, memory, row); });
  }

private:
  Type element() const { return stages.front().shape.element; }

  /// The linker's files have the name, of which systems limit the length.
  std::string name() const {
    std::string all;
    for (const Stage &stage : stages)
      all += stage.shape.name + " ";
    return stages.front().shape.name + "_and_" + std::to_string(stages.size() - 1) + "_more_" +
           llvm::utohexstr(llvm::xxh3_64bits(all), /*LowerCase=*/true);
  }

  static Value rowOf(ImplicitLocOpBuilder &b, Value memory, int64_t size, Value row) {
    Value start = arith::MulIOp::create(b, row, arith::ConstantIndexOp::create(b, size));
    return memref::SubViewOp::create(b, memory, ArrayRef<OpFoldResult>{start}, {b.getIndexAttr(size)},
                                     {b.getIndexAttr(1)});
  }

  void emit(ImplicitLocOpBuilder &b, ValueRange memory, Value row) {
    Value x = rowOf(b, memory.front(), stages.front().from, row), ans = rowOf(b, memory.back(), stages.back().to, row);
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    ValueRange tables = memory.drop_front();
    for (auto [i, stage] : llvm::enumerate(stages)) {
      Value result = i + 1 == stages.size() ? ans : buffers[places[i]];
      SmallVector<Value> operands = {x};
      llvm::append_range(operands, tables.take_front(stage.tables.size()));
      operands.push_back(result);
      tables = tables.drop_front(stage.tables.size());
      x = result;
      if (stage.shape.itemsPerRow == 1) {
        stage.body(b, operands, zero, one);
        continue;
      }
      Value count = arith::ConstantIndexOp::create(b, stage.shape.itemsPerRow);
      scf::ForOp::create(b, zero, count, one, ValueRange(),
                         [&, &stage = stage](OpBuilder &inner, Location loc, Value item, ValueRange) {
                           ImplicitLocOpBuilder each(loc, inner);
                           stage.body(each, operands, item, one);
                           scf::YieldOp::create(each);
                         });
    }
  }

  ArrayRef<Stage> stages;
  int64_t sizes[2] = {0, 0};
  int current = 0;
  /// The buffer of each stage's result, of all but the last.
  SmallVector<int> places;
  SmallVector<Value> buffers;
};

} // namespace

static Value runStage(ImplicitLocOpBuilder &b, Kernels &kernels, const Stage &stage, Value x, const Memory &result) {
  SmallVector<Floats> inputs;
  if (x)
    inputs.push_back({cast<RankedTensorType>(x.getType()), dynamicSizes(b, x), stage.from, x});
  llvm::append_range(inputs, stage.tables);
  KernelShape shape = stage.shape;
  if (shape.isInPlace)
    shape.name += "_in_place";
  return kernels.run(b, shape, inputs, {result.type, result.sizes, stage.to, Value()}, stage.prepare, stage.body);
}

Value runStages(ImplicitLocOpBuilder &b, Kernels &kernels, ArrayRef<Stage> stages, Value x, const Memory &result,
                bool mayOverwrite) {
  if (Chain chain(stages); kernels.isForCpu() && stages.size() > 1 && chain.fits())
    return chain.run(b, kernels, x, result, mayOverwrite);
  for (const Stage &stage : stages.drop_back()) {
    OpFoldResult rows = stage.shape.rows;
    auto known = getConstantIntValue(rows);
    auto type = RankedTensorType::get({known.value_or(ShapedType::kDynamic), stage.to / 2},
                                      ComplexType::get(stage.shape.element));
    x = runStage(b, kernels, stage, x, {type, known ? SmallVector<Value>() : SmallVector<Value>{cast<Value>(rows)}});
  }
  return runStage(b, kernels, stages.back(), x, result);
}

} // namespace dovetail::fourier
