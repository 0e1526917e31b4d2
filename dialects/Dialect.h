// The dialect, its attributes and the interfaces of its ops; each family of ops has a header of its own.
#ifndef DOVETAIL_DIALECT_H
#define DOVETAIL_DIALECT_H

#include "Counting.h"
#include "Effects.h"
#include "Emitter.h"
#include "Folding.h"
#include "Rules.h"
#include "cpp/scalar/Basic.h"
#include "cpp/scalar/Scalar.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Dialect.h.inc"
#include "dialects/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Interfaces.h.inc"
#include "dialects/Types.h.inc"

#endif // DOVETAIL_DIALECT_H
