// Where buffers of hand-written code for GPUs are.
#include "GpuMemory.h"
#include "cpp/iree/Ops.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dovetail {

/// The bytes that a workgroup shares on every device that has Vulkan; others have three times as many.
constexpr int64_t kSharedBytes = int64_t(1) << 14;

/// Makes accesses of parts of buffers those of the buffers.
static void foldViews(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  context->loadDialect<affine::AffineDialect>();
  RewritePatternSet folds(context), places(context);
  memref::populateFoldMemRefAliasOpPatterns(folds);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == memref::MemRefDialect::getDialectNamespace())
      op.getCanonicalizationPatterns(folds, context);
  (void)applyPatternsGreedily(function, std::move(folds));
  // IREE does not take all that these state places by.
  affine::populateAffineExpandIndexOpsPatterns(places);
  populateAffineToStdConversionPatterns(places);
  (void)applyPatternsGreedily(function, std::move(places));
}

static bool isAccessed(memref::AllocOp buffer) {
  return llvm::all_of(buffer->getUses(), [](OpOperand &use) {
    return isa<memref::LoadOp>(use.getOwner()) || (isa<memref::StoreOp>(use.getOwner()) && use.getOperandNumber() == 1);
  });
}

/// Each access of `buffer` as one of `memory`, at the place that `placeOf` makes of its own.
static void replaceAccesses(memref::AllocOp buffer, Value memory,
                            function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)> placeOf) {
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
    ImplicitLocOpBuilder b(user->getLoc(), user);
    if (auto load = dyn_cast<memref::LoadOp>(user))
      load.replaceAllUsesWith(memref::LoadOp::create(b, memory, placeOf(b, load.getIndices())).getResult());
    else if (auto store = cast<memref::StoreOp>(user))
      memref::StoreOp::create(b, store.getValue(), memory, placeOf(b, store.getIndices()));
    user->erase();
  }
  buffer.erase();
}

LogicalResult GpuMemory::find(func::FuncOp function, const Target &target) {
  this->function = function;
  foldViews(function);
  int64_t shared = 0;
  WalkResult walked = function.walk([&](memref::AllocOp op) -> WalkResult {
    MemRefType type = op.getType();
    if (!type.hasStaticShape() || !isAccessed(op))
      return failure();
    int64_t bytes = type.getNumElements() * bytesOfElement(type.getElementType());
    if (type.getMemorySpace())
      shared += bytes;
    else
      buffers.push_back({op, type.getElementType(), type.getNumElements(), bytes});
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  // See Quirks.h: the memory of a workgroup has numbers.
  llvm::sort(buffers, [](const Buffer &x, const Buffer &y) { return x.numBytes < y.numBytes; });
  llvm::erase_if(buffers, [&](Buffer &buffer) {
    if (!buffer.element.isIntOrFloat() || shared + buffer.numBytes > kSharedBytes)
      return false;
    shared += buffer.numBytes;
    ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(buffer.op.getLoc(), &function.front());
    MemRefType type = MemRefType::Builder(buffer.op.getType()).setMemorySpace(workgroupMemory(b.getContext()));
    replaceAccesses(buffer.op, memref::AllocOp::create(b, type),
                    [](ImplicitLocOpBuilder &, ValueRange place) { return llvm::to_vector(place); });
    return true;
  });
  return success();
}

int64_t GpuMemory::numBytes() const {
  int64_t all = 0;
  for (const Buffer &buffer : buffers)
    all += buffer.numBytes;
  return all;
}

void GpuMemory::place(function_ref<Value(ImplicitLocOpBuilder &, Type, int64_t)> allocate, Value number) {
  llvm::MapVector<Type, SmallVector<Buffer>> ofType;
  for (const Buffer &buffer : buffers)
    ofType[buffer.element].push_back(buffer);
  for (auto &[element, parts] : ofType) {
    int64_t all = 0;
    for (const Buffer &part : parts)
      all += part.numElements;
    ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
    Value memory = allocate(b, element, all);
    if (number)
      b.setInsertionPointAfterValue(number);
    Value start = number ? arith::MulIOp::create(b, number, arith::ConstantIndexOp::create(b, all)).getResult()
                         : arith::ConstantIndexOp::create(b, 0).getResult();
    for (Buffer &part : parts) {
      Value begin = arith::AddIOp::create(b, start, arith::ConstantIndexOp::create(b, part.numElements));
      std::swap(begin, start);
      SmallVector<int64_t> shape(part.op.getType().getShape());
      replaceAccesses(part.op, memory, [&](ImplicitLocOpBuilder &each, ValueRange place) {
        Value inPart = arith::ConstantIndexOp::create(each, 0);
        for (auto [index, size] : llvm::zip_equal(place, shape))
          inPart = each.createOrFold<arith::AddIOp>(
              each.createOrFold<arith::MulIOp>(inPart, arith::ConstantIndexOp::create(each, size)), index);
        return SmallVector<Value>{arith::AddIOp::create(each, begin, inPart)};
      });
    }
  }
  buffers.clear();
}

} // namespace dovetail
