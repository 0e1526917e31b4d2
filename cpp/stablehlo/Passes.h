// Creation and registration of the passes declared in Passes.td.
#ifndef DOVETAIL_STABLEHLO_PASSES_H
#define DOVETAIL_STABLEHLO_PASSES_H

#include "cpp/stablehlo/Stablehlo.h"
#include "dialects/Dialect.h"
#include "mlir/Pass/Pass.h"

namespace dovetail {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cpp/stablehlo/Passes.h.inc"

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_PASSES_H
