// Kernels of independent elements.
#include "Elements.h"
#include "cpp/lowering/Iree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail::fourier {

/// How many elements make work enough for a workgroup of a CPU.
constexpr int64_t kGroupElements = 4096;

static Value place(ImplicitLocOpBuilder &b, Value start, Value k, bool isImaginary) {
  Value at = arith::AddIOp::create(b, start, k), two = arith::ConstantIndexOp::create(b, 2);
  Value doubled = arith::MulIOp::create(b, at, two);
  return isImaginary ? arith::AddIOp::create(b, doubled, arith::ConstantIndexOp::create(b, 1)).getResult() : doubled;
}

Value Elements::index(int64_t value) { return arith::ConstantIndexOp::create(arithmetic.b, value); }

Complex Elements::load(unsigned input, Value at) {
  ImplicitLocOpBuilder &b = arithmetic.b;
  if (parts[input] == Parts::real)
    return {memref::LoadOp::create(b, memory[input], ValueRange(arith::AddIOp::create(b, starts[input], at))),
            arithmetic.constant(0.0)};
  return {memref::LoadOp::create(b, memory[input], ValueRange(place(b, starts[input], at, false))),
          memref::LoadOp::create(b, memory[input], ValueRange(place(b, starts[input], at, true)))};
}

Value runElements(ImplicitLocOpBuilder &b, Kernels &kernels, StringRef name, FloatType element, OpFoldResult rows,
                  int64_t size, ArrayRef<Rows> inputs, ArrayRef<Floats> tables, const Memory &result, Parts parts,
                  function_ref<Complex(Elements &)> body) {
  SmallVector<Floats> floats;
  SmallVector<Parts> kinds;
  for (const Rows &input : inputs) {
    floats.push_back({cast<RankedTensorType>(input.array.getType()), dynamicSizes(b, input.array),
                      input.parts == Parts::real ? input.size : 2 * input.size, input.array});
    kinds.push_back(input.parts);
  }
  llvm::append_range(floats, tables);
  int64_t block = kernels.isForCpu() ? std::min(size, kGroupElements) : 1, blocks = llvm::divideCeil(size, block);
  auto known = getConstantIntValue(rows);
  std::string full;
  llvm::raw_string_ostream(full) << name << "_" << element << "_" << size << "_"
                                 << (known ? std::to_string(*known) : "n") << (parts == Parts::real ? "_to_real" : "");
  KernelShape shape = {full, element, rows, blocks, 1, std::max<int64_t>(1, kGroupElements / block)};
  Floats output = {result.type, result.sizes, parts == Parts::real ? size : 2 * size, Value()};
  auto write = [&](ImplicitLocOpBuilder &each, ValueRange memory, Value row, Value k) {
    auto start = [&](int64_t size) -> Value {
      return arith::MulIOp::create(each, row, arith::ConstantIndexOp::create(each, size));
    };
    Elements elements = {{each, element}, memory, kinds, {}, k};
    for (const Rows &input : inputs)
      elements.starts.push_back(start(input.size));
    Complex value = body(elements);
    Value ans = memory.back(), first = start(size);
    if (parts == Parts::real) {
      memref::StoreOp::create(each, value.re, ans, ValueRange(arith::AddIOp::create(each, first, k)));
      return;
    }
    memref::StoreOp::create(each, value.re, ans, ValueRange(place(each, first, k, false)));
    memref::StoreOp::create(each, value.im, ans, ValueRange(place(each, first, k, true)));
  };
  return kernels.run(
      b, shape, floats, output, [](ImplicitLocOpBuilder &) {},
      [&](ImplicitLocOpBuilder &each, ValueRange memory, Value item, Value) {
        Value perRow = arith::ConstantIndexOp::create(each, blocks),
              length = arith::ConstantIndexOp::create(each, size);
        Value row = arith::DivUIOp::create(each, item, perRow), number = arith::RemUIOp::create(each, item, perRow);
        if (block == 1)
          return write(each, memory, row, number);
        Value step = arith::ConstantIndexOp::create(each, block), from = arith::MulIOp::create(each, number, step);
        Value to = arith::MinUIOp::create(each, arith::AddIOp::create(each, from, step), length);
        scf::ForOp::create(each, from, to, arith::ConstantIndexOp::create(each, 1), ValueRange(),
                           [&](OpBuilder &inner, Location loc, Value k, ValueRange) {
                             ImplicitLocOpBuilder one(loc, inner);
                             write(one, memory, row, k);
                             scf::YieldOp::create(one);
                           });
      });
}

} // namespace dovetail::fourier
