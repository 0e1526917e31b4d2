// Makes generated arrays that are overwritten depend on an opaque number, so that IREE copies them.
#include "Aliases.h"
#include "Constants.h"
#include "Liveness.h"
#include "Opaque.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEGENERATEDPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// IREE computes no larger arrays ahead.
constexpr int64_t kLargestConstantBits = int64_t(8) << 20;

/// Whether IREE computes a generated array ahead if it does so at all: a small one of known sizes, but not of complex
/// numbers.
bool isConstant(Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  Type element = type.getElementType();
  return type.hasStaticShape() && element.isIntOrFloat() &&
         type.getNumElements() <= kLargestConstantBits / std::max<int64_t>(element.getIntOrFloatBitWidth(), 8);
}

/// Makes generated arrays that are overwritten, and are no constants, depend on an opaque number, and returns whether
/// there are any. `isAhead` is whether IREE computes generated arrays ahead.
bool separateGenerated(func::FuncOp function, bool isAhead) {
  llvm::SetVector<Value> written = writtenArrays(function);
  // IREE turns the parts into the array that the others are inserted into.
  function.walk([&](tensor::ConcatOp op) { written.insert_range(op.getInputs()); });
  Value one;
  for (Value array : written) {
    Operation *op = array.getDefiningOp();
    if (!op || !isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op) || !readsNoArray(op) ||
        (isAhead && isConstant(array)))
      continue;
    if (!one) {
      auto start = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
      one = opaqueOne(start);
    }
    auto uses = llvm::map_to_vector(array.getUses(), [](OpOperand &use) { return &use; });
    ImplicitLocOpBuilder b(array.getLoc(), function.getContext());
    b.setInsertionPointAfter(op);
    Value separate = dependent(b, array, one);
    for (OpOperand *use : uses)
      use->set(separate);
  }
  return one != nullptr;
}

struct SeparateGeneratedPass : impl::SeparateGeneratedPassBase<SeparateGeneratedPass> {
  using SeparateGeneratedPassBase::SeparateGeneratedPassBase;

  void runOnOperation() override {
    bool isAhead = computesMuchOfConstants(getOperation()), isAny = isAhead;
    if (isAhead)
      getOperation()->setAttr(kComputesAhead, UnitAttr::get(&getContext()));
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      isAny |= !function.isExternal() && function.isPublic() && separateGenerated(function, isAhead);
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
