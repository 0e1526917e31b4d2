// Makes functions take and return memory instead of views of it.
#include "Donation.h"
#include "Ops.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PASSMEMORYPASS
#include "cpp/iree/Passes.h.inc"

/// Whether memory can be passed as an array of this type: a view of it would tell sizes that are not known.
static bool isPassable(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.hasStaticShape();
}

static void passArguments(func::FuncOp function, Type memory) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.front());
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    argument.setType(memory);
    Value array = importedArray(b, argument, type, {});
    if (function.removeArgAttr(argument.getArgNumber(), kConsumed))
      array.getDefiningOp()->setAttr("consume", b.getUnitAttr());
    argument.replaceAllUsesExcept(array, array.getDefiningOp());
  }
}

static void passResults(func::ReturnOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(exportedBuffer(b, operand.get(), {}));
}

namespace {
struct PassMemoryPass : impl::PassMemoryPassBase<PassMemoryPass> {
  void runOnOperation() override {
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->removeAttr(kPassesMemory))
        continue;
      isChanged = true;
      if (!llvm::all_of(function.getArgumentTypes(), isPassable) ||
          !llvm::all_of(function.getResultTypes(), isPassable)) {
        function.emitError() << "arguments and results that are passed as memory must be arrays of known sizes, got: "
                             << function.getFunctionType();
        return signalPassFailure();
      }
      Type memory = bufferType(&getContext());
      passArguments(function, memory);
      function.walk(passResults);
      function.setType(FunctionType::get(&getContext(), function.front().getArgumentTypes(),
                                         SmallVector<Type>(function.getNumResults(), memory)));
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
