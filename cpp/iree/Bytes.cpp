// Stores elements of types that IREE does not store as bytes.
#include "Passes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_BYTESPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Whether IREE does not support this float type, not even for scalars.
bool isForeign(Type type) {
  return isa<Float8E3M4Type, Float8E4M3Type, Float8E4M3B11FNUZType, Float6E2M3FNType, Float6E3M2FNType,
             Float4E2M1FNType>(type);
}

/// Whether this is an integer of 2 or 4 bits, stored in the low bits of its byte. The other bits are unspecified,
/// except in computed arrays, where they are zero.
bool isPacked(Type type) { return type.isInteger() && !type.isInteger(1) && type.getIntOrFloatBitWidth() < 8; }

Type stored(Type type) { return isForeign(type) || isPacked(type) ? IntegerType::get(type.getContext(), 8) : type; }

/// The type of a value after the pass.
Type storedValue(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? withElement(tensor, stored(tensor.getElementType())) : stored(type);
}

/// Whether this is scalar code; other ops move their operands.
bool computes(Operation *op) { return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()); }

Attribute storedConstant(Attribute value) {
  Builder b(value.getContext());
  if (auto scalar = dyn_cast<IntegerAttr>(value))
    return isPacked(scalar.getType()) ? b.getIntegerAttr(b.getI8Type(), scalar.getValue().zext(8)) : value;
  if (auto scalar = dyn_cast<FloatAttr>(value))
    return isForeign(scalar.getType()) ? b.getIntegerAttr(b.getI8Type(), scalar.getValue().bitcastToAPInt().zext(8))
                                       : value;
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || stored(elements.getElementType()) == elements.getElementType())
    return value;
  if (isPacked(elements.getElementType()))
    return elements.mapValues(b.getI8Type(), [](const APInt &bits) { return bits.zext(8); });
  return elements.mapValues(b.getI8Type(), [](const APFloat &number) { return number.bitcastToAPInt().zext(8); });
}

//===- Scalar code -----------------------------------------------------------===//

enum class Extension { None, Zeros, Sign };

/// The required value of a byte's other bits for an op that depends on them.
Extension extensionFor(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && operand.getOperandNumber() == 1)
    return Extension::Zeros;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    bool isSigned = llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, compare.getPredicate());
    return isSigned ? Extension::Sign : Extension::Zeros;
  }
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp, arith::MaxSIOp, arith::MinSIOp, arith::ExtSIOp,
          arith::SIToFPOp, arith::IndexCastOp>(op))
    return Extension::Sign;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
          arith::SelectOp, arith::TruncIOp>(op))
    return Extension::None;
  // Moved into an array, or used as an unsigned number.
  return Extension::Zeros;
}

/// `byte`, whose lowest `width` bits count, with the other bits as required.
Value extended(OpBuilder &b, Location loc, Value byte, unsigned width, Extension extension) {
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI8Type(), value)).getResult();
  };
  if (extension == Extension::Zeros)
    return arith::AndIOp::create(b, loc, byte, constant((1 << width) - 1));
  if (extension == Extension::None)
    return byte;
  Value shift = constant(8 - width);
  return arith::ShRSIOp::create(b, loc, arith::ShLIOp::create(b, loc, byte, shift), shift);
}

/// An operand that is a packed integer.
struct PackedUse {
  OpOperand *operand;
  unsigned width;

  void extend() const {
    Operation *op = operand->getOwner();
    OpBuilder b(op);
    // The code generator does not support padding that is computed next to the padded array.
    if (!computes(op))
      b.setInsertionPointAfterValue(operand->get());
    operand->set(extended(b, op->getLoc(), operand->get(), width, extensionFor(*operand)));
    if (isa<math::CountLeadingZerosOp>(op))
      dropOuterZeros(op->getResult(0));
  }

  /// Subtracts the leading zeros of a byte that are not part of the packed integer.
  void dropOuterZeros(Value count) const {
    OpBuilder b(count.getContext());
    b.setInsertionPointAfterValue(count);
    Value outer = arith::ConstantOp::create(b, count.getLoc(), b.getI8IntegerAttr(8 - width));
    auto inner = arith::SubIOp::create(b, count.getLoc(), count, outer);
    count.replaceAllUsesExcept(inner, inner);
  }
};

/// Whether a packed integer moves unchanged from one array to another.
bool isMoved(OpOperand &operand) {
  Operation *source = operand.get().getDefiningOp();
  return !computes(operand.getOwner()) && (!source || !computes(source));
}

struct BytesPass : impl::BytesPassBase<BytesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> changed;
    SmallVector<PackedUse> uses;
    getOperation()->walk([&](Operation *op) {
      auto isOdd = [](Type type) { return storedValue(type) != type; };
      if (isa<arith::BitcastOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op))
        if (isOdd(op->getOperand(0).getType()) || isOdd(op->getResult(0).getType()))
          changed.push_back(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Type type = operand.get().getType(); isPacked(type) && !isMoved(operand))
          uses.push_back({&operand, type.getIntOrFloatBitWidth()});
    });
    getOperation()->walk(storeValuesOf);
    for (const PackedUse &use : uses)
      use.extend();
    for (Operation *op : changed)
      dropIfSame(op);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      auto types = llvm::map_to_vector(function.getArgumentTypes(), storedValue);
      auto results = llvm::map_to_vector(function.getResultTypes(), storedValue);
      function.setFunctionType(FunctionType::get(&getContext(), types, results));
    }
  }

  /// Gives each result its new type.
  static void storeValuesOf(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(cast<TypedAttr>(storedConstant(constant.getValue())));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(storedValue(argument.getType()));
    for (Value result : op->getResults())
      result.setType(storedValue(result.getType()));
  }

  /// Removes a conversion between types that are both bytes now.
  static void dropIfSame(Operation *op) {
    if (op->getOperand(0).getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
};

} // namespace

} // namespace dovetail
