// Creation and registration of the passes declared in Passes.td.
#ifndef DOVETAIL_LINALG_PASSES_H
#define DOVETAIL_LINALG_PASSES_H

#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace dovetail {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cpp/linalg/Passes.h.inc"

} // namespace dovetail

#endif // DOVETAIL_LINALG_PASSES_H
