// Executables of hand-written code: their bindings, exports and calls.
#ifndef DOVETAIL_DISPATCH_EXECUTABLE_H
#define DOVETAIL_DISPATCH_EXECUTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// An executable of one function, which takes buffers and push constants. Its code is written while its interface
/// grows: bindings are numbered when it is added to a program, inputs before outputs.
class Executable {
public:
  /// The position of an input or an output in the interface.
  struct Binding {
    bool isOutput;
    unsigned index;
  };

  /// Binds an array that is read, with its dynamic sizes.
  Binding addInput(mlir::Value array, mlir::ValueRange sizes);
  /// Binds an array that is written, and that the call returns; in the memory of an input if one is given.
  Binding addOutput(mlir::RankedTensorType type, mlir::ValueRange sizes, std::optional<unsigned> tiedInput = {});

  /// Makes an output overwrite the memory of an input of its type.
  void tie(Binding output, Binding input) { outputs[output.index].tiedInput = input.index; }

  /// Passes a number of type `index` as a push constant of 32 bits, and returns its ordinal.
  unsigned addConstant(mlir::Value number);

  /// Passes a number that IREE does not know: it would make a call on constants while it compiles it, on the CPU.
  void addUnknown(mlir::ImplicitLocOpBuilder &b);

  /// The push constant inside the executable, an i32.
  mlir::Value load(mlir::ImplicitLocOpBuilder &inside, unsigned constant);

  /// The memory of a binding inside the executable, from `offset` bytes on; `sizes` are the type's dynamic ones.
  mlir::Value view(mlir::ImplicitLocOpBuilder &inside, Binding binding, mlir::MemRefType type, mlir::ValueRange sizes,
                   int64_t offset = 0);
  mlir::Value view(mlir::ImplicitLocOpBuilder &inside, Binding binding, mlir::MemRefType type, mlir::ValueRange sizes,
                   mlir::Value offset);

  size_t numBindings() const;
  /// If there are more than `most` bindings, small arrays of one element type share one of inputs, and one of outputs;
  /// calls join the former and slice the latter. All ties must have been made.
  void shareBindings(size_t most);

  bool hasOutputs() const { return !outputs.empty(); }

  /// Whether there are inputs, and outputs overwrite all of them.
  bool overwritesInputsOnly() const;

  /// Adds the executable of `code`, a module of one function, to a program. The function gets the executable's name,
  /// because executables are linked together. `numGroups` computes the number of workgroups from the workload of a
  /// call; if it is null, there is one.
  void addTo(mlir::ModuleOp program, llvm::StringRef name, mlir::OwningOpRef<mlir::ModuleOp> code, size_t workloadSize,
             llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange workload)> numGroups = {});

  /// Calls the executable of that name, and returns its outputs.
  llvm::SmallVector<mlir::Value> call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                                      mlir::ValueRange workload) const;

private:
  /// Where an array is in a binding that arrays share, in elements.
  struct Part {
    unsigned shared;
    int64_t offset;
  };

  struct Buffer {
    /// The array that is read; null for an output.
    mlir::Value array;
    mlir::RankedTensorType type;
    llvm::SmallVector<mlir::Value> sizes;
    std::optional<unsigned> tiedInput;
    std::optional<Part> part;
    /// The ops that view it.
    llvm::SmallVector<mlir::Operation *> views;
  };

  /// A binding that arrays share, each from a multiple of a cache line on.
  struct Shared {
    bool isOutput;
    mlir::Type element;
    int64_t numElements;
  };

  bool isWritten(unsigned input) const;
  /// Whether another input is the same array, or a view of it.
  bool isReadElsewhere(unsigned input) const;
  bool mayShare(unsigned index, bool isOutput) const;
  /// The position of an input among the operands of a call.
  unsigned operandOf(unsigned input) const;
  mlir::Value joined(mlir::ImplicitLocOpBuilder &b, unsigned shared) const;
  mlir::Attribute layout(mlir::MLIRContext *context) const;
  void numberBindings(mlir::ModuleOp program);

  llvm::SmallVector<Buffer> inputs, outputs;
  llvm::SmallVector<Shared> shared;
  /// The numbers that are passed, and the ops inside that load them.
  llvm::SmallVector<mlir::Value> constants;
  llvm::SmallVector<mlir::Operation *> loads;
};

/// A name for an executable that no other one in the program has: the stem and a number.
std::string freeName(mlir::ModuleOp program, llvm::StringRef stem = "once");

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_EXECUTABLE_H
