// Calls of foreign functions: dispatches of executables that pass on the addresses of their buffers.
#ifndef DOVETAIL_DISPATCH_FOREIGNCALL_H
#define DOVETAIL_DISPATCH_FOREIGNCALL_H

#include "cpp/foreign/Descriptor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// The number that XLA's FFI has for an element type of the dialect, with its sign.
int64_t foreignType(mlir::Type element);

/// Attributes as the library of foreign functions reads them; see cpp/foreign/Descriptor.h.
std::string encodeAttributes(mlir::DictionaryAttr attributes);

/// What the library is to do.
struct ForeignCall {
  std::string target;
  mlir::DictionaryAttr attributes;
  /// Element types of the dialect, of arguments and results.
  llvm::SmallVector<mlir::Type> elements;
  /// The argument in whose memory each result is written, or -1.
  llvm::SmallVector<int64_t> aliases;
  /// The dimensions of each array from major to minor: the function is told the sizes in their own order. Empty if that
  /// is the order in memory.
  llvm::SmallVector<llvm::ArrayRef<int64_t>> layouts;
  /// If so, `orderHostCalls` makes it depend on the calls before.
  bool hasEffects;
};

/// Calls the function on arrays; the results have these types, of which `sizes` are the dynamic ones. Dimensions of
/// both are in the order in memory. It is a dispatch of its own, whose code calls with similar arguments share.
llvm::SmallVector<mlir::Value> callForeign(mlir::ImplicitLocOpBuilder &b, const ForeignCall &call,
                                           mlir::ValueRange arguments, mlir::TypeRange results, mlir::ValueRange sizes);

/// Gives the calls of a program different numbers, in their order.
void numberForeignCalls(mlir::ModuleOp program);

/// Where the calls of a program come from, by number.
llvm::SmallVector<mlir::Location> foreignLocations(mlir::ModuleOp program);

/// The names of the functions that a program calls, sorted.
std::vector<std::string> foreignTargets(mlir::ModuleOp program);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_FOREIGNCALL_H
