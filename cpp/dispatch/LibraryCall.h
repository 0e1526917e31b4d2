// Dispatches that call a function of a plugin of IREE's runtime.
#ifndef DOVETAIL_DISPATCH_LIBRARYCALL_H
#define DOVETAIL_DISPATCH_LIBRARYCALL_H

#include "Executable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace dovetail {

/// An array of a call: its place among the bindings, and the type of its elements in the view of the library.
struct LibraryArray {
  Executable::Binding binding;
  mlir::Type element;
};

/// A function of a plugin, to which executables of that name pass the address of each array, as base and offset, and
/// then their constants, as numbers of 64 bits. The library knows the sizes of the arrays.
struct LibraryFunction {
  llvm::StringRef name, executable;
  unsigned numConstants;
  /// Nothing if one workgroup calls it; otherwise each of that many does, and passes its own number last.
  std::optional<int64_t> groups = {};
  /// An output of type i32 that the executable sets to 0: users of it come after the call.
  std::optional<Executable::Binding> token = {};
  /// Whether an array of every call depends on an argument of the program. IREE would make other calls on constants
  /// when it compiles it.
  bool dependsOnArgument = false;
};

/// Calls a function of a plugin. All calls of a program share their code, and none of the passes moves others into
/// their dispatches.
llvm::SmallVector<mlir::Value> callLibrary(mlir::ImplicitLocOpBuilder &b, Executable &executable,
                                           const LibraryFunction &function, llvm::ArrayRef<LibraryArray> arrays);

//===- Calls that a constant describes, whose first number is that of the call ----===//

/// Visits the calls of a program, in their order, by how the names of their executables begin, with the constants that
/// describe them.
void forEachDescribedCall(mlir::ModuleOp program, llvm::StringRef executable,
                          llvm::function_ref<void(mlir::Operation *, mlir::arith::ConstantOp)> visit);

/// Gives these calls different numbers, in their order.
void numberCalls(mlir::ModuleOp program, llvm::StringRef executable);

/// Where they come from, by number.
llvm::SmallVector<mlir::Location> callLocations(mlir::ModuleOp program, llvm::StringRef executable);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_LIBRARYCALL_H
