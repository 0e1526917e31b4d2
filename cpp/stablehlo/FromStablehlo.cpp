// The pass that translates from StableHLO, and the emitter in which counterparts are written.
#include "Devices.h"
#include "Families.h"
#include "Importer.h"
#include "Passes.h"
#include "cpp/transforms/CallGraph.h"
#include "dialects/Call.h"
#include "dialects/Collective.h"
#include "dialects/Control.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Inference.h"
#include "dialects/Shape.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_FROMSTABLEHLOPASS
#include "cpp/stablehlo/Passes.h.inc"

//===- Bodies ------------------------------------------------------------------------===//

/// Whether a type is another one with more sizes known.
static bool refines(Type known, Type stated) {
  auto from = dyn_cast<RankedTensorType>(stated), to = dyn_cast<RankedTensorType>(known);
  return from && to && from.getElementType() == to.getElementType() && from.getRank() == to.getRank() &&
         llvm::all_of(llvm::zip(from.getShape(), to.getShape()), [](auto sizes) {
           return ShapedType::isDynamic(std::get<0>(sizes)) || std::get<0>(sizes) == std::get<1>(sizes);
         });
}

LogicalResult Importer::translateOp(Operation *op) {
  OpBuilder here(op);
  Importer e(here, op->getLoc(), functions);
  SmallVector<Value> results;
  if (auto stated = dyn_cast<FromStablehloOpInterface>(op)) {
    if (failed(checkTheirs(op)) || failed(stated.importTo(e, results)))
      return failure();
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    auto made = CallOp::create(here, op->getLoc(), op->getResultTypes(), call.getCalleeAttr(), op->getOperands());
    llvm::append_range(results, made->getResults());
  } else if (isa<DovetailDialect>(op->getDialect()) || op->hasTrait<OpTrait::IsTerminator>()) {
    return success();
  } else {
    return op->emitError() << "an op of a StableHLO program must have a counterpart, got: '" << op->getName() << "'";
  }
  if (results.size() != op->getNumResults())
    return op->emitError() << "'" << op->getName() << "' must have as many results as its counterpart, which has "
                           << results.size() << ", got: " << op->getNumResults();
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes()))
    if (result.getType() != type && !refines(result.getType(), type))
      return op->emitError() << "the counterpart of '" << op->getName() << "' must have the type " << type
                             << ", got: " << result.getType();
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

LogicalResult Importer::translate(Region &body) {
  for (Block &block : body)
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(translateOp(&op)))
        return failure();
  return success();
}

Operation *Importer::soleOp(Region &body) {
  Block &block = body.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block.begin(), block.end(), 2))
    return nullptr;
  Operation *op = &block.front();
  bool isOnArguments = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                       llvm::is_contained(op->getOperands(), block.getArgument(0)) &&
                       llvm::is_contained(op->getOperands(), block.getArgument(1));
  // The order matters only to ops that no reduction has.
  bool isReturned = block.getTerminator()->getOperands() == ValueRange(op->getResults());
  return isOnArguments && isReturned && op->getOperand(0) != op->getOperand(1) ? op : nullptr;
}

FailureOr<Algebra::Values> Importer::onElements(Region &body, ValueRange arrays) {
  auto like = typeOf(arrays.front());
  Body copy(loc, body.getArgumentTypes());
  OpBuilder inside = copy.builder();
  copy.results = inlineBody(inside, body, copy.arguments());
  copy.prune();
  Values operands;
  for (Value array : arrays)
    operands.push_back(reshapedTo(array, {like.getNumElements()}));
  Values consts = capture(copy);
  SmallVector<int64_t> dims(operands.size(), 0);
  dims.append(consts.size(), kUnbatched);
  llvm::append_range(operands, consts);
  Region region;
  fill(region, std::move(copy));
  auto made = functions.batch(region, dims, BatchSize(like.getNumElements()));
  if (failed(made))
    return failure();
  batchSize = BatchSize(like.getNumElements());
  Values results;
  Values found = inlineBody(builder, made->function, operands);
  for (auto [value, dim] : llvm::zip_equal(found, made->resultDims))
    results.push_back(reshapedTo(batchAt(value, dim, 0), like.getShape()));
  return results;
}

FailureOr<Algebra::Values> Importer::combined(Region &body, Values arrays) {
  unsigned count = arrays.size();
  // Neighbours are combined until one is left, so that their order is kept.
  for (int64_t size = sizeOf(arrays[0], 0); size > 1; size = sizeOf(arrays[0], 0)) {
    Values operands;
    for (int64_t offset : {0, 1})
      for (Value array : arrays) {
        auto sizes = llvm::to_vector(typeOf(array).getShape());
        SmallVector<int64_t> starts(sizes.size(), 0), strides(sizes.size(), 1);
        sizes[0] = size / 2, starts[0] = offset, strides[0] = 2;
        operands.push_back(slice(array, starts, sizes, strides));
      }
    FailureOr<Values> halves = onElements(body, operands);
    if (failed(halves))
      return failure();
    if (size % 2)
      for (unsigned i = 0; i < count; ++i)
        (*halves)[i] = joined({(*halves)[i], slice(arrays[i], 0, size - 1, 1)}, 0);
    arrays = *halves;
  }
  for (Value &array : arrays)
    array = reshapedTo(array, typeOf(array).getShape().drop_front());
  return arrays;
}

//===- Shapes ------------------------------------------------------------------------===//

Value Importer::reshapedTo(Value x, ArrayRef<int64_t> shape) {
  return typeOf(x).getShape() == shape ? x : reshape(x, typeOf(x).clone(shape), {});
}

Value Importer::broadcastInDim(Value x, ArrayRef<int64_t> dims, RankedTensorType type, ValueRange sizes) {
  auto from = typeOf(x);
  // Dimensions of one element that are repeated are dropped first.
  SmallVector<int64_t> kept, shape;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from.getDimSize(i) != 1 || type.getDimSize(dim) == 1) {
      kept.push_back(dim);
      shape.push_back(from.getDimSize(i));
    }
  if (kept.size() != dims.size()) {
    Values dynamic;
    for (auto [i, size] : llvm::enumerate(from.getShape()))
      if (ShapedType::isDynamic(size))
        dynamic.push_back(this->size(x, i));
    x = reshape(x, from.clone(shape), dynamic);
  }
  if (!llvm::is_sorted(kept)) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return kept[a] < kept[b]; });
    x = transpose(x, order);
    llvm::sort(kept);
  }
  return broadcast(x, kept, type, sizes);
}

Value Importer::shapedLike(Value x, Value like) {
  return typeOf(x).getRank() < typeOf(like).getRank() ? spread(x, {}, like) : x;
}

Value Importer::pad(Value x, Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  auto shape = llvm::to_vector(typeOf(x).getShape());
  bool isChanged = false;
  for (auto [size, before, after, between] : llvm::zip_equal(shape, low, high, interior)) {
    isChanged |= before || after || between;
    size = std::max<int64_t>(0, before + after + (size ? size + (size - 1) * between : 0));
  }
  return isChanged ? make<PadOp>(typeOf(x).clone(shape), x, value, low, interior, ValueRange()) : x;
}

Value Importer::slice(Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> ones(starts.size(), 1);
  return make<SliceOp>(typeOf(x).clone(sizes), x, starts, strides.empty() ? ArrayRef<int64_t>(ones) : strides,
                       ValueRange());
}

//===- The pass -------------------------------------------------------------------------===//

namespace {

/// Drops what only other compilers read.
void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (!isa_and_nonnull<DovetailDialect>(attribute.getNameDialect()))
      op->removeDiscardableAttr(attribute.getName());
}

/// The same for arguments and results.
void dropValueAttributes(func::FuncOp function) {
  auto kept = [](DictionaryAttr attributes) {
    SmallVector<NamedAttribute> ours;
    for (NamedAttribute attribute : attributes ? attributes.getValue() : ArrayRef<NamedAttribute>())
      if (isa_and_nonnull<DovetailDialect>(attribute.getNameDialect()))
        ours.push_back(attribute);
    return ours;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttrs(i, kept(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, kept(function.getResultAttrDict(i)));
}

bool hasUnknownSizes(func::FuncOp function) {
  auto isUnknown = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  return llvm::any_of(function.getArgumentTypes(), isUnknown) || llvm::any_of(function.getResultTypes(), isUnknown);
}

struct FromStablehloPass : impl::FromStablehloPassBase<FromStablehloPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Functions functions(module);
    nameTiles(module);
    // Collectives in functions that are called are among the devices of the caller.
    bool hasParts = module.walk([](sdy::SdyManualComputationOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (hasParts || llvm::any_of(module.getOps<func::FuncOp>(), hasUnknownSizes)) {
      for (func::FuncOp function : module.getOps<func::FuncOp>())
        if (function.isPublic() && failed(inlineCalls(function)))
          return signalPassFailure();
      eraseUncalled(module);
    }
    // Bodies of reductions are batched with the functions that they call.
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(module);
    if (failed(order))
      return signalPassFailure();
    for (func::FuncOp function : *order) {
      OpBuilder builder(function);
      Importer e(builder, function.getLoc(), functions);
      if (failed(checked([&] { return e.translate(function.getBody()); })))
        return signalPassFailure();
      function.setFunctionType(FunctionType::get(&getContext(), function.getBody().getArgumentTypes(),
                                                 TypeRange(returned(function.getBody()))));
      dropAttributes(function);
      if (function.isPublic() && failed(importShardings(module, function)))
        return signalPassFailure();
      dropValueAttributes(function);
    }
    dropAttributes(module);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!isa<func::FuncOp>(op))
        op.erase();
    module->removeAttr(SymbolTable::getSymbolAttrName());
    eraseUncalled(module);
  }
};

} // namespace

void attachStablehloCounterparts(MLIRContext *context) {
  attachElementwiseCounterparts(context);
  attachShapeCounterparts(context);
  attachSizeCounterparts(context);
  attachSizesToStablehlo(context);
  attachContractionCounterparts(context);
  attachReductionCounterparts(context);
  attachWindowCounterparts(context);
  attachIndexCounterparts(context);
  attachOrderCounterparts(context);
  attachControlCounterparts(context);
  attachMatrixCounterparts(context);
  attachRandomCounterparts(context);
  attachNormalizationCounterparts(context);
  attachShardingCounterparts(context);
  attachCollectiveCounterparts(context);
  attachCollectivesToStablehlo(context);
  attachForeignCalls(context);
}

} // namespace dovetail
