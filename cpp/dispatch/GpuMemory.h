// Where buffers of hand-written code for GPUs are.
#ifndef DOVETAIL_DISPATCH_GPUMEMORY_H
#define DOVETAIL_DISPATCH_GPUMEMORY_H

#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// The buffers that the code of a workgroup allocates. SPIR-V has no views with an offset, and drivers bind few
/// buffers: each access is one of an element of a flat buffer, of which there is one for each element type.
class GpuMemory {
public:
  /// Puts small buffers in the memory that threads of a workgroup share. Fails if a size is not known, or if something
  /// else than loads and stores uses a buffer.
  mlir::LogicalResult find(mlir::func::FuncOp function, const Target &target);

  /// The bytes of the other buffers.
  int64_t numBytes() const;

  /// Puts these in the `number`-th part of flat buffers, which `allocate` makes from their element types and the
  /// elements of a part. `number` is null if there is one part.
  void place(llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Type, int64_t)> allocate,
             mlir::Value number);

private:
  struct Buffer {
    mlir::memref::AllocOp op;
    mlir::Type element;
    int64_t numElements, numBytes;
  };

  mlir::func::FuncOp function;
  llvm::SmallVector<Buffer> buffers;
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_GPUMEMORY_H
