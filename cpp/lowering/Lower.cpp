// The lowering pass, and the vocabulary in which lowerings are written.
#include "Buffers.h"
#include "HostCall.h"
#include "Iree.h"
#include "Lowering.h"
#include "Target.h"
#include "cpp/cost/Cost.h"
#include "cpp/linalg/Decompositions.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/HostFunction.h"
#include "dialects/Inference.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_LOWERPASS
#include "cpp/transforms/Passes.h.inc"

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<DovetailDialect, arith::ArithDialect, complex::ComplexDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerIreeDialects(registry);
  registerBufferization(registry);
  registerCosts(registry);
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *) {
    attachBarrierLowerings(context);
    attachCallbackLowerings(context);
    attachCollectiveLowerings(context);
    attachControlLowerings(context);
    attachConvLowerings(context);
    attachCreateLowerings(context);
    attachCumulativeLowerings(context);
    attachDecompositions(context);
    attachDotLowerings(context);
    attachFftLowerings(context);
    attachGatherLowerings(context);
    attachRandomLowerings(context);
    attachReduceLowerings(context);
    attachScatterLowerings(context);
    attachShapeLowerings(context);
    attachSizeLowerings(context);
    attachSortLowerings(context);
    attachWindowLowerings(context);
  });
}

//===- Vocabulary ------------------------------------------------------------===//

Type loweredType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return withElement(tensor, scalar::lowered(tensor.getElementType()));
  return type;
}

SmallVector<OpFoldResult> sizesOf(ImplicitLocOpBuilder &b, Value x) { return tensor::getMixedSizes(b, b.getLoc(), x); }

SmallVector<OpFoldResult> sizesOf(ImplicitLocOpBuilder &b, Type type, ValueRange dynamic) {
  return getMixedValues(cast<RankedTensorType>(type).getShape(), dynamic, b);
}

Value empty(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

Value filled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Value scalar) {
  return linalg::FillOp::create(b, scalar, empty(b, sizes, scalar.getType())).getResult(0);
}

Value parallelLoops(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Type element, ValueRange inputs,
                    ArrayRef<AffineMap> maps, function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value init = empty(b, sizes, element);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, init.getType(), inputs, init, allMaps, loops,
                                           [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             linalg::YieldOp::create(inner, loc, body(inner, loc, args.drop_back()));
                                           });
  return generic.getResult(0);
}

bool isWideComplex(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex && complex.getElementType().isF64();
}

Value joined(ImplicitLocOpBuilder &b, ComplexType element, function_ref<Value(bool)> part) {
  Value re = part(false), im = part(true);
  SmallVector<OpFoldResult> sizes = sizesOf(b, re);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(sizes.size()));
  return parallelLoops(b, sizes, element, {re, im}, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
    return complex::CreateOp::create(inner, loc, element, args[0], args[1]);
  });
}

Value filledAlone(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Value scalar) {
  if (isWideComplex(scalar.getType())) {
    Value wide = joined(b, cast<ComplexType>(scalar.getType()), [&](bool isImaginary) {
      return filled(b, sizes,
                    isImaginary ? complex::ImOp::create(b, scalar).getResult()
                                : complex::ReOp::create(b, scalar).getResult());
    });
    return computeBarrier(b, wide);
  }
  // A bool is stored as a byte, which the code generator forgets in from_elements.
  Type element = scalar.getType();
  bool isBool = element.isInteger(1);
  Value stored = isBool ? arith::ExtUIOp::create(b, b.getI8Type(), scalar).getResult() : scalar;
  Value one = tensor::FromElementsOp::create(b, RankedTensorType::get({}, stored.getType()), stored);
  return parallelLoops(b, sizes, element, one, AffineMap::get(sizes.size(), 0, b.getContext()),
                       [&](OpBuilder &inner, Location loc, ValueRange args) {
                         return isBool ? arith::TruncIOp::create(inner, loc, element, args[0]).getResult() : args[0];
                       });
}

Value mapElements(ImplicitLocOpBuilder &b, Value x, Type element,
                  function_ref<Value(OpBuilder &, Location, Value)> body) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  return parallelLoops(b, sizes, element, x, b.getMultiDimIdentityMap(sizes.size()),
                       [&](OpBuilder &inner, Location loc, ValueRange args) { return body(inner, loc, args[0]); });
}

Value asValue(ImplicitLocOpBuilder &b, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
}

Value sliced(ImplicitLocOpBuilder &b, Value x, int64_t dim, int64_t from, int64_t count) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x), starts(sizes.size(), b.getIndexAttr(0));
  if (getConstantIntValue(sizes[dim]) == count)
    return x;
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  starts[dim] = b.getIndexAttr(from);
  sizes[dim] = b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(b, x, starts, sizes, ones);
}

Value transposed(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  SmallVector<OpFoldResult> from = sizesOf(b, x);
  auto sizes = llvm::map_to_vector(order, [&](int64_t dim) { return from[dim]; });
  Value init = empty(b, sizes, getElementTypeOrSelf(x));
  return linalg::TransposeOp::create(b, x, init, order)->getResult(0);
}

/// Whether one element is computed of elements that slices take out of arrays, looking at `count` ops at most.
static bool isOfSlices(Value x, unsigned &count) {
  Operation *op = x.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!op || !type || !type.hasStaticShape() || type.getNumElements() != 1 || count == 0)
    return false;
  --count;
  if (isa<tensor::ExtractSliceOp>(op))
    return true;
  return isa<linalg::GenericOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return isOfSlices(operand, count); });
}

Value expandable(ImplicitLocOpBuilder &b, Value x) {
  unsigned count = 64;
  return isOfSlices(x, count) ? optimizationBarrier(b, x).front() : x;
}

Value elementAt(OpBuilder &b, Location loc, Value x, ArrayRef<Value> place) {
  auto slice = x.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank())
    return tensor::ExtractOp::create(b, loc, x, place);
  ImplicitLocOpBuilder body(loc, b);
  SmallVector<Value> source;
  for (auto [i, offset, stride] : llvm::zip_equal(place, slice.getMixedOffsets(), slice.getMixedStrides())) {
    Value distance = isOneInteger(stride) ? i : arith::MulIOp::create(body, i, asValue(body, stride));
    source.push_back(isZeroInteger(offset) ? distance
                                           : arith::AddIOp::create(body, asValue(body, offset), distance).getResult());
  }
  return elementAt(b, loc, slice.getSource(), source);
}

Value reversed(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  SmallVector<Value> last(sizes.size());
  for (int64_t dim : dims)
    last[dim] = arith::SubIOp::create(b, asValue(b, sizes[dim]), arith::ConstantIndexOp::create(b, 1));
  return parallelLoops(b, sizes, getElementTypeOrSelf(x), {}, {},
                       [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
                         SmallVector<Value> source;
                         for (auto [d, end] : llvm::enumerate(last)) {
                           Value i = linalg::IndexOp::create(inner, loc, d);
                           source.push_back(end ? arith::SubIOp::create(inner, loc, end, i).getResult() : i);
                         }
                         return elementAt(inner, loc, x, source);
                       });
}

Value converted(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
  if (from == to)
    return x;
  return mapElements(b, x, scalar::lowered(to), [&](OpBuilder &inner, Location loc, Value value) {
    scalar::ScalarBuilder builder(loc, inner, from);
    return scalar::convert(builder, value, to);
  });
}

Type accumulatorType(Type element) {
  auto real = dyn_cast<FloatType>(element);
  return real && real.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

Type sumType(Operation *op, Type element) {
  bool isWide = isa<FloatType>(element) && Target(op).isCpu();
  return isWide ? Float64Type::get(op->getContext()) : accumulatorType(element);
}

bool isShortSum(int64_t terms) {
  constexpr int64_t most = 64;
  return !ShapedType::isDynamic(terms) && terms <= most;
}

Type reductionType(Operation *op, Type element, int64_t terms) {
  bool isWide = isa<LinearOpInterface>(op) && !isShortSum(terms);
  return isWide ? sumType(op, element) : accumulatorType(element);
}

//===- The pass ----------------------------------------------------------------===//

static LogicalResult lowerOp(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values) {
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return values.lookup(operand); });
  SmallVector<Value> results;
  if (isForHost(op)) {
    if (failed(lowerToHostCall(op, b, operands, results)))
      return failure();
  } else if (auto stated = dyn_cast<LowerOpInterface>(op)) {
    if (failed(stated.lower(b, operands, results)))
      return failure();
  } else if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
    results.push_back(lowerPointwise(b, pointwise, operands));
  } else if (auto reduce = dyn_cast<ReduceOpInterface>(op)) {
    results.push_back(lowerReduce(b, reduce, operands[0]));
  } else if (!isa<DovetailDialect>(op->getDialect())) {
    b.clone(*op, values);
    return success();
  } else {
    return op->emitError() << "no lowering for '" << op->getName() << "'";
  }
  values.map(op->getResults(), results);
  return success();
}

LogicalResult lowerBody(ImplicitLocOpBuilder &b, Region &body, ValueRange arguments, SmallVectorImpl<Value> &results) {
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (Operation &op : opsOf(body)) {
    // What the code generator makes of it tells from which op it is.
    b.setLoc(NameLoc::get(op.getName().getIdentifier(), op.getLoc()));
    if (failed(lowerOp(b, &op, values)))
      return failure();
  }
  for (Value result : returned(body))
    results.push_back(values.lookup(result));
  return success();
}

static LogicalResult lowerFunction(func::FuncOp function) {
  if (failed(checkTransformable(function)) || failed(checkSizes(function)))
    return failure();
  Block &source = function.front();
  auto *target = new Block();
  function.getBody().push_back(target);
  for (BlockArgument argument : source.getArguments())
    target->addArgument(loweredType(argument.getType()), argument.getLoc());
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), target);
  SmallVector<Value> results;
  if (failed(lowerBody(b, function.getBody(), target->getArguments(), results)))
    return failure();
  func::ReturnOp::create(b, source.getTerminator()->getLoc(), results);
  source.dropAllReferences();
  source.erase();
  function.setFunctionType(b.getFunctionType(target->getArgumentTypes(), target->getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct LowerPass : impl::LowerPassBase<LowerPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(checked([&] { return lowerFunction(function); })))
        return signalPassFailure();
    orderHostCalls(getOperation());
    getOperation()->removeAttr(kHostLoops);
    getOperation()->removeAttr(kHostFunctions);
  }
};
} // namespace

} // namespace dovetail
