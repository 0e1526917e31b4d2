// Windows of arrays that reach beyond their ends.
#ifndef DOVETAIL_DISPATCH_WINDOWS_H
#define DOVETAIL_DISPATCH_WINDOWS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace dovetail {

/// The elements of `base` from `starts` on; a start may be negative, and an end after that of the array.
struct Window {
  mlir::Value base;
  llvm::SmallVector<int64_t> starts, sizes;

  bool isInside() const;
};

/// Elements beyond the ends of an array along one dimension, from `begin` to `end`, that are copies of those at a
/// distance.
struct Border {
  unsigned dim;
  int64_t begin, end, distance;
};

/// Arrays that are extended so that windows of them are slices. Elements beyond the ends are unspecified, unless a
/// border states them.
class ExtendedArrays {
public:
  /// Lets the extension of a window's base contain the window, and the borders. Returns false, and includes nothing, if
  /// other borders are there already.
  bool include(const Window &window, llvm::ArrayRef<Border> borders = {});

  /// The elements that all extensions have, and those of one.
  int64_t elements() const;

  /// The window as a slice. Makes the extension of its base, right behind that, when it is first needed.
  mlir::Value slice(mlir::ImplicitLocOpBuilder &b, const Window &window);

private:
  struct Extension {
    llvm::SmallVector<int64_t> low, high;
    llvm::SmallVector<Border> borders;
    mlir::Value array;
  };
  static llvm::SmallVector<int64_t> shapeOf(mlir::Value base, const Extension &extension);

  llvm::MapVector<mlir::Value, Extension> extensions;
};

/// Calls `rewrite` with each block of a program's functions. Where it returns true, ops whose results nothing reads any
/// more are erased. Returns whether it did anywhere.
bool rewriteBlocks(mlir::ModuleOp program, llvm::function_ref<bool(mlir::Block &)> rewrite);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_WINDOWS_H
