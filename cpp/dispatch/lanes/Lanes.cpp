// Kernels for batches of small matrices: arithmetic, and moving matrices between memory and lanes.
#include "Lanes.h"
#include "cpp/dispatch/fourier/Vectors.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dovetail::lanes {

//===- Arithmetic ------------------------------------------------------------------===//

/// Products and the sums that use them may be rounded once.
constexpr auto kContract = arith::FastMathFlags::contract;

Value Lanes::constant(double value) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), value)));
}

Value Lanes::integer(int64_t value) {
  auto integers = VectorType::get(type.getShape(), b.getI32Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(integers, b.getI32IntegerAttr(value)));
}

Value Lanes::add(Value x, Value y) { return arith::AddFOp::create(b, x, y, kContract); }
Value Lanes::sub(Value x, Value y) { return arith::SubFOp::create(b, x, y, kContract); }
Value Lanes::mul(Value x, Value y) { return arith::MulFOp::create(b, x, y, kContract); }
Value Lanes::div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
Value Lanes::sqrt(Value x) { return math::SqrtOp::create(b, x); }
Value Lanes::abs(Value x) { return math::AbsFOp::create(b, x); }
Value Lanes::neg(Value x) { return arith::NegFOp::create(b, x); }
Value Lanes::less(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); }
Value Lanes::both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }

Value Lanes::same(Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
}

Value Lanes::select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }

Value Lanes::any(Value condition) { return vector::ReductionOp::create(b, vector::CombiningKind::OR, condition); }

//===- Memory ----------------------------------------------------------------------===//

namespace {

/// The matrices of an array that the lanes hold.
struct Places {
  ImplicitLocOpBuilder &b;
  Value memory;
  /// The first element of each lane's matrix, and how many it has.
  SmallVector<Value> starts;
  int64_t size;

  int64_t width() const { return starts.size(); }
  VectorType type() const { return VectorType::get({width()}, cast<MemRefType>(memory.getType()).getElementType()); }

  /// Calls `body` for elements of all matrices, as many as there are lanes or fewer: whole vectors may overlap.
  void forBlocks(function_ref<void(int64_t first, int64_t count)> body) const {
    for (int64_t first = 0; first < size; first += width())
      body(size < width() ? first : std::min(first, size - width()), std::min(size, width()));
  }

  Value place(int64_t lane, int64_t first) const {
    return arith::AddIOp::create(b, starts[lane], arith::ConstantIndexOp::create(b, first));
  }

  Value firstLanes(int64_t count) const {
    SmallVector<bool> isUsed(width(), false);
    std::fill_n(isUsed.begin(), count, true);
    auto mask = VectorType::get({width()}, b.getI1Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(mask, ArrayRef<bool>(isUsed)));
  }

  SmallVector<Value> load() const {
    SmallVector<Value> elements(size);
    forBlocks([&](int64_t first, int64_t count) {
      SmallVector<Value> rows;
      for (int64_t lane = 0; lane < width(); ++lane) {
        if (count == width()) {
          rows.push_back(vector::LoadOp::create(b, type(), memory, place(lane, first)));
          continue;
        }
        Value none = arith::ConstantOp::create(b, b.getZeroAttr(type()));
        rows.push_back(vector::MaskedLoadOp::create(b, type(), memory, place(lane, first), firstLanes(count), none));
      }
      rows = fourier::transposed(b, rows);
      std::copy_n(rows.begin(), count, elements.begin() + first);
    });
    return elements;
  }

  void store(ArrayRef<Value> elements) const {
    forBlocks([&](int64_t first, int64_t count) {
      SmallVector<Value> rows(elements.slice(first, count));
      rows.resize(width(), rows.front());
      for (auto [lane, row] : llvm::enumerate(fourier::transposed(b, rows))) {
        if (count == width())
          vector::StoreOp::create(b, row, memory, place(lane, first));
        else
          vector::MaskedStoreOp::create(b, memory, place(lane, first), firstLanes(count), row);
      }
    });
  }
};

} // namespace

/// The number of elements that are enough work for a workgroup.
constexpr int64_t kGroupElements = 16384;

SmallVector<Value> run(ImplicitLocOpBuilder &b, Kernels &kernels, StringRef name, OpFoldResult count,
                       ValueRange operands, ArrayRef<Result> results, Compute compute) {
  auto element = cast<FloatType>(getElementTypeOrSelf(operands[0].getType()));
  const int64_t width = kernels.vectorBytes() * 8 / element.getWidth();
  SmallVector<Floats> inputs, outputs;
  SmallVector<std::pair<int64_t, int64_t>> sizes;
  int64_t all = 0;
  for (Value operand : operands) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape().take_back(2);
    sizes.push_back({shape[0], shape[1]});
    inputs.push_back(
        {cast<RankedTensorType>(operand.getType()), dynamicSizes(b, operand), shape[0] * shape[1], operand});
    all += inputs.back().perRow;
  }
  for (const Result &result : results) {
    outputs.push_back({result.type, result.sizes, result.rows * result.columns, Value()});
    all += outputs.back().perRow;
  }
  auto known = getConstantIntValue(count);
  KernelShape shape = {(name + "_" + (known ? std::to_string(*known) : "n")).str(), element, count, 1, width,
                       std::max<int64_t>(1, kGroupElements / (width * all))};
  auto item = [&](ImplicitLocOpBuilder &each, ValueRange memory, Value item, Value rows) {
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(each, value); };
    Value first = arith::MulIOp::create(each, item, index(width)), last = arith::SubIOp::create(each, rows, index(1));
    SmallVector<Value> numbers;
    // If there are no more matrices, the last one is repeated.
    for (int64_t lane = 0; lane < width; ++lane)
      numbers.push_back(arith::MinUIOp::create(each, arith::AddIOp::create(each, first, index(lane)), last));
    auto places = [&](Value memory, int64_t size) {
      Places found = {each, memory, {}, size};
      for (Value number : numbers)
        found.starts.push_back(arith::MulIOp::create(each, number, index(size)));
      return found;
    };
    SmallVector<Matrix> matrices;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      Matrix &matrix = matrices.emplace_back(size.first, size.second);
      matrix.elements = places(memory[i], inputs[i].perRow).load();
    }
    Lanes lanes = {each, VectorType::get({width}, element)};
    SmallVector<Matrix> computed = compute(lanes, matrices);
    for (auto [i, matrix] : llvm::enumerate(computed))
      places(memory[inputs.size() + i], outputs[i].perRow).store(matrix.elements);
  };
  return kernels.run(b, shape, inputs, outputs, [](ImplicitLocOpBuilder &) {}, item);
}

} // namespace dovetail::lanes
