// Lowering of running reductions to IREE's scan, in blocks if only one dimension is long, or to the library's, and of
// the recurrence.
#include "dialects/Cumulative.h"
#include "Accumulators.h"
#include "Lowering.h"
#include "Product.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/Kernel.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace dovetail {

static ModuleOp moduleOf(ImplicitLocOpBuilder &b) {
  return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
}

Value doublings(ImplicitLocOpBuilder &b, Value size) {
  if (auto known = getConstantIntValue(size))
    return arith::ConstantIndexOp::create(b, llvm::Log2_64_Ceil(*known));
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); };
  Value last = arith::SubIOp::create(b, arith::IndexCastOp::create(b, i64, size), constant(1)), count = constant(0);
  for (int64_t bit = 0; bit < 40; ++bit) {
    Value isLess = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, last, constant(int64_t(1) << bit));
    count = arith::AddIOp::create(b, count, arith::ExtUIOp::create(b, i64, isLess));
  }
  return arith::IndexCastOp::create(b, b.getIndexType(), count);
}

/// The number of rows in which a scan occupies a GPU, so that splitting them would only cost time.
constexpr int64_t kEnoughRows = 4096;
/// Below this, blocks cost more than they gain.
constexpr int64_t kLongRow = 1024;

/// This many elements are summed one by one with an error of a few units in the last place.
constexpr int64_t kAccurateBlock = 128, kAnyBlock = std::numeric_limits<int64_t>::max();
/// A thread of a GPU scans one block; more, shorter blocks occupy it.
constexpr int64_t kGpuBlock = 256;

/// A number close to the square root of the size, but at most `most`, preferably a divisor, if the dimension is worth
/// splitting; otherwise 0.
static int64_t blockSize(RankedTensorType type, int64_t dimension, int64_t most) {
  int64_t size = type.getDimSize(dimension);
  if (!type.hasStaticShape() || size < kLongRow || type.getNumElements() / size >= kEnoughRows)
    return 0;
  int64_t root = std::min(most, static_cast<int64_t>(std::sqrt(static_cast<double>(size))));
  for (int64_t block = root; block >= root / 4; --block)
    if (size % block == 0)
      return block;
  // Pads the row to whole blocks, unless the code generator cannot fill with such elements.
  return isWideComplex(type.getElementType()) ? 0 : root;
}

/// Whether a GPU's threads can take a row each.
static bool suitsThreads(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  return Target(moduleOf(b)).isGpu() && !isInDispatch(b) && type.hasStaticShape() &&
         type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() % 8 == 0;
}

namespace {

/// A running reduction of elements of type `element`, in which it accumulates; totals of several blocks are of type
/// `wide`.
template <typename Op>
struct Running {
  ImplicitLocOpBuilder &b;
  Type element, wide;
  int64_t dimension;

  static Value step(OpBuilder &inner, Location loc, Type type, Value accumulator, Value x) {
    scalar::ScalarBuilder builder(loc, inner, type);
    return Op::emitStep(builder, accumulator, x);
  }

  /// The running reduction along a dimension, and the totals. Elements have the dialect type `type`.
  std::pair<Value, Value> scan(Value x, Type type, int64_t along, bool inclusive) const {
    if (suitsThreads(b, x))
      return scanByThreads(x, type, along, inclusive);
    SmallVector<OpFoldResult> sizes = sizesOf(b, x);
    sizes.erase(sizes.begin() + along);
    scalar::ScalarBuilder outer(b.getLoc(), b, type);
    // The scan's initial destination may be a fill, and for Vulkan it must be.
    Value scalar = Op::emitNeutral(outer);
    Value neutral = isWideComplex(scalar.getType()) ? filledAlone(b, sizes, scalar) : filled(b, sizes, scalar);
    return runningScan(b, x, neutral, along, inclusive, [&](ImplicitLocOpBuilder &inner, Value p, Value q) {
      return step(inner, inner.getLoc(), type, p, q);
    });
  }

  /// A thread for each row. All threads of a workgroup would compute all of IREE's scan, and store it in turns.
  std::pair<Value, Value> scanByThreads(Value x, Type type, int64_t along, bool inclusive) const {
    auto whole = cast<RankedTensorType>(x.getType());
    RankedTensorType kept = RankedTensorType::Builder(whole).dropDim(along);
    int64_t length = whole.getDimSize(along), rows = whole.getNumElements() / length, stride = 1;
    for (int64_t size : whole.getShape().drop_front(along + 1))
      stride *= size;
    std::string name;
    llvm::raw_string_ostream(name) << "scan_" << Op::getOperationName().split('.').second
                                   << (inclusive ? "" : "_before") << '_' << rows << 'x' << length << 'x' << stride
                                   << '_' << type;
    KernelShape shape{name, whole.getElementType(), b.getIndexAttr(rows), /*itemsPerRow=*/1};
    auto made =
        Kernels(moduleOf(b))
            .run(
                b, shape, Floats{whole, {}, length, x}, {Floats{whole, {}, length, {}}, Floats{kept, {}, 1, {}}},
                [](ImplicitLocOpBuilder &) {},
                [&](ImplicitLocOpBuilder &each, ValueRange memory, Value row, Value) {
                  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(each, value); };
                  Value outer = arith::DivUIOp::create(each, row, index(stride)),
                        inner = arith::RemUIOp::create(each, row, index(stride));
                  Value begin =
                      arith::AddIOp::create(each, arith::MulIOp::create(each, outer, index(length * stride)), inner);
                  scalar::ScalarBuilder scalars(each.getLoc(), each, type);
                  auto loop = scf::ForOp::create(
                      each, index(0), index(length), index(1), Op::emitNeutral(scalars),
                      [&](OpBuilder &body, Location loc, Value i, ValueRange carry) {
                        Value place = arith::AddIOp::create(
                            body, loc, begin,
                            arith::MulIOp::create(body, loc, i, arith::ConstantIndexOp::create(body, loc, stride)));
                        Value next =
                            step(body, loc, type, carry[0], memref::LoadOp::create(body, loc, memory[0], place));
                        memref::StoreOp::create(body, loc, inclusive ? next : carry[0], memory[1], place);
                        scf::YieldOp::create(body, loc, next);
                      });
                  memref::StoreOp::create(each, loop.getResult(0), memory[2], row);
                });
    return {made[0], made[1]};
  }

  /// The same with neutral elements appended, and without them, if there is no whole number of blocks.
  Value inAnyBlocks(Value x, int64_t size, bool inclusive) const {
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rest = type.getDimSize(dimension) % size;
    if (rest == 0)
      return inBlocks(x, size, inclusive);
    SmallVector<int64_t> shape(type.getShape()), low(type.getRank(), 0), high(type.getRank(), 0);
    high[dimension] = size - rest;
    shape[dimension] += size - rest;
    auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
    scalar::ScalarBuilder outer(b.getLoc(), b, element);
    Value neutral = Op::emitNeutral(outer);
    // A separate array, lest the code generator fuses the padding into the scan.
    Value padded = computeBarrier(
        b, tensor::PadOp::create(b, withShape(type, shape), x, attrs(low), attrs(high), neutral).getResult());
    SmallVector<int64_t> ones(type.getRank(), 1);
    return tensor::ExtractSliceOp::create(b, type, inBlocks(padded, size, inclusive), attrs(low),
                                          attrs(type.getShape()), attrs(ones));
  }

  /// What the totals of blocks add up to before each; on GPUs, many of them in blocks, too.
  Value beforeEach(Value totals) const {
    bool isGpu = Target(moduleOf(b)).isGpu();
    int64_t size = isGpu ? blockSize(cast<RankedTensorType>(totals.getType()), dimension, kGpuBlock) : 0;
    return size ? Running<Op>{b, wide, wide, dimension}.inAnyBlocks(totals, size, false)
                : scan(totals, wide, dimension, false).first;
  }

  /// Scans blocks of `size` elements separately, then combines each with the total of all blocks before it.
  Value inBlocks(Value x, int64_t size, bool inclusive) const {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dimension] /= size;
    shape.insert(shape.begin() + dimension + 1, size);
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      groups.push_back({d + (d > dimension ? 1 : 0)});
      if (d == dimension)
        groups.back().push_back(d + 1);
    }
    Value blocks = tensor::ExpandShapeOp::create(b, withShape(type, shape), x, groups);
    auto [local, totals] = scan(blocks, element, dimension + 1, inclusive);
    Value before = beforeEach(converted(b, totals, element, wide));
    int64_t rank = shape.size();
    AffineMap all = b.getMultiDimIdentityMap(rank), ofBlock = all.dropResult(dimension + 1);
    Value sums = parallelLoops(b, sizesOf(b, local), getElementTypeOrSelf(local), {before, local}, {ofBlock, all},
                               [&](OpBuilder &inner, Location loc, ValueRange args) {
                                 scalar::ScalarBuilder narrow(loc, inner, element), builder(loc, inner, wide);
                                 Value sum = step(inner, loc, wide, args[0], scalar::convert(narrow, args[1], wide));
                                 return scalar::convert(builder, sum, element);
                               });
    return tensor::CollapseShapeOp::create(b, type, sums, groups);
  }
};

} // namespace

/// Returns true if a running reduction is the array itself.
static bool isTrivial(Value x, int64_t dimension) {
  auto type = cast<RankedTensorType>(x.getType());
  return type.getDimSize(dimension) == 1 || llvm::is_contained(type.getShape(), 0);
}

/// The elements of rows of which the library makes running sums or products; nothing if it does not.
static std::optional<blas::RunningElement> runningElement(RankedTensorType type, int64_t dimension) {
  using E = blas::RunningElement;
  // For less, it takes as long to call the library.
  constexpr int64_t shortest = 16, fewest = 1 << 11;
  if (!type.hasStaticShape() || dimension + 1 != type.getRank() || type.getShape().back() < shortest ||
      type.getNumElements() < fewest || type.getNumElements() / type.getShape().back() < blas::kFewestRunningRows)
    return std::nullopt;
  Type element = type.getElementType();
  if (element.isF32() || element.isF64())
    return element.isF32() ? E::Float32 : E::Float64;
  if (element.isInteger(32) || element.isInteger(64))
    return element.isInteger(32) ? E::Int32 : E::Int64;
  return std::nullopt;
}

namespace {

template <typename Op>
struct CumulativeLowering : LowerOpInterface::ExternalModel<CumulativeLowering<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto running = cast<Op>(op);
    int64_t dimension = running.getDimension();
    if (isTrivial(operands[0], dimension)) {
      results.push_back(operands[0]);
      return success();
    }
    Type element = getElementTypeOrSelf(running.getX()), accumulator = accumulatorType(element);
    auto type = cast<RankedTensorType>(operands[0].getType());
    Type wide = reductionType(op, element, type.getDimSize(dimension));
    std::optional<blas::RunningElement> rows = runningElement(type, dimension);
    constexpr bool isProduct = std::is_same_v<Op, CumprodOp>;
    if (rows && (isProduct || std::is_same_v<Op, CumsumOp>) && mayCallLibrary(b, op)) {
      bool isWide = wide != type.getElementType() && wide.isF64();
      results.push_back(callRunning(b, *rows,
                                    (isProduct ? blas::kRunningProducts : 0) | (isWide ? blas::kRunningWide : 0) |
                                        (running.getReverse() ? blas::kRunningReverse : 0),
                                    operands[0]));
      return success();
    }
    int64_t most = wide != accumulator ? kAccurateBlock : Target(moduleOf(b)).isGpu() ? kGpuBlock : kAnyBlock;
    int64_t block = blockSize(type, dimension, most);
    if (!block)
      accumulator = wide;
    Value x = converted(b, operands[0], element, accumulator);
    if (running.getReverse())
      x = reversed(b, x, {dimension});
    Running<Op> reduction{b, accumulator, wide, dimension};
    x = block ? reduction.inAnyBlocks(x, block, true) : reduction.scan(x, accumulator, dimension, true).first;
    if (running.getReverse())
      x = reversed(b, x, {dimension});
    results.push_back(converted(b, x, accumulator, element));
    return success();
  }
};

/// Pairs (factor, x) compose: step k combines each element with the 2^k elements before those that it already covers.
/// Both rows are one array.
struct RecurrenceLowering : LowerOpInterface::ExternalModel<RecurrenceLowering, LinearRecurrenceOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto recurrence = cast<LinearRecurrenceOp>(op);
    int64_t dimension = recurrence.getDimension();
    if (isTrivial(operands[1], dimension)) {
      results.push_back(operands[1]);
      return success();
    }
    Type element = getElementTypeOrSelf(recurrence.getX()), accumulator = accumulatorType(element);
    Value factor = converted(b, operands[0], element, accumulator), x = converted(b, operands[1], element, accumulator);
    bool isStatic = cast<RankedTensorType>(x.getType()).hasStaticShape();
    bool isReverse = recurrence.getReverse();
    Value ans = isInDispatch(b) ? sliceBySlice(b, factor, x, dimension, isReverse)
                : isStatic      ? byOneThread(b, factor, x, dimension, isReverse)
                                : elementByElement(b, factor, x, dimension, isReverse);
    if (!ans)
      ans = byDoubling(b, factor, x, dimension, isReverse);
    results.push_back(converted(b, ans, accumulator, element));
    return success();
  }

  /// On a CPU, one thread in order is faster than all threads by doubling, which does 2 log n times the work. Null
  /// elsewhere.
  static Value byOneThread(ImplicitLocOpBuilder &b, Value factor, Value x, int64_t dimension, bool reverse) {
    if (Target(moduleOf(b)).isGpu())
      return {};
    auto made = dispatchOnce(b, {factor, x}, Shape{getElementTypeOrSelf(x), sizesOf(b, x)},
                             [&](ImplicitLocOpBuilder &inner, ValueRange inside) -> FailureOr<SmallVector<Value>> {
                               return SmallVector<Value>{sliceBySlice(inner, inside[0], inside[1], dimension, reverse)};
                             });
    return succeeded(made) ? made->front() : Value();
  }

  /// In the order of the definition.
  static Value sliceBySlice(ImplicitLocOpBuilder &b, Value factor, Value x, int64_t dimension, bool reverse) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, x), kept = sizes, offsets(sizes.size(), b.getIndexAttr(0)),
                              strides(sizes.size(), b.getIndexAttr(1));
    kept.erase(kept.begin() + dimension);
    Type element = getElementTypeOrSelf(x);
    scalar::ScalarBuilder scalars(b.getLoc(), b, element);
    Value none = filled(b, kept, scalar::zero(scalars)), size = asValue(b, sizes[dimension]);
    auto type = cast<RankedTensorType>(none.getType());
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    Value last = arith::SubIOp::create(b, size, one);
    sizes[dimension] = b.getIndexAttr(1);
    SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(kept.size()));
    auto loop =
        scf::ForOp::create(b, zero, size, one, ValueRange{empty(b, sizesOf(b, x), element), none},
                           [&](OpBuilder &inner, Location loc, Value i, ValueRange carry) {
                             ImplicitLocOpBuilder body(loc, inner);
                             offsets[dimension] = reverse ? arith::SubIOp::create(body, last, i).getResult() : i;
                             auto slice = [&](Value array) -> Value {
                               return tensor::ExtractSliceOp::create(body, type, array, offsets, sizes, strides);
                             };
                             Value next =
                                 parallelLoops(body, kept, element, {slice(factor), carry[1], slice(x)}, maps,
                                               [&](OpBuilder &each, Location loc, ValueRange args) {
                                                 scalar::ScalarBuilder step(loc, each, element);
                                                 return scalar::add(step, scalar::mul(step, args[0], args[1]), args[2]);
                                               });
                             Value whole = tensor::InsertSliceOp::create(body, next, carry[0], offsets, sizes, strides);
                             scf::YieldOp::create(body, ValueRange{whole, next});
                           });
    return loop.getResult(0);
  }

  /// Computes each element from the start of its row, without a loop over whole arrays; see `canLoopsCarry`.
  static Value elementByElement(ImplicitLocOpBuilder &b, Value factor, Value x, int64_t dimension, bool reverse) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, x);
    Value size = asValue(b, sizes[dimension]);
    Type element = getElementTypeOrSelf(x);
    return parallelLoops(b, sizes, element, {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
      scalar::ScalarBuilder body(loc, inner, element);
      SmallVector<Value> place;
      for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
        place.push_back(linalg::IndexOp::create(body, d));
      Value none = arith::ConstantIndexOp::create(body, 0), one = arith::ConstantIndexOp::create(body, 1);
      Value here = place[dimension], last = arith::SubIOp::create(body, size, one);
      Value count =
          reverse ? arith::SubIOp::create(body, size, here).getResult() : arith::AddIOp::create(body, here, one);
      auto loop = scf::ForOp::create(
          body, none, count, one, scalar::zero(body), [&](OpBuilder &nested, Location loc, Value k, ValueRange carry) {
            scalar::ScalarBuilder step(loc, nested, element);
            place[dimension] = reverse ? arith::SubIOp::create(step, last, k).getResult() : k;
            Value product = scalar::mul(step, tensor::ExtractOp::create(step, factor, place), carry[0]);
            scf::YieldOp::create(step, scalar::add(step, product, tensor::ExtractOp::create(step, x, place)));
          });
      return loop.getResult(0);
    });
  }

  static Value byDoubling(ImplicitLocOpBuilder &b, Value factor, Value x, int64_t dimension, bool reverse) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, x);
    Value size = asValue(b, sizes[dimension]);
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    auto loop = scf::ForOp::create(b, zero, doublings(b, size), one, ValueRange{stacked(b, factor, x, sizes), one},
                                   [&](OpBuilder &inner, Location loc, Value, ValueRange carry) {
                                     ImplicitLocOpBuilder body(loc, inner);
                                     Value next = combined(body, carry[0], carry[1], size, dimension, reverse);
                                     Value doubled = arith::AddIOp::create(body, carry[1], carry[1]);
                                     scf::YieldOp::create(body, ValueRange{next, doubled});
                                   });
    return parallelLoops(b, sizes, getElementTypeOrSelf(x), {}, {},
                         [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
                           SmallVector<Value> place = {arith::ConstantIndexOp::create(inner, loc, 1)};
                           for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
                             place.push_back(linalg::IndexOp::create(inner, loc, d));
                           return tensor::ExtractOp::create(inner, loc, loop.getResult(0), place);
                         });
  }

  /// The factors, then the values.
  static Value stacked(ImplicitLocOpBuilder &b, Value factor, Value x, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> both = {b.getIndexAttr(2)};
    llvm::append_range(both, sizes);
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(both.size()).dropResult(0));
    return parallelLoops(b, both, getElementTypeOrSelf(x), {factor, x}, maps,
                         [](OpBuilder &inner, Location loc, ValueRange args) -> Value {
                           return arith::SelectOp::create(inner, loc, isFactor(inner, loc), args[0], args[1]);
                         });
  }

  static Value isFactor(OpBuilder &b, Location loc) {
    Value row = linalg::IndexOp::create(b, loc, 0), first = arith::ConstantIndexOp::create(b, loc, 0);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, row, first);
  }

  static Value combined(ImplicitLocOpBuilder &b, Value pairs, Value distance, Value size, int64_t dimension,
                        bool reverse) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, pairs);
    Type element = getElementTypeOrSelf(pairs);
    return parallelLoops(b, sizes, element, pairs, b.getMultiDimIdentityMap(sizes.size()),
                         [&](OpBuilder &inner, Location loc, ValueRange args) -> Value {
                           scalar::ScalarBuilder body(loc, inner, element);
                           SmallVector<Value> place;
                           for (int64_t d = 0, rank = sizes.size(); d < rank; ++d)
                             place.push_back(linalg::IndexOp::create(body, d));
                           SmallVector<Value> ofFactor = place;
                           ofFactor[0] = arith::ConstantIndexOp::create(body, 0);
                           Value factor = tensor::ExtractOp::create(body, pairs, ofFactor);
                           Value here = place[dimension + 1], there, isInside;
                           if (reverse) {
                             there = arith::AddIOp::create(body, here, distance);
                             isInside = arith::CmpIOp::create(body, arith::CmpIPredicate::slt, there, size);
                           } else {
                             there = arith::SubIOp::create(body, here, distance);
                             isInside = arith::CmpIOp::create(body, arith::CmpIPredicate::sge, here, distance);
                           }
                           place[dimension + 1] = scalar::select(body, isInside, there, here);
                           Value before = tensor::ExtractOp::create(body, pairs, place),
                                 isFactorRow = isFactor(body, loc);
                           Value none = scalar::zero(body),
                                 neutral = scalar::select(body, isFactorRow, scalar::one(body), none);
                           Value product = scalar::mul(body, factor, scalar::select(body, isInside, before, neutral));
                           return scalar::select(body, isFactorRow, product, scalar::add(body, product, args[0]));
                         });
  }
};

} // namespace

void attachCumulativeLowerings(MLIRContext *context) {
  CumsumOp::attachInterface<CumulativeLowering<CumsumOp>>(*context);
  CumprodOp::attachInterface<CumulativeLowering<CumprodOp>>(*context);
  CummaxOp::attachInterface<CumulativeLowering<CummaxOp>>(*context);
  CumminOp::attachInterface<CumulativeLowering<CumminOp>>(*context);
  CumlogsumexpOp::attachInterface<CumulativeLowering<CumlogsumexpOp>>(*context);
  LinearRecurrenceOp::attachInterface<RecurrenceLowering>(*context);
}

} // namespace dovetail
