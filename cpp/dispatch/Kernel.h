// Hand-written device kernels, for what no composition of array ops makes good code of.
#ifndef DOVETAIL_DISPATCH_KERNEL_H
#define DOVETAIL_DISPATCH_KERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// An array that kernels see as elements of one float type, one after the other: complex numbers are two.
struct Floats {
  mlir::RankedTensorType type;
  /// Of the `?`s.
  llvm::SmallVector<mlir::Value> sizes;
  /// How many there are for each row.
  int64_t perRow;
  /// What is read; null for a result.
  mlir::Value array;
  /// Whether it has the same elements for all rows, `perRow` in all.
  bool isShared = false;
};

/// A kernel runs for `rows * itemsPerRow` items, of which each writes elements of its own; they may run in any order.
struct KernelShape {
  /// Its functions differ where names do; those of one name are made once.
  std::string name;
  mlir::Type element;
  mlir::OpFoldResult rows;
  int64_t itemsPerRow;
  /// Rows that one item serves, of which the last may be fewer: then `itemsPerRow` items serve them all.
  int64_t rowsPerItem = 1;
  /// How many items make work enough for a workgroup of a CPU; on other devices each is a thread's.
  int64_t itemsPerGroup = 1;
  /// Whether each item writes the places that it reads of the first input, so that the result may be in its memory.
  bool isInPlace = false;
};

/// What kernels ask of the program that they are for.
class Kernels {
public:
  explicit Kernels(mlir::ModuleOp program);

  bool isForCpu() const { return isCpu; }
  /// Of the vectors in which a CPU computes; of any CPU, those that all have.
  int64_t vectorBytes() const { return target == "cpu-generic" ? 16 : 64; }

  /// Calls `prepare` where each workgroup begins, and `body` for each item; both get the memory of the inputs and the
  /// result, and `body` the number of the item and that of rows.
  mlir::Value run(mlir::ImplicitLocOpBuilder &b, const KernelShape &shape, llvm::ArrayRef<Floats> inputs, Floats result,
                  llvm::function_ref<void(mlir::ImplicitLocOpBuilder &)> prepare,
                  llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange memory, mlir::Value item,
                                          mlir::Value rows)>
                      body);

private:
  mlir::ModuleOp program;
  std::string target;
  bool isCpu;
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_KERNEL_H
