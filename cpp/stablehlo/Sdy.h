// The dialect `sdy`: shardings of programs in StableHLO.
#ifndef DOVETAIL_STABLEHLO_SDY_H
#define DOVETAIL_STABLEHLO_SDY_H

#include "dialects/Dialect.h"
#include "mlir/IR/SymbolTable.h"

#include "cpp/stablehlo/SdyDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cpp/stablehlo/SdyAttributes.h.inc"
#define GET_OP_CLASSES
#include "cpp/stablehlo/Sdy.h.inc"

#endif // DOVETAIL_STABLEHLO_SDY_H
