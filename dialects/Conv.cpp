// The convolution: inference, transposes, batching and factor map.
#include "Conv.h"
#include "Inference.h"
#include "Shape.h"
#include "Window.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Conv.cpp.inc"

namespace dovetail {

void registerConvOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Conv.cpp.inc"
      >();
}

using Dims = SmallVector<int64_t>;

/// The position of a label among those of an array; -1 if there is none.
static int64_t find(ArrayRef<int64_t> labels, int64_t label) {
  const auto *place = llvm::find(labels, label);
  return place == labels.end() ? -1 : place - labels.begin();
}

static int64_t sizeOf(Value x, int64_t dimension) { return cast<RankedTensorType>(x.getType()).getDimSize(dimension); }

//===- Inference -----------------------------------------------------------------===//

static LogicalResult verifyLabels(std::optional<Location> loc, ConvOp::Adaptor op) {
  StringRef name = ConvOp::getOperationName();
  // The check takes time and memory proportional to the largest label, which is therefore bounded by the number of
  // dimensions.
  int64_t bound = 0, most = op.getLhsDims().size() + op.getRhsDims().size() + op.getAnsDims().size();
  for (ArrayRef<int64_t> labels : {op.getLhsDims(), op.getRhsDims(), op.getAnsDims()})
    for (int64_t label : labels)
      bound = std::max(bound, std::min(label, most - 1) + 1);
  for (auto [what, operand, labels] :
       {std::tuple("lhs_dims", op.getLhs(), op.getLhsDims()), std::tuple("rhs_dims", op.getRhs(), op.getRhsDims())}) {
    if (static_cast<int64_t>(labels.size()) != cast<RankedTensorType>(operand.getType()).getRank())
      return emitOptionalError(loc, "'", name, "' op ", what, " must have one label for each dimension of ",
                               operand.getType(), ", got: ", labels.size());
    if (failed(verifyDims(loc, name, what, labels, bound, false)))
      return failure();
  }
  if (failed(verifyDims(loc, name, "ans_dims", op.getAnsDims(), bound, false)) ||
      failed(verifyDims(loc, name, "windows", op.getWindows(), bound, false)))
    return failure();
  for (int64_t label = 0; label < bound; ++label) {
    int64_t count = 0;
    for (ArrayRef<int64_t> labels : {op.getLhsDims(), op.getRhsDims(), op.getAnsDims()})
      count += find(labels, label) >= 0;
    bool isWindow = find(op.getWindows(), label) >= 0;
    if (isWindow ? count != 3 : count == 1)
      return emitOptionalError(loc, "'", name, "' op label ", label, " must be in ",
                               isWindow ? "both operands and the result" : "two or three of operands and result",
                               ", got: ", count);
  }
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
  ArrayRef<int64_t> lhsDims = adaptor.getLhsDims(), rhsDims = adaptor.getRhsDims();
  if (getElementTypeOrSelf(lhs) != getElementTypeOrSelf(rhs))
    return emitOptionalError(loc, "'dovetail.conv' op operands must have one element type, got: ", lhs.getType(),
                             " and ", rhs.getType());
  if (failed(verifyLabels(loc, adaptor)))
    return failure();
  if (adaptor.getStrides().size() != adaptor.getWindows().size() ||
      adaptor.getDilations().size() != adaptor.getWindows().size())
    return emitOptionalError(loc, "'dovetail.conv' op must have one stride and dilation for each of ",
                             adaptor.getWindows().size(), " windows, got: ", adaptor.getStrides().size(), " and ",
                             adaptor.getDilations().size());
  for (ArrayRef<int64_t> values : {adaptor.getStrides(), adaptor.getDilations()})
    for (int64_t value : values)
      if (value < 1)
        return emitOptionalError(loc, "'dovetail.conv' op strides and dilations must be at least 1, got: ", value);
  for (auto [l, label] : llvm::enumerate(lhsDims))
    if (int64_t r = find(rhsDims, label); r >= 0 && find(adaptor.getWindows(), label) < 0)
      if (!canBeEqual(sizeOf(lhs, l), sizeOf(rhs, r)))
        return emitOptionalError(loc, "'dovetail.conv' op sizes of label ", label, " must match, got: ", sizeOf(lhs, l),
                                 " and ", sizeOf(rhs, r));
  Dims shape;
  for (int64_t label : adaptor.getAnsDims()) {
    int64_t l = find(lhsDims, label), r = find(rhsDims, label), w = find(adaptor.getWindows(), label);
    if (w >= 0) {
      Windows window{{sizeOf(rhs, r)}, {adaptor.getStrides()[w]}, {adaptor.getDilations()[w]}};
      shape.push_back(window.count(sizeOf(lhs, l), 0));
    } else {
      shape.push_back(l < 0 || (r >= 0 && ShapedType::isDynamic(sizeOf(lhs, l))) ? sizeOf(rhs, r) : sizeOf(lhs, l));
    }
  }
  std::optional<Type> element = adaptor.getElement();
  types.push_back(RankedTensorType::get(shape, element ? *element : getElementTypeOrSelf(lhs)));
  return success();
}

Value ConvOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  int64_t label = getAnsDims()[dimension], w = find(getWindows(), label);
  int64_t kernel = sizeOf(getRhs(), find(getRhsDims(), label));
  if (ShapedType::isDynamic(kernel)) {
    emitError() << "no size of the result of 'dovetail.conv' with a kernel of unknown size";
    return nullptr;
  }
  return Windows{{kernel}, {getStrides()[w]}, {getDilations()[w]}}.count(e, e.size(getLhs(), find(getLhsDims(), label)),
                                                                         0);
}

FactorMap ConvOp::factorMap() {
  FactorMap map;
  auto factors = [&](ArrayRef<int64_t> labels) {
    return llvm::map_to_vector(labels,
                               [&](int64_t label) { return find(getWindows(), label) < 0 ? label : FactorMap::kNone; });
  };
  map.operands = {factors(getLhsDims()), factors(getRhsDims())};
  map.results = {factors(getAnsDims())};
  for (int64_t label : getLhsDims())
    if (find(getAnsDims(), label) < 0)
      map.reduced.push_back(label);
  map.combiner = FactorMap::Combiner::Sum;
  for (int64_t label : getWindows())
    map.carried.push_back({0, find(getLhsDims(), label), 0, find(getAnsDims(), label)});
  return map;
}

//===- Transposes ------------------------------------------------------------------===//

OperandSets ConvOp::linearSets() { return {{0}, {1}}; }

/// The windows that slide along `lhs`, in the order of the dimensions of the result.
static Windows windowsOf(ConvOp op) {
  int64_t rank = op.getAnsDims().size();
  Windows windows{Dims(rank, 1), Dims(rank, 1), Dims(rank, 1)};
  for (auto [label, stride, dilation] : llvm::zip_equal(op.getWindows(), op.getStrides(), op.getDilations())) {
    int64_t d = find(op.getAnsDims(), label);
    windows.window[d] = sizeOf(op.getRhs(), find(op.getRhsDims(), label));
    windows.strides[d] = stride;
    windows.dilations[d] = dilation;
  }
  return windows;
}

/// The kernel, reversed, slides along the cotangent, whose elements are as far apart as the windows were.
static Value cotangentOfLhs(Emitter &e, ConvOp op, Value rhs, Value ct) {
  Windows windows = windowsOf(op);
  Value lhs = op.getLhs();
  // Windows without elements read nothing.
  if (llvm::is_contained(windows.window, 0))
    return e.zeros(withElement(lhs.getType(), getElementTypeOrSelf(ct)), e.sizes(lhs));
  Dims whole(cast<RankedTensorType>(ct.getType()).getShape());
  auto place = [&](int64_t d) { return find(op.getLhsDims(), op.getAnsDims()[d]); };
  auto isSliding = [&](int64_t d) { return find(op.getWindows(), op.getAnsDims()[d]) >= 0; };
  for (auto [d, size] : llvm::enumerate(whole))
    if (isSliding(d))
      size = sizeOf(lhs, place(d));
  Value nothing = e.full(RankedTensorType::get({}, getElementTypeOrSelf(ct)), {}, 0);
  Value spread = windows.spread(e, ct, nothing, whole,
                                [&](int64_t d) { return isSliding(d) ? e.size(lhs, place(d)) : e.size(ct, d); });
  auto reversed = llvm::map_to_vector(op.getWindows(), [&](int64_t label) { return find(op.getRhsDims(), label); });
  Value kernel = e.convert(e.make<ReverseOp>(rhs, reversed), getElementTypeOrSelf(ct));
  Dims ones(reversed.size(), 1);
  return e.make<ConvOp>(spread, kernel, op.getAnsDims(), op.getRhsDims(), op.getLhsDims(), op.getWindows(), ones,
                        op.getDilations(), TypeAttr());
}

/// The cotangent slides along `lhs` with strides and dilations exchanged. If the windows did not reach its end, there
/// are more positions than the kernel has, and if there was no window, there may be fewer.
static Value cotangentOfRhs(Emitter &e, ConvOp op, Value lhs, Value ct) {
  Value whole = e.make<ConvOp>(e.convert(lhs, getElementTypeOrSelf(ct)), ct, op.getLhsDims(), op.getAnsDims(),
                               op.getRhsDims(), op.getWindows(), op.getDilations(), op.getStrides(), TypeAttr());
  auto type = withElement(op.getRhs().getType(), getElementTypeOrSelf(ct));
  Value nothing = e.full(RankedTensorType::get({}, type.getElementType()), {}, 0);
  Dims none(type.getRank(), 0);
  return e.make<PadOp>(type, whole, nothing, none, none, e.sizes(op.getRhs()));
}

LogicalResult ConvOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  if (llvm::is_contained(windowsOf(*this).window, ShapedType::kDynamic))
    return emitError() << "no transpose rule for 'dovetail.conv' with a kernel of unknown size";
  bool isLhs = !operands[0];
  Value ct = isLhs ? cotangentOfLhs(e, *this, operands[1], cotangents[0])
                   : cotangentOfRhs(e, *this, operands[0], cotangents[0]);
  operandCotangents[isLhs ? 0 : 1] = e.convert(ct, getElementTypeOrSelf(getLhs()));
  return success();
}

//===- Batching ----------------------------------------------------------------------===//

LogicalResult ConvOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  int64_t label = 0;
  for (ArrayRef<int64_t> labels : {getLhsDims(), getRhsDims()})
    for (int64_t used : labels)
      label = std::max(label, used + 1);
  auto labelled = [&](ArrayRef<int64_t> labels, int64_t dim) {
    return dim == kUnbatched ? Dims(labels) : inserted(labels, dim, label);
  };
  results.push_back(e.make<ConvOp>(operands[0], operands[1], labelled(getLhsDims(), dims[0]),
                                   labelled(getRhsDims(), dims[1]), labelled(getAnsDims(), 0), getWindows(),
                                   getStrides(), getDilations(), getElementAttr()));
  resultDims.push_back(0);
  return success();
}

} // namespace dovetail
