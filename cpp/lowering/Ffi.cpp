// Lowering of calls of foreign functions to dispatches.
#include "dialects/Ffi.h"
#include "Lowering.h"
#include "cpp/dispatch/ForeignCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The array with its dimensions in another order: dimension i of the result is `order[i]` of `x`. Empty keeps it.
Value transposed(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> order) {
  if (order.empty())
    return x;
  Value target = empty(b, applyPermutation(sizesOf(b, x), order), getElementTypeOrSelf(x));
  return linalg::TransposeOp::create(b, x, target, order)->getResult(0);
}

struct FfiCallLowering : LowerOpInterface::ExternalModel<FfiCallLowering, FfiCallOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    if (isInDispatch(b))
      return failure();
    auto call = cast<FfiCallOp>(op);
    if (Target(op).isGpu())
      return op->emitError() << "the FFI call to `" << call.getTarget() << "` must run on a CPU, got: a program for "
                             << Target(op).name << "; call it on the CPU, or write it in other operations";
    unsigned count = call.getArgs().size();
    ForeignCall described = {};
    described.target = call.getTarget();
    described.attributes = call.getConfig().value_or(b.getDictionaryAttr({}));
    described.hasEffects = call.getHasSideEffect();
    SmallVector<Value> args, sizes;
    for (auto [i, arg] : llvm::enumerate(operands.take_front(count))) {
      described.elements.push_back(getElementTypeOrSelf(call.getArgs()[i]));
      described.layouts.push_back(call.layoutOf(/*isResult=*/false, i));
      args.push_back(transposed(b, arg, described.layouts.back()));
    }
    SmallVector<Type> types;
    ValueRange stated = operands.drop_front(count);
    for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
      ArrayRef<int64_t> layout = call.layoutOf(/*isResult=*/true, i);
      described.elements.push_back(getElementTypeOrSelf(type));
      described.layouts.push_back(layout);
      described.aliases.push_back(call.aliasOf(i));
      auto array = cast<RankedTensorType>(loweredType(type));
      SmallVector<OpFoldResult> all = sizesOf(b, array, stated.take_front(array.getNumDynamicDims()));
      stated = stated.drop_front(array.getNumDynamicDims());
      auto [shape, dynamic] = decomposeMixedValues(layout.empty() ? all : applyPermutation(all, layout));
      types.push_back(RankedTensorType::get(shape, array.getElementType()));
      llvm::append_range(sizes, dynamic);
    }
    ValueRange rest = sizes;
    for (auto [i, result] : llvm::enumerate(callForeign(b, described, args, types, sizes))) {
      int64_t numDynamic = cast<RankedTensorType>(types[i]).getNumDynamicDims();
      Value tied = tieShape(b, result, rest.take_front(numDynamic));
      rest = rest.drop_front(numDynamic);
      ArrayRef<int64_t> layout = described.layouts[count + i];
      results.push_back(transposed(b, tied, layout.empty() ? layout : invertPermutationVector(layout)));
    }
    return success();
  }
};
} // namespace

void attachFfiLowerings(MLIRContext *context) { FfiCallOp::attachInterface<FfiCallLowering>(*context); }

} // namespace dovetail
