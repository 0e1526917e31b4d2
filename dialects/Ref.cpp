// References: their type, and what their ops do to the arrays that they hold.
#include "Ref.h"
#include "Inference.h"

using namespace mlir;

#include "dialects/RefInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Ref.cpp.inc"

namespace dovetail {

void registerRefOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ref.cpp.inc"
      >();
}

//===- The type -------------------------------------------------------------===//

Type RefType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element) || parser.parseGreater())
    return nullptr;
  if (!element.isIntOrFloat() && !isa<ComplexType>(element)) {
    parser.emitError(loc) << "a reference must hold numbers or bools, got: " << element;
    return nullptr;
  }
  return get(RankedTensorType::get(shape, element));
}

void RefType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getArray().getShape()) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
    printer << 'x';
  }
  printer << getArray().getElementType() << '>';
}

//===- Ops ------------------------------------------------------------------===//

LogicalResult NewRefOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(RefType::get(cast<RankedTensorType>(adaptor.getX().getType())));
  return success();
}

void NewRefOp::discharge(ValueRange operands, MutableArrayRef<Value>, SmallVectorImpl<Value> &results) {
  results.push_back(operands[0]);
}

/// Inference from the text of an op runs before verification.
static LogicalResult inferHeld(std::optional<Location> loc, StringRef name, ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  auto ref = dyn_cast<RefType>(operands[0].getType());
  if (!ref)
    return emitOptionalError(loc, "'", name, "' op operand #0 must be a reference, got: ", operands[0].getType());
  types.push_back(ref.getArray());
  return success();
}

LogicalResult RefGetOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferHeld(loc, getOperationName(), operands, types);
}

void RefGetOp::discharge(ValueRange, MutableArrayRef<Value> held, SmallVectorImpl<Value> &results) {
  results.push_back(held[0]);
}

LogicalResult RefSetOp::verify() {
  if (getX().getType() != getRef().getType().getArray())
    return emitOpError() << "must write an array of the type that the reference holds, "
                         << getRef().getType().getArray() << ", got: " << getX().getType();
  return success();
}

void RefSetOp::discharge(ValueRange operands, MutableArrayRef<Value> held, SmallVectorImpl<Value> &) {
  held[0] = operands[1];
}

LogicalResult FreezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferHeld(loc, getOperationName(), operands, types);
}

//===- Echoes ---------------------------------------------------------------===//

RankedTensorType echoType(RankedTensorType array) {
  Type element = array.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element)) {
    if (integer.getWidth() > 32)
      return nullptr;
    Builder builder(array.getContext());
    element = integer.getWidth() > 16 ? builder.getF64Type() : builder.getF32Type();
  }
  return RankedTensorType::get(array.getShape(), element);
}

LogicalResult RefEchoOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  if (failed(inferHeld(loc, getOperationName(), operands, types)))
    return failure();
  RankedTensorType echo = echoType(cast<RankedTensorType>(types.front()));
  if (!echo)
    return emitOptionalError(
        loc, "'", getOperationName(),
        "' op operand #0 must hold floats, complex numbers, bools or integers of at most 32 bits, got: ",
        operands[0].getType());
  types.front() = echo;
  return success();
}

void RefEchoOp::discharge(ValueRange, MutableArrayRef<Value> echoes, SmallVectorImpl<Value> &results) {
  results.push_back(echoes[0]);
}

bool RefEchoOp::readsBackward() { return getRead(); }

LogicalResult RefSetEchoOp::verify() {
  RankedTensorType echo = echoType(getRef().getType().getArray());
  if (getX().getType() != echo)
    return emitOpError() << "must write an array of the type of the echo, " << echo << ", got: " << getX().getType();
  return success();
}

void RefSetEchoOp::discharge(ValueRange operands, MutableArrayRef<Value> echoes, SmallVectorImpl<Value> &) {
  echoes[0] = operands[1];
}

void FreezeOp::discharge(ValueRange, MutableArrayRef<Value> held, SmallVectorImpl<Value> &results) {
  results.push_back(held[0]);
  held[0] = nullptr;
}

} // namespace dovetail
