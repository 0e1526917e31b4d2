// Creation and registration of the passes declared in Passes.td.
#ifndef DOVETAIL_SHARDING_PASSES_H
#define DOVETAIL_SHARDING_PASSES_H

#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace dovetail {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cpp/sharding/Passes.h.inc"

} // namespace dovetail

#endif // DOVETAIL_SHARDING_PASSES_H
