// Kernels in which each complex number of the result is computed on its own.
#include "Elements.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail::fourier {

/// The number of elements that are enough work for a workgroup of a CPU.
constexpr int64_t kGroupElements = 4096;

bool Elements::isVector() const { return isa<VectorType>(arithmetic.type); }

Value Elements::index(int64_t value) { return arith::ConstantIndexOp::create(arithmetic.b, value); }

Complex Elements::load(Value at) {
  return loadComplex(arithmetic, memory[0], arith::AddIOp::create(arithmetic.b, start, at), from->parts);
}

Complex Elements::loadMirrored(int64_t end) {
  int64_t width = isVector() ? cast<VectorType>(arithmetic.type).getDimSize(0) : 1;
  Complex z = load(arith::SubIOp::create(arithmetic.b, index(end - (width - 1)), k));
  return {backwards(arithmetic.b, z.re), backwards(arithmetic.b, z.im)};
}

namespace {

/// The code of a kernel.
struct Writer {
  ElementsShape shape;
  std::optional<Numbers> from;
  int64_t width;
  std::function<Complex(Elements &)> body;

  void write(ImplicitLocOpBuilder &b, Type type, ValueRange memory, Value row, Value k) const {
    auto start = [&](int64_t size) -> Value {
      return arith::MulIOp::create(b, row, arith::ConstantIndexOp::create(b, size));
    };
    Elements elements = {{b, type}, memory, from, from ? start(from->size) : Value(), k};
    Complex value = body(elements);
    storeComplex({b, type}, value, memory.back(), arith::AddIOp::create(b, start(shape.size), k), shape.parts);
  }

  void loop(ImplicitLocOpBuilder &b, Type type, ValueRange memory, Value row, Value from, Value to) const {
    auto vector = dyn_cast<VectorType>(type);
    Value step = arith::ConstantIndexOp::create(b, vector ? vector.getDimSize(0) : 1);
    scf::ForOp::create(b, from, to, step, ValueRange(), [&](OpBuilder &inner, Location loc, Value k, ValueRange) {
      ImplicitLocOpBuilder each(loc, inner);
      write(each, type, memory, row, k);
      scf::YieldOp::create(each);
    });
  }

  /// Elements `from` to `to` of a row, where `from` is a multiple of the width: vectors for the range that they cover,
  /// single elements around it.
  void range(ImplicitLocOpBuilder &b, ValueRange memory, Value row, Value from, Value to) const {
    int64_t first = llvm::alignTo(shape.vectorFrom, width), last = shape.vectorTo / width * width;
    if (width == 1 || first >= last)
      return loop(b, shape.element, memory, row, from, to);
    auto clamped = [&](int64_t place) -> Value {
      Value bounded = arith::MinUIOp::create(b, to, arith::ConstantIndexOp::create(b, place));
      return arith::MaxUIOp::create(b, from, bounded);
    };
    Value begin = clamped(first), end = clamped(last);
    loop(b, shape.element, memory, row, from, begin);
    loop(b, VectorType::get({width}, shape.element), memory, row, begin, end);
    loop(b, shape.element, memory, row, end, to);
  }
};

} // namespace

Stage stageOf(const ElementsShape &shape, const Kernels &kernels, std::optional<Numbers> from, ArrayRef<Floats> tables,
              std::function<Complex(Elements &)> body) {
  bool isForCpu = kernels.isForCpu();
  int64_t block = isForCpu ? std::min(shape.size, kGroupElements) : 1, blocks = llvm::divideCeil(shape.size, block);
  int64_t width = isForCpu ? kernels.vectorBytes() * 8 / shape.element.getIntOrFloatBitWidth() : 1;
  auto known = getConstantIntValue(shape.rows);
  std::string name;
  llvm::raw_string_ostream(name) << shape.name << "_" << shape.element << "_" << shape.size << "_"
                                 << (known ? std::to_string(*known) : "n")
                                 << (shape.parts == Parts::real ? "_to_real" : "");
  Writer writer = {shape, from, width, std::move(body)};
  auto item = [writer, block, blocks](ImplicitLocOpBuilder &each, ValueRange memory, Value item, Value) {
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(each, value); };
    const ElementsShape &shape = writer.shape;
    Value row = arith::DivUIOp::create(each, item, index(blocks));
    Value number = arith::RemUIOp::create(each, item, index(blocks));
    if (block == 1)
      return writer.write(each, shape.element, memory, row, number);
    Value from = arith::MulIOp::create(each, number, index(block));
    Value to = arith::MinUIOp::create(each, arith::AddIOp::create(each, from, index(block)), index(shape.size));
    writer.range(each, memory, row, from, to);
  };
  return {{name, shape.element, shape.rows, blocks, 1, std::max<int64_t>(1, kGroupElements / block)},
          from ? floatsOf(from->size, from->parts) : 0,
          floatsOf(shape.size, shape.parts),
          SmallVector<Floats>(tables),
          [](ImplicitLocOpBuilder &) {},
          0,
          item};
}

} // namespace dovetail::fourier
