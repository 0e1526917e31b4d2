// Lowering of dots: contractions over the loops of the factor map.
#include "dialects/Dot.h"
#include "Accumulators.h"
#include "Contraction.h"

using namespace mlir;

namespace dovetail {

namespace {

struct DotGeneralLowering : LowerOpInterface::ExternalModel<DotGeneralLowering, DotGeneralOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto dot = cast<DotGeneralOp>(op);
    FactorMap factors = dot.factorMap();
    Type result = getElementTypeOrSelf(dot.getType());
    results.push_back(lowerDot(b, {operands[0], factors.operands[0]}, {operands[1], factors.operands[1]},
                               factors.results[0].size(), getElementTypeOrSelf(dot.getLhs()), result,
                               sumType(op, partType(result))));
    return success();
  }
};

} // namespace

void attachDotLowerings(MLIRContext *context) { DotGeneralOp::attachInterface<DotGeneralLowering>(*context); }

} // namespace dovetail
