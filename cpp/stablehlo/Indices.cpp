// Counterparts of ops that read and write windows at positions known only at run time.
#include "Families.h"
#include "Reductions.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;
using Dims = SmallVector<int64_t>;

/// The relation of an array, indices and windows: `kept` are the array's dimensions that windows have in the order of
/// `ofWindow`, the dimensions of the result or the updates; `batch` pairs the array's dimensions with those of the
/// indices.
struct Numbers {
  ArrayRef<int64_t> ofWindow, dropped, indexMap, batchOfArray, batchOfIndices;
  int64_t vectorDim;

  Dims kept(int64_t rank) const {
    Dims kept;
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(dropped, d) && !llvm::is_contained(batchOfArray, d))
        kept.push_back(d);
    return kept;
  }
};

/// Windows in the form of this dialect's ops.
struct Windows {
  Value indices;
  Dims dims, window;
};

Windows windowsOf(Importer &e, Value x, Value indices, const Numbers &numbers, ArrayRef<int64_t> sizes,
                  bool isClamped) {
  auto shape = Algebra::typeOf(x).getShape();
  auto type = Algebra::typeOf(indices);
  if (numbers.vectorDim == type.getRank()) {
    Dims vectors(type.getShape());
    vectors.push_back(1);
    indices = e.reshapedTo(indices, vectors);
  } else {
    indices = e.moveDim(indices, numbers.vectorDim, type.getRank() - 1);
  }
  // Sizes and positions need more than 16 bits.
  auto element = cast<IntegerType>(Algebra::elementOf(indices));
  if (element.getWidth() < 32)
    indices = e.convert(indices, e.builder.getI32Type());
  type = Algebra::typeOf(indices);
  int64_t last = type.getRank() - 1;
  if (isClamped) {
    SmallVector<Attribute> bounds;
    for (int64_t dim : numbers.indexMap)
      bounds.push_back(IntegerAttr::get(type.getElementType(), shape[dim] - sizes[dim]));
    auto vector = RankedTensorType::get({static_cast<int64_t>(bounds.size())}, type.getElementType());
    Value highest = e.make<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(vector, bounds)));
    indices = e.make<ClampOp>(e.zerosLike(indices), indices, e.spread(highest, {last}, indices));
  }
  Windows windows{indices, Dims(numbers.indexMap), {}};
  Dims column(type.getShape());
  column.back() = 1;
  Algebra::Values columns{indices};
  for (auto [dim, ofIndices] : llvm::zip_equal(numbers.batchOfArray, numbers.batchOfIndices)) {
    int64_t place = ofIndices < numbers.vectorDim ? ofIndices : ofIndices - 1;
    columns.push_back(e.make<IotaOp>(type.clone(column), place, ValueRange()));
    windows.dims.push_back(dim);
  }
  // A window starts at 0 in dimensions that are neither whole nor indexed.
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size != shape[dim] && !llvm::is_contained(windows.dims, dim)) {
      columns.push_back(e.zeros(type.clone(column), {}));
      windows.dims.push_back(dim);
    }
  windows.indices = columns.size() == 1 ? indices : e.joined(columns, last);
  for (int64_t dim : windows.dims)
    windows.window.push_back(sizes[dim]);
  return windows;
}

SmallVector<int64_t> sliceSizes(stablehlo::GatherOp op) { return Dims(op.getSliceSizes()); }
std::optional<Dims> sliceSizes(stablehlo::DynamicGatherOp op) { return knownElements(op.getSliceSizes()); }

template <typename Theirs>
struct ImportGather : Import<ImportGather<Theirs>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto gather = cast<Theirs>(op);
    std::optional<Dims> sizes = sliceSizes(gather);
    if (!sizes)
      return op->emitError() << "dynamic_gather: sizes of slices must follow from sizes that are known, got: values";
    auto attr = gather.getDimensionNumbers();
    Numbers numbers{attr.getOffsetDims(),          attr.getCollapsedSliceDims(),       attr.getStartIndexMap(),
                    attr.getOperandBatchingDims(), attr.getStartIndicesBatchingDims(), attr.getIndexVectorDim()};
    Value x = gather.getOperand();
    if (!Algebra::typeOf(x).hasStaticShape() || !cast<ShapedType>(op->getOperand(1).getType()).hasStaticShape())
      return op->emitError() << "gather: sizes must be known, got: " << x.getType();
    Windows windows = windowsOf(e, x, gather.getStartIndices(), numbers, *sizes, true);
    Value found = e.make<GatherOp>(x, windows.indices, windows.dims, windows.window);
    int64_t batch = Algebra::typeOf(windows.indices).getRank() - 1;
    Dims shape(Algebra::typeOf(found).getShape().take_front(batch));
    for (int64_t dim : numbers.kept(Algebra::typeOf(x).getRank()))
      shape.push_back(Algebra::typeOf(found).getDimSize(batch + dim));
    found = e.reshapedTo(found, shape);
    Dims order;
    int64_t next = 0;
    for (int64_t i = 0, rank = shape.size(); i < rank; ++i) {
      const auto *place = llvm::find(numbers.ofWindow, i);
      order.push_back(place == numbers.ofWindow.end() ? next++ : batch + (place - numbers.ofWindow.begin()));
    }
    results.push_back(e.transpose(found, order));
    return success();
  }
};

struct ImportScatter : Import<ImportScatter, stablehlo::ScatterOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto scatter = cast<stablehlo::ScatterOp>(op);
    Region &body = scatter.getUpdateComputation();
    if (failed(e.translate(body)))
      return failure();
    auto attr = scatter.getScatterDimensionNumbers();
    Numbers numbers{attr.getUpdateWindowDims(),           attr.getInsertedWindowDims(),
                    attr.getScatterDimsToOperandDims(),   attr.getInputBatchingDims(),
                    attr.getScatterIndicesBatchingDims(), attr.getIndexVectorDim()};
    unsigned count = scatter.getInputs().size();
    const Reducer *reducer = count == 1 ? reducerOf(body) : nullptr;
    for (unsigned i = 0; i < count; ++i) {
      Value x = scatter.getInputs()[i], updates = scatter.getUpdates()[i];
      if (!Algebra::typeOf(x).hasStaticShape() || !Algebra::typeOf(updates).hasStaticShape())
        return op->emitError() << "scatter: sizes must be known, got: " << x.getType();
      auto shape = Algebra::typeOf(updates).getShape();
      Dims sizes(Algebra::typeOf(x).getRank(), 1), order, full;
      for (auto [dim, i] : llvm::zip_equal(numbers.kept(sizes.size()), numbers.ofWindow))
        sizes[dim] = shape[i];
      for (int64_t d = 0, rank = shape.size(); d < rank; ++d)
        if (!llvm::is_contained(numbers.ofWindow, d)) {
          order.push_back(d);
          full.push_back(shape[d]);
        }
      llvm::append_range(order, numbers.ofWindow);
      llvm::append_range(full, sizes);
      updates = e.reshapedTo(e.transpose(updates, order), full);
      Windows windows = windowsOf(e, x, scatter.getScatterIndices(), numbers, sizes, false);
      bool isUnique = scatter.getUniqueIndices();
      if (reducer && reducer->scatter && !Algebra::elementOf(x).isInteger(1)) {
        results.push_back(reducer->scatter(e, x, windows.indices, updates, windows.dims, windows.window, isUnique));
      } else if (returned(body)[i] == body.getArgument(count + i)) {
        results.push_back(e.make<ScatterOp>(x, windows.indices, updates, windows.dims, windows.window, isUnique));
      } else if (count == 1 && (isUnique || full.size() == sizes.size())) {
        // No element is updated twice: the old ones are read, combined, and written.
        Value old = e.make<GatherOp>(x, windows.indices, windows.dims, windows.window);
        FailureOr<Algebra::Values> updated = e.onElements(body, {old, updates});
        if (failed(updated))
          return failure();
        results.push_back(e.make<ScatterOp>(x, windows.indices, (*updated)[0], windows.dims, windows.window, isUnique));
      } else {
        return op->emitError()
               << "scatter: elements that may be updated twice must be replaced, added, multiplied, or be "
                  "the least or greatest, got: a body of other ops";
      }
    }
    return success();
  }
};

/// A window at indices that are clamped, so that it is within the array.
Windows windowAt(Importer &e, Value x, ValueRange starts, ArrayRef<int64_t> sizes) {
  unsigned rank = starts.size();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Algebra::Values parts;
  for (Value start : starts)
    parts.push_back(e.reshapedTo(start, {1}));
  // A window of all dimensions may start anywhere in those that it is part of.
  Numbers numbers{{}, {}, dims, {}, {}, 0};
  return windowsOf(e, x, e.joined(parts, 0), numbers, sizes, true);
}

struct ImportDynamicSlice : Import<ImportDynamicSlice, stablehlo::DynamicSliceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto slice = cast<stablehlo::DynamicSliceOp>(op);
    Value x = slice.getOperand();
    if (slice.getStartIndices().empty()) {
      results.push_back(x);
      return success();
    }
    Windows windows = windowAt(e, x, slice.getStartIndices(), slice.getSliceSizes());
    results.push_back(e.make<GatherOp>(x, windows.indices, windows.dims, windows.window));
    return success();
  }
};

struct ImportDynamicUpdateSlice : Import<ImportDynamicUpdateSlice, stablehlo::DynamicUpdateSliceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto update = cast<stablehlo::DynamicUpdateSliceOp>(op);
    Value x = update.getOperand(), part = update.getUpdate();
    if (update.getStartIndices().empty()) {
      results.push_back(part);
      return success();
    }
    Windows windows = windowAt(e, x, update.getStartIndices(), Algebra::typeOf(part).getShape());
    results.push_back(e.make<ScatterOp>(x, windows.indices, part, windows.dims, windows.window, true));
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// The size of a window along each dimension of an array.
template <typename Op>
Dims sizesOf(Op op) {
  Dims sizes(Algebra::typeOf(op.getX()).getShape());
  for (auto [dim, size] : llvm::zip(op.getDims(), op.getWindow()))
    sizes[dim] = size;
  return sizes;
}

/// StableHLO moves windows inside; those that are not wholly within the array read as zeros here.
struct ExportGather : Export<ExportGather, GatherOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto gather = cast<GatherOp>(op);
    Value x = gather.getX(), indices = gather.getIndices();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Dims sizes = sizesOf(gather);
    int64_t batch = Algebra::typeOf(indices).getRank() - 1;
    auto offsets = llvm::to_vector(llvm::seq<int64_t>(batch, type.getRank()));
    auto numbers = stablehlo::GatherNumbersAttr::get(op->getContext(), offsets, {}, {}, {}, gather.getDims(), batch);
    auto element = cast<IntegerType>(Algebra::elementOf(indices));
    auto windowType = RankedTensorType::get(sizes, e.builder.getI32Type());
    Value found, highest;
    if (windowType.hasStaticShape()) {
      found = e.theirs<stablehlo::GatherOp>(type, x, indices, numbers, e.builder.getDenseI64ArrayAttr(sizes));
    } else {
      Value whole = e.shapeVector(x);
      Algebra::Values parts;
      for (auto [dim, size] : llvm::enumerate(sizes))
        parts.push_back(ShapedType::isDynamic(size) ? e.slice(whole, 0, dim, 1) : e.vector({size}));
      found = e.theirs<stablehlo::DynamicGatherOp>(type, x, indices, e.joined(parts, 0), numbers);
    }
    SmallVector<int64_t> indexed;
    for (int64_t dim : gather.getDims())
      indexed.push_back(Algebra::sizeOf(x, dim));
    if (RankedTensorType::get(indexed, element).hasStaticShape()) {
      SmallVector<Attribute> bounds;
      for (auto [from, size] : llvm::zip(indexed, gather.getWindow()))
        bounds.push_back(IntegerAttr::get(element, APInt(64, from - size).trunc(element.getWidth())));
      auto vector = RankedTensorType::get({static_cast<int64_t>(bounds.size())}, element);
      highest = e.make<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(vector, bounds)));
    } else {
      Value whole = e.shapeVector(x);
      Algebra::Values parts;
      for (auto [dim, size] : llvm::zip(gather.getDims(), gather.getWindow()))
        parts.push_back(e.add(e.slice(whole, 0, dim, 1), -static_cast<double>(size)));
      highest = e.convert(e.joined(parts, 0), element);
    }
    Value isInside = e.both(e.compare(CompareDirection::GE, indices, e.zerosLike(indices)),
                            e.atMost(indices, e.spread(highest, {batch}, indices)));
    Value all = e.make<ReduceAndOp>(isInside, ArrayRef<int64_t>(batch));
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, batch));
    all = e.broadcast(all, dims, type.clone(e.builder.getI1Type()), e.sizes(found));
    results.push_back(e.select(all, found, e.zerosLike(found)));
    return success();
  }
};

/// How a scatter combines an element with its update.
Value replaced(Importer &, Value, Value update) { return update; }
template <const Reducer &reducer>
Value reduced(Importer &e, Value x, Value update) {
  return reducer.step(e, x, update);
}

template <typename Ours, auto combine>
struct ExportScatter : Export<ExportScatter<Ours, combine>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto scatter = cast<Ours>(op);
    int64_t batch = Algebra::typeOf(scatter.getIndices()).getRank() - 1;
    auto windows = llvm::to_vector(llvm::seq<int64_t>(batch, Algebra::typeOf(scatter.getUpdates()).getRank()));
    auto numbers = stablehlo::ScatterNumbersAttr::get(op->getContext(), windows, {}, {}, {}, scatter.getDims(), batch);
    auto made =
        stablehlo::ScatterOp::create(e.builder, e.loc, op->getResultTypes(), scatter.getX(), scatter.getIndices(),
                                     scatter.getUpdates(), numbers, false, scatter.getUnique());
    auto scalar = RankedTensorType::get({}, Algebra::elementOf(scatter.getX()));
    e.fillBody(made.getUpdateComputation(), {scalar, scalar},
               [](Exporter &inner, ValueRange xs) { return Algebra::Values{combine(inner, xs[0], xs[1])}; });
    results.push_back(made->getResult(0));
    return success();
  }
};

} // namespace

void attachIndexCounterparts(MLIRContext *c) {
  GatherOp::attachInterface<ExportGather>(*c);
  ScatterOp::attachInterface<ExportScatter<ScatterOp, replaced>>(*c);
  ScatterAddOp::attachInterface<ExportScatter<ScatterAddOp, reduced<kSum>>>(*c);
  ScatterMulOp::attachInterface<ExportScatter<ScatterMulOp, reduced<kProduct>>>(*c);
  ScatterMinOp::attachInterface<ExportScatter<ScatterMinOp, reduced<kMin>>>(*c);
  ScatterMaxOp::attachInterface<ExportScatter<ScatterMaxOp, reduced<kMax>>>(*c);
  stablehlo::GatherOp::attachInterface<ImportGather<stablehlo::GatherOp>>(*c);
  stablehlo::DynamicGatherOp::attachInterface<ImportGather<stablehlo::DynamicGatherOp>>(*c);
  stablehlo::ScatterOp::attachInterface<ImportScatter>(*c);
  stablehlo::DynamicSliceOp::attachInterface<ImportDynamicSlice>(*c);
  stablehlo::DynamicUpdateSliceOp::attachInterface<ImportDynamicUpdateSlice>(*c);
}

} // namespace dovetail
