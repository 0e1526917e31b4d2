// The rules that are derived for whole kinds of ops, and the choice between derived and stated ones.
#include "Dialect.h"
#include "Inference.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

//===- Types ---------------------------------------------------------------===//

bool isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType, ComplexType>(tensor.getElementType());
}

Type realElement(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

Type boolElement(Type element) { return IntegerType::get(element.getContext(), 1); }

RankedTensorType withElement(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(), element);
}

RankedTensorType withShape(Type type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, cast<RankedTensorType>(type).getElementType());
}

RankedTensorType permuted(Type type, ArrayRef<int64_t> permutation) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return withShape(type, llvm::map_to_vector(permutation, [&](int64_t dim) { return shape[dim]; }));
}

SmallVector<Value> permutedSizes(RankedTensorType type, ValueRange sizes, ArrayRef<int64_t> permutation) {
  SmallVector<Value> result;
  for (int64_t dim : permutation)
    if (type.isDynamicDim(dim))
      result.push_back(sizes[type.getDynamicDimIndex(dim)]);
  return result;
}

RankedTensorType withDim(Type type, int64_t position, int64_t size) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  shape.insert(shape.begin() + position, size);
  return withShape(type, shape);
}

//===- Lists of dimensions -----------------------------------------------------===//

SmallVector<int64_t> range(int64_t begin, int64_t end) { return llvm::to_vector(llvm::seq<int64_t>(begin, end)); }

SmallVector<int64_t> shifted(ArrayRef<int64_t> dims, int64_t position) {
  if (position == kUnbatched)
    return SmallVector<int64_t>(dims);
  return llvm::map_to_vector(dims, [&](int64_t dim) { return dim + (dim >= position ? 1 : 0); });
}

SmallVector<int64_t> inserted(ArrayRef<int64_t> values, int64_t position, int64_t value) {
  SmallVector<int64_t> result(values);
  result.insert(result.begin() + position, value);
  return result;
}

//===- Inference and verification --------------------------------------------===//

LogicalResult inferPointwise(std::optional<Location> loc, StringRef name, ValueRange operands, unsigned from,
                             llvm::function_ref<Type(Type)> element, SmallVectorImpl<Type> &types) {
  if (failed(verifyArrays(loc, name, operands)))
    return failure();
  auto type = cast<RankedTensorType>(operands[from].getType());
  for (Value operand : operands)
    if (cast<RankedTensorType>(operand.getType()).getShape() != type.getShape())
      return emitOptionalError(loc, "'", name, "' op operands must have one shape, got: ", type, " and ",
                               operand.getType());
  types.push_back(withElement(type, element(type.getElementType())));
  return success();
}

LogicalResult verifyDims(std::optional<Location> loc, StringRef name, StringRef what, ArrayRef<int64_t> dims,
                         int64_t rank, bool increasing) {
  llvm::SmallBitVector seen(rank);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(loc, "'", name, "' op ", what, " must be at least 0 and less than ", rank,
                               ", got: ", dim);
    if (seen.test(dim))
      return emitOptionalError(loc, "'", name, "' op ", what, " must be distinct, got: ", dim, " twice");
    if (increasing && i > 0 && dims[i - 1] > dim)
      return emitOptionalError(loc, "'", name, "' op ", what, " must be increasing, got: ", dims[i - 1], " before ",
                               dim);
    seen.set(dim);
  }
  return success();
}

LogicalResult verifySizes(Operation *op, Type result, ValueRange sizes) {
  int64_t expected = cast<RankedTensorType>(result).getNumDynamicDims();
  if (expected != static_cast<int64_t>(sizes.size()))
    return op->emitOpError() << "must have one size for each '?' of " << result << ", got: " << sizes.size();
  return success();
}

bool canBeEqual(int64_t a, int64_t b) { return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b); }

//===- Factor maps -------------------------------------------------------------===//

FactorMap pointwiseFactorMap(Operation *op) {
  FactorMap map;
  auto identity = [](Value v) {
    return llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(v.getType()).getRank()));
  };
  for (Value operand : op->getOperands())
    map.operands.push_back(identity(operand));
  for (Value result : op->getResults())
    map.results.push_back(identity(result));
  return map;
}

std::optional<FactorMap> factorMap(Operation *op) {
  if (auto stated = dyn_cast<DimsOpInterface>(op))
    return stated.factorMap();
  if (isa<PointwiseOpInterface>(op))
    return pointwiseFactorMap(op);
  return std::nullopt;
}

bool FactorMap::isDivisible(int64_t factor) const {
  if (factor == kNone || llvm::is_contained(indivisible, factor) || llvm::is_contained(selected, factor))
    return false;
  if (llvm::is_contained(reduced, factor))
    return combiner != Combiner::None;
  // Of an operand's dimension that is regrouped or cut, no result has a part.
  return llvm::any_of(results, [&](ArrayRef<int64_t> dims) { return llvm::is_contained(dims, factor); });
}

void FactorMap::carry(int64_t dim) {
  for (auto [i, from] : llvm::enumerate(operands))
    for (auto [j, to] : llvm::enumerate(results))
      if (dim < static_cast<int64_t>(from.size()) && from.size() == to.size())
        carried.push_back({static_cast<unsigned>(i), dim, static_cast<unsigned>(j), dim});
}

DimSource sizeSource(Value array, int64_t dimension) {
  auto result = dyn_cast<OpResult>(array);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.getType()).getShape();
  if (auto sized = dyn_cast<SizedOpInterface>(op))
    return {sized.getSizes()[llvm::count_if(shape.take_front(dimension), ShapedType::isDynamic)], {}};
  std::optional<FactorMap> map = factorMap(op);
  int64_t factor = map ? map->results[result.getResultNumber()][dimension] : FactorMap::kNone;
  if (factor != FactorMap::kNone)
    for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), map->operands))
      if (auto *it = llvm::find(factors, factor); it != factors.end())
        if (int64_t source = it - factors.begin(); cast<RankedTensorType>(operand.getType()).isDynamicDim(source))
          return {operand, source};
  return {};
}

//===- Derived rules -------------------------------------------------------------===//

Operation *cloneWith(Emitter &e, Operation *op, ValueRange operands, TypeRange types) {
  OperationState state(e.loc, op->getName(), operands, types, llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions()) {
    IRMapping values;
    region.cloneInto(state.addRegion(), values);
  }
  return e.builder.create(state);
}

bool isWithinOne(const llvm::SmallBitVector &active, const OperandSets &sets) {
  return llvm::any_of(sets, [&](ArrayRef<unsigned> set) {
    return llvm::all_of(active.set_bits(), [&](unsigned i) { return llvm::is_contained(set, i); });
  });
}

static LogicalResult missingRule(Operation *op, StringRef kind) {
  return op->emitError() << "no " << kind << " rule for '" << op->getName() << "'";
}

static llvm::SmallBitVector presentIn(ArrayRef<Value> values) {
  llvm::SmallBitVector present(values.size());
  for (auto [i, value] : llvm::enumerate(values))
    present[i] = static_cast<bool>(value);
  return present;
}

static LogicalResult jvpOfPointwise(PointwiseOpInterface op, Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                    SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Operation *clone = cloneWith(e, op, primals, op->getResultTypes());
  Value ans = clone->getResult(0), sum;
  results.push_back(ans);
  for (auto [i, tangent] : llvm::enumerate(tangents))
    if (tangent)
      sum = e.add(sum, op.tangent(e, i, tangent, primals, ans));
  resultTangents.push_back(sum);
  return success();
}

static LogicalResult jvpOfLinear(LinearOpInterface op, Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  OperandSets sets = op.linearSets();
  llvm::SmallBitVector uncovered = presentIn(tangents);
  for (ArrayRef<unsigned> set : sets)
    for (unsigned i : set)
      uncovered.reset(i);
  if (uncovered.any())
    return missingRule(op, "jvp");
  Operation *clone = cloneWith(e, op, primals, op->getResultTypes());
  llvm::append_range(results, clone->getResults());
  SmallVector<Value> sums(op->getNumResults());
  for (ArrayRef<unsigned> set : sets) {
    if (llvm::none_of(set, [&](unsigned i) { return static_cast<bool>(tangents[i]); }))
      continue;
    SmallVector<Value> operands(primals);
    for (unsigned i : set)
      operands[i] =
          tangents[i] ? tangents[i] : e.zeros(cast<RankedTensorType>(primals[i].getType()), e.sizes(primals[i]));
    Operation *term = cloneWith(e, op, operands, op->getResultTypes());
    for (auto [sum, tangent] : llvm::zip_equal(sums, term->getResults()))
      sum = e.add(sum, tangent);
  }
  llvm::append_range(resultTangents, sums);
  return success();
}

LogicalResult applyJvp(Operation *op, Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                       SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  if (llvm::none_of(op->getResultTypes(), isDifferentiable) && !e.transforms().hasEffects(op)) {
    llvm::append_range(results, cloneWith(e, op, primals, op->getResultTypes())->getResults());
    resultTangents.resize(resultTangents.size() + op->getNumResults());
    return success();
  }
  return checked([&] {
    if (auto stated = dyn_cast<JvpOpInterface>(op))
      return stated.jvp(e, primals, tangents, results, resultTangents);
    if (auto pointwise = dyn_cast<PointwiseOpInterface>(op))
      return jvpOfPointwise(pointwise, e, primals, tangents, results, resultTangents);
    if (auto linear = dyn_cast<LinearOpInterface>(op))
      return jvpOfLinear(linear, e, primals, tangents, results, resultTangents);
    return missingRule(op, "jvp");
  });
}

LogicalResult applyTranspose(Operation *op, Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                             MutableArrayRef<Value> operandCotangents) {
  llvm::SmallBitVector linear(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands))
    linear[i] = !operand;
  auto checkLinear = [&](const OperandSets &sets) -> LogicalResult {
    if (isWithinOne(linear, sets))
      return success();
    return op->emitError() << "'" << op->getName() << "' is not linear in its operands that are to be transposed";
  };
  if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
    if (failed(checkLinear(pointwise.linearSets())))
      return failure();
    return checked([&] {
      for (unsigned i : linear.set_bits())
        operandCotangents[i] = pointwise.cotangent(e, i, cotangents[0], operands);
      return success();
    });
  }
  if (auto stated = dyn_cast<LinearOpInterface>(op)) {
    if (failed(checkLinear(stated.linearSets())))
      return failure();
    return checked([&] { return stated.transpose(e, operands, cotangents, operandCotangents); });
  }
  return missingRule(op, "transpose");
}

static LogicalResult batchPointwise(Operation *op, Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                    SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  Type type = withDim(op->getResult(0).getType(), position, e.batchSize);
  results.push_back(cloneWith(e, op, batched, type)->getResult(0));
  resultDims.push_back(position);
  return success();
}

LogicalResult applyBatch(Operation *op, Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                         SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return checked([&] {
    if (auto stated = dyn_cast<BatchOpInterface>(op))
      return stated.batch(e, operands, dims, results, resultDims);
    if (isa<PointwiseOpInterface>(op))
      return batchPointwise(op, e, operands, dims, results, resultDims);
    return missingRule(op, "batching");
  });
}

} // namespace dovetail
