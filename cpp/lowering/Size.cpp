// Lowering of dynamic sizes, with the bounds that IREE needs.
#include "dialects/Size.h"
#include "Lowering.h"
#include "cpp/iree/Ops.h"

using namespace mlir;

namespace dovetail {

namespace {

struct FromIndexLowering : LowerOpInterface::ExternalModel<FromIndexLowering, FromIndexOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(loweredType(cast<FromIndexOp>(op).getType()));
    Value number = arith::IndexCastOp::create(b, type.getElementType(), operands[0]);
    results.push_back(tensor::FromElementsOp::create(b, type, number));
    return success();
  }
};

struct AssumeLowering : LowerOpInterface::ExternalModel<AssumeLowering, AssumeOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto assume = cast<AssumeOp>(op);
    results.push_back(assumed(b, operands[0], assume.getMin(), assume.getMax(), assume.getMultiple()));
    return success();
  }
};

struct WithSizesLowering : LowerOpInterface::ExternalModel<WithSizesLowering, WithSizesOp> {
  LogicalResult lower(Operation *, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    results.push_back(tieShape(b, operands[0], operands.drop_front()));
    return success();
  }
};

} // namespace

void attachSizeLowerings(MLIRContext *context) {
  FromIndexOp::attachInterface<FromIndexLowering>(*context);
  AssumeOp::attachInterface<AssumeLowering>(*context);
  WithSizesOp::attachInterface<WithSizesLowering>(*context);
}

} // namespace dovetail
