// The MLIR context of the process, and diagnostics as exceptions.
#ifndef DOVETAIL_BINDINGS_IR_CONTEXT_H
#define DOVETAIL_BINDINGS_IR_CONTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <exception>
#include <stdexcept>
#include <string>

namespace dovetail {

/// One context for all modules, so that types and attributes are shared. It is used under the GIL only.
mlir::MLIRContext &context();

/// An error of the compiler, with the location in the user's program that it refers to (line 0 if unknown).
struct CompilerError : std::runtime_error {
  CompilerError(const std::string &message, std::string file, unsigned line)
      : runtime_error(message), file(std::move(file)), line(line) {}
  std::string file;
  unsigned line;
};

/// Collects the errors that are reported while it lives.
class Diagnostics {
public:
  Diagnostics();
  /// Throws the collected diagnostics, or `otherwise` if there are none; an exception that was kept takes precedence.
  [[noreturn]] void raise(const std::string &otherwise);
  /// Keeps an exception, which must not pass through the compiler, for `raise`.
  static void keep(std::exception_ptr exception);

private:
  mlir::ScopedDiagnosticHandler handler;
  std::string message, file;
  unsigned line = 0;
};

/// Before the name of an element type: of a reference to an array of such elements.
inline constexpr llvm::StringLiteral kRef = "&";

/// The type of an array of such elements; a size of -1 is `?`. The name "index" stands for sizes.
mlir::Type arrayType(const std::vector<int64_t> &shape, const std::string &element);
mlir::Type elementType(const std::string &name);
/// The name of an element type in NumPy and ml_dtypes.
std::string elementName(mlir::Type type);
/// The sizes of an array, or of the one that a reference holds, and the name of its elements, as `arrayType` takes
/// them.
llvm::ArrayRef<int64_t> sizesOf(mlir::Type type);
std::string elementOf(mlir::Type type);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_CONTEXT_H
