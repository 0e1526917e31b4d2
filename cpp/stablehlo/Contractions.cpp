// Counterparts of contractions and convolutions.
#include "Exporter.h"
#include "Families.h"
#include "dialects/Conv.h"
#include "dialects/Dot.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;
using Dims = SmallVector<int64_t>;

/// The operands in one element type, and the one in which products are formed and summed, if it is another.
TypeAttr elementOf(Importer &e, Operation *op, Value &lhs, Value &rhs) {
  Type ans = getElementTypeOrSelf(op->getResult(0)), x = Algebra::elementOf(lhs);
  if (x != Algebra::elementOf(rhs)) {
    lhs = e.convert(lhs, ans), rhs = e.convert(rhs, ans);
    return {};
  }
  return x == ans ? TypeAttr() : TypeAttr::get(ans);
}

/// A contraction of bools, of numbers here: whether any product is true.
Value contracted(Importer &e, Operation *op, function_ref<Value(Value lhs, Value rhs, TypeAttr element)> emit) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (!Algebra::elementOf(lhs).isInteger(1) || !Algebra::elementOf(rhs).isInteger(1)) {
    TypeAttr element = elementOf(e, op, lhs, rhs);
    return emit(lhs, rhs, element);
  }
  Type number = e.builder.getI32Type();
  Value count = emit(e.convert(lhs, number), e.convert(rhs, number), TypeAttr());
  return e.convert(count, getElementTypeOrSelf(op->getResult(0)));
}

struct ImportDot : Import<ImportDot, stablehlo::DotOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Dims none, last{cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 1}, first{0};
    results.push_back(contracted(e, op, [&](Value lhs, Value rhs, TypeAttr element) {
      return e.make<DotGeneralOp>(lhs, rhs, none, none, last, first, element);
    }));
    return success();
  }
};

struct ImportDotGeneral : Import<ImportDotGeneral, stablehlo::DotGeneralOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    stablehlo::DotNumbersAttr numbers = cast<stablehlo::DotGeneralOp>(op).getDotDimensionNumbers();
    results.push_back(contracted(e, op, [&](Value lhs, Value rhs, TypeAttr element) {
      return e.make<DotGeneralOp>(lhs, rhs, numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                                  numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions(),
                                  element);
    }));
    return success();
  }
};

/// The position of a label.
int64_t placeOf(ArrayRef<int64_t> labels, int64_t label) { return llvm::find(labels, label) - labels.begin(); }

/// Divides a dimension in groups, a dimension of their own before it.
Value grouped(Importer &e, Value x, int64_t dim, int64_t groups) {
  auto shape = llvm::to_vector(Algebra::typeOf(x).getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  return e.reshapedTo(x, shape);
}

/// Groups are a batch dimension, padding and dilation of the operand are those of an array.
struct ImportConvolution : Import<ImportConvolution, stablehlo::ConvolutionOp> {
  enum Label : int64_t { kOfBatch, kOfIn, kOfOut, kOfGroup, kOfWindow };

  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(contracted(e, op, [&](Value lhs, Value rhs, TypeAttr element) {
      return convolved(e, cast<stablehlo::ConvolutionOp>(op), lhs, rhs, element);
    }));
    return success();
  }

  static Value convolved(Importer &e, stablehlo::ConvolutionOp conv, Value lhs, Value rhs, TypeAttr element) {
    stablehlo::ConvNumbersAttr numbers = conv.getDimensionNumbers();
    unsigned spatial = numbers.getLhs().size() - 2;
    auto listed = [&](std::optional<ArrayRef<int64_t>> list) { return list ? Dims(*list) : Dims(spatial, 1); };

    Dims low(spatial + 2, 0), high = low, interior = low, backwards;
    Dims dilation = listed(conv.getLhsDilation());
    for (unsigned i = 0; i < spatial; ++i) {
      int64_t dim = placeOf(numbers.getLhs(), i);
      interior[dim] = dilation[i] - 1;
      if (auto padding = conv.getPadding()) {
        auto pads = padding->getValues<int64_t>();
        low[dim] = pads[2 * i], high[dim] = pads[2 * i + 1];
      }
      if (auto reversal = conv.getWindowReversal(); reversal && (*reversal)[i])
        backwards.push_back(placeOf(numbers.getRhs(), i));
    }
    lhs = e.pad(lhs, e.number(lhs, 0), low, high, interior);
    if (!backwards.empty())
      rhs = e.backwards(rhs, backwards);

    auto labels = [](ArrayRef<int64_t> list, int64_t batch, int64_t feature) {
      return llvm::map_to_vector(list, [&](int64_t label) {
        return label == stablehlo::kBatch ? batch : label == stablehlo::kFeature ? feature : kOfWindow + label;
      });
    };
    Dims ofLhs = labels(numbers.getLhs(), kOfBatch, kOfIn), ofRhs = labels(numbers.getRhs(), kOfOut, kOfIn);
    Dims ofAns = labels(numbers.getAns(), kOfBatch, kOfOut);
    int64_t features = conv.getFeatureGroupCount(), batches = conv.getBatchGroupCount(), groups = features * batches;
    if (groups != 1) {
      auto divide = [&](Value x, Dims &list, Label label) {
        int64_t dim = placeOf(list, label);
        list.insert(list.begin() + dim, kOfGroup);
        return x ? grouped(e, x, dim, groups) : x;
      };
      lhs = divide(lhs, ofLhs, features != 1 ? kOfIn : kOfBatch);
      rhs = divide(rhs, ofRhs, kOfOut);
      divide({}, ofAns, kOfOut);
    }
    Dims windows;
    for (unsigned i = 0; i < spatial; ++i)
      windows.push_back(kOfWindow + i);
    Value ans = e.make<ConvOp>(lhs, rhs, ofLhs, ofRhs, ofAns, windows, listed(conv.getWindowStrides()),
                               listed(conv.getRhsDilation()), element);
    if (groups != 1) {
      auto shape = llvm::to_vector(Algebra::typeOf(ans).getShape());
      int64_t dim = placeOf(ofAns, kOfGroup);
      shape[dim + 1] *= shape[dim];
      shape.erase(shape.begin() + dim);
      ans = e.reshapedTo(ans, shape);
    }
    return ans;
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// No less precise than numbers of the element type are.
ArrayAttr highest(Operation *op) {
  auto precision = stablehlo::PrecisionAttr::get(op->getContext(), stablehlo::Precision::HIGHEST);
  return ArrayAttr::get(op->getContext(), {precision, precision});
}

struct ExportDotGeneral : Export<ExportDotGeneral, DotGeneralOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto dot = cast<DotGeneralOp>(op);
    auto numbers = stablehlo::DotNumbersAttr::get(op->getContext(), dot.getLhsBatch(), dot.getRhsBatch(),
                                                  dot.getLhsContract(), dot.getRhsContract());
    results.push_back(e.theirs<stablehlo::DotGeneralOp>(op->getResult(0).getType(), dot.getLhs(), dot.getRhs(), numbers,
                                                        highest(op), stablehlo::DotAlgorithmAttr()));
    return success();
  }
};

/// All dimensions of one kind become one, in the order (batch, features, windows): groups are divided from features.
struct ExportConv : Export<ExportConv, ConvOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    if (failed(requireSizes(op)))
      return failure();
    auto conv = cast<ConvOp>(op);
    ArrayRef<int64_t> ofLhs = conv.getLhsDims(), ofRhs = conv.getRhsDims(), ofAns = conv.getAnsDims();
    ArrayRef<int64_t> windows = conv.getWindows();
    Dims batch, groups, ins, outs;
    for (int64_t label : ofLhs) {
      bool isInRhs = llvm::is_contained(ofRhs, label), isInAns = llvm::is_contained(ofAns, label);
      if (!llvm::is_contained(windows, label))
        (isInRhs ? isInAns ? groups : ins : batch).push_back(label);
    }
    for (int64_t label : ofRhs)
      if (!llvm::is_contained(windows, label) && !llvm::is_contained(ofLhs, label))
        outs.push_back(label);
    // An array's dimensions in that order, of which those of each list become one.
    auto arranged = [&](Value x, ArrayRef<int64_t> labels, ArrayRef<Dims> lists) {
      Dims order, shape;
      auto size = [&](int64_t label) { return Algebra::sizeOf(x, placeOf(labels, label)); };
      for (const Dims &list : lists) {
        shape.push_back(1);
        for (int64_t label : list) {
          order.push_back(placeOf(labels, label));
          shape.back() *= size(label);
        }
      }
      for (int64_t label : windows) {
        order.push_back(placeOf(labels, label));
        shape.push_back(size(label));
      }
      return e.reshapedTo(e.transpose(x, order), shape);
    };
    auto joined = [](const Dims &first, const Dims &second) {
      Dims all(first);
      llvm::append_range(all, second);
      return all;
    };
    Value lhs = arranged(conv.getLhs(), ofLhs, {batch, joined(groups, ins)});
    Value rhs = arranged(conv.getRhs(), ofRhs, {joined(groups, outs), ins});

    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Dims order = joined(joined(batch, groups), outs), shape{Algebra::sizeOf(lhs, 0), Algebra::sizeOf(rhs, 0)}, full;
    llvm::append_range(order, windows);
    for (int64_t label : order)
      full.push_back(type.getDimSize(placeOf(ofAns, label)));
    for (int64_t label : windows)
      shape.push_back(type.getDimSize(placeOf(ofAns, label)));
    int64_t count = 1;
    for (int64_t label : groups)
      count *= Algebra::sizeOf(conv.getLhs(), placeOf(ofLhs, label));
    Dims labels{stablehlo::kBatch, stablehlo::kFeature}, zeros(2 * windows.size(), 0);
    for (size_t i = 0; i < windows.size(); ++i)
      labels.push_back(i);
    auto b = e.builder;
    auto pads = DenseIntElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(windows.size()), 2}, b.getI64Type()), zeros);
    Value ans = e.theirs<stablehlo::ConvolutionOp>(
        type.clone(shape), lhs, rhs, b.getDenseI64ArrayAttr(conv.getStrides()), pads, DenseI64ArrayAttr(),
        b.getDenseI64ArrayAttr(conv.getDilations()), DenseBoolArrayAttr(),
        stablehlo::ConvNumbersAttr::get(op->getContext(), labels, labels, labels), count, 1, highest(op));
    auto permutation = llvm::map_to_vector(ofAns, [&](int64_t label) { return placeOf(order, label); });
    results.push_back(e.transpose(e.reshapedTo(ans, full), permutation));
    return success();
  }
};

} // namespace

void attachContractionCounterparts(MLIRContext *c) {
  stablehlo::DotOp::attachInterface<ImportDot>(*c);
  stablehlo::DotGeneralOp::attachInterface<ImportDotGeneral>(*c);
  stablehlo::ConvolutionOp::attachInterface<ImportConvolution>(*c);
  DotGeneralOp::attachInterface<ExportDotGeneral>(*c);
  ConvOp::attachInterface<ExportConv>(*c);
}

} // namespace dovetail
