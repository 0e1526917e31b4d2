// Sizes that are known only at run time, in StableHLO: numbers of i32, and ops that take shapes as vectors.
#include "Exporter.h"
#include "Families.h"
#include "dialects/Control.h"
#include "dialects/Create.h"
#include "dialects/Pointwise.h"
#include "dialects/Size.h"

using namespace mlir;

namespace dovetail {

LogicalResult requireSizes(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto array = dyn_cast<RankedTensorType>(type); array && !array.hasStaticShape())
        return op->emitError() << "sizes must be known for StableHLO, got: " << type;
  return success();
}

Value Exporter::vector(ArrayRef<int64_t> elements) {
  auto type = RankedTensorType::get({static_cast<int64_t>(elements.size())}, builder.getI32Type());
  auto numbers = llvm::map_to_vector(elements, [](int64_t element) { return APInt(32, element, true); });
  return theirs<stablehlo::ConstantOp>(type, cast<ElementsAttr>(DenseElementsAttr::get(type, numbers)));
}

Value Exporter::shapeVector(RankedTensorType type, ValueRange sizes) {
  auto one = RankedTensorType::get({1}, builder.getI32Type());
  Values parts;
  SmallVector<int64_t> known;
  auto addKnown = [&] {
    if (!known.empty())
      parts.push_back(vector(known));
    known.clear();
  };
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      known.push_back(size);
      continue;
    }
    addKnown();
    parts.push_back(theirs<stablehlo::ReshapeOp>(one, sizes.front()));
    sizes = sizes.drop_front();
  }
  addKnown();
  auto all = RankedTensorType::get({type.getRank()}, builder.getI32Type());
  if (parts.empty())
    return vector({});
  return parts.size() == 1 ? parts[0] : theirs<stablehlo::ConcatenateOp>(all, parts, uint64_t(0));
}

Value Exporter::shapeVector(Value x) {
  auto number = RankedTensorType::get({}, builder.getI32Type());
  Values sizes;
  for (auto [dim, size] : llvm::enumerate(typeOf(x).getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(theirs<stablehlo::GetDimensionSizeOp>(number, x, dim));
  return shapeVector(typeOf(x), sizes);
}

Value exportSize(Operation *op, Exporter &e) {
  auto number = RankedTensorType::get({}, e.builder.getI32Type());
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op)) {
    auto value = DenseElementsAttr::get(number, APInt(32, constant.value(), true));
    return e.theirs<stablehlo::ConstantOp>(number, cast<ElementsAttr>(value));
  }
  if (op->getNumOperands() != 2)
    return {};
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (isa<arith::AddIOp>(op))
    return e.theirs<stablehlo::AddOp>(number, x, y);
  if (isa<arith::SubIOp>(op))
    return e.theirs<stablehlo::SubOp>(number, x, y);
  if (isa<arith::MulIOp>(op))
    return e.theirs<stablehlo::MulOp>(number, x, y);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    return e.theirs<stablehlo::DivOp>(number, x, y);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return e.theirs<stablehlo::RemOp>(number, x, y);
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return e.theirs<stablehlo::MaxOp>(number, x, y);
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return e.theirs<stablehlo::MinOp>(number, x, y);
  return isa<arith::FloorDivSIOp>(op) ? e.make<FloorDivOp>(x, y) : Value();
}

namespace {

template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

struct ExportDim : Export<ExportDim, DimOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto number = RankedTensorType::get({}, e.builder.getI32Type());
    auto dim = static_cast<uint64_t>(cast<DimOp>(op).getDimension());
    results.push_back(e.theirs<stablehlo::GetDimensionSizeOp>(number, op->getOperand(0), dim));
    return success();
  }
};

/// A size as a number, or a number as a size.
template <typename Ours>
struct ExportNumber : Export<ExportNumber<Ours>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    Type type = op->getResult(0).getType();
    Type element = isa<IndexType>(type) ? e.builder.getI32Type() : getElementTypeOrSelf(type);
    results.push_back(e.convert(op->getOperand(0), element));
    return success();
  }
};

/// What is known of sizes is not said in StableHLO.
template <typename Ours>
struct ExportFirst : Export<ExportFirst<Ours>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &, Results &results) const {
    results.push_back(op->getOperand(0));
    return success();
  }
};

} // namespace

void attachSizesToStablehlo(MLIRContext *c) {
  DimOp::attachInterface<ExportDim>(*c);
  IndexOp::attachInterface<ExportNumber<IndexOp>>(*c);
  FromIndexOp::attachInterface<ExportNumber<FromIndexOp>>(*c);
  AssumeOp::attachInterface<ExportFirst<AssumeOp>>(*c);
  WithSizesOp::attachInterface<ExportFirst<WithSizesOp>>(*c);
}

} // namespace dovetail
