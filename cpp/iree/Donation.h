// Attributes that state how functions get memory, and which of it they may reuse.
#ifndef DOVETAIL_IREE_DONATION_H
#define DOVETAIL_IREE_DONATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Marks an argument of a function whose memory results may reuse and, in its reflection, results that share memory.
constexpr llvm::StringLiteral kDonated = "dovetail.donated", kSharing = "dovetail.sharing",
                              kHandedBack = "dovetail.handed_back";

/// IREE's mark of an argument that the function consumes, which `--dovetail-reuse-arguments` sets on donated ones.
constexpr llvm::StringLiteral kConsumed = "iree.abi.consume";

/// Marks a function that is to take and return memory instead of views of it, until `--dovetail-pass-memory`.
constexpr llvm::StringLiteral kPassesMemory = "dovetail.passes_memory";

/// Whether an array is a donated argument, before `--dovetail-reuse-arguments`, or what ops made of one by overwriting
/// parts of it, of enough bytes that to overwrite it saves more than it costs.
bool isWorthOverwriting(mlir::Value array);

inline bool isDonated(mlir::func::FuncOp function, mlir::BlockArgument argument) {
  return bool(function.getArgAttr(argument.getArgNumber(), kConsumed));
}

} // namespace dovetail

#endif // DOVETAIL_IREE_DONATION_H
