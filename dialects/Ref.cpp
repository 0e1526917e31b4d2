// References: their type, and what their ops do to the arrays that they hold.
#include "Ref.h"
#include "Control.h"
#include "Emitter.h"
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
    Builder builder(array.getContext());
    element = integer.getWidth() > 16 ? builder.getF64Type() : builder.getF32Type();
    if (integer.getWidth() > 32)
      element = ComplexType::get(element);
  }
  return RankedTensorType::get(array.getShape(), element);
}

LogicalResult RefEchoOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  if (failed(inferHeld(loc, getOperationName(), operands, types)))
    return failure();
  types.front() = echoType(cast<RankedTensorType>(types.front()));
  return success();
}

void RefEchoOp::discharge(ValueRange, MutableArrayRef<Value> echoes, SmallVectorImpl<Value> &results) {
  results.push_back(echoes[0]);
}

bool RefEchoOp::readsBackward() { return getRead(); }
unsigned RefEchoOp::echoDepth() { return getDepth(); }
unsigned RefSetEchoOp::echoDepth() { return getDepth(); }

LogicalResult RefSetEchoOp::verify() {
  RankedTensorType echo = echoType(getRef().getType().getArray());
  if (getX().getType() != echo)
    return emitOpError() << "must write an array of the type of the echo, " << echo << ", got: " << getX().getType();
  return success();
}

void RefSetEchoOp::discharge(ValueRange operands, MutableArrayRef<Value> echoes, SmallVectorImpl<Value> &) {
  echoes[0] = operands[1];
}

LogicalResult EchoEndOp::verify() {
  if (getHeld().getType() != getEcho().getType())
    return emitOpError() << "must take what the reference holds as an array of the type of its echo, "
                         << getEcho().getType() << ", got: " << getHeld().getType();
  if (TypeRange(getXs().getTypes()) != TypeRange(getOuts().getTypes()))
    return emitOpError() << "must have results of the types of the values, " << getXs().getTypes()
                         << ", got: " << getOuts().getTypes();
  return success();
}

LogicalResult EchoEndOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<Value> &resultTangents) {
  auto end = [&](Value echo, ValueRange xs) {
    return EchoEndOp::create(e.builder, e.loc, xs.getTypes(), primals[0], echo, xs).getOuts();
  };
  llvm::append_range(results, end(primals[1], primals.drop_front(2)));
  ArrayRef<Value> ofXs = tangents.drop_front(2);
  SmallVector<Value> all(ofXs), given = presentOf(ofXs);
  // Rules run for cotangents of what they gave a tangent.
  if (tangents[1] && !given.empty())
    scatterTo(end(tangents[1], given), present(ofXs), all);
  llvm::append_range(resultTangents, all);
  return success();
}

OperandSets EchoEndOp::linearSets() {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(1, getNumOperands()))};
}

LogicalResult EchoEndOp::transpose(Emitter &, ValueRange operands, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[1] = operands[0];
  llvm::copy(cotangents, operandCotangents.drop_front(2).begin());
  return success();
}

LogicalResult EchoEndOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  Value held = operands[0], echo = operands[1];
  if (dims[0] != kUnbatched && dims[1] == kUnbatched)
    return emitError() << "a backward rule must not read a reference that was made without the batch and written with "
                          "it, got: "
                       << getHeld().getType() << "; make it from an array that has the batch";
  if (dims[1] != kUnbatched) {
    held = e.batchAt(held, dims[0], 0);
    echo = e.batchAt(echo, dims[1], 0);
  }
  ValueRange xs = operands.drop_front(2);
  llvm::append_range(results, EchoEndOp::create(e.builder, e.loc, xs.getTypes(), held, echo, xs).getOuts());
  llvm::append_range(resultDims, dims.drop_front(2));
  return success();
}

LogicalResult EchoEndOp::resolve(Emitter &, SmallVectorImpl<Value> &results) {
  llvm::append_range(results, getXs());
  return success();
}

void FreezeOp::discharge(ValueRange, MutableArrayRef<Value> held, SmallVectorImpl<Value> &results) {
  results.push_back(held[0]);
  held[0] = nullptr;
}

} // namespace dovetail
