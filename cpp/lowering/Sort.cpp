// Lowering of sort: short rows by counting; others on the CPU by the library or by radix sort, and by merging in
// parallel elsewhere. The first few elements of long rows are selected on the CPU.
#include "dialects/Sort.h"
#include "Lowering.h"
#include "Product.h"
#include "cpp/cost/AssumedSize.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/RadixSort.h"
#include "cpp/dispatch/Selection.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

//===- Keys --------------------------------------------------------------------===//

/// The unsigned integer that is ordered as a float is: -0 equals 0, and all NaNs are one value, which is last.
static Value orderOfFloat(scalar::ScalarBuilder &b, Value x) {
  Type element = b.elementType;
  if (cast<FloatType>(element).getWidth() < 32) {
    x = scalar::convert(b, x, b.getF32Type());
    element = b.getF32Type();
  }
  auto type = cast<FloatType>(element);
  unsigned width = type.getWidth();
  Type integer = b.getIntegerType(width);
  auto constant = [&](const APFloat &value) { return arith::ConstantOp::create(b, b.getFloatAttr(type, value)); };
  auto compared = [&](arith::CmpFPredicate predicate, Value y) { return arith::CmpFOp::create(b, predicate, x, y); };
  Value none = constant(APFloat::getZero(type.getFloatSemantics()));
  Value isZero = compared(arith::CmpFPredicate::OEQ, none), isNan = compared(arith::CmpFPredicate::UNO, x);
  x = arith::SelectOp::create(b, isZero, none, x);
  x = arith::SelectOp::create(b, isNan, constant(APFloat::getQNaN(type.getFloatSemantics())), x);
  Value bits = arith::BitcastOp::create(b, integer, x);
  auto pattern = [&](const APInt &value) { return arith::ConstantOp::create(b, IntegerAttr::get(integer, value)); };
  Value sign = arith::ShRSIOp::create(b, bits, pattern(APInt(width, width - 1)));
  return arith::XOrIOp::create(b, bits, arith::OrIOp::create(b, sign, pattern(APInt::getSignedMinValue(width))));
}

/// The unsigned integer, of 32 bits if that suffices, that is ordered as an integer or a bool is.
static Value orderOfInteger(scalar::ScalarBuilder &b, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  bool isUnsigned = b.elementType.isUnsignedInteger() || width == 1;
  if (width < 32)
    x = isUnsigned ? arith::ExtUIOp::create(b, b.getI32Type(), x).getResult()
                   : arith::ExtSIOp::create(b, b.getI32Type(), x);
  if (isUnsigned)
    return x;
  auto least = IntegerAttr::get(x.getType(), APInt::getOneBitSet(x.getType().getIntOrFloatBitWidth(), width - 1));
  return arith::AddIOp::create(b, x, arith::ConstantOp::create(b, least));
}

/// The bits of such an integer that distinguish elements.
static std::pair<unsigned, unsigned> significantBits(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  auto real = dyn_cast<FloatType>(element);
  if (!real || width >= 32)
    return {0, width};
  // The bits of f32: a narrower float's fraction is in the upper bits, and the bits below it only hold the sign.
  return {24 - real.getFPMantissaWidth(), 32};
}

/// Arrays of unsigned integers that, one after the other, are ordered as `x` is, or in reverse.
static void appendKeys(ImplicitLocOpBuilder &b, Value x, Type element, bool isDescending,
                       SmallVectorImpl<SortKey> &keys) {
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  Type order = b.getIntegerType(part.getIntOrFloatBitWidth() > 32 ? 64 : 32);
  for (int i = 0, count = complex ? 2 : 1; i < count; ++i) {
    Value key = mapElements(b, x, order, [&](OpBuilder &inner, Location loc, Value value) {
      scalar::ScalarBuilder whole(loc, inner, element), body(loc, inner, part);
      if (complex)
        value = i == 0 ? scalar::real(whole, value) : scalar::imag(whole, value);
      Value key = isa<FloatType>(part) ? orderOfFloat(body, value) : orderOfInteger(body, value);
      if (!isDescending)
        return key;
      auto ones = IntegerAttr::get(order, APInt::getAllOnes(order.getIntOrFloatBitWidth()));
      return arith::XOrIOp::create(body, key, arith::ConstantOp::create(body, ones)).getResult();
    });
    auto [begin, end] = significantBits(part);
    // Otherwise, each use of a widened integer would widen the whole array, on the stack.
    keys.push_back({computeBarrier(b, key), begin, end});
  }
}

/// True if the first keys precede the second ones; `ifEqual` if all keys are equal.
static Value isBefore(OpBuilder &b, Location loc, ValueRange first, ValueRange second, Value ifEqual) {
  Value result = ifEqual;
  for (auto [x, y] : llvm::reverse(llvm::zip_equal(first, second))) {
    Value isLess = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
    Value isEqual = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
    result = arith::OrIOp::create(b, loc, isLess, arith::AndIOp::create(b, loc, isEqual, result));
  }
  return result;
}

//===- Short rows ----------------------------------------------------------------===//

/// Up to this size of the dimension, two passes over all pairs of elements are faster than merging, and than counting
/// the values of digits.
constexpr int64_t kShortRow = 256, kShortRowOnCpu = 64;

/// For each element along `dimension`, the sum over all elements of the row: `term` gets the arguments of `row`, whose
/// dimension is summed, and of `own`, then the indices of both: from `numbers`, a table, unless that is null.
static Value sumOverRow(ImplicitLocOpBuilder &b, int64_t dimension, ValueRange row, ValueRange own, Value numbers,
                        ArrayRef<OpFoldResult> sizes,
                        function_ref<Value(ImplicitLocOpBuilder &, ValueRange, ValueRange, Value, Value)> term) {
  int64_t rank = sizes.size();
  AffineMap ownMap = b.getMultiDimIdentityMap(rank + 1).dropResult(rank);
  SmallVector<AffineExpr> exprs(ownMap.getResults());
  exprs[dimension] = b.getAffineDimExpr(rank);
  SmallVector<AffineMap> maps(row.size(), AffineMap::get(rank + 1, 0, exprs, b.getContext()));
  maps.append(own.size(), ownMap);
  if (numbers)
    for (int64_t d : {rank, dimension})
      maps.push_back(AffineMap::get(rank + 1, 0, b.getAffineDimExpr(d)));
  maps.push_back(ownMap);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  SmallVector<Value> inputs(row);
  llvm::append_range(inputs, own);
  if (numbers)
    inputs.append(2, numbers);
  Value init = filled(b, sizes, arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  auto generic = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, loops, [&](OpBuilder &inner, Location loc, ValueRange args) {
        ImplicitLocOpBuilder body(loc, inner);
        auto index = [&](int64_t d) -> Value {
          return arith::IndexCastOp::create(body, body.getI32Type(), linalg::IndexOp::create(body, d));
        };
        size_t numArrays = row.size() + own.size();
        Value other = numbers ? Value(args[numArrays]) : index(rank);
        Value here = numbers ? Value(args[numArrays + 1]) : index(dimension);
        Value value = term(body, args.take_front(row.size()), args.slice(row.size(), own.size()), other, here);
        linalg::YieldOp::create(body, arith::AddIOp::create(body, args.back(), value).getResult());
      });
  return generic.getResult(0);
}

/// An element goes to the position given by the number of elements before it; each position holds that element's index.
static Value orderByCounting(ImplicitLocOpBuilder &b, ValueRange keys, int64_t dimension, Value numbers,
                             ArrayRef<OpFoldResult> sizes) {
  Value places =
      sumOverRow(b, dimension, keys, keys, numbers, sizes,
                 [](ImplicitLocOpBuilder &body, ValueRange others, ValueRange own, Value other, Value index) -> Value {
                   Value isEarlier = arith::CmpIOp::create(body, arith::CmpIPredicate::slt, other, index);
                   Value before = isBefore(body, body.getLoc(), others, own, isEarlier);
                   return arith::ExtUIOp::create(body, body.getI32Type(), before);
                 });
  return sumOverRow(b, dimension, places, {}, numbers, sizes,
                    [](ImplicitLocOpBuilder &body, ValueRange place, ValueRange, Value other, Value index) -> Value {
                      Value isHere = arith::CmpIOp::create(body, arith::CmpIPredicate::eq, place[0], index);
                      Value none = arith::ConstantOp::create(body, body.getI32IntegerAttr(0));
                      return arith::SelectOp::create(body, isHere, other, none);
                    });
}

//===- Other rows ------------------------------------------------------------------===//

namespace {

/// One element of the merger of two neighbouring sorted runs, found by bisection of how many come from the first
/// (Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012).
struct MergedElement {
  ImplicitLocOpBuilder &b;
  ValueRange keys;
  /// Indices of elements, sorted in runs; in the first pass, not yet written, their positions.
  Value order, isFirstPass;
  int64_t dimension;
  SmallVector<Value> place;
  Value last;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value least(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }
  Value greatest(Value x, Value y) { return arith::MaxSIOp::create(b, x, y); }
  Value less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y); }
  Value select(Value p, Value x, Value y) { return arith::SelectOp::create(b, p, x, y); }

  /// The index of the element at a position of the row, and its keys; any element for positions outside.
  std::pair<Value, SmallVector<Value>> at(Value position) {
    place[dimension] = greatest(least(position, last), constant(0));
    Value here = arith::IndexCastOp::create(b, b.getI32Type(), place[dimension]);
    Value number = select(isFirstPass, here, tensor::ExtractOp::create(b, order, place));
    place[dimension] = arith::IndexCastOp::create(b, b.getIndexType(), number);
    auto values =
        llvm::map_to_vector(keys, [&](Value key) -> Value { return tensor::ExtractOp::create(b, key, place); });
    return {number, values};
  }

  Value isBefore(Value first, Value second) {
    Value never = arith::ConstantOp::create(b, b.getBoolAttr(false));
    return dovetail::isBefore(b, b.getLoc(), at(first).second, at(second).second, never);
  }

  /// The element at `position` after `steps` halvings of runs of `width` elements.
  Value find(Value position, Value size, Value width, Value steps) {
    Value both = add(width, width), offset = arith::RemUIOp::create(b, position, both);
    Value start = sub(position, offset), middle = least(add(start, width), size), end = least(add(start, both), size);
    Value firstSize = sub(middle, start), secondSize = sub(end, middle), one = constant(1);
    Value low = greatest(sub(offset, secondSize), constant(0)), high = least(offset, firstSize);
    auto bisection = scf::ForOp::create(
        b, constant(0), steps, one, ValueRange{low, high}, [&](OpBuilder &inner, Location, Value, ValueRange bounds) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          Value isOpen = less(bounds[0], bounds[1]);
          Value half = arith::ShRUIOp::create(b, add(bounds[0], bounds[1]), one);
          Value opposite = add(middle, sub(sub(offset, half), one));
          Value isHigh = isBefore(opposite, add(start, half));
          Value newLow = select(isHigh, bounds[0], add(half, one)), newHigh = select(isHigh, half, bounds[1]);
          scf::YieldOp::create(b, ValueRange{select(isOpen, newLow, bounds[0]), select(isOpen, newHigh, bounds[1])});
        });
    Value fromFirst = bisection.getResult(0), fromSecond = sub(offset, fromFirst);
    auto [number, own] = at(add(start, fromFirst));
    auto [otherNumber, other] = at(add(middle, fromSecond));
    Value isFirstOver = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, fromFirst, firstSize);
    Value hasSecond = less(fromSecond, secondSize);
    Value never = arith::ConstantOp::create(b, b.getBoolAttr(false));
    Value isSecondBefore = dovetail::isBefore(b, b.getLoc(), other, own, never);
    Value takeSecond = arith::AndIOp::create(b, hasSecond, arith::OrIOp::create(b, isFirstOver, isSecondBefore));
    return select(takeSecond, otherNumber, number);
  }
};

} // namespace

/// Merges neighbouring runs, which double in size, until one is left.
static Value orderByMerging(ImplicitLocOpBuilder &b, ValueRange keys, int64_t dimension, ArrayRef<OpFoldResult> sizes) {
  Type i32 = b.getI32Type();
  Value size = asValue(b, sizes[dimension]);
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, zero, doublings(b, size), one, ValueRange{empty(b, sizes, i32), one},
      [&](OpBuilder &inner, Location loc, Value pass, ValueRange carry) {
        ImplicitLocOpBuilder body(loc, inner);
        Value order = carry[0], width = carry[1], steps = arith::AddIOp::create(body, pass, one);
        Value last = arith::SubIOp::create(body, size, one);
        Value isFirst = arith::CmpIOp::create(body, arith::CmpIPredicate::eq, pass, zero);
        Value merged = parallelLoops(body, sizes, i32, {}, {}, [&](OpBuilder &element, Location loc, ValueRange) {
          ImplicitLocOpBuilder each(loc, element);
          SmallVector<Value> place;
          for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
            place.push_back(linalg::IndexOp::create(each, d));
          Value position = place[dimension];
          return MergedElement{each, keys, order, isFirst, dimension, place, last}.find(position, size, width, steps);
        });
        Value doubled = arith::AddIOp::create(body, width, width);
        scf::YieldOp::create(body, ValueRange{merged, doubled});
      });
  return loop.getResult(0);
}

//===- Rows on the CPU ---------------------------------------------------------------===//

/// `x` as rows along `dimension`.
static Value asRows(ImplicitLocOpBuilder &b, Value x, int64_t dimension) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  if (rank == 1) {
    SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1), sizesOf(b, x)[0]};
    auto type = RankedTensorType::get(decomposeMixedValues(sizes).first, getElementTypeOrSelf(x));
    return tensor::ExpandShapeOp::create(b, type, x, ArrayRef<ReassociationIndices>{{0, 1}}, sizes);
  }
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dimension)
      order.push_back(d);
  ReassociationIndices rows = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  order.push_back(dimension);
  return tensor::CollapseShapeOp::create(b, transposed(b, x, order), ArrayRef<ReassociationIndices>{rows, {rank - 1}});
}

/// The inverse of that, for rows of an array of these sizes.
static Value fromRows(ImplicitLocOpBuilder &b, Value rows, ArrayRef<OpFoldResult> sizes, int64_t dimension) {
  int64_t rank = sizes.size();
  Type element = getElementTypeOrSelf(rows);
  auto typeOf = [&](ArrayRef<OpFoldResult> sizes) {
    return RankedTensorType::get(decomposeMixedValues(sizes).first, element);
  };
  if (rank == 1)
    return tensor::CollapseShapeOp::create(b, typeOf(sizes), rows, ArrayRef<ReassociationIndices>{{0, 1}});
  SmallVector<OpFoldResult> moved;
  SmallVector<int64_t> back(rank, rank - 1);
  for (int64_t d = 0; d < rank; ++d)
    if (d != dimension) {
      back[d] = moved.size();
      moved.push_back(sizes[d]);
    }
  moved.push_back(sizes[dimension]);
  ReassociationIndices outer = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  Value x =
      tensor::ExpandShapeOp::create(b, typeOf(moved), rows, ArrayRef<ReassociationIndices>{outer, {rank - 1}}, moved);
  return transposed(b, x, back);
}

/// How the library orders elements of a type, if it does.
static std::optional<blas::SortElement> sortElement(Type element) {
  if (!element.isIntOrFloat() || (element.getIntOrFloatBitWidth() != 32 && element.getIntOrFloatBitWidth() != 64))
    return std::nullopt;
  if (isa<FloatType>(element))
    return blas::SortElement::Float;
  return element.isUnsignedInteger() ? blas::SortElement::Unsigned : blas::SortElement::Signed;
}

/// Whether to find so few elements of a row that come first: at worst, each element is compared with all of them.
static bool isSelection(int64_t size, std::optional<int64_t> count) {
  constexpr int64_t few = 64;
  return count && *count <= few && (ShapedType::isDynamic(size) || 8 * *count <= size);
}

/// Whether the library orders rows in less time than a radix sort, measured on two cores with AVX-512. It moves 64 bits
/// of each element, or 32 if integers are in a small range; a radix sort moves 32, but at random, and counts digits.
static bool isOrderForLibrary(RankedTensorType type, int64_t dimension) {
  constexpr int64_t shortRow = 1 << 12, many = 1 << 15, large = 1 << 18;
  int64_t size = assumedSize(type.getDimSize(dimension)), all = 1;
  for (int64_t each : type.getShape())
    all *= assumedSize(each);
  return (all > size && size <= shortRow) || all >= large || (all >= many && !isa<FloatType>(type.getElementType()));
}

/// The places of the elements in their order, as rows, by the library; null if it does not order them.
static Value orderByLibrary(ImplicitLocOpBuilder &b, SortOp sort, Value x, int64_t dimension) {
  auto type = cast<RankedTensorType>(sort.getXs().front().getType());
  Type element = type.getElementType();
  if (sort.getNumKeys() != 1 || isa<ComplexType>(element) || element.getIntOrFloatBitWidth() > 32 ||
      !isOrderForLibrary(type, dimension))
    return {};
  if (std::optional<blas::SortElement> kind = sortElement(element))
    return callSort(b, {*kind, sort.getDescending(), true}, asRows(b, x, dimension));
  SmallVector<SortKey> keys;
  appendKeys(b, x, element, sort.getDescending(), keys);
  return callSort(b, {blas::SortElement::Unsigned, false, true}, asRows(b, keys.front().array, dimension));
}

/// The order of the elements, as rows; of the first `count` elements of the order at least.
static Value orderOfRows(ImplicitLocOpBuilder &b, ArrayRef<SortKey> keys, int64_t dimension, int64_t size,
                         std::optional<int64_t> count) {
  auto rows = llvm::map_to_vector(
      keys, [&](const SortKey &key) -> SortKey { return {asRows(b, key.array, dimension), key.begin, key.end}; });
  return isSelection(size, count) ? selectFirst(b, rows, *count) : orderByDigits(b, rows);
}

/// The entry of `orderOfRows` for the element at `place`.
static Value numberInRow(ImplicitLocOpBuilder &b, Value order, ArrayRef<Value> place, int64_t dimension,
                         ArrayRef<OpFoldResult> sizes) {
  Value row = arith::ConstantIndexOp::create(b, 0);
  for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
    if (d != dimension)
      row = arith::AddIOp::create(b, arith::MulIOp::create(b, row, asValue(b, sizes[d])), place[d]);
  return tensor::ExtractOp::create(b, order, ValueRange{row, place[dimension]});
}

//===- The op ----------------------------------------------------------------------===//

/// The indices of elements as a table, for GPUs, where IREE 3.13 cannot compile sums of values that depend on indices;
/// otherwise null.
static Value numbersFor(Operation *op, ImplicitLocOpBuilder &b, OpFoldResult size) {
  if (!Target(op).isGpu())
    return {};
  return computeBarrier(
      b, parallelLoops(b, size, b.getI32Type(), {}, {}, [](OpBuilder &inner, Location loc, ValueRange) -> Value {
        return arith::IndexCastOp::create(inner, loc, inner.getI32Type(), linalg::IndexOp::create(inner, loc, 0));
      }));
}

/// The elements of `x` in an order given by their indices along `dimension`, as rows or not. Bools are looked up as
/// bytes, which is how they are stored: the code generator would convert them all first, on the stack.
static Value reordered(ImplicitLocOpBuilder &b, Value x, Value order, bool areRows, int64_t dimension,
                       ArrayRef<OpFoldResult> sizes) {
  Type element = getElementTypeOrSelf(x);
  bool isBool = element.isInteger(1);
  if (isBool)
    x = computeBarrier(b, mapElements(b, x, b.getI8Type(), [&](OpBuilder &inner, Location loc, Value value) -> Value {
                         return arith::ExtUIOp::create(inner, loc, inner.getI8Type(), value);
                       }));
  ValueRange inputs = areRows ? ValueRange() : ValueRange(order);
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(sizes.size()));
  return parallelLoops(b, sizes, element, inputs, maps, [&](OpBuilder &inner, Location loc, ValueRange args) -> Value {
    ImplicitLocOpBuilder body(loc, inner);
    SmallVector<Value> place;
    for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
      place.push_back(linalg::IndexOp::create(body, d));
    Value number = areRows ? numberInRow(body, order, place, dimension, sizes) : args[0];
    place[dimension] = arith::IndexCastOp::create(body, body.getIndexType(), number);
    Value found = elementAt(body, body.getLoc(), x, place);
    return isBool ? arith::TruncIOp::create(body, element, found).getResult() : found;
  });
}

namespace {

struct SortLowering : LowerOpInterface::ExternalModel<SortLowering, SortOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto sort = cast<SortOp>(op);
    int64_t dimension = sort.getDimension();
    auto type = cast<RankedTensorType>(operands[0].getType());
    int64_t size = type.getDimSize(dimension);
    SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]), kept(sizes);
    std::optional<int64_t> first;
    if (sort.getFirst()) {
      first = *sort.getFirst();
      kept[dimension] = b.getIndexAttr(*first);
    }
    auto isEmpty = [](Type type) { return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0); };
    if (isEmpty(sort.getResult(0).getType())) {
      for (Value x : operands)
        results.push_back(empty(b, kept, getElementTypeOrSelf(x)));
      return success();
    }
    if (size == 1) {
      llvm::append_range(results, operands);
      return success();
    }
    bool isShort = !ShapedType::isDynamic(size) && size <= (Target(op).isCpu() ? kShortRowOnCpu : kShortRow);
    bool areRows = !isShort && Target(op).isCpu();
    bool mayCall = areRows && !isSelection(size, first) && mayCallLibrary(b, op);
    std::optional<blas::SortElement> element = sortElement(getElementTypeOrSelf(sort.getXs().front()));
    if (mayCall && element && operands.size() == 1 && !first) {
      Value sorted = callSort(b, {*element, sort.getDescending(), false}, asRows(b, operands[0], dimension));
      results.push_back(fromRows(b, sorted, sizes, dimension));
      return success();
    }
    Value order = mayCall ? orderByLibrary(b, sort, operands[0], dimension) : Value();
    if (!order) {
      SmallVector<SortKey> keys;
      for (auto [x, original] : llvm::zip(operands.take_front(sort.getNumKeys()), sort.getXs()))
        appendKeys(b, x, getElementTypeOrSelf(original), sort.getDescending(), keys);
      SmallVector<Value> arrays = llvm::map_to_vector(keys, [](const SortKey &key) { return key.array; });
      order = areRows ? orderOfRows(b, keys, dimension, size, first)
              : isShort || !canLoopsCarry(type)
                  ? orderByCounting(b, arrays, dimension, numbersFor(op, b, sizes[dimension]), sizes)
                  : orderByMerging(b, arrays, dimension, sizes);
    }
    if (first && !areRows) {
      SmallVector<OpFoldResult> starts(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
      order = tensor::ExtractSliceOp::create(b, order, starts, kept, ones);
    }
    for (Value x : operands)
      results.push_back(reordered(b, x, order, areRows, dimension, kept));
    return success();
  }
};

} // namespace

void attachSortLowerings(MLIRContext *context) { SortOp::attachInterface<SortLowering>(*context); }

} // namespace dovetail
