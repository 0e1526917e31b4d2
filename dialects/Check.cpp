// Checks: verification, derivatives and batching; and where other ops fail.
#include "Check.h"
#include "Control.h"
#include "Create.h"
#include "Index.h"
#include "IndexRules.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

#include "dialects/CheckInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Check.cpp.inc"

namespace dovetail {

//===- The op -------------------------------------------------------------------------===//

LogicalResult CheckOp::verify() {
  auto type = cast<RankedTensorType>(getFailure().getType());
  if (type.getRank() != 1 || !type.hasStaticShape() || type.getDimSize(0) == 0)
    return emitOpError() << "failure must be a vector with a number and its data, got: " << type;
  if (getCount() < 1)
    return emitOpError() << "count must be positive, got: " << getCount();
  return success();
}

void CheckOp::getEffects(MemoryEffectList &effects) { addOutsideEffects(effects, EffectKind::Any); }

LogicalResult CheckOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value>, SmallVectorImpl<Value> &,
                           SmallVectorImpl<Value> &) {
  cloneWith(e, *this, primals, TypeRange());
  return success();
}

/// The index of the first true element of a vector of bools, an i32; its size if there is none.
static Value firstOf(Emitter &e, Value where) {
  auto type = RankedTensorType::get(cast<RankedTensorType>(where.getType()).getShape(), e.builder.getI32Type());
  SmallVector<Value> sizes = e.sizes(where);
  Value none = e.full(type, sizes, double(std::numeric_limits<int32_t>::max()));
  return e.make<ReduceMinOp>(e.select(where, e.make<IotaOp>(type, 0, sizes), none), ArrayRef<int64_t>{0});
}

/// Element `index`, an i32, of a vector, or row of a matrix; zeros if there is none.
static Value at(Emitter &e, Value x, Value index) {
  auto type = cast<RankedTensorType>(x.getType());
  Value indices = e.reshape(index, RankedTensorType::get({1}, e.builder.getI32Type()), {});
  Value row = e.make<GatherOp>(x, indices, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  return e.reshape(row, withShape(type, type.getShape().drop_front()), {});
}

/// A vector of the first column of a matrix.
static Value firstColumn(Emitter &e, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Value> sizes = e.sizes(x);
  Value column = e.make<SliceOp>(withShape(type, {type.getDimSize(0), 1}), x, ArrayRef<int64_t>{0, 0},
                                 ArrayRef<int64_t>{1, 1}, sizes);
  return e.reshape(column, withShape(type, type.getDimSize(0)), sizes);
}

LogicalResult CheckOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &,
                             SmallVectorImpl<int64_t> &) {
  Value failures = e.batchAt(operands[0], dims[0], 0), numbers = firstColumn(e, failures);
  Value isFailed = e.make<CompareOp>(CompareDirection::GE, numbers, e.zerosLike(numbers));
  Value index = firstOf(e, isFailed), isAny = e.make<ReduceOrOp>(isFailed, ArrayRef<int64_t>{0});
  // An index that is read is within bounds.
  Value row = at(e, failures, e.select(isAny, index, e.zerosLike(index)));
  Value none = e.full(row, -1.0);
  auto bools = withElement(row.getType(), e.builder.getI1Type());
  Value failure = e.select(e.broadcast(isAny, {}, bools, {}), row, none);
  CheckOp::create(e.builder, e.loc, getKindAttr(), getTableAttr(), getCountAttr(), getDebugAttr(), failure);
  return success();
}

InFlightDiagnostic CheckOp::reportLeft() {
  return emitError() << "Cannot abstractly evaluate a checkify.check which was not functionalized, got: a check in a "
                        "function that is traced; transform the function by checkify.checkify first";
}

StringRef CheckOp::getFailureKind() { return getKind(); }
int64_t CheckOp::numFailures() { return getCount(); }
int64_t CheckOp::failureTable() { return getTable(); }
bool CheckOp::isOnlyCheck() { return true; }
int64_t CheckOp::numFailureData() { return cast<RankedTensorType>(getFailure().getType()).getDimSize(0) - 1; }

/// Some elements of a vector.
static Value part(Emitter &e, Value x, int64_t first, int64_t count) {
  return e.make<SliceOp>(withShape(x.getType(), count), x, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1},
                         ValueRange());
}

Failure CheckOp::emitFailure(Emitter &e) {
  Failure failure;
  failure.number = e.reshape(part(e, getFailure(), 0, 1), withShape(getFailure().getType(), {}), {});
  failure.where = e.make<CompareOp>(CompareDirection::GE, failure.number, e.zerosLike(failure.number));
  if (int64_t count = numFailureData())
    failure.data = part(e, getFailure(), 1, count);
  return failure;
}

void eraseCheckMarks(Operation *root) {
  root->walk([](Operation *op) {
    op->removeDiscardableAttr(kRunsForAll);
    if (auto check = dyn_cast<CheckOp>(op); check && check.getDebug())
      check.erase();
  });
}

//===- Division by zero ----------------------------------------------------------------===//

namespace {
template <typename Op>
struct DivisionFails : FailureOpInterface::ExternalModel<DivisionFails<Op>, Op> {
  StringRef getFailureKind(Operation *) const { return "div"; }
  Failure emitFailure(Operation *op, Emitter &e) const {
    Value divisor = cast<Op>(op).getY();
    return {e.make<CompareOp>(CompareDirection::EQ, divisor, e.zerosLike(divisor)), nullptr, nullptr};
  }
};

//===- Indices out of bounds --------------------------------------------------------------===//

/// The indices as the program gave them: functions that move them into bounds do so by `clamp`, and then rearrange
/// them.
Value given(Emitter &e, Value indices) {
  Operation *op = indices.getDefiningOp();
  if (auto clamp = dyn_cast_or_null<ClampOp>(op))
    return clamp.getX();
  if (!isa_and_nonnull<ReshapeOp, BroadcastOp, ConcatenateOp>(op))
    return indices;
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return given(e, operand); });
  return llvm::equal(operands, op->getOperands()) ? indices
                                                  : cloneWith(e, op, operands, op->getResultTypes())->getResult(0);
}

/// A vector of numbers, of which all fit the type or are replaced by its largest one.
Value vectorOf(Emitter &e, ArrayRef<int64_t> values, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  APInt largest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  auto elements = llvm::map_to_vector(values, [&](int64_t value) {
    return width < 64 && value > largest.getSExtValue() ? largest : APInt(width, value, !isUnsigned);
  });
  auto type = RankedTensorType::get({int64_t(values.size())}, element);
  return e.make<ConstantOp>(DenseElementsAttr::get(type, elements));
}

/// The index, the dimension and its size of the first index out of bounds, as i32.
Value describe(Emitter &e, Value where, Value indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(indices.getType());
  Type i32 = e.builder.getI32Type();
  int64_t count = type.getNumElements();
  Value flat = e.reshape(e.convert(indices, i32), RankedTensorType::get({count}, i32), {});
  Value first = firstOf(e, e.reshape(where, RankedTensorType::get({count}, e.builder.getI1Type()), {}));
  Value column = e.make<RemOp>(first, e.full(first, double(dims.size())));
  Value parts[] = {at(e, flat, first), at(e, vectorOf(e, dims, i32), column), at(e, vectorOf(e, sizes, i32), column)};
  auto one = RankedTensorType::get({1}, i32);
  for (Value &part : parts)
    part = e.reshape(part, one, {});
  return e.make<ConcatenateOp>(ValueRange(parts), 0);
}

template <typename Op>
struct IndexFails : FailureOpInterface::ExternalModel<IndexFails<Op>, Op> {
  StringRef getFailureKind(Operation *) const { return "index"; }
  int64_t numFailureData(Operation *) const { return 3; }
  Failure emitFailure(Operation *raw, Emitter &e) const {
    Op op = cast<Op>(raw);
    Value indices = given(e, op.getIndices());
    auto type = cast<RankedTensorType>(indices.getType());
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getX().getType()).getShape(), dims = op.getDims();
    // Not checked for arrays of unknown size: docs/differences_from_jax.md says so.
    if (dims.empty() || !type.hasStaticShape() || type.getNumElements() == 0 || ShapedType::isDynamicShape(shape))
      return {};
    SmallVector<int64_t> sizes, last;
    for (auto [dim, window] : llvm::zip_equal(dims, op.getWindow())) {
      sizes.push_back(shape[dim]);
      last.push_back(shape[dim] - window);
    }
    Value bounds = e.broadcast(vectorOf(e, last, type.getElementType()), {type.getRank() - 1}, type, {});
    Value below = e.make<CompareOp>(CompareDirection::LT, indices, e.zerosLike(indices));
    Value where = e.make<OrOp>(below, e.make<CompareOp>(CompareDirection::GT, indices, bounds));
    return {where, nullptr, describe(e, where, indices, dims, sizes)};
  }
};
} // namespace

void registerCheckOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Check.cpp.inc"
      >();
}

void attachFailures(MLIRContext *context) {
  DivOp::attachInterface<DivisionFails<DivOp>>(*context);
  FloorDivOp::attachInterface<DivisionFails<FloorDivOp>>(*context);
  GatherOp::attachInterface<IndexFails<GatherOp>>(*context);
  ScatterOp::attachInterface<IndexFails<ScatterOp>>(*context);
  ScatterAddOp::attachInterface<IndexFails<ScatterAddOp>>(*context);
  ScatterMulOp::attachInterface<IndexFails<ScatterMulOp>>(*context);
  ScatterMinOp::attachInterface<IndexFails<ScatterMinOp>>(*context);
  ScatterMaxOp::attachInterface<IndexFails<ScatterMaxOp>>(*context);
}

} // namespace dovetail
