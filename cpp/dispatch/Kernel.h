// Hand-written device kernels, for computations that no composition of array ops expresses efficiently.
#ifndef DOVETAIL_DISPATCH_KERNEL_H
#define DOVETAIL_DISPATCH_KERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// An array that kernels see as contiguous elements, of the kernel's type or i32: complex numbers are two elements.
struct Floats {
  mlir::RankedTensorType type;
  /// The sizes of its `?`s.
  llvm::SmallVector<mlir::Value> sizes;
  /// The number of elements per row.
  int64_t perRow;
  /// The array that is read; null for a result.
  mlir::Value array;
  /// Whether all rows share the same elements, `perRow` in total.
  bool isShared = false;
};

/// A kernel runs for `rows * itemsPerRow` items, each of which writes its own elements; they may run in any order.
struct KernelShape {
  /// Its functions differ if their names do; those with the same name are built once.
  std::string name;
  mlir::Type element;
  mlir::OpFoldResult rows;
  int64_t itemsPerRow;
  /// The number of rows that one item serves, fewer at the end; `itemsPerRow` items serve them all.
  int64_t rowsPerItem = 1;
  /// The number of items that are enough work for a workgroup of a CPU; on other devices, each is one thread.
  int64_t itemsPerGroup = 1;
  /// Whether each item writes to the positions that it reads of the first input, so that the first result may share
  /// its memory.
  bool isInPlace = false;
};

/// Properties of the program's target that kernels depend on.
class Kernels {
public:
  using Prepare = llvm::function_ref<void(mlir::ImplicitLocOpBuilder &)>;
  using Body = llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange memory, mlir::Value item,
                                       mlir::Value rows)>;

  explicit Kernels(mlir::ModuleOp program);

  bool isForCpu() const { return isCpu; }
  /// The size of a CPU's vectors in bytes; for generic targets, of those that all CPUs have.
  int64_t vectorBytes() const { return target == "cpu-generic" ? 16 : 64; }

  /// Calls `prepare` at the beginning of each workgroup, and `body` for each item; both get the memory of the inputs
  /// and the result, and `body` the index of the item and the number of rows.
  mlir::Value run(mlir::ImplicitLocOpBuilder &b, const KernelShape &shape, llvm::ArrayRef<Floats> inputs, Floats result,
                  Prepare prepare, Body body) {
    return run(b, shape, inputs, llvm::ArrayRef(result), prepare, body).front();
  }
  /// The same for several results.
  llvm::SmallVector<mlir::Value> run(mlir::ImplicitLocOpBuilder &b, const KernelShape &shape,
                                     llvm::ArrayRef<Floats> inputs, llvm::ArrayRef<Floats> results, Prepare prepare,
                                     Body body);

private:
  mlir::ModuleOp program;
  std::string target;
  bool isCpu;
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_KERNEL_H
