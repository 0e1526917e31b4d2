// Lowering of pointwise ops: one `linalg.generic` with the op's scalar code.
#include "Lowering.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "cpp/tensors/Target.h"
#include "dialects/Control.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

TypedAttr splatElement(Value operand) {
  SplatElementsAttr splat;
  if (!matchPattern(operand, m_Constant(&splat)) || isa<ComplexType>(splat.getElementType()))
    return nullptr;
  auto element = splat.getSplatValue<TypedAttr>();
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return IntegerAttr::get(scalar::lowered(integer.getType()), integer.getValue());
  return element;
}

/// Whether one op reads a value, whatever is reported of it; behind a choice between branches, in each of them.
static bool isReadOnce(Value value) {
  if (Operation *op = value.getDefiningOp())
    return value.hasOneUse() || op->hasAttr(kReadOnce);
  auto argument = cast<BlockArgument>(value);
  auto choice = dyn_cast<CaseOp>(argument.getOwner()->getParentOp());
  return choice && value.hasOneUse() && isReadOnce(choice.getArgs()[argument.getArgNumber()]);
}

Value lowerPointwise(ImplicitLocOpBuilder &b, PointwiseOpInterface op, ValueRange operands) {
  Type element = scalar::lowered(getElementTypeOrSelf(op->getResult(0)));
  // Splats go into the scalar code; an operand that occurs twice is read once.
  SmallVector<Value> inputs;
  SmallVector<TypedAttr> splats;
  SmallVector<unsigned> inputOf(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    splats.push_back(splatElement(op->getOperand(i)));
    // Loops without inputs become a fill; IREE 3.13 loses its size if it is summed.
    bool isLast = i + 1 == operands.size() && inputs.empty();
    if (isLast)
      splats.back() = nullptr;
    if (splats.back())
      continue;
    auto *known = llvm::find(inputs, operand);
    inputOf[i] = known - inputs.begin();
    if (known == inputs.end())
      inputs.push_back(operand);
  }
  SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]);
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(sizes.size()));
  Type sourceElement = getElementTypeOrSelf(op->getOperand(0));
  Value made = parallelLoops(b, sizes, element, inputs, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
    scalar::ScalarBuilder builder(loc, inner, sourceElement);
    SmallVector<Value> scalars;
    for (auto [splat, input] : llvm::zip_equal(splats, inputOf))
      scalars.push_back(splat ? arith::ConstantOp::create(builder, splat).getResult() : args[input]);
    return op.emitScalar(builder, scalars);
  });
  if (!Target(op).fusesMultiplyAdd())
    return made;
  roundProducts(*made.getDefiningOp<linalg::GenericOp>().getBody());
  return roundedOnce(b, made, [&](Value array) {
    auto uses = llvm::zip_equal(operands, op->getOperands());
    return llvm::all_of(uses, [&](auto pair) { return std::get<0>(pair) != array || isReadOnce(std::get<1>(pair)); });
  });
}

} // namespace dovetail
