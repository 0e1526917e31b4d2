// Makes generated arrays that are overwritten depend on an opaque number, so that IREE copies them.
#include "Aliases.h"
#include "Liveness.h"
#include "Ops.h"
#include "Passes.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEGENERATEDPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// An i32 as a number of another type.
Value numberOf(ImplicitLocOpBuilder &b, Value number, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = numberOf(b, number, complex.getElementType());
    return complex::CreateOp::create(b, type, part, part);
  }
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, type, number);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return number;
  return width < 32 ? arith::TruncIOp::create(b, type, number).getResult()
                    : arith::ExtSIOp::create(b, type, number).getResult();
}

/// An array with the same elements, which depend on a number that is opaque to the code generator: 1.
Value dependent(ImplicitLocOpBuilder &b, Value array, Value one) {
  auto type = cast<RankedTensorType>(array.getType());
  AffineMap whole = b.getMultiDimIdentityMap(type.getRank()),
            number = AffineMap::get(type.getRank(), 0, b.getContext());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
    ImplicitLocOpBuilder inner(loc, builder);
    Value zero = arith::ConstantOp::create(inner, inner.getI32IntegerAttr(0));
    Value isOne = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, args[1], zero);
    return arith::SelectOp::create(inner, isOne, args[0], numberOf(inner, args[1], type.getElementType()));
  };
  return parallelLoops(b, sizesOf(b, array), type.getElementType(), {array, one}, {whole, number}, body);
}

/// Makes generated arrays of dynamic sizes that are overwritten depend on an opaque number, and returns whether there
/// are any. Those of static sizes are constants.
bool separateGenerated(func::FuncOp function) {
  llvm::SetVector<Value> written = writtenArrays(function);
  // IREE turns the parts into the array that the others are inserted into.
  function.walk([&](tensor::ConcatOp op) { written.insert_range(op.getInputs()); });
  Value one;
  for (Value array : written) {
    Operation *op = array.getDefiningOp();
    if (!op || !isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op) || !readsNoArray(op) ||
        cast<RankedTensorType>(array.getType()).hasStaticShape())
      continue;
    if (!one) {
      auto start = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
      auto number = RankedTensorType::get({}, start.getI32Type());
      auto value = DenseElementsAttr::get(number, start.getI32IntegerAttr(1).getValue());
      one = optimizationBarrier(start, arith::ConstantOp::create(start, value).getResult()).front();
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
    bool isAny = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      isAny |= !function.isExternal() && function.isPublic() && separateGenerated(function);
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
