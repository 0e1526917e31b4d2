// Operands with shardings in their types, and their text in errors.
#include "TypedOperands.h"

using namespace mlir;

namespace dovetail {

std::string entryText(ArrayRef<AxisRefAttr> axes, bool isQuoted) {
  if (axes.empty())
    return "None";
  StringRef quote = isQuoted ? "'" : "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (axes.size() > 1 ? "(" : "");
  llvm::interleaveComma(axes, out, [&](AxisRefAttr axis) { out << quote << axis.getName().getValue() << quote; });
  out << (axes.size() > 1 ? ")" : "");
  return text;
}

std::string specText(ArrayRef<Axes> dims) {
  std::string text = "(";
  for (auto [i, axes] : llvm::enumerate(dims))
    text += (i ? ", " : "") + entryText(axes, true);
  return text + (dims.size() == 1 ? ",)" : ")");
}

std::string axesText(ArrayRef<AxisRefAttr> axes) {
  std::string text = "{";
  for (auto [i, axis] : llvm::enumerate(axes))
    text += (i ? ", " : "") + entryText(axis, true);
  return text + "}";
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string typeText(RankedTensorType type, ArrayRef<Axes> dims) {
  std::string text;
  llvm::raw_string_ostream(text) << type.getElementType() << "[";
  for (auto [i, size, axes] : llvm::enumerate(type.getShape(), dims)) {
    text += (i ? "," : "") + std::to_string(size);
    if (axes.empty())
      continue;
    SmallVector<StringRef> names =
        llvm::map_to_vector(axes, [](AxisRefAttr axis) { return axis.getName().getValue(); });
    text += names.size() == 1 ? "@" + names[0].str() : "@(" + llvm::join(names, ",") + ")";
  }
  return text + "]";
}

TypedOperands::TypedOperands(Operation *op, ArrayRef<ShardingAttr> shardings) : op(op) {
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), shardings)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    axes.push_back(sharding ? axesOf(sharding) : AxesOfEach(type ? type.getRank() : 0));
    unreduced.push_back(sharding ? Axes(sharding.getUnreduced()) : Axes());
    reduced.push_back(sharding ? Axes(sharding.getReplicated()) : Axes());
    if (sharding)
      mesh = sharding.getMesh();
  }
}

TypedOperands::TypedOperands(Operation *op, AxesOfEach unreduced, AxesOfEach reduced)
    : op(op), unreduced(std::move(unreduced)), reduced(std::move(reduced)) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    axes.emplace_back(type ? type.getRank() : 0);
  }
}

std::string TypedOperands::text(unsigned i) const {
  std::string text = typeText(type(i), axes[i]);
  for (auto [letter, set] : {std::pair('U', &unreduced[i]), std::pair('R', &reduced[i])})
    if (!set->empty())
      text += std::string("{") + letter + ":" + entryText(*set, false) + "}";
  return text;
}

std::string TypedOperands::spec(unsigned i, ArrayRef<int64_t> dims) const {
  return specText(llvm::map_to_vector(dims, [&](int64_t dim) { return axes[i][dim]; }));
}

LogicalResult reportWhole(const TypedOperands &operands, unsigned operand) {
  return operands.op->emitError() << "Input " << operand << " to " << operands.name()
                                  << " must be unsharded on non-batch dimensions, but got P" << operands.spec(operand)
                                  << ".";
}

LogicalResult reportUnequal(const TypedOperands &operands, unsigned first, unsigned second) {
  return operands.op->emitError() << operands.name()
                                  << " got incompatible shardings for broadcasting: " << operands.spec(first) << ", "
                                  << operands.spec(second) << ".";
}

} // namespace dovetail
