// Ops of IREE's own dialects, built by name.
#include "Iree.h"
#include "dialects/Dialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;

namespace dovetail {

namespace {
struct TensorExtDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TensorExtDialect)
  static StringRef getDialectNamespace() { return "iree_tensor_ext"; }
  explicit TensorExtDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<TensorExtDialect>()) {
    allowUnknownOperations();
  }
};
} // namespace

void registerIreeDialects(DialectRegistry &registry) {
  registry.insert<TensorExtDialect>();
  // The lowering makes ops by name, which loads nothing.
  registry.addExtension(
      +[](MLIRContext *context, DovetailDialect *) { context->getOrLoadDialect<TensorExtDialect>(); });
}

Value computeBarrier(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Value> operands = {x};
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      operands.push_back(tensor::DimOp::create(b, x, d));
  OperationState state(b.getLoc(), "iree_tensor_ext.compute_barrier.start", operands, type);
  return b.create(state)->getResult(0);
}

} // namespace dovetail
