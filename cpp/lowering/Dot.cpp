// Lowering of dots: contractions over the loops of the factor map.
#include "dialects/Dot.h"
#include "Accumulators.h"
#include "Contraction.h"
#include "Product.h"

using namespace mlir;

namespace dovetail {

namespace {

struct DotGeneralLowering : LowerOpInterface::ExternalModel<DotGeneralLowering, DotGeneralOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto dot = cast<DotGeneralOp>(op);
    FactorMap factors = dot.factorMap();
    Operand lhs = {operands[0], factors.operands[0]}, rhs = {operands[1], factors.operands[1]};
    int64_t numParallel = factors.results[0].size();
    Type result = getElementTypeOrSelf(dot.getType());
    Value product = lowerProduct(b, op, lhs, rhs, numParallel);
    if (!product)
      product =
          lowerDot(b, lhs, rhs, numParallel, getElementTypeOrSelf(dot.getLhs()), result, sumType(op, partType(result)));
    results.push_back(product);
    return success();
  }
};

} // namespace

void attachDotLowerings(MLIRContext *context) { DotGeneralOp::attachInterface<DotGeneralLowering>(*context); }

} // namespace dovetail
