// Everything one needs to work with the dialect: its ops, attributes and interfaces.
#ifndef DOVETAIL_DIALECT_H
#define DOVETAIL_DIALECT_H

#include "Emitter.h"
#include "Rules.h"
#include "cpp/lowering/math/Basic.h"
#include "cpp/lowering/math/Scalar.h"
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
#include "dialects/Interfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Call.h.inc"
#define GET_OP_CLASSES
#include "dialects/Create.h.inc"
#define GET_OP_CLASSES
#include "dialects/Dot.h.inc"
#define GET_OP_CLASSES
#include "dialects/Pointwise.h.inc"
#define GET_OP_CLASSES
#include "dialects/Reduce.h.inc"
#define GET_OP_CLASSES
#include "dialects/Shape.h.inc"

#endif // DOVETAIL_DIALECT_H
