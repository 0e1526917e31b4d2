// Arrays of elements that the code generator does not store become arrays of bytes.
#include "Lowering.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_BYTESPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// Whether IREE knows no such float, not even as a scalar.
bool isForeign(Type type) {
  return isa<Float8E3M4Type, Float8E4M3Type, Float8E4M3B11FNUZType, Float6E2M3FNType, Float6E3M2FNType,
             Float4E2M1FNType>(type);
}

/// Whether this is an integer of 2 or 4 bits: code computes with it, arrays hold it as the low bits of a byte.
bool isPacked(Type type) { return type.isInteger() && !type.isInteger(1) && type.getIntOrFloatBitWidth() < 8; }

Type stored(Type type) { return isForeign(type) || isPacked(type) ? IntegerType::get(type.getContext(), 8) : type; }

/// What type a value has after the pass, where its producer does not compute with packed integers.
Type storedValue(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? withElement(tensor, stored(tensor.getElementType())) : stored(type);
}

/// Scalar code computes with packed integers; other ops move them to and from arrays.
bool computes(Operation *op) { return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()); }

Attribute storedConstant(Attribute value) {
  Builder b(value.getContext());
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

/// Changes the type of a value; users that compute with it as a packed integer get its low bits, of which `loads` are
/// told.
void store(OpBuilder b, Value value, SmallPtrSetImpl<Operation *> &loads) {
  Type type = value.getType(), bytes = storedValue(type);
  if (type == bytes)
    return;
  value.setType(bytes);
  if (!isPacked(type))
    return;
  SmallVector<OpOperand *> uses = llvm::to_vector(llvm::make_pointer_range(value.getUses()));
  if (uses.empty())
    return;
  auto load = arith::TruncIOp::create(b, value.getLoc(), type, value);
  loads.insert(load);
  for (OpOperand *use : uses)
    use->set(load);
}

/// A packed integer as a byte, where it is defined: the code generator takes no padding that is computed beside the
/// padded array, and what is only moved must not be taken apart.
Value asByte(Value packed, const SmallPtrSetImpl<Operation *> &loads) {
  if (Operation *source = packed.getDefiningOp(); source && loads.contains(source))
    return source->getOperand(0);
  OpBuilder b(packed.getContext());
  b.setInsertionPointAfterValue(packed);
  return arith::ExtUIOp::create(b, packed.getLoc(), b.getI8Type(), packed);
}

/// A change of type between a foreign float and the integer of its bits, of which the float is now one of 8.
void replaceBitcast(arith::BitcastOp op) {
  OpBuilder b(op);
  Value x = op.getIn();
  Type to = op.getType();
  unsigned from = x.getType().getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  if (from < width)
    x = arith::ExtUIOp::create(b, op.getLoc(), to, x);
  else if (from > width)
    x = arith::TruncIOp::create(b, op.getLoc(), to, x);
  op.replaceAllUsesWith(x);
  op.erase();
}

struct BytesPass : impl::BytesPassBase<BytesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<arith::BitcastOp> bitcasts;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      if (auto bitcast = dyn_cast<arith::BitcastOp>(op))
        if (isForeign(bitcast.getType()) || isForeign(bitcast.getIn().getType()))
          bitcasts.push_back(bitcast);
    });
    SmallPtrSet<Operation *, 16> loads;
    for (Operation *op : ops)
      storeValuesOf(op, loads);
    // Now all arrays hold bytes, so what goes into them must be bytes.
    for (Operation *op : ops)
      if (!computes(op))
        for (OpOperand &operand : op->getOpOperands())
          if (isPacked(operand.get().getType()))
            operand.set(asByte(operand.get(), loads));
    for (Operation *load : loads)
      if (load->use_empty())
        load->erase();
    for (arith::BitcastOp op : bitcasts)
      replaceBitcast(op);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      auto types = llvm::map_to_vector(function.getArgumentTypes(), storedValue);
      auto results = llvm::map_to_vector(function.getResultTypes(), storedValue);
      function.setFunctionType(FunctionType::get(&getContext(), types, results));
    }
  }

  /// Of all that the op makes: constants, results, arguments of its blocks.
  static void storeValuesOf(Operation *op, SmallPtrSetImpl<Operation *> &loads) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(cast<TypedAttr>(storedConstant(constant.getValue())));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          store(OpBuilder::atBlockBegin(&block), argument, loads);
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (!computes(op) || !isPacked(result.getType()))
        store(after, result, loads);
  }
};

} // namespace

} // namespace dovetail
