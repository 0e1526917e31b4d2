// Control flow: shared parts of its ops, and verification.
#include "Control.h"
#include "Create.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

//===- Text ---------------------------------------------------------------------===//

/// Names of a body are its own: MLIR's parser would crash if a body that cannot be parsed defined one used around it.
static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  return parser.parseRegion(body, /*arguments=*/{}, /*enableNameShadowing=*/true);
}

static void printBody(OpAsmPrinter &printer, Operation *, Region &body) { printer.printRegion(body); }

static ParseResult parseBodies(OpAsmParser &parser, SmallVectorImpl<std::unique_ptr<Region>> &bodies) {
  return parser.parseCommaSeparatedList([&] {
    bodies.push_back(std::make_unique<Region>());
    return parseBody(parser, *bodies.back());
  });
}

static void printBodies(OpAsmPrinter &printer, Operation *op, MutableArrayRef<Region> bodies) {
  llvm::interleaveComma(bodies, printer, [&](Region &body) { printBody(printer, op, body); });
}

#include "dialects/ControlInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Control.cpp.inc"

namespace dovetail {

void registerControlOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Control.cpp.inc"
      >();
}

//===- Bodies -------------------------------------------------------------------===//

void forEachSource(Operation *op, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &operand : op->getOpOperands())
    visit(operand);
  for (Region &body : op->getRegions())
    for (OpOperand &operand : body.front().getTerminator()->getOpOperands())
      visit(operand);
}

void fill(Region &region, Body body) {
  OpBuilder builder = body.builder();
  YieldOp::create(builder, body.loc, body.results);
  region.takeBody(*body.region);
}

Body copyOf(Region &source) {
  Body body(locOf(source), source.getArgumentTypes());
  OpBuilder builder = body.builder();
  body.results = inlineBody(builder, source, body.arguments());
  return body;
}

SmallVector<Value> addArguments(Block &block, unsigned position, ValueRange values) {
  SmallVector<Value> added;
  for (Value value : values)
    added.push_back(block.insertArgument(position++, value.getType(), value.getLoc()));
  return added;
}

void threadBody(Region &body, unsigned argument, unsigned result, ValueRange values, ThroughBody through) {
  Block &block = body.front();
  SmallVector<Value> last = through(block, addArguments(block, argument, values));
  block.getTerminator()->insertOperands(result, last);
}

SmallVector<Value> replaceThreaded(Operation *op, Operation *made, unsigned position, unsigned count) {
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made->removeDiscardableAttr(kMasked);
  SmallVector<Value> results(made->getResults());
  SmallVector<Value> threaded(ArrayRef<Value>(results).slice(position, count));
  results.erase(results.begin() + position, results.begin() + position + count);
  op->replaceAllUsesWith(results);
  op->erase();
  return threaded;
}

void BodyEmitter::findBatchSize(ValueRange arguments, ArrayRef<int64_t> dims) {
  if (!ShapedType::isDynamic(batchSize))
    return;
  for (auto [argument, dim] : llvm::zip(arguments, dims))
    if (dim != kUnbatched) {
      batchSizeValue = size(argument, dim);
      return;
    }
}

//===- Lists of values in groups ---------------------------------------------------===//

SmallVector<Value> pick(ValueRange values, ArrayRef<unsigned> numbers) {
  return llvm::map_to_vector(numbers, [&](unsigned number) { return Value(values[number]); });
}

SmallVector<Value> pick(ValueRange values, const llvm::SmallBitVector &mask) {
  SmallVector<Value> picked;
  for (unsigned i : mask.set_bits())
    picked.push_back(values[i]);
  return picked;
}

void scatterTo(ValueRange some, const llvm::SmallBitVector &mask, MutableArrayRef<Value> all) {
  for (auto [value, i] : llvm::zip_equal(some, mask.set_bits()))
    all[i] = value;
}

llvm::SmallBitVector present(ValueRange values) {
  llvm::SmallBitVector mask(values.size());
  for (auto [i, value] : llvm::enumerate(values))
    mask[i] = static_cast<bool>(value);
  return mask;
}

SmallVector<Value> presentOf(ValueRange values) { return pick(values, present(values)); }

llvm::SmallBitVector bitsOf(const llvm::SmallBitVector &mask, unsigned from, unsigned count) {
  llvm::SmallBitVector bits(count);
  for (unsigned i = 0; i < count; ++i)
    bits[i] = mask.test(from + i);
  return bits;
}

LogicalResult growCarries(llvm::SmallBitVector &mask,
                          function_ref<FailureOr<llvm::SmallBitVector>(const llvm::SmallBitVector &)> step) {
  while (true) {
    FailureOr<llvm::SmallBitVector> marked = step(mask);
    if (failed(marked))
      return failure();
    llvm::SmallBitVector before = mask;
    for (unsigned i : marked->set_bits())
      mask.set(i);
    if (mask == before)
      return success();
  }
}

SmallVector<Value> sizesOfSlice(Emitter &e, Value operand, bool isSliced) {
  SmallVector<Value> sizes;
  // The number of slices may depend on what does not exist where only sizes are computed.
  if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
    for (int64_t d = isSliced; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(e.size(operand, d));
  return sizes;
}

FailureOr<Body> sizesIn(Emitter &e, Body &body, ValueRange values, const llvm::SmallBitVector &absent) {
  Body copy(body.loc, body.block().getArgumentTypes());
  OpBuilder builder = copy.builder();
  copy.results = inlineBody(builder, body.block(), values, copy.arguments());
  Region region;
  fill(region, std::move(copy));
  return e.transforms().sizes(region, absent);
}

Value sizeOfBodyResult(Emitter &e, Operation *op, Region &body, ValueRange arguments, unsigned result,
                       int64_t dimension) {
  // A size that depends on elements of the body's arguments differs between iterations, so these elements are absent.
  llvm::SmallBitVector absent(body.getNumArguments());
  for (BlockArgument argument : body.getArguments())
    absent[argument.getArgNumber()] = isa<RankedTensorType>(argument.getType());
  auto made = e.transforms().sizes(body, absent);
  if (failed(made))
    return nullptr;
  return inlineBody(e.builder, *made, arguments)[sizePosition(returned(body), result, dimension)];
}

Value selectLeading(Emitter &e, Value p, Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType()), bools = withElement(type, boolElement(type.getElementType()));
  int64_t rank = cast<RankedTensorType>(p.getType()).getRank();
  if (rank != type.getRank())
    p = e.broadcast(p, range(0, rank), bools, e.sizes(x));
  return e.select(p, x, y);
}

bool mayHaveTangent(Value x) { return isa<FloatType, ComplexType>(getElementTypeOrSelf(x)); }

Value gateTangent(Emitter &e, Value p, Value x, int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  Value everywhere = e.broadcast(p, {dim}, withElement(type, boolElement(type.getElementType())), e.sizes(x));
  return e.select(everywhere, x, e.make<StopGradientOp>(x));
}

LogicalResult checkRunsForAll(Emitter &e, Operation *op, StringRef what, Region &body) {
  if (!e.transforms().hasEffects(body.front(), EffectKind::Counted))
    return success();
  return op->emitError()
         << "IO effect not supported in " << what
         << " with batched predicate, since it would be called for all elements; move the callback out of it, "
            "or loop over the batch with lax.map";
}

Value mostSteps(Emitter &e, Value counts) {
  Value most = e.make<ReduceMaxOp>(counts, ArrayRef<int64_t>{0});
  // The largest of no numbers is the smallest number.
  int64_t batch = cast<RankedTensorType>(counts.getType()).getDimSize(0);
  return ShapedType::isDynamic(batch) || batch == 0 ? e.make<MaxOp>(most, e.zerosLike(most)) : most;
}

//===- Verification -----------------------------------------------------------------===//

/// Verifies the arguments and results of a body.
static LogicalResult verifyBody(Operation *op, StringRef what, Region &body, TypeRange arguments, TypeRange results) {
  auto yield = dyn_cast<YieldOp>(body.front().getTerminator());
  if (!yield)
    return op->emitOpError() << what << " must end in 'dovetail.yield', got: '"
                             << body.front().getTerminator()->getName() << "'";
  if (body.getArgumentTypes() != arguments)
    return op->emitOpError() << what << " must take (" << arguments << "), got: (" << body.getArgumentTypes() << ")";
  if (yield.getValues().getTypes() != results)
    return op->emitOpError() << what << " must return (" << results << "), got: (" << yield.getValues().getTypes()
                             << ")";
  return success();
}

static Type withoutLeading(Type type) { return withShape(type, cast<RankedTensorType>(type).getShape().drop_front()); }

LogicalResult ScanOp::verifyRegions() {
  int64_t length = getLength(), leading = length < 0 ? ShapedType::kDynamic : length;
  if (length < -1)
    return emitOpError() << "length must be at least 0, or -1, got: " << length;
  if (getCount() && (length != -1 || getCount().getType().getRank() != 0))
    return emitOpError() << "count must be of rank 0 and come with length -1, got: " << getCount().getType()
                         << " and length " << length;
  if (length == -1 && !getCount() && getXs().empty())
    return emitOpError() << "length must be known, or given by 'count' or an operand of 'over', got: none of them";
  SmallVector<Type> arguments(getInits().getTypes());
  for (Type type : getXs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() == 0 || (tensor.getDimSize(0) != leading && length >= 0))
      return emitOpError() << "operands of 'over' must have a leading dimension of " << length << ", got: " << type;
    arguments.push_back(withoutLeading(type));
  }
  llvm::append_range(arguments, getConsts().getTypes());
  if (getNumResults() < getInits().size())
    return emitOpError() << "must have a result for each of " << getInits().size()
                         << " carries, got: " << getNumResults() << " results";
  SmallVector<Type> results(getInits().getTypes());
  for (Type type : getResults().drop_front(getInits().size()).getTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0 || tensor.getDimSize(0) != leading)
      return emitOpError() << "stacked results must have a leading dimension of "
                           << (length < 0 ? "?" : std::to_string(length)) << ", got: " << type;
    results.push_back(withoutLeading(type));
  }
  if (getResults().take_front(getInits().size()).getTypes() != getInits().getTypes())
    return emitOpError() << "carries must keep their types (" << getInits().getTypes() << "), got: ("
                         << getResults().take_front(getInits().size()).getTypes() << ")";
  return verifyBody(*this, "body", getBody(), arguments, results);
}

LogicalResult WhileOp::verifyRegions() {
  SmallVector<Type> arguments(getInits().getTypes());
  llvm::append_range(arguments, getConsts().getTypes());
  if (getResultTypes() != getInits().getTypes())
    return emitOpError() << "carries must keep their types (" << getInits().getTypes() << "), got: ("
                         << getResultTypes() << ")";
  Type predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyBody(*this, "cond", getCond(), arguments, predicate)))
    return failure();
  return verifyBody(*this, "body", getBody(), arguments, getInits().getTypes());
}

LogicalResult CaseOp::verifyRegions() {
  if (getIndex().getType().getRank() != 0)
    return emitOpError() << "index must be of rank 0, got: " << getIndex().getType();
  if (getBranches().empty())
    return emitOpError() << "must have a branch, got: none";
  for (Region &branch : getBranches())
    if (failed(verifyBody(*this, "each branch", branch, getArgs().getTypes(), getResultTypes())))
      return failure();
  return success();
}

//===- Numbers as sizes ---------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  if (getX().getType().getRank() != 0)
    return emitOpError() << "number must be of rank 0, got: " << getX().getType();
  return success();
}

OpFoldResult IndexOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX());
  if (!value)
    return nullptr;
  return IntegerAttr::get(getType(), value.getSplatValue<APInt>().getSExtValue());
}

// Only iteration counts become sizes: those of stacked values, which are as long as the longest loop in the batch.
LogicalResult IndexOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t>, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<int64_t> &resultDims) {
  results.push_back(e.make<IndexOp>(mostSteps(e, operands[0])));
  resultDims.push_back(kUnbatched);
  return success();
}

} // namespace dovetail
