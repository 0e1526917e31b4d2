// Counterparts of ops on windows that slide along an array.
#include "cpp/linalg/Windows.h"
#include "Families.h"
#include "Reductions.h"
#include "dialects/Create.h"
#include "dialects/Folding.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "dialects/Window.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;
using Dims = SmallVector<int64_t>;

/// The windows of an op, all lists complete.
struct Sliding {
  Dims window, strides, dilations, low, high, interior;

  template <typename Op>
  static Sliding of(Op op, ArrayRef<int64_t> window) {
    unsigned rank = window.size();
    Sliding s{Dims(window), Dims(rank, 1), Dims(rank, 1), Dims(rank, 0), Dims(rank, 0), Dims(rank, 0)};
    if (auto strides = op.getWindowStrides())
      s.strides = Dims(*strides);
    if (auto padding = op.getPadding())
      for (unsigned i = 0; i < rank; ++i) {
        s.low[i] = padding->template getValues<int64_t>()[2 * i];
        s.high[i] = padding->template getValues<int64_t>()[2 * i + 1];
      }
    return s;
  }

  /// The dimension of a running reduction from its beginning, or its end, whose windows these are.
  std::optional<int64_t> running(ArrayRef<int64_t> shape, bool &isReverse) const {
    std::optional<int64_t> found;
    for (unsigned i = 0; i < shape.size(); ++i) {
      if (strides[i] != 1 || dilations[i] != 1 || interior[i])
        return std::nullopt;
      if (window[i] == 1 && !low[i] && !high[i])
        continue;
      bool isWhole = window[i] == shape[i] && low[i] + high[i] == shape[i] - 1 && (!low[i] || !high[i]);
      if (found || !isWhole)
        return std::nullopt;
      found = i;
      isReverse = high[i] != 0;
    }
    return found;
  }
};
struct ImportReduceWindow : Import<ImportReduceWindow, stablehlo::ReduceWindowOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto reduce = cast<stablehlo::ReduceWindowOp>(op);
    if (failed(e.translate(reduce.getBody())))
      return failure();
    Sliding s = Sliding::of(reduce, reduce.getWindowDimensions());
    if (auto dilations = reduce.getWindowDilations())
      s.dilations = Dims(*dilations);
    if (auto dilations = reduce.getBaseDilations())
      s.interior = llvm::map_to_vector(*dilations, [](int64_t d) { return d - 1; });
    const Reducer *reducer = reducerOf(reduce.getBody());
    Value x = reduce.getInputs()[0], init = reduce.getInitValues()[0];
    bool isNumber = reducer && !Algebra::elementOf(x).isInteger(1);
    if (isNumber && isNeutral(*reducer, init)) {
      bool isReverse = false;
      if (auto dim = s.running(Algebra::typeOf(x).getShape(), isReverse); dim && reducer->running) {
        results.push_back(reducer->running(e, x, *dim, isReverse));
        return success();
      }
      if (reducer->windows) {
        Value padded = e.pad(x, init, s.low, s.high, s.interior);
        results.push_back(reducer->windows(e, padded, s.window, s.strides, s.dilations));
        return success();
      }
    }
    return byElements(reduce, s, e, results);
  }

  /// For each element of a window, the array of that element of all windows; these are combined one after the other.
  static LogicalResult byElements(stablehlo::ReduceWindowOp op, const Sliding &s, Importer &e, Results &results) {
    // An op for each element of a window; programs of more of them would not be compiled.
    constexpr int64_t kMostElements = 1 << 16;
    int64_t count = 1;
    for (int64_t size : s.window)
      if (count = llvm::MulOverflow(count, size, count) ? kMostElements + 1 : count; count > kMostElements)
        return op.emitError() << "reduce_window: windows of a body that applies several ops must have at most "
                              << kMostElements << " elements, got: [" << ArrayRef(s.window) << ']';
    Algebra::Values padded, joined;
    for (auto [x, init] : llvm::zip(op.getInputs(), op.getInitValues()))
      padded.push_back(e.pad(x, init, s.low, s.high, s.interior));
    auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    Dims single(shape);
    single.insert(single.begin(), 1);
    for (Value x : padded) {
      Algebra::Values parts = elementsOfWindows(e, x, shape, s.window, s.strides, s.dilations);
      for (Value &part : parts)
        part = e.reshapedTo(part, single);
      joined.push_back(e.joined(parts, 0));
    }
    FailureOr<Algebra::Values> found = e.combined(op.getBody(), joined);
    if (failed(found))
      return failure();
    Algebra::Values operands;
    for (auto [init, type] : llvm::zip(op.getInitValues(), op->getResultTypes()))
      operands.push_back(e.broadcast(init, {}, cast<RankedTensorType>(type), {}));
    llvm::append_range(operands, *found);
    FailureOr<Algebra::Values> all = e.onElements(op.getBody(), operands);
    if (failed(all))
      return failure();
    llvm::append_range(results, *all);
    return success();
  }
};

/// The selected element of each window is found, and what is scattered is added at its index.
struct ImportSelectAndScatter : Import<ImportSelectAndScatter, stablehlo::SelectAndScatterOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto select = cast<stablehlo::SelectAndScatterOp>(op);
    if (failed(e.translate(select.getSelect())) || failed(e.translate(select.getScatter())))
      return failure();
    auto compare = dyn_cast_or_null<CompareOp>(Importer::soleOp(select.getSelect()));
    const Reducer *reducer = reducerOf(select.getScatter());
    bool isInOrder = compare && compare.getX() == select.getSelect().getArgument(0);
    bool isMax = isInOrder && compare.getDirection() == CompareDirection::GE;
    if (!reducer || !reducer->scatter || !(isMax || (isInOrder && compare.getDirection() == CompareDirection::LE)))
      return op->emitError() << "select_and_scatter: elements must be selected by GE or LE and scattered by one op";
    Value x = select.getOperand(), source = select.getSource(), init = select.getInitValue();
    unsigned rank = Algebra::typeOf(x).getRank();
    Dims ones(rank, 1);
    Sliding s = Sliding::of(select, select.getWindowDimensions().value_or(ArrayRef<int64_t>(ones)));

    Value worst = extremeOf(e, x, isMax);
    Value padded = e.pad(x, worst, s.low, s.high, s.interior);
    Value offset = isMax ? e.make<WindowArgmaxOp>(padded, s.window, s.strides, s.dilations)
                         : e.make<WindowArgminOp>(padded, s.window, s.strides, s.dilations);
    auto shape = llvm::to_vector(Algebra::typeOf(offset).getShape());
    shape.push_back(1);
    Algebra::Values columns(rank);
    for (int64_t d = rank - 1; d >= 0; --d) {
      Value size = e.full(offset, s.window[d]);
      Value place = e.add(e.scale(e.placesIn(offset, d), s.strides[d]), e.make<RemOp>(offset, size));
      columns[d] = e.reshapedTo(e.add(place, -static_cast<double>(s.low[d])), shape);
      offset = e.make<DivOp>(offset, size);
    }
    shape.pop_back();
    shape.append(rank, 1);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    Value table = e.broadcast(init, {}, Algebra::typeOf(x), {});
    results.push_back(reducer->scatter(e, table, e.joined(columns, shape.size() - rank), e.reshapedTo(source, shape),
                                       dims, ones, false));
    return success();
  }

  static Value extremeOf(Importer &e, Value x, bool isLowest) {
    TypedAttr value = ::dovetail::extremeOf(Algebra::elementOf(x), /*isHighest=*/!isLowest);
    return e.full(RankedTensorType::get({}, Algebra::elementOf(x)), {}, value);
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

template <typename Ours, const Reducer &reducer>
struct ExportWindows : Export<ExportWindows<Ours, reducer>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    if (failed(requireSizes(op)))
      return failure();
    auto reduce = cast<Ours>(op);
    results.push_back(
        emitWindows(e, reduce.getX(), reducer, reduce.getWindow(), reduce.getStrides(), reduce.getDilations(), {}));
    return success();
  }
};

} // namespace

LogicalResult importDynamicWindows(stablehlo::CustomCallOp op, Importer &e, SmallVectorImpl<Value> &results) {
  // The arrays and their initial values, then window, strides, dilations of both, and padding.
  constexpr unsigned kLists = 5;
  unsigned count = op->getNumOperands() < kLists ? 0 : (op->getNumOperands() - kLists) / 2;
  auto called = op->getAttrOfType<ArrayAttr>("called_computations");
  auto name = called && called.size() == 1 ? dyn_cast<FlatSymbolRefAttr>(called[0]) : FlatSymbolRefAttr();
  auto function = name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name) : func::FuncOp();
  if (!function || function.isExternal() || !count || op->getNumOperands() != 2 * count + kLists)
    return op->emitError() << "dynamic_reduce_window: it must have a function, arrays and initial values, and five "
                              "lists, got: "
                           << op->getNumOperands() << " operands";
  int64_t rank = Algebra::typeOf(op->getOperand(0)).getRank();
  SmallVector<Dims> lists;
  for (auto [i, list] : llvm::enumerate(op->getOperands().take_back(kLists))) {
    auto type = Algebra::typeOf(list);
    if (!type.hasStaticShape() || type.getNumElements() != (i + 1 == kLists ? 2 * rank : rank))
      return op->emitError() << "dynamic_reduce_window: lists must have a number for each of " << rank
                             << " dimensions, got: " << type;
    if (auto known = knownElements(list))
      lists.push_back(*known);
  }
  bool isKnown = llvm::all_of(op->getOperands().take_front(count), [&](Value x) {
    return Algebra::typeOf(x).hasStaticShape() && Algebra::typeOf(x).getRank() == rank;
  });
  if (lists.size() != kLists || !isKnown)
    return op->emitError() << "dynamic_reduce_window: lists must follow from sizes that are known, got: values";
  for (const Dims &list : ArrayRef(lists).take_front(kLists - 1))
    if (llvm::any_of(list, [](int64_t n) { return n < 1; }))
      return op->emitError() << "dynamic_reduce_window: windows must have positive sizes, strides and dilations, got: ["
                             << ArrayRef(list) << ']';
  const Dims &window = lists[0], &strides = lists[1], &base = lists[2], &dilations = lists[3], &pads = lists[4];
  SmallVector<Type> types;
  for (Value x : op->getOperands().take_front(count)) {
    Dims shape(Algebra::typeOf(x).getShape());
    for (auto [d, size] : llvm::enumerate(shape)) {
      int64_t extent = (window[d] - 1) * dilations[d] + 1;
      int64_t room = (size ? (size - 1) * base[d] + 1 : 0) + pads[2 * d] + pads[2 * d + 1] - extent;
      size = room < 0 ? 0 : room / strides[d] + 1;
    }
    types.push_back(Algebra::typeOf(x).clone(shape));
  }
  auto b = e.builder;
  auto padding = DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(window.size()), 2}, b.getI64Type()), ArrayRef<int64_t>(pads));
  auto made = stablehlo::ReduceWindowOp::create(b, e.loc, types, op->getOperands().take_front(count),
                                                op->getOperands().slice(count, count), b.getDenseI64ArrayAttr(window),
                                                b.getDenseI64ArrayAttr(strides), b.getDenseI64ArrayAttr(base),
                                                b.getDenseI64ArrayAttr(dilations), padding);
  Region &body = made.getBody();
  IRMapping map;
  function.getBody().cloneInto(&body, map);
  Operation *end = body.front().getTerminator();
  OpBuilder last(end);
  stablehlo::ReturnOp::create(last, e.loc, end->getOperands());
  end->erase();
  LogicalResult imported = cast<FromStablehloOpInterface>(made.getOperation()).importTo(e, results);
  made->erase();
  return imported;
}

void attachWindowCounterparts(MLIRContext *c) {
  ReduceWindowSumOp::attachInterface<ExportWindows<ReduceWindowSumOp, kSum>>(*c);
  ReduceWindowMaxOp::attachInterface<ExportWindows<ReduceWindowMaxOp, kMax>>(*c);
  ReduceWindowMinOp::attachInterface<ExportWindows<ReduceWindowMinOp, kMin>>(*c);
  stablehlo::ReduceWindowOp::attachInterface<ImportReduceWindow>(*c);
  stablehlo::SelectAndScatterOp::attachInterface<ImportSelectAndScatter>(*c);
}

} // namespace dovetail
