// Reductions over sliding windows: inference and rules.
#include "Window.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

using Dims = SmallVector<int64_t>;

//===- Windows -------------------------------------------------------------------===//

int64_t Windows::count(int64_t size, int64_t d) const {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(window[d]))
    return ShapedType::kDynamic;
  int64_t span = window[d] == 0 ? 0 : (window[d] - 1) * dilations[d] + 1;
  return size < span ? 0 : (size - span) / strides[d] + 1;
}

Value Windows::count(Emitter &e, Value size, int64_t d) const {
  if (isWhole(d))
    return size;
  auto index = [&](int64_t value) { return e.make<arith::ConstantIndexOp>(value); };
  Value starts = e.make<arith::SubIOp>(size, index((window[d] - 1) * dilations[d] + 1 - strides[d]));
  return e.make<arith::DivUIOp>(e.make<arith::MaxSIOp>(starts, index(0)), index(strides[d]));
}

Windows Windows::batched(int64_t position) const {
  return {inserted(window, position, 1), inserted(strides, position, 1), inserted(dilations, position, 1)};
}

FactorMap Windows::factorMap(Operation *op) const {
  FactorMap map = pointwiseFactorMap(op);
  for (size_t d = 0; d < window.size(); ++d)
    if (!isWhole(d)) {
      for (auto &factors : map.operands)
        factors[d] = FactorMap::kNone;
      map.results[0][d] = FactorMap::kNone;
      map.carry(d);
    }
  return map;
}

Value Windows::spread(Emitter &e, Value x, Value nothing, ArrayRef<int64_t> whole,
                      function_ref<Value(int64_t)> size) const {
  Dims shape, low, interior;
  SmallVector<Value> sizes;
  for (auto [d, length] : llvm::enumerate(whole)) {
    int64_t margin = (window[d] - 1) * dilations[d];
    low.push_back(margin);
    interior.push_back(strides[d] - 1);
    shape.push_back(ShapedType::isDynamic(length) ? length : length + margin);
    if (ShapedType::isDynamic(length))
      sizes.push_back(e.make<arith::AddIOp>(size(d), e.make<arith::ConstantIndexOp>(margin)));
  }
  return e.make<PadOp>(withShape(x.getType(), shape), x, nothing, low, interior, sizes);
}

/// For a window_put whose windows start at every element.
template <typename Op>
static Windows windowsOfPut(Op op) {
  return {Dims(op.getWindow()), Dims(op.getWindow().size(), 1), Dims(op.getDilations())};
}

//===- Inference -------------------------------------------------------------------===//

static LogicalResult inferWindows(std::optional<Location> loc, StringRef name, Value x, const Windows &windows,
                                  Type element, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  Dims shape;
  for (auto [what, values] : {std::pair("window", &windows.window), std::pair("strides", &windows.strides),
                              std::pair("dilations", &windows.dilations)}) {
    if (static_cast<int64_t>(values->size()) != type.getRank())
      return emitOptionalError(loc, "'", name, "' op ", what, " must have one entry for each dimension of ", type,
                               ", got: ", values->size());
    for (int64_t value : *values)
      if (value < 1)
        return emitOptionalError(loc, "'", name, "' op ", what, " must be at least 1, got: ", value);
  }
  for (int64_t d = 0; d < type.getRank(); ++d)
    shape.push_back(windows.count(type.getDimSize(d), d));
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

/// Checks that there is one offset for each window.
static LogicalResult verifyOffsets(std::optional<Location> loc, StringRef name, RankedTensorType expected,
                                   Value offsets) {
  auto type = cast<RankedTensorType>(offsets.getType());
  if (failed(verifyCompatibleShape(expected, type)))
    return emitOptionalError(loc, "'", name, "' op offsets must have shape ", expected, ", got: ", type);
  return success();
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Window.cpp.inc"

namespace dovetail {

void registerWindowOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Window.cpp.inc"
      >();
}

static Value nothing(Emitter &e, Type element) { return e.full(RankedTensorType::get({}, element), {}, 0); }

/// As Windows::spread, over the array `whole`.
static Value spread(Emitter &e, const Windows &windows, Value x, Value nothing, Value whole) {
  return windows.spread(e, x, nothing, cast<RankedTensorType>(whole.getType()).getShape(),
                        [&](int64_t d) { return e.size(whole, d); });
}

//===- reduce_window_sum ---------------------------------------------------------===//

OperandSets ReduceWindowSumOp::linearSets() { return {{0}}; }

LogicalResult ReduceWindowSumOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                           MutableArrayRef<Value> operandCotangents) {
  Value spreadOut = spread(e, windowsOf(*this), cotangents[0], nothing(e, getX().getType().getElementType()), getX());
  Dims ones(getWindow().size(), 1);
  operandCotangents[0] = e.make<ReduceWindowSumOp>(spreadOut, getWindow(), ones, getDilations());
  return success();
}

//===- reduce_window_max, reduce_window_min ----------------------------------------===//

/// The first extreme element has all of the tangent.
template <typename Op, typename ArgOp>
static LogicalResult jvpOfExtreme(Emitter &e, Op op, Value x, Value tangent, SmallVectorImpl<Value> &results,
                                  SmallVectorImpl<Value> &resultTangents) {
  auto over = [&](auto make) { return make(op.getWindow(), op.getStrides(), op.getDilations()); };
  results.push_back(over([&](auto... windows) { return e.make<Op>(x, windows...); }));
  Value offsets = over([&](auto... windows) { return e.make<ArgOp>(x, windows...); });
  resultTangents.push_back(over([&](auto... windows) { return e.make<WindowTakeOp>(tangent, offsets, windows...); }));
  return success();
}

LogicalResult ReduceWindowMaxOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme<ReduceWindowMaxOp, WindowArgmaxOp>(e, *this, primals[0], tangents[0], results, resultTangents);
}

LogicalResult ReduceWindowMinOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme<ReduceWindowMinOp, WindowArgminOp>(e, *this, primals[0], tangents[0], results, resultTangents);
}

//===- window_take -----------------------------------------------------------------===//

LogicalResult WindowTakeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getX());
  if (failed(inferWindows(loc, getOperationName(), adaptor.getX(), windowsOf(adaptor), element, types)))
    return failure();
  auto expected = cast<RankedTensorType>(types.back());
  if (failed(verifyOffsets(loc, getOperationName(), expected, adaptor.getOffsets())))
    return failure();
  types.back() = withElement(adaptor.getOffsets().getType(), element);
  return success();
}

OperandSets WindowTakeOp::linearSets() { return {{0}}; }

LogicalResult WindowTakeOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  Windows windows = windowsOf(*this);
  Value ct = spread(e, windows, cotangents[0], nothing(e, getX().getType().getElementType()), getX());
  // No offset is less than 0.
  Value none = e.full(RankedTensorType::get({}, e.builder.getI32Type()), {}, -1);
  Value offsets = spread(e, windows, operands[1], none, getX());
  operandCotangents[0] = e.make<WindowPutOp>(ct, offsets, getWindow(), getDilations());
  return success();
}

LogicalResult WindowTakeOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> aligned = e.aligned(operands, dims, position);
  Windows batched = windowsOf(*this).batched(position);
  results.push_back(e.make<WindowTakeOp>(aligned[0], aligned[1], batched.window, batched.strides, batched.dilations));
  resultDims.push_back(position);
  return success();
}

FactorMap WindowTakeOp::factorMap() {
  // Offsets and results have the same size everywhere.
  FactorMap map = windowsOf(*this).factorMap(*this);
  int64_t rank = getType().getRank();
  for (int64_t d = 0; d < rank; ++d)
    if (map.results[0][d] == FactorMap::kNone)
      map.indivisible.push_back(map.results[0][d] = map.operands[1][d] = rank + d);
  return map;
}

//===- window_put ------------------------------------------------------------------===//

LogicalResult WindowPutOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(verifyOffsets(loc, getOperationName(), type, adaptor.getOffsets())))
    return failure();
  return inferWindows(loc, getOperationName(), adaptor.getX(), windowsOfPut(adaptor), type.getElementType(), types);
}

OperandSets WindowPutOp::linearSets() { return {{0}}; }

// An element at offset k from the end of a window is scattered to the window's position, so its cotangent is gathered
// from there.
LogicalResult WindowPutOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  Windows windows = windowsOfPut(*this);
  Value ct = spread(e, windows, cotangents[0], nothing(e, getX().getType().getElementType()), getX());
  operandCotangents[0] = e.make<WindowTakeOp>(ct, operands[1], windows.window, windows.strides, windows.dilations);
  return success();
}

LogicalResult WindowPutOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> aligned = e.aligned(operands, dims, position);
  Windows batched = windowsOfPut(*this).batched(position);
  results.push_back(e.make<WindowPutOp>(aligned[0], aligned[1], batched.window, batched.dilations));
  resultDims.push_back(position);
  return success();
}

FactorMap WindowPutOp::factorMap() { return windowsOfPut(*this).factorMap(*this); }

Value WindowPutOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  return windowsOfPut(*this).count(e, e.size(getX(), dimension), dimension);
}

} // namespace dovetail
