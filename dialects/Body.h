// Bodies under construction: the common form of transformed functions, loop bodies and branches.
#ifndef DOVETAIL_BODY_H
#define DOVETAIL_BODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace dovetail {

/// A block, isolated from above and not yet owned by an op, and the values to return.
struct Body {
  mlir::Location loc;
  std::unique_ptr<mlir::Region> region;
  llvm::SmallVector<mlir::Value> results;

  Body(mlir::Location loc, mlir::TypeRange arguments = {});

  mlir::Block &block() const { return region->front(); }
  mlir::Block::BlockArgListType arguments() const { return block().getArguments(); }
  mlir::OpBuilder builder() const;

  /// Removes unneeded ops: those that only compute values, or all, regardless of effects.
  void prune(bool keepEffects = true);

  /// Reorders the arguments: `order[i]` is the index of the argument that becomes argument i.
  void arrange(llvm::ArrayRef<unsigned> order);
  /// Gives it arguments of `types`; that at `positions[i]` is the present argument i.
  void arrange(llvm::ArrayRef<unsigned> positions, mlir::TypeRange types);
};

/// The ops of a body, which may be under construction, except for its terminator.
inline auto opsOf(mlir::Region &body) {
  return llvm::make_filter_range(body.front(),
                                 [](mlir::Operation &op) { return !op.hasTrait<mlir::OpTrait::IsTerminator>(); });
}

/// The location of a body, even if no op owns it.
mlir::Location locOf(mlir::Region &body);

/// The operands of a body's terminator.
inline mlir::ValueRange returned(mlir::Region &body) { return body.front().getTerminator()->getOperands(); }

/// The results of a body on `arguments`: its ops are copied to the builder's position.
llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Block &block, mlir::ValueRange results,
                                          mlir::ValueRange arguments);
inline llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, const Body &body,
                                                 mlir::ValueRange arguments) {
  return inlineBody(builder, body.block(), body.results, arguments);
}
inline llvm::SmallVector<mlir::Value> inlineBody(mlir::OpBuilder &builder, mlir::Region &body,
                                                 mlir::ValueRange arguments) {
  return inlineBody(builder, body.front(), returned(body), arguments);
}

/// The position of a `?` dimension of one value, or of a value that is a size, among those of all.
int64_t sizePosition(mlir::ValueRange values, unsigned number, int64_t dimension);

} // namespace dovetail

#endif // DOVETAIL_BODY_H
