// Calls of the library of matrix products: one executable, which takes its task as constants.
#include "ProductCall.h"
#include "LibraryCall.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace dovetail {

constexpr StringLiteral kExecutable = "product";

static std::optional<blas::Element> elementOf(Type type) {
  using E = blas::Element;
  auto complex = dyn_cast<ComplexType>(type);
  Type part = complex ? complex.getElementType() : type;
  if (part.isF32())
    return complex ? E::Complex64 : E::Float32;
  if (part.isF64())
    return complex ? E::Complex128 : E::Float64;
  return std::nullopt;
}

bool hasProducts(Type element) { return elementOf(element).has_value(); }

Value callProduct(ImplicitLocOpBuilder &b, const ProductCall &call, Value left, Value right, RankedTensorType result,
                  ValueRange sizes) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(left, dynamicSizes(b, left)), b.getI8Type()},
                           {executable.addInput(right, dynamicSizes(b, right)), b.getI8Type()},
                           {executable.addOutput(result, sizes), b.getI8Type()}};
  OpFoldResult element = b.getIndexAttr(int64_t(*elementOf(result.getElementType()))),
               layout = b.getIndexAttr(call.layout.bits()), groups = b.getIndexAttr(call.groups);
  OpFoldResult numbers[blas::kNumNumbers] = {element, layout, call.batch, call.rows, call.columns, call.terms, groups};
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  return callLibrary(b, executable, {blas::kImport, kExecutable, blas::kNumNumbers, call.groups}, arrays).front();
}

} // namespace dovetail
