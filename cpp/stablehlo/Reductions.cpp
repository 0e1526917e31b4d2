// Counterparts of reductions over whole dimensions.
#include "Reductions.h"
#include "Exporter.h"
#include "Families.h"
#include "dialects/Create.h"
#include "dialects/Cumulative.h"
#include "dialects/Folding.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Window.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

//===- Reducers ----------------------------------------------------------------------===//

namespace {

template <typename Op>
Value reduceAll(Importer &e, Value x, ArrayRef<int64_t> dims) {
  return e.make<Op>(x, dims);
}
template <typename Op>
Value reduceWindows(Importer &e, Value x, ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                    ArrayRef<int64_t> dilations) {
  return e.make<Op>(x, window, strides, dilations);
}
template <typename Op>
Value reduceRunning(Importer &e, Value x, int64_t dim, bool isReverse) {
  return e.make<Op>(x, dim, isReverse);
}
template <typename Op>
Value reduceScattered(Importer &e, Value x, Value indices, Value updates, ArrayRef<int64_t> dims,
                      ArrayRef<int64_t> window, bool isUnique) {
  return e.make<Op>(x, indices, updates, dims, window, isUnique);
}
template <typename Op>
Value applied(Importer &e, Value x, Value y) {
  return e.make<Op>(x, y);
}

Attribute number(Type element, int64_t value) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    Attribute parts[] = {FloatAttr::get(part, value), FloatAttr::get(part, 0)};
    return ArrayAttr::get(element.getContext(), parts);
  }
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, value);
  return IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true, true));
}
Attribute zeroOf(Type element) { return number(element, 0); }
Attribute oneOf(Type element) { return number(element, 1); }
Attribute allOnes(Type element) { return number(element, -1); }
template <bool isHighest>
Attribute extreme(Type element) {
  return extremeOf(element, isHighest);
}

} // namespace

const Reducer kSum{reduceAll<ReduceSumOp>,  reduceWindows<ReduceWindowSumOp>,
                   reduceRunning<CumsumOp>, reduceScattered<ScatterAddOp>,
                   applied<AddOp>,          zeroOf};
const Reducer kProduct{reduceAll<ReduceProdOp>,       nullptr,        reduceRunning<CumprodOp>,
                       reduceScattered<ScatterMulOp>, applied<MulOp>, oneOf};
const Reducer kMax{reduceAll<ReduceMaxOp>,  reduceWindows<ReduceWindowMaxOp>,
                   reduceRunning<CummaxOp>, reduceScattered<ScatterMaxOp>,
                   applied<MaxOp>,          extreme<false>};
const Reducer kMin{reduceAll<ReduceMinOp>,  reduceWindows<ReduceWindowMinOp>,
                   reduceRunning<CumminOp>, reduceScattered<ScatterMinOp>,
                   applied<MinOp>,          extreme<true>};
const Reducer kAnd{reduceAll<ReduceAndOp>, nullptr, nullptr, nullptr, applied<AndOp>, allOnes};
const Reducer kOr{reduceAll<ReduceOrOp>, nullptr, nullptr, nullptr, applied<OrOp>, zeroOf};
const Reducer kXor{reduceAll<ReduceXorOp>, nullptr, nullptr, nullptr, applied<XorOp>, zeroOf};

const Reducer *reducerOf(Region &body) {
  Operation *op = Importer::soleOp(body);
  if (!op)
    return nullptr;
  if (isa<AddOp>(op))
    return &kSum;
  if (isa<MulOp>(op))
    return &kProduct;
  if (isa<MaxOp>(op))
    return &kMax;
  if (isa<MinOp>(op))
    return &kMin;
  if (isa<AndOp>(op))
    return &kAnd;
  if (isa<OrOp>(op))
    return &kOr;
  return isa<XorOp>(op) ? &kXor : nullptr;
}

Value neutralOf(Importer &e, const Reducer &reducer, Type element) {
  Attribute value = reducer.neutral(element);
  auto type = RankedTensorType::get({}, element);
  return e.make<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, ArrayRef<Attribute>(value))));
}

bool isNeutral(const Reducer &reducer, Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  Attribute neutral = reducer.neutral(elements.getElementType());
  return elements.getSplatValue<Attribute>() == neutral;
}

//===- Reductions --------------------------------------------------------------------===//

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

/// Arrays with the dimensions `dims` as one, in front of the others.
Value inFront(Importer &e, Value x, ArrayRef<int64_t> dims) {
  auto type = Algebra::typeOf(x);
  SmallVector<int64_t> order(dims), shape{1};
  for (int64_t dim : dims)
    shape[0] *= type.getDimSize(dim);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      shape.push_back(type.getDimSize(dim));
    }
  return e.reshapedTo(e.transpose(x, order), shape);
}

struct ImportReduce : Import<ImportReduce, stablehlo::ReduceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto reduce = cast<stablehlo::ReduceOp>(op);
    if (failed(e.translate(reduce.getBody())))
      return failure();
    ArrayRef<int64_t> dims = reduce.getDimensions();
    if (dims.empty()) {
      llvm::append_range(results, reduce.getInputs());
      return success();
    }
    if (const Reducer *reducer = reducerOf(reduce.getBody())) {
      SmallVector<int64_t> sorted(dims);
      llvm::sort(sorted);
      Value init = reduce.getInitValues()[0], ans = reducer->all(e, reduce.getInputs()[0], sorted);
      results.push_back(isNeutral(*reducer, init) ? ans : reducer->step(e, e.shapedLike(init, ans), ans));
      return success();
    }
    Algebra::Values arrays;
    for (Value x : reduce.getInputs()) {
      if (!Algebra::typeOf(x).hasStaticShape())
        return op->emitError() << "reduce: sizes must be known for a body of several ops, got: " << x.getType();
      arrays.push_back(inFront(e, x, dims));
    }
    auto spreadInits = [&] {
      Algebra::Values inits;
      for (auto [init, x] : llvm::zip(reduce.getInitValues(), arrays)) {
        auto type = Algebra::typeOf(x);
        inits.push_back(e.broadcast(init, {}, type.clone(type.getShape().drop_front()), {}));
      }
      return inits;
    };
    if (Algebra::sizeOf(arrays[0], 0) == 0) {
      llvm::append_range(results, spreadInits());
      return success();
    }
    FailureOr<Algebra::Values> found = e.combined(reduce.getBody(), arrays);
    if (failed(found))
      return failure();
    Algebra::Values operands = spreadInits();
    llvm::append_range(operands, *found);
    FailureOr<Algebra::Values> all = e.onElements(reduce.getBody(), operands);
    if (failed(all))
      return failure();
    llvm::append_range(results, *all);
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// Reductions of one array by an op that has a neutral element.
template <typename Ours, const Reducer &reducer>
struct ExportReduce : Export<ExportReduce<Ours, reducer>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    Value x = op->getOperand(0);
    Type element = Algebra::elementOf(x);
    auto made = stablehlo::ReduceOp::create(e.builder, e.loc, op->getResultTypes(), x, neutralOf(e, reducer, element),
                                            cast<Ours>(op).getDims());
    auto scalar = RankedTensorType::get({}, element);
    e.fillBody(made.getBody(), {scalar, scalar},
               [](Exporter &inner, ValueRange xs) { return Algebra::Values{reducer.step(inner, xs[0], xs[1])}; });
    results.push_back(made->getResult(0));
    return success();
  }
};

/// Running reductions are windows that reach to one end, or loops where the sizes of these are not known.
template <typename Ours, const Reducer &reducer>
struct ExportRunning : Export<ExportRunning<Ours, reducer>, Ours> {
  static Value scanned(Exporter &e, Value x, int64_t dim, bool isReverse) {
    Value slices = e.moveDim(x, dim, 0);
    auto type = Algebra::typeOf(slices), one = type.clone(type.getShape().drop_front());
    Algebra::Values sizes = e.sizes(slices);
    Value init = e.broadcast(neutralOf(e, reducer, type.getElementType()), {}, one,
                             ArrayRef(sizes).drop_front(type.isDynamicDim(0)));
    auto outs = e.scan(
        {init}, {slices},
        [&](Algebra &inner, ValueRange carries, ValueRange xs) {
          Importer emitter(inner.builder, inner.loc, e.functionsOf());
          Value next = reducer.step(emitter, carries[0], xs[0]);
          return Algebra::Values{next, next};
        },
        isReverse);
    return e.moveDim(outs[1], 0, dim);
  }

  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto running = cast<Ours>(op);
    Value x = op->getOperand(0);
    auto type = Algebra::typeOf(x);
    if (!type.hasStaticShape()) {
      results.push_back(scanned(e, x, running.getDimension(), running.getReverse()));
      return success();
    }
    int64_t rank = type.getRank(), dim = running.getDimension(), size = type.getDimSize(dim);
    if (!size) {
      results.push_back(x);
      return success();
    }
    SmallVector<int64_t> window(rank, 1), pads(2 * rank, 0);
    window[dim] = size;
    pads[2 * dim + (running.getReverse() ? 1 : 0)] = size - 1;
    results.push_back(emitWindows(e, x, reducer, window, {}, {}, pads));
    return success();
  }
};

/// A tree of the first extreme elements and their indices; a NaN is more extreme than any number.
template <typename Ours, bool isMax>
struct ExportArg : Export<ExportArg<Ours, isMax>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto arg = cast<Ours>(op);
    Value x = arg.getX();
    Type element = Algebra::elementOf(x), index = getElementTypeOrSelf(op->getResult(0));
    int64_t dim = arg.getDimension();
    Value places = e.make<IotaOp>(Algebra::typeOf(x).clone(index), dim, e.sizes(x));
    auto number = RankedTensorType::get({}, element), place = RankedTensorType::get({}, index);
    Value inits[] = {neutralOf(e, isMax ? kMax : kMin, element), e.zeros(place, {})};
    Type types[] = {cast<RankedTensorType>(op->getResult(0).getType()).clone(element), op->getResult(0).getType()};
    auto made =
        stablehlo::ReduceOp::create(e.builder, e.loc, types, ValueRange{x, places}, inits, ArrayRef<int64_t>(dim));
    e.fillBody(made.getBody(), {number, place, number, place}, [](Exporter &inner, ValueRange xs) {
      Value a = xs[0], i = xs[1], b = xs[2], j = xs[3];
      Value isMore = inner.compare(isMax ? CompareDirection::GT : CompareDirection::LT, a, b);
      Value isSame = inner.same(a, b);
      if (isa<FloatType>(Algebra::elementOf(a))) {
        auto isNan = [&](Value x) { return inner.compare(CompareDirection::NE, x, x); };
        isSame = inner.either(isSame, inner.both(isNan(a), isNan(b)));
        isMore = inner.either(isMore, inner.both(isNan(a), inner.negation(isNan(b))));
      }
      Value isFirst = inner.either(isMore, inner.both(isSame, inner.less(i, j)));
      return Algebra::Values{inner.select(isFirst, a, b), inner.select(isFirst, i, j)};
    });
    results.push_back(made->getResult(1));
    return success();
  }
};

template <typename Ours, const Reducer &reducer>
void attachReduce(MLIRContext *c) {
  Ours::template attachInterface<ExportReduce<Ours, reducer>>(*c);
}
template <typename Ours, const Reducer &reducer>
void attachRunning(MLIRContext *c) {
  Ours::template attachInterface<ExportRunning<Ours, reducer>>(*c);
}

} // namespace

Value emitWindows(Exporter &e, Value x, const Reducer &reducer, ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                  ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads) {
  auto type = Algebra::typeOf(x);
  SmallVector<int64_t> shape, by(strides), apart(dilations), around(pads);
  by.resize(window.size(), 1), apart.resize(window.size(), 1), around.resize(2 * window.size(), 0);
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    int64_t extent = window[d] ? (window[d] - 1) * apart[d] + 1 : 0,
            room = size + around[2 * d] + around[2 * d + 1] - extent;
    shape.push_back(room < 0 ? 0 : room / by[d] + 1);
  }
  auto b = e.builder;
  auto padding =
      DenseIntElementsAttr::get(RankedTensorType::get({type.getRank(), 2}, b.getI64Type()), ArrayRef<int64_t>(around));
  auto made = stablehlo::ReduceWindowOp::create(b, e.loc, TypeRange(type.clone(shape)), x,
                                                neutralOf(e, reducer, type.getElementType()),
                                                b.getDenseI64ArrayAttr(window), b.getDenseI64ArrayAttr(by),
                                                DenseI64ArrayAttr(), b.getDenseI64ArrayAttr(apart), padding);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  e.fillBody(made.getBody(), {scalar, scalar},
             [&](Exporter &inner, ValueRange xs) { return Algebra::Values{reducer.step(inner, xs[0], xs[1])}; });
  return made->getResult(0);
}

void attachReductionCounterparts(MLIRContext *c) {
  stablehlo::ReduceOp::attachInterface<ImportReduce>(*c);
  attachReduce<ReduceSumOp, kSum>(c);
  attachReduce<ReduceProdOp, kProduct>(c);
  attachReduce<ReduceMaxOp, kMax>(c);
  attachReduce<ReduceMinOp, kMin>(c);
  attachReduce<ReduceAndOp, kAnd>(c);
  attachReduce<ReduceOrOp, kOr>(c);
  attachReduce<ReduceXorOp, kXor>(c);
  attachRunning<CumsumOp, kSum>(c);
  attachRunning<CumprodOp, kProduct>(c);
  attachRunning<CummaxOp, kMax>(c);
  attachRunning<CumminOp, kMin>(c);
  ArgmaxOp::attachInterface<ExportArg<ArgmaxOp, true>>(*c);
  ArgminOp::attachInterface<ExportArg<ArgminOp, false>>(*c);
}

} // namespace dovetail
