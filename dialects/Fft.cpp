// Discrete Fourier transforms along one dimension: inference and rules.
#include "Fft.h"
#include "Create.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Fft.cpp.inc"

namespace dovetail {

void registerFftOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Fft.cpp.inc"
      >();
}

/// The number of elements of a real signal's spectrum that are not conjugates of others.
static int64_t halfSpectrum(int64_t length) { return length / 2 + 1; }

/// The result has `toSize` elements of type `element` where the operand has `fromSize`.
static LogicalResult inferFourier(std::optional<Location> loc, StringRef name, Value x, int64_t dimension,
                                  int64_t length, int64_t fromSize, int64_t toSize, Type element,
                                  SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  if (failed(verifyDims(loc, name, "dimension", dimension, type.getRank(), false)))
    return failure();
  if (length < 1)
    return emitOptionalError(loc, "'", name, "' op length must be at least 1, got: ", length);
  if (!canBeEqual(type.getDimSize(dimension), fromSize))
    return emitOptionalError(loc, "'", name, "' op operand must have size ", fromSize, " along dimension ", dimension,
                             " for length ", length, ", got: ", type.getDimSize(dimension));
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = toSize;
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

template <typename Op, typename... Attributes>
static LogicalResult batchFourier(Emitter &e, Op op, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims,
                                  Attributes... attributes) {
  int64_t dimension = op.getDimension();
  results.push_back(e.make<Op>(operands[0], dimension + (dimension >= dims[0] ? 1 : 0), op.getLength(), attributes...));
  resultDims.push_back(dims[0]);
  return success();
}

static FactorMap fourierFactorMap(Operation *op, int64_t dimension) {
  FactorMap map = pointwiseFactorMap(op);
  map.operands[0][dimension] = FactorMap::kNone;
  map.results[0][dimension] = FactorMap::kNone;
  // Half a spectrum and its signal have no parts in common.
  auto sizeOf = [&](Value value) { return cast<RankedTensorType>(value.getType()).getDimSize(dimension); };
  if (sizeOf(op->getOperand(0)) == sizeOf(op->getResult(0)))
    map.carry(dimension);
  return map;
}

/// `x`, whose size along a dimension is known, in the type of `like`, in which it may not be.
static Value inTypeOf(Emitter &e, Value like, Value x) {
  return like.getType() == x.getType() ? x : e.reshape(x, cast<RankedTensorType>(like.getType()), e.sizes(like));
}

/// Multiplies half spectra by `pairs`, except for the elements without a conjugate counterpart, which are multiplied by
/// `ends`: the first and, for even lengths, the last.
static Value scaled(Emitter &e, Value x, int64_t dimension, int64_t length, double pairs, double ends) {
  int64_t numPairs = (length - 1) / 2;
  if (numPairs == 0)
    return e.scale(x, ends);
  auto type = cast<RankedTensorType>(x.getType());
  auto scalar = RankedTensorType::get({}, realElement(type.getElementType()));
  Value inner = e.full(withShape(scalar, {numPairs}), {}, pairs);
  Value factors = e.make<PadOp>(withShape(scalar, {halfSpectrum(length)}), inner, e.full(scalar, {}, ends),
                                ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0}, ValueRange());
  return e.mul(x, e.broadcast(e.convert(factors, type.getElementType()), {dimension}, type, e.sizes(x)));
}

//===- fft ---------------------------------------------------------------------===//

LogicalResult FftOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  int64_t length = adaptor.getLength();
  return inferFourier(loc, getOperationName(), adaptor.getX(), adaptor.getDimension(), length, length, length,
                      getElementTypeOrSelf(adaptor.getX()), types);
}

OperandSets FftOp::linearSets() { return {{0}}; }

LogicalResult FftOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                               MutableArrayRef<Value> operandCotangents) {
  Value ct = e.make<FftOp>(cotangents[0], getDimension(), getLength(), getInverse());
  operandCotangents[0] = inTypeOf(e, getX(), ct);
  return success();
}

LogicalResult FftOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                           SmallVectorImpl<int64_t> &resultDims) {
  return batchFourier(e, *this, operands, dims, results, resultDims, getInverse());
}

FactorMap FftOp::factorMap() { return fourierFactorMap(*this, getDimension()); }

//===- rfft --------------------------------------------------------------------===//

LogicalResult RfftOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  int64_t length = adaptor.getLength();
  return inferFourier(loc, getOperationName(), adaptor.getX(), adaptor.getDimension(), length, length,
                      halfSpectrum(length), ComplexType::get(getElementTypeOrSelf(adaptor.getX())), types);
}

OperandSets RfftOp::linearSets() { return {{0}}; }

/// The real part of `fft` of the cotangent and zeros: of the signal whose half spectrum is, up to pairs, the conjugate.
LogicalResult RfftOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  auto length = static_cast<double>(getLength());
  Value ct = scaled(e, e.conj(cotangents[0]), getDimension(), getLength(), length / 2, length);
  operandCotangents[0] = inTypeOf(e, getX(), e.make<IrfftOp>(ct, getDimension(), getLength()));
  return success();
}

LogicalResult RfftOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  return batchFourier(e, *this, operands, dims, results, resultDims);
}

FactorMap RfftOp::factorMap() { return fourierFactorMap(*this, getDimension()); }

//===- irfft -------------------------------------------------------------------===//

LogicalResult IrfftOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  int64_t length = adaptor.getLength();
  return inferFourier(loc, getOperationName(), adaptor.getX(), adaptor.getDimension(), length, halfSpectrum(length),
                      length, realElement(getElementTypeOrSelf(adaptor.getX())), types);
}

OperandSets IrfftOp::linearSets() { return {{0}}; }

LogicalResult IrfftOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                 MutableArrayRef<Value> operandCotangents) {
  Value spectrum = e.conj(e.make<RfftOp>(cotangents[0], getDimension(), getLength()));
  double end = 1.0 / static_cast<double>(getLength());
  operandCotangents[0] = inTypeOf(e, getX(), scaled(e, spectrum, getDimension(), getLength(), 2 * end, end));
  return success();
}

LogicalResult IrfftOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<int64_t> &resultDims) {
  return batchFourier(e, *this, operands, dims, results, resultDims);
}

FactorMap IrfftOp::factorMap() { return fourierFactorMap(*this, getDimension()); }

} // namespace dovetail
