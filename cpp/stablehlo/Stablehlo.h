// The dialects `stablehlo` and `chlo`, and those of attributes that come with them.
#ifndef DOVETAIL_STABLEHLO_STABLEHLO_H
#define DOVETAIL_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dovetail::stablehlo {

/// Dimensions of a convolution's arrays that are not spatial: batch (of a kernel: output features) and features (of a
/// kernel: input features).
constexpr int64_t kBatch = -1;
constexpr int64_t kFeature = -2;

mlir::FailureOr<llvm::SmallVector<int64_t>> parseDims(mlir::AsmParser &parser);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

/// Registers the dialects.
void registerStablehlo(mlir::DialectRegistry &registry);

} // namespace dovetail::stablehlo

#include "cpp/stablehlo/ChloDialect.h.inc"
#include "cpp/stablehlo/Dialect.h.inc"
#include "cpp/stablehlo/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cpp/stablehlo/Attributes.h.inc"
#define GET_OP_CLASSES
#include "cpp/stablehlo/Chlo.h.inc"
#define GET_OP_CLASSES
#include "cpp/stablehlo/Ops.h.inc"

#endif // DOVETAIL_STABLEHLO_STABLEHLO_H
